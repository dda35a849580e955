package store

import "coord"

// claimable is the condition of the indexes tasks_claimable, tasks_capable and
// tasks_saved, word for word: SQLite uses a partial index only where the query repeats its
// terms. It says: admitted, nothing to wait for, nobody's, not submitted.
const claimable = "t.lifecycle = 'open' AND t.blocked = 0 AND t.attempt IS NULL AND t.submission IS NULL"

// waiting is the same for tasks that wait for something (tasks_blocked).
const waiting = "t.lifecycle = 'open' AND t.blocked = 1 AND t.attempt IS NULL AND t.submission IS NULL"

// set is a condition on tasks with the index that holds just its rows. The
// index is named because without statistics SQLite would rather take any
// other that begins with the project, and walk all of its history.
type set struct{ where, index string }

var (
	readySet     = set{claimable, "tasks_claimable"}
	blockedSet   = set{waiting, "tasks_blocked"}
	savedSet     = set{claimable + " AND t.saved IS NOT NULL", "tasks_saved"}
	ownedSet     = set{"t.attempt IS NOT NULL", "tasks_owned"}
	submittedSet = set{"t.lifecycle = 'open' AND t.submission IS NOT NULL", "tasks_submitted"}
	plannedSet   = set{"t.phase = 1", "tasks_order"}
	childrenSet  = set{"t.kind = 'objective' AND t.phase = 0 AND t.blocked = 2", "tasks_kind_order"} // objectives in progress
	localSet     = set{"t.pickup = 2 AND " + claimable, "tasks_capable"}
	closedSet    = set{"t.lifecycle = ?", "tasks_lifecycle"}
	codeSet      = set{"t.kind = 'code'", "tasks_kind_order"}
	landedSet    = set{"t.lifecycle = 'done' AND t.landing IS NOT NULL", "tasks_lifecycle"}
)

// and narrows the set; parameters of the condition come first.
func (s set) and(condition string) set { return set{condition + " AND " + s.where, s.index} }

// from reads the set, with the joins of taskJoins. Its first parameter is the
// project.
func (s set) from() string {
	return " FROM tasks t INDEXED BY " + s.index + taskJoins + " WHERE t.project = ? AND " + s.where
}

// ids is a query of one column of the first tasks of the set. Its parameters
// are the project and the order's limit.
func (s set) ids(column, order string) string {
	return "SELECT " + column + " FROM tasks t INDEXED BY " + s.index + " WHERE t.project = ? AND " + s.where + order
}

// count counts the set and names one of it. Its first parameter is the
// project.
func (s set) count() string {
	return "SELECT count(*), coalesce(min(t.id), '') FROM tasks t INDEXED BY " + s.index + " WHERE t.project = ? AND " + s.where
}

// some counts the set, up to someLimit, and names one of it: the cost does not
// grow with the set. Its first parameter is the project.
func (s set) some() string {
	return "SELECT count(*), coalesce(min(x.id), '') FROM (" + s.ids("t.id", someRows) + ") x"
}

// someLimit is how far some counts: beyond it, more is just many.
const (
	someLimit = coord.CountedTo
	someRows  = " LIMIT 50"
)

// statusOf is coord.TaskFacts.Status in SQL, for filters; the tests compare
// the two. Its one parameter is now. It needs taskJoins: a is there while an
// attempt owns the task, and h while one reserves the target to land it.
const statusOf = `CASE
	WHEN t.lifecycle <> 'open' THEN t.lifecycle
	WHEN coalesce(a.expires_at, h.expires_at) <= ? THEN 'recovery_required'
	WHEN t.attempt IS NOT NULL AND t.kind = 'integration' AND l.state = 'held' THEN 'integrating'
	WHEN t.attempt IS NOT NULL AND t.kind = 'integration' AND l.state IN ('merged', 'publishing') THEN 'validating'
	WHEN t.attempt IS NOT NULL THEN 'in_progress'
	WHEN t.submission IS NOT NULL AND s.state = 'in_review' THEN 'waiting_review'
	WHEN t.submission IS NOT NULL AND l.state = 'held' THEN 'integrating'
	WHEN t.submission IS NOT NULL AND l.state IN ('merged', 'publishing') THEN 'validating'
	WHEN t.submission IS NOT NULL AND l.state IN ('conflict', 'failed') THEN 'blocked'
	WHEN t.submission IS NOT NULL THEN 'waiting_integration'
	WHEN t.blocked = 1 THEN 'blocked'
	WHEN t.blocked = 2 THEN 'in_progress'
	ELSE 'ready' END`
