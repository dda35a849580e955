package store

import (
	"database/sql"
	"strings"

	"coord"
)

// submissionRow is a stored submission with what later records say of it.
type submissionRow struct {
	coord.Submission
	generation int64
	landing    coord.LandingID // latest
	returned   string          // why it was sent back
}

const submissionColumns = `id, task, attempt, generation, author, state, commit_id, tree, base, ref, distance, repository, target, summary, digest, judged,
	required, evidence, handoff, amendment, amended, resolved, integration, landing, returned_reason, at,
	coalesce((SELECT group_concat(x.id) FROM (SELECT id FROM tasks WHERE subject = submissions.id AND kind = 'review' ORDER BY number) x), '')`

func scanSubmission(r scanner) (x submissionRow, err error) {
	var required, distance, evidence, amendment, resolved, amended, reviews string
	var landing sql.NullString
	var at int64
	err = r.Scan(&x.ID, &x.Task, &x.Attempt, &x.generation, &x.Author, &x.State, &x.Commit, &x.Tree, &x.Base, &x.Ref, &distance, &x.Repository, &x.Target,
		&x.Summary, &x.Digest, &x.Judged, &required, &evidence, &x.Handoff, &amendment, &amended, &resolved, &x.Integration, &landing, &x.returned, &at, &reviews)
	if err != nil {
		return x, err
	}
	x.landing, x.At, x.Reviews = coord.LandingID(landing.String), instant(at), idsOf(reviews)
	if err := fromJSON(required, &x.Required); err != nil {
		return x, err
	}
	if err := fromJSON(distance, &x.Distance); err != nil {
		return x, err
	}
	if err := fromJSON(evidence, &x.Evidence); err != nil {
		return x, err
	}
	if err := fromJSON(resolved, &x.Resolved); err != nil {
		return x, err
	}
	if err := fromJSON(amendment, &x.Amendment); err != nil {
		return x, err
	}
	if x.Amendment != nil {
		x.Amendment.Verdict = coord.AmendmentVerdict(amended)
	}
	return x, nil
}

// idsOf takes a list of ids that SQL joined by commas apart.
func idsOf(joined string) []coord.TaskID {
	if joined == "" {
		return nil
	}
	var out []coord.TaskID
	for _, id := range strings.Split(joined, ",") {
		out = append(out, coord.TaskID(id))
	}
	return out
}

func (v *view) submission(id coord.SubmissionID) (submissionRow, error) {
	x, found, err := one(v, scanSubmission, "SELECT "+submissionColumns+" FROM submissions WHERE id = ?", string(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no submission %q", string(id))
	}
	return x, err
}

func submissionsOf(rows []submissionRow) []coord.Submission {
	out := make([]coord.Submission, len(rows))
	for i, r := range rows {
		out[i] = r.Submission
	}
	return out
}

// candidate is the submission's work as what the next attempt goes on from.
func (x submissionRow) candidate() coord.Saved {
	return coord.Saved{Generation: x.generation, Commit: x.Commit, Tree: x.Tree, Ref: x.Ref, Note: x.Summary, Kind: coord.SavedCandidate}
}

// sending is why a submission goes back.
type sending struct {
	reason    string // for whoever takes the work up
	followers string // why its review and integration tasks are canceled
	revised   bool   // by Revise, which has a limit
}

// sendBack returns a submission that waits for review or landing, makes its
// task ready with the candidate as saved work, and cancels the reviews and the
// integration that nobody needs any more.
func (t *tx) sendBack(x submissionRow, s sending) error {
	var revised any
	if s.revised {
		revised = nanos(t.now)
	}
	err := t.change("UPDATE submissions SET state = 'returned', returned_reason = ?, revised_at = ?, changed_at = ? WHERE id = ? AND state = ? AND state IN ('in_review', 'approved')",
		s.reason, revised, nanos(t.now), string(x.ID), string(x.State))
	if err != nil {
		return err
	}
	err = t.change("UPDATE tasks SET submission = NULL, saved = ?, ready_since = ? WHERE id = ? AND submission = ? AND lifecycle = 'open' AND attempt IS NULL",
		toJSON(x.candidate()), nanos(t.now), string(x.Task), string(x.ID))
	if err != nil {
		return err
	}
	for _, id := range append(x.Reviews, x.Integration) {
		if err := t.cancelFollower(id, s.followers); err != nil {
			return err
		}
	}
	return nil
}

// cancelFollower closes an open follower of a submission that was sent back,
// whoever holds it.
func (t *tx) cancelFollower(id coord.TaskID, why string) error {
	if id == "" {
		return nil
	}
	f, err := t.task(id)
	if err != nil || f.Lifecycle != coord.LifecycleOpen {
		return err
	}
	if err := t.endOthers(id, why); err != nil {
		return err
	}
	return t.closeTask(closing{task: id, to: coord.LifecycleCanceled, note: why})
}
