package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord/servicetest"
)

var update = flag.Bool("update", false, "write the golden files")

// plans are the queries whose cost must not grow with history.
var plans = []struct {
	name, query string
	params      int
}{
	{"next expired", pickExpired, 4},
	{"next with saved work", pickSaved, 2},
	{"next ready", pickReady, 2},
	{"next review", pickReview, 3},
	{"next to go back", pickRevisable, 1},
	{"next landing", pickFreeLanding, 3},
	{"own landing", pickOwnLanding, 6},
	{"first page of a list", "SELECT " + taskColumns + taskFrom + " WHERE t.project = ? ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 2},
	{"next page of a list", "SELECT " + taskColumns + taskFrom + " WHERE t.project = ? AND (t.phase, t.priority, t.ready_since, t.number) > (?, ?, ?, ?) ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", 6},
	{"one task", "SELECT " + taskColumns + taskFrom + " WHERE t.id = ?", 1},
	{"latest closed", "SELECT " + taskColumns + closedSet.from() + latestClosed, 3},
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
	{"receipts of a tree", "SELECT " + receiptColumns + " FROM receipts WHERE project = ? AND tree = ? ORDER BY id", 2},
	{"free the dependents", "UPDATE tasks SET open_dependencies = open_dependencies - 1 WHERE id IN (SELECT task FROM dependencies WHERE depends_on = ?)", 1},
	{"submissions of landed work", "SELECT " + submissionColumns + " FROM submissions WHERE id IN (" + landedSet.ids("t.submission", latestClosed) + ")", 2},
	{"old answers", dropAnswers, 2},
	{"old tombstones", dropTombstones, 2},
	{"token", "SELECT principal, role FROM tokens WHERE verifier = ?", 1},
}

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
			if strings.HasPrefix(detail, "SCAN t") || strings.Contains(detail, "TEMP B-TREE FOR") && strings.Contains(detail, "ORDER BY") && p.name != "own landing" {
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
