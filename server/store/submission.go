package store

import (
	"database/sql"

	"coord"
)

// submissionRow is a stored submission with what later records say of it.
type submissionRow struct {
	coord.Submission
	generation int64
	landing    coord.LandingID // latest
	returned   string          // why it was sent back
}

const submissionColumns = "id, task, attempt, generation, author, state, commit_id, tree, base, ref, repository, target, summary, digest, required, review, integration, landing, returned_reason, at"

func scanSubmission(r scanner) (x submissionRow, err error) {
	var required string
	var review, landing sql.NullString
	var at int64
	err = r.Scan(&x.ID, &x.Task, &x.Attempt, &x.generation, &x.Author, &x.State, &x.Commit, &x.Tree, &x.Base, &x.Ref, &x.Repository, &x.Target,
		&x.Summary, &x.Digest, &required, &review, &x.Integration, &landing, &x.returned, &at)
	if err != nil {
		return x, err
	}
	x.Review, x.landing, x.At = coord.TaskID(review.String), coord.LandingID(landing.String), instant(at)
	err = fromJSON(required, &x.Required)
	return x, err
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

// sendBack returns a submission that waits for review or landing, and makes
// its code task ready with the candidate as saved work.
func (t *tx) sendBack(x submissionRow, reason string) error {
	err := t.change("UPDATE submissions SET state = 'returned', returned_reason = ?, changed_at = ? WHERE id = ? AND state = ?",
		reason, nanos(t.now), string(x.ID), string(x.State))
	if err != nil {
		return err
	}
	return t.change("UPDATE tasks SET submission = NULL, saved = ?, ready_since = ? WHERE id = ? AND submission = ? AND lifecycle = 'open' AND attempt IS NULL",
		toJSON(x.candidate()), nanos(t.now), string(x.Task), string(x.ID))
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
