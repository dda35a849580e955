package store

import (
	"context"
	"testing"
	"time"

	"coord"
)

// checkRecord proves what must hold of any database that the store wrote: the
// chain of events, the columns that transactions maintain, and that SQL and
// the root's rules derive the same statuses.
func checkRecord(t *testing.T, s *Store) {
	t.Helper()
	err := s.read(context.Background(), func(v *view) error {
		checkChain(t, v)
		checkMaintained(t, v)
		for _, later := range []time.Duration{0, time.Minute, 24 * time.Hour} {
			at := *v
			at.now = v.now.Add(later)
			checkStatuses(t, &at)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func checkChain(t *testing.T, v *view) {
	t.Helper()
	events, err := list(v, scanEvent, "SELECT "+eventColumns+" FROM events ORDER BY seq")
	if err != nil {
		t.Error(err)
	}
	var c chain
	for _, e := range events {
		if e.Seq != c.seq+1 || e.Hash != c.next(e) {
			t.Fatalf("event %d does not follow event %d", e.Seq, c.seq)
		}
		c = chain{seq: e.Seq, hash: e.Hash}
	}
}

func checkMaintained(t *testing.T, v *view) {
	t.Helper()
	for what, query := range map[string]string{
		"open dependencies differ from a recount": `SELECT id FROM tasks t WHERE open_dependencies <>
			(SELECT count(*) FROM dependencies x JOIN tasks y ON y.id = x.depends_on WHERE x.task = t.id AND y.lifecycle <> 'done')`,
		"attempt of the task is not its one that was not ended": `SELECT id FROM tasks t WHERE coalesce(attempt, '') <>
			coalesce((SELECT id FROM attempts a WHERE a.task = t.id AND a.ended IS NULL), '')`,
		"generation is not the latest attempt's": "SELECT id FROM tasks t WHERE generation <> coalesce((SELECT max(generation) FROM attempts a WHERE a.task = t.id), 0)",
		"hold without an attempt":                `SELECT l.id FROM landings l LEFT JOIN attempts a ON a.id = l.attempt AND a.ended IS NULL WHERE l.state IN ('held', 'merged', 'publishing') AND a.id IS NULL`,
		"integration attempt without a hold": `SELECT a.id FROM attempts a WHERE a.kind = 'integration' AND a.ended IS NULL
			AND NOT EXISTS (SELECT 1 FROM landings l WHERE l.attempt = a.id AND l.generation = a.generation AND l.state IN ('held', 'merged', 'publishing'))`,
		"done code task without a landing":             "SELECT id FROM tasks WHERE kind = 'code' AND lifecycle = 'done' AND landing IS NULL AND submission IS NOT NULL",
		"current submission in a final state":          `SELECT t.id FROM tasks t JOIN submissions s ON s.id = t.submission WHERE t.lifecycle = 'open' AND s.state NOT IN ('in_review', 'approved')`,
		"landed on another tree than the verified one": `SELECT l.id FROM landings l JOIN submissions s ON s.id = l.submission WHERE l.state = 'landed' AND s.state <> 'landed'`,
		"more units held than there are": `SELECT r.name FROM resources r JOIN reservation_units u ON u.resource = r.id AND u.released_at IS NULL
			GROUP BY r.id, u.place HAVING count(*) > r.capacity`,
		"unit that is not held as its reservation is": `SELECT u.reservation FROM reservation_units u JOIN reservations n ON n.id = u.reservation
			WHERE (u.released_at IS NULL) <> (n.released_at IS NULL) OR u.resource <> n.resource OR u.place <> n.place`,
		"reservation that outlives its attempt or task without a job": `SELECT n.id FROM reservations n JOIN attempts a ON a.id = n.attempt JOIN tasks t ON t.id = n.task
			WHERE n.released_at IS NULL AND (a.ended IN ('released', 'submitted', 'finished') OR t.closed_at IS NOT NULL) AND ` + notInUse,
		"open children differ from a recount": `SELECT id FROM tasks t WHERE open_children <>
			(SELECT count(*) FROM tasks c WHERE c.parent = t.id AND c.lifecycle IN ('open', 'planned'))`,
		"open blockers differ from a recount": `SELECT id FROM tasks t WHERE open_blockers <>
			(SELECT count(*) FROM blockers b WHERE b.task = t.id AND b.lifted_at IS NULL)`,
		"open task that waits for itself": `WITH RECURSIVE edges (a, b) AS (
				SELECT x.task, x.depends_on FROM dependencies x UNION SELECT parent, id FROM tasks WHERE parent IS NOT NULL),
			alive (a, b) AS (SELECT e.a, e.b FROM edges e JOIN tasks t ON t.id = e.a JOIN tasks u ON u.id = e.b WHERE t.closed_at IS NULL AND u.closed_at IS NULL),
			reach (a, b) AS (SELECT a, b FROM alive UNION SELECT r.a, e.b FROM reach r JOIN alive e ON e.a = r.b)
			SELECT a FROM reach WHERE a = b`,
		"objective that nothing is missing of": `SELECT id FROM tasks t WHERE kind = 'objective' AND lifecycle = 'open' AND blocked = 0 AND criteria IN ('null', '[]')
			AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent = t.id AND c.lifecycle = 'done')`,
		"task made by hand whose words are not known": "SELECT id FROM tasks t WHERE subject IS NULL AND NOT EXISTS (SELECT 1 FROM task_words w WHERE w.rowid = t.created_seq AND w.task = t.id)",
		"lesson whose words are not known": `SELECT number FROM lessons l WHERE NOT EXISTS
			(SELECT 1 FROM lesson_words w WHERE w.rowid = l.id AND w.lesson_words MATCH '"s:' || l.status || '" AND "p:' || l.project || '" AND "k:' || l.kind || '"')`,
		"handoff note that is found and was replaced, or the other way round": `SELECT number FROM handoffs h WHERE latest <> EXISTS
			(SELECT 1 FROM handoff_words w WHERE w.rowid = h.id AND w.handoff_words MATCH '"p:' || h.project || '"')`,
		"note whose latest version is another than the last": "SELECT first FROM handoffs GROUP BY project, first HAVING sum(latest) <> 1 OR max(number) <> max(number * latest)",
		"feedback that differs from a recount": `SELECT number FROM lessons l WHERE useful <> (SELECT count(*) FROM lesson_feedback f WHERE f.lesson = l.id AND f.useful)
			OR not_useful <> (SELECT count(*) FROM lesson_feedback f WHERE f.lesson = l.id AND NOT f.useful)`,
		"revision of a lesson that was not kept":          "SELECT number FROM lessons l WHERE revision <> 1 + (SELECT count(*) FROM lesson_revisions r WHERE r.lesson = l.id AND r.revision < l.revision)",
		"lesson that gave way to one that gave way to it": "SELECT a.number FROM lessons a JOIN lessons b ON b.project = a.project AND b.number = a.superseded_by WHERE b.superseded_by = a.number",
		"foreign key": "SELECT \"table\" FROM pragma_foreign_key_check",
	} {
		ids, err := list(v, scanText[string], query)
		if err != nil || len(ids) > 0 {
			t.Errorf("%s: %v %v", what, ids, err)
		}
	}
}

func checkStatuses(t *testing.T, v *view) {
	t.Helper()
	rows, err := list(v, v.scanTask, "SELECT "+taskColumns+taskFrom)
	if err != nil {
		t.Fatal(err)
	}
	type of struct {
		project coord.ProjectKey
		kind    string
	}
	counts := map[of]map[coord.Status]int{}
	count := func(in of, s coord.Status) {
		if counts[in] == nil {
			counts[in] = map[coord.Status]int{}
		}
		counts[in][s]++
	}
	for _, r := range rows {
		var inSQL coord.Status
		if _, err := v.get([]any{&inSQL}, "SELECT "+statusOf+taskFrom+" WHERE t.id = ?", nanos(v.now), string(r.ID)); err != nil {
			t.Fatal(err)
		}
		if inSQL != r.Status {
			t.Errorf("%s is %s by the rules and %s in SQL", r.ID, r.Status, inSQL)
		}
		count(of{r.Project, anyKind}, r.Status)
		if r.Kind == coord.KindCode {
			count(of{r.Project, codeOnly}, r.Status)
		}
	}
	for in, want := range counts {
		got, err := v.counts(in.project, in.kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range boardColumns {
			if got[s] != want[s] {
				t.Errorf("%s, %s: %d tasks are %s, and the counts say %d", in.project, in.kind, want[s], s, got[s])
			}
		}
	}
}
