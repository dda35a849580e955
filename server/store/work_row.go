package store

import (
	"cmp"
	"time"

	"coord"
)

// workRecords is what rows of work are made from beside the tasks: read for
// all of them at once.
type workRecords struct {
	submissions map[coord.SubmissionID]submissionRow
	landings    map[coord.LandingID]landingRow
	savers      map[savedIn]saver
	drifts      map[coord.SubmissionID]int
}

// savedIn is the generation of a task that saved work is of.
type savedIn struct {
	task       coord.TaskID
	generation int64
}

// saver is who saved work last under a generation, and when.
type saver struct {
	savedIn
	name string
	at   time.Time
}

// workRecords reads the records of the first tasks of a set; args are the
// project and the limit.
func (v *view) workRecords(in set, order string, args ...any) (r workRecords, err error) {
	submitted := "SELECT " + submissionColumns + " FROM submissions WHERE id IN (" + in.ids("t.submission", order) + ")"
	submissions, err := list(v, scanSubmission, submitted, args...)
	if err != nil {
		return r, err
	}
	landed := "SELECT " + landingColumns + " FROM landings l WHERE l.id IN (SELECT landing FROM submissions WHERE id IN (" + in.ids("t.submission", order) + "))"
	landings, err := list(v, scanLanding, landed, args...)
	if err != nil {
		return r, err
	}
	saved := "SELECT task, generation, owner, progress_at FROM attempts WHERE task IN (" + in.and("t.saved IS NOT NULL").ids("t.id", order) + ")"
	savers, err := list(v, scanSaver, saved, args...)
	r = workRecords{submissions: map[coord.SubmissionID]submissionRow{}, landings: map[coord.LandingID]landingRow{}, savers: map[savedIn]saver{}}
	if err != nil {
		return r, err
	}
	if r.drifts, err = v.drifts(in.ids("t.submission", order), args...); err != nil {
		return r, err
	}
	for _, x := range submissions {
		r.submissions[x.ID] = x
	}
	for _, l := range landings {
		r.landings[l.ID] = l
	}
	for _, s := range savers {
		r.savers[s.savedIn] = s
	}
	return r, nil
}

// drifts counts the landings on each submission's target since it was submitted
// or, if it was, verified on the merged tree.
func (v *view) drifts(ids string, args ...any) (map[coord.SubmissionID]int, error) {
	out := map[coord.SubmissionID]int{}
	_, err := list(v, func(r scanner) (struct{}, error) {
		var id coord.SubmissionID
		var n int
		err := r.Scan(&id, &n)
		out[id] = n
		return struct{}{}, err
	}, driftOf+" WHERE s.state IN ('in_review', 'approved') AND s.id IN ("+ids+")", args...)
	return out, err
}

const driftOf = `SELECT s.id, (SELECT count(*) FROM (SELECT 1 FROM landings l INDEXED BY landings_since WHERE l.repository = s.repository AND l.target = s.target AND l.state = 'landed'
	AND l.landed_at > coalesce((SELECT h.changed_at FROM landings h WHERE h.id = s.landing AND h.verified = 1), s.at) LIMIT 50)) FROM submissions s`

func scanSaver(r scanner) (s saver, err error) {
	var at int64
	err = r.Scan(&s.task, &s.generation, &s.name, &at)
	s.at = instant(at)
	return s, err
}

// row says where a task's work is.
func (r workRecords) row(t taskRow) coord.WorkRow {
	row := coord.WorkRow{Task: t.ID, Title: t.Title, Target: t.Target, Submission: t.Submission}
	switch {
	case t.Submission != "":
		r.submitted(&row, t)
	case t.Saved != nil:
		r.saved(&row, t)
	default:
		row.Stage = coord.StageWorkstation // nothing saved yet, so nothing failed to be pushed
		row.By, row.At = t.Owner.Name, t.Owner.LastProgress
	}
	return row
}

func (r workRecords) saved(row *coord.WorkRow, t taskRow) {
	row.Stage, row.LocalOnly = coord.StageCheckpoint, t.Saved.LocalOnly
	if t.Saved.Kind == coord.SavedCandidate {
		row.Stage = coord.StageCandidate
	} else if t.Saved.LocalOnly {
		row.Stage = coord.StageWorkstation
	}
	row.Commit, row.Tree, row.Ref = t.Saved.Commit, t.Saved.Tree, t.Saved.Ref
	s := r.savers[savedIn{t.ID, t.Saved.Generation}]
	row.By, row.At = s.name, s.at
}

// submitted places a submitted candidate between its ref and the target.
func (r workRecords) submitted(row *coord.WorkRow, t taskRow) {
	x := r.submissions[t.Submission]
	row.Stage, row.Commit, row.Tree, row.Ref, row.By, row.At = coord.StageCandidate, x.Commit, x.Tree, x.Ref, x.Author, x.At
	row.Distance, row.Drift = x.Distance, r.drifts[x.ID]
	if x.State == coord.SubmissionApproved {
		row.Stage = coord.StageApproved
	}
	l := r.landings[x.landing]
	if !l.Verified {
		return
	}
	row.Stage, row.Commit, row.Tree, row.By, row.At = coord.StageVerified, l.Result, l.Tree, l.Holder, l.ChangedAt
	if l.State == coord.LandingLanded {
		row.Stage, row.Ref, row.At = coord.StageLanded, "refs/heads/"+l.Target, *cmp.Or(l.LandedAt, &l.ChangedAt)
	}
}
