package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/servicetest"
)

var update = flag.Bool("update", false, "write the golden files")

// plans are the queries whose cost must not grow with history.
var plans = []struct {
	name, query string
	params      int
}{
	{"next expired", pickExpired, 5},
	{"next expired review", pickExpiredReviews(coord.IndependentSession), 6},
	{"what ready tasks need", pickNeeds, 3},
	{"next ready", pickReady, 4},
	{"ready tasks beyond a session", countOfNeeds, 4},
	{"next to accept", pickAcceptable, 1},
	{"next review", pickReview(coord.IndependentSession), 3},
	{"next review on another machine", pickReview(coord.IndependentMachine), 4},
	{"next to go back", pickRevisable, 1},
	{"next to go back as its task was edited", pickStale, 1},
	{"next to decide", pickDecisions, 6},
	{"next to ask anew", pickLapsed, 3},
	{"next landing", pickFreeLanding, 5},
	{"what a session holds", heldTasks, 3},
	{"how much a session holds", "SELECT capabilities, (" + countLive + ") FROM sessions s WHERE s.id = ?", 2},
	{"what counts against a quota", listLive, 3},
	{"what a session works on", ownLive, 5},
	{"lessons of a brief", verifiedLessons, 3},
	{"lessons that fit", foundLessons, 4},
	{"first page of handoff notes", handoffList(handoffAll, ""), 2},
	{"next page of handoff notes", handoffList(handoffAll, handoffBefore), 4},
	{"handoff notes of a file", handoffList(handoffAll, handoffOfPath+handoffBefore), 5},
	{"handoff notes that have the words", handoffList(handoffOfText, ""), 4},
	{"earlier versions of a handoff note", earlierHandoffs, 4},
	{"waiting, as far as it is counted", countBlocked, 2},
	{"waiting for a person, as far as it is counted", countPersonal, 2},
	{"parked by a decision, as far as it is counted", countParked, 2},
	{"next recommendation to stand", nextToStand, 1},
	{"open decisions", "SELECT " + decisionColumns + " FROM decisions d WHERE " + openDecisions + " ORDER BY d.number DESC LIMIT ?", 3},
	{"other decisions", "SELECT " + decisionColumns + " FROM decisions d WHERE " + restDecisions + " ORDER BY d.number DESC LIMIT ?", 3},
	{"own landing", pickOwnLanding, 7},
	{"first page of a list", "SELECT " + taskColumns + taskFrom + " WHERE t.project = ? ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 2},
	{"next page of a list", "SELECT " + taskColumns + taskFrom + " WHERE t.project = ? AND (t.phase, t.priority, t.ready_since, t.number) > (?, ?, ?, ?) ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 6},
	{"one task", "SELECT " + taskColumns + taskFrom + " WHERE t.id = ?", 1},
	{"latest closed", "SELECT " + taskColumns + closedSet.from() + latestClosed, 3},
	{"children of an objective", "SELECT " + taskColumns + " FROM tasks t INDEXED BY tasks_parent" + taskJoins + " WHERE t.project = ? AND t.parent = ? ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 3},
	{"an objective's open child", "SELECT id FROM tasks INDEXED BY tasks_children WHERE parent = ? AND lifecycle IN ('open', 'planned') ORDER BY number LIMIT 1", 1},
	{"held by others", heldBy("<>"), 3},
	{"held by an owner", "SELECT " + taskColumns + " FROM tasks t INDEXED BY tasks_owned" + taskJoins + " WHERE t.project = ? AND t.attempt IS NOT NULL AND a.owner = ? ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 3},
	{"planned, as far as it is counted", plannedOf, 2},
	{"saved on one machine, as far as it is counted", localSet.and("t.kind = 'code'").some(), 1},
	{"own reviews, as far as they are counted", readyReviews(ownWork(coord.IndependentSession)), 2},
	{"objectives in progress", childrenSet.count(), 1},
	{"of a label that few have", "SELECT " + taskColumns + " FROM tasks t" + byID + taskJoins + " WHERE t.project = ? AND " + ofLabel + " ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 3},
	{"by source key", "SELECT id FROM tasks WHERE project = ? AND source_key = ? AND source_key <> ''", 2},
	{"an unfinished task of a title", unfinishedTwin, 2},
	{"jobs", listJobs(coord.JobQuery{}), 3},
	{"jobs that may run", listJobs(coord.JobQuery{Open: true}), 3},
	{"jobs of a task", listJobs(coord.JobQuery{Task: "x-1", Open: true}), 3},
	{"what is left of a job", leftByJob, 1},
	{"similar", similarTasks, 4},
	{"what a task waits for", edgesOf, 2},
	{"ready count", readySet.count(), 1},
	{"blocked count", blockedSet.count(), 1},
	{"blocked count of a kind", blockedSet.and("t.kind = ?").count(), 2},
	{"ready column", "SELECT " + taskColumns + readySet.and("t.kind = ?").from() + selectionOrder, 3},
	{"planned column", "SELECT " + taskColumns + plannedSet.from() + selectionOrder, 2},
	{"owned", "SELECT " + taskColumns + ownedSet.from(), 1},
	{"submitted", "SELECT " + taskColumns + submittedSet.from(), 1},
	{"counts by status", "SELECT " + statusOf + ", count(*)" + ownedSet.from() + " GROUP BY 1", 2},
	{"events of a project", "SELECT " + eventColumns + " FROM events WHERE project = ? AND seq > ? ORDER BY seq LIMIT ?", 3},
	{"events of a task", "SELECT " + eventColumns + " FROM events WHERE task = ? AND task <> '' ORDER BY seq DESC LIMIT 200", 1},
	{"events of links", linkEvents, 1},
	{"receipts of a tree", "SELECT " + receiptColumns + " FROM receipts WHERE project = ? AND tree = ? ORDER BY id", 2},
	{"receipts of a task", taskReceipts, 2},
	{"receipts under a decision", underDecision, 2},
	{"free the dependents", "UPDATE tasks SET open_dependencies = open_dependencies - 1 WHERE id IN (SELECT task FROM dependencies WHERE depends_on = ?)", 1},
	{"submissions of landed work", "SELECT " + submissionColumns + " FROM submissions WHERE id IN (" + landedSet.ids("t.submission", latestClosed) + ")", 2},
	{"old answers", dropAnswers, 2},
	{"old tombstones", dropTombstones, 2},
	{"token", "SELECT principal, role FROM tokens WHERE verifier = ?", 1},
}

// sorted are the queries that read all of a small set and put it in order.
var sorted = map[string]bool{"own landing": true, "what a session holds": true, "what counts against a quota": true, "what a session works on": true, "children of an objective": true, "held by an owner": true, "of a label that few have": true, "receipts of a task": true, "handoff notes that have the words": true}

// bounded are the queries that scan what a subquery gave them so many of.
var bounded = map[string]bool{"own reviews, as far as they are counted": true}

// TestQueryPlans holds the plans to testdata/plans.txt; -update writes it.
func TestQueryPlans(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	var got strings.Builder
	for _, p := range plans {
		fmt.Fprintf(&got, "%s\n", p.name)
		rows, err := s.writer.conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+p.query, make([]any, p.params)...)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "    %s\n", detail)
			if strings.HasPrefix(detail, "SCAN t") && !strings.Contains(detail, "VIRTUAL TABLE INDEX") && !bounded[p.name] || parent == 0 && strings.Contains(detail, "TEMP B-TREE FOR") && strings.Contains(detail, "ORDER BY") && !sorted[p.name] {
				t.Errorf("%s: %s", p.name, detail)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", "plans.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("plans differ from %s (%v):\n%s", golden, err, got.String())
	}
}
