package store

import (
	"context"
	"slices"

	"coord"
)

// LandingBoard is branch versus integrated: the targets with their holds and
// queues, and where each task's work is.
func (s *service) LandingBoard(ctx context.Context, project coord.ProjectKey) (coord.LandingBoard, error) {
	if err := s.mayRead(); err != nil {
		return coord.LandingBoard{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.LandingBoard, error) { return v.landingBoard(project) })
}

func (v *view) landingBoard(key coord.ProjectKey) (b coord.LandingBoard, err error) {
	if b.Project, err = v.project(key); err != nil {
		return b, err
	}
	if b.Targets, err = v.targets(b.Project); err != nil {
		return b, err
	}
	if b.Work, err = v.work(key); err != nil {
		return b, err
	}
	b.Now = v.now
	b.AsOf, err = v.lastSeq()
	return b, err
}

// targets are the default targets, and those that a landing holds or waits
// for.
func (v *view) targets(p coord.Project) ([]coord.TargetRow, error) {
	var rows []coord.TargetRow
	at := func(r coord.RepositoryID, target string) *coord.TargetRow {
		i := slices.IndexFunc(rows, func(x coord.TargetRow) bool { return x.Repository == r && x.Target == target })
		if i < 0 {
			rows = append(rows, coord.TargetRow{Repository: r, Target: target})
			i = len(rows) - 1
		}
		return &rows[i]
	}
	for _, r := range p.Repositories {
		at(r.ID, r.Target)
	}
	holds, err := list(v, scanLanding, "SELECT "+landingColumns+" FROM landings l INDEXED BY landings_hold WHERE l.project = ? AND l.state IN ('held', 'merged', 'publishing')", string(p.Key))
	if err != nil {
		return nil, err
	}
	for _, l := range holds {
		at(l.Repository, l.Target).Hold = &l.Landing
	}
	queue, err := v.tasksIn(readySet.and("t.kind = 'integration'"), selectionOrder, p.Key, queueLimit)
	if err != nil {
		return nil, err
	}
	for _, t := range queue {
		row := at(t.Repository, t.Target)
		row.Queue = append(row.Queue, codeTask(t))
	}
	for i := range rows {
		if err := v.lastLanding(&rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (v *view) lastLanding(row *coord.TargetRow) error {
	target, err := v.target(row.Repository, row.Target)
	if err != nil {
		return err
	}
	row.Tip, row.ObservedAt, row.Landed, row.Diverged, row.Unreconciled = target.Tip, target.ObservedAt, target.Landed, target.Diverged, target.Unreconciled
	var outside string
	found, err := v.get([]any{&outside}, "SELECT outside FROM landings WHERE repository = ? AND target = ? ORDER BY held_at DESC LIMIT 1", string(row.Repository), row.Target)
	if err != nil || !found {
		return err
	}
	return fromJSON(outside, &row.Outside)
}

// Rows of the landing board: of its work, and of each queue.
const (
	workLimit  = 200
	queueLimit = 500
)

// work is where each code task's work is: open work first, then the latest
// landed.
func (v *view) work(key coord.ProjectKey) ([]coord.WorkRow, error) {
	out := []coord.WorkRow{}
	for _, q := range []struct {
		in    set
		order string
	}{
		{submittedSet, selectionOrder},
		{ownedSet.and("t.kind = 'code'"), selectionOrder},
		{savedSet.and("t.kind = 'code'"), selectionOrder},
		{landedSet, latestClosed},
	} {
		limit := workLimit - len(out)
		tasks, err := v.tasksIn(q.in, q.order, key, limit)
		if err != nil {
			return nil, err
		}
		records, err := v.workRecords(q.in, q.order, string(key), limit)
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			out = append(out, records.row(t))
		}
	}
	return out, nil
}
