package store

import (
	"cmp"
	"context"
	"slices"

	"coord"
)

const (
	columnLimit = 200 // tasks shown of an open status
	closedLimit = 50  // the latest of a closed one, of which its work is shown
)

var boardColumns = []coord.Status{
	coord.StatusReady, coord.StatusInProgress, coord.StatusRecoveryRequired, coord.StatusWaitingReview, coord.StatusWaitingIntegration,
	coord.StatusIntegrating, coord.StatusValidating, coord.StatusBlocked, coord.StatusPlanned, coord.StatusDone, coord.StatusCanceled, coord.StatusSuperseded,
}

// Board returns the tasks of a project by status. Its counts are exact.
func (s *service) Board(ctx context.Context, project coord.ProjectKey) (coord.Board, error) {
	if err := s.mayRead(); err != nil {
		return coord.Board{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Board, error) { return v.board(project) })
}

func (v *view) board(key coord.ProjectKey) (b coord.Board, err error) {
	if b.Project, err = v.project(key); err != nil {
		return b, err
	}
	counts, err := v.counts(key, anyKind)
	if err != nil {
		return b, err
	}
	rows, err := v.boardRows(key)
	if err != nil {
		return b, err
	}
	byStatus := map[coord.Status][]coord.Task{}
	for _, r := range rows {
		byStatus[r.Status] = append(byStatus[r.Status], r.Task)
	}
	for _, s := range boardColumns {
		tasks := byStatus[s]
		b.Columns = append(b.Columns, coord.BoardColumn{Status: s, Count: counts[s], Tasks: append([]coord.Task{}, tasks[:min(len(tasks), columnLimit)]...)})
	}
	b.Now = v.now
	b.AsOf, err = v.lastSeq()
	return b, err
}

// boardRows are the tasks worth showing, in the order of their columns: all
// that somebody has in hand or that is submitted, which are few, and the head
// of the rest. Of what is closed it is the work: its reviews and landings tell
// no more than it does.
func (v *view) boardRows(key coord.ProjectKey) ([]taskRow, error) {
	var open []taskRow
	for _, in := range []set{ownedSet, submittedSet} {
		rows, err := v.tasksIn(in, "", key)
		if err != nil {
			return nil, err
		}
		open = append(open, rows...)
	}
	for _, in := range []set{readySet, blockedSet} {
		for _, k := range []coord.Kind{coord.KindCode, coord.KindGeneral, coord.KindObjective, coord.KindReview, coord.KindIntegration} {
			rows, err := v.tasksIn(in.and("t.kind = ?"), selectionOrder, key, string(k), columnLimit)
			if err != nil {
				return nil, err
			}
			open = append(open, rows...)
		}
	}
	growing, err := v.tasksIn(childrenSet, selectionOrder, key, columnLimit)
	if err != nil {
		return nil, err
	}
	open = append(open, growing...)
	slices.SortFunc(open, inSelectionOrder)
	rest, err := v.tasksIn(plannedSet, selectionOrder, key, columnLimit)
	if err != nil {
		return nil, err
	}
	for _, l := range []coord.Lifecycle{coord.LifecycleDone, coord.LifecycleCanceled, coord.LifecycleSuperseded} {
		rows, err := v.tasksIn(closedSet, latestClosed, key, string(l), closedLimit)
		if err != nil {
			return nil, err
		}
		rest = append(rest, slices.DeleteFunc(rows, func(r taskRow) bool { return !r.Kind.ByHand() })...)
	}
	return append(open, rest...), nil
}

// The orders of what is read of a set; each is its index's, and takes a
// limit.
const (
	selectionOrder = " ORDER BY t.priority, t.ready_since, t.number LIMIT ?"
	latestClosed   = " ORDER BY t.closed_at DESC, t.number DESC LIMIT ?"
)

// tasksIn reads tasks of a project that are in the set; args follow its key.
func (v *view) tasksIn(in set, order string, key coord.ProjectKey, args ...any) ([]taskRow, error) {
	rows, err := list(v, v.scanTask, "SELECT "+taskColumns+in.from()+order, append([]any{string(key)}, args...)...)
	if err == nil {
		err = v.stall(rows)
	}
	return rows, err
}

func inSelectionOrder(a, b taskRow) int {
	p, q := a.position(), b.position()
	return cmp.Or(cmp.Compare(p.priority, q.priority), cmp.Compare(p.ready, q.ready), cmp.Compare(p.number, q.number))
}

// What counts counts: every task, or the code tasks, whose statuses tell of
// their reviews and landings too.
const (
	anyKind  = "1 = 1"
	codeOnly = "t.kind = 'code'"
)

// counts is how many tasks have each status, from indexes.
func (v *view) counts(key coord.ProjectKey, kind string) (map[coord.Status]int, error) {
	counts := map[coord.Status]int{}
	for s, in := range map[coord.Status]set{coord.StatusReady: readySet, coord.StatusBlocked: blockedSet, coord.StatusInProgress: childrenSet} {
		var n int
		var example coord.TaskID
		if _, err := v.get([]any{&n, &example}, in.and(kind).count(), string(key)); err != nil {
			return nil, err
		}
		counts[s] += n
	}
	closed := "SELECT t.lifecycle, count(*) FROM tasks t WHERE t.project = ? AND " + kind + " AND t.lifecycle IN ('planned', 'done', 'canceled', 'superseded') GROUP BY t.lifecycle"
	if err := v.addCounts(counts, closed, string(key)); err != nil {
		return nil, err
	}
	for _, in := range []set{ownedSet, submittedSet} {
		if err := v.addCounts(counts, "SELECT "+statusOf+", count(*)"+in.and(kind).from()+" GROUP BY 1", nanos(v.now), string(key)); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func (v *view) addCounts(counts map[coord.Status]int, query string, args ...any) error {
	rows, err := v.query(query, args...)
	if err != nil {
		return err
	}
	defer discard(rows)
	for rows.Next() {
		var s coord.Status
		var n int
		if err := rows.Scan(&s, &n); err != nil {
			return err
		}
		counts[s] += n
	}
	return rows.Err()
}
