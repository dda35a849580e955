package store

import (
	"cmp"
	"context"
	"database/sql"
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
	var at sql.NullInt64
	if _, err := v.get([]any{&row.Tip, &at}, "SELECT tip, observed_at FROM targets WHERE repository = ? AND target = ?", string(row.Repository), row.Target); err != nil {
		return err
	}
	row.ObservedAt = instantOrNil(at)
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
	byPriority := " ORDER BY t.priority, t.ready_since LIMIT ?"
	for _, q := range []struct {
		in    set
		order string
	}{
		{submittedSet, byPriority},
		{ownedSet.and("t.kind = 'code'"), byPriority},
		{savedSet.and("t.kind = 'code'"), selectionOrder},
		{set{"t.lifecycle = 'done' AND t.landing IS NOT NULL", "tasks_lifecycle"}, latestClosed},
	} {
		tasks, err := v.tasksIn(q.in, q.order, key, workLimit-len(out))
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			row, err := v.workRow(t)
			if err != nil {
				return nil, err
			}
			out = append(out, row)
		}
	}
	return out, nil
}

func (v *view) workRow(t taskRow) (coord.WorkRow, error) {
	row := coord.WorkRow{Task: t.ID, Title: t.Title, Target: t.Target, Submission: t.Submission}
	switch {
	case t.Submission != "":
		err := v.submittedRow(&row, t)
		return row, err
	case t.Saved != nil:
		row.Stage, row.LocalOnly = coord.StageCheckpoint, t.Saved.LocalOnly
		if t.Saved.Kind == "candidate" {
			row.Stage = coord.StageCandidate
		} else if t.Saved.LocalOnly {
			row.Stage = coord.StageWorkstation
		}
		row.Commit, row.Tree, row.Ref = t.Saved.Commit, t.Saved.Tree, t.Saved.Ref
		err := v.savedBy(&row, t)
		return row, err
	}
	row.Stage, row.LocalOnly = coord.StageWorkstation, true
	row.By, row.At = t.Owner.Name, t.Owner.LastProgress
	return row, nil
}

func (v *view) savedBy(row *coord.WorkRow, t taskRow) error {
	var at int64
	_, err := v.get([]any{&row.By, &at}, "SELECT owner, progress_at FROM attempts WHERE task = ? AND generation = ?", string(t.ID), t.Saved.Generation)
	row.At = instant(at)
	return err
}

// submittedRow places a submitted candidate between its ref and the target.
func (v *view) submittedRow(row *coord.WorkRow, t taskRow) error {
	x, err := v.submission(t.Submission)
	if err != nil {
		return err
	}
	row.Stage, row.Commit, row.Tree, row.Ref, row.By, row.At = coord.StageCandidate, x.Commit, x.Tree, x.Ref, x.Author, x.At
	if x.State == coord.SubmissionApproved {
		row.Stage = coord.StageApproved
	}
	if x.landing == "" {
		return nil
	}
	l, err := v.landing(x.landing)
	if err != nil || !l.Verified {
		return err
	}
	row.Stage, row.Commit, row.Tree, row.By, row.At = coord.StageVerified, l.Result, l.Tree, l.Holder, l.ChangedAt
	if l.State == coord.LandingLanded {
		row.Stage, row.Ref, row.At = coord.StageLanded, "refs/heads/"+l.Target, *cmp.Or(l.LandedAt, &l.ChangedAt)
	}
	return nil
}
