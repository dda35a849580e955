package store

import (
	"cmp"

	"coord"
)

// counts is the condition under which a row of reviews r is an approval that
// counts for its submission s.
const counts = `r.verdict = 'approved' AND r.commit_id = s.commit_id AND NOT EXISTS (SELECT 1 FROM review_voids z WHERE z.review = r.id)`

// slots are the approvals that the submission has or waits for: its open
// review tasks, and those whose approval counts.
func (v *view) slots(x coord.SubmissionID) ([]coord.SlotFacts, error) {
	return list(v, func(r scanner) (f coord.SlotFacts, err error) {
		err = r.Scan(&f.Review, &f.Slot, &f.Approved)
		return f, err
	}, `SELECT t.id, t.slot, CASE WHEN t.lifecycle = 'open' THEN '' ELSE r.actor END FROM tasks t JOIN submissions s ON s.id = t.subject LEFT JOIN reviews r ON r.task = t.id
		WHERE t.subject = ? AND t.kind = 'review' AND (t.lifecycle = 'open' OR `+counts+`) ORDER BY t.number`, string(x))
}

// approvers are the principals whose approval of the submission counts.
func (v *view) approvers(x coord.SubmissionID) ([]coord.PrincipalID, error) {
	return list(v, scanText[coord.PrincipalID], "SELECT r.principal FROM reviews r JOIN submissions s ON s.id = r.submission WHERE r.submission = ? AND "+counts, string(x))
}

// settleApproval brings the state of a submission in review or approved in line with
// its slots: approved when each has an approval that counts. A general task is
// done by that.
func (t *tx) settleApproval(id coord.SubmissionID) error {
	x, err := t.submission(id)
	if err != nil {
		return err
	}
	have, err := t.slots(id)
	if err != nil {
		return err
	}
	waits := false
	for _, h := range have {
		waits = waits || h.Approved == ""
	}
	switch {
	case waits && x.State == coord.SubmissionApproved:
		return t.setState(x, coord.SubmissionInReview)
	case waits || x.State != coord.SubmissionInReview:
		return nil
	case x.Integration != "":
		return t.setState(x, coord.SubmissionApproved)
	}
	if err := t.setState(x, coord.SubmissionAccepted); err != nil {
		return err
	}
	return t.accepted(x)
}

func (t *tx) setState(x submissionRow, to coord.SubmissionState) error {
	return t.change("UPDATE submissions SET state = ?, changed_at = ? WHERE id = ? AND state = ?", string(to), nanos(t.now), string(x.ID), string(x.State))
}

// accepted closes the general task of an accepted submission, and what was
// learnt on the way is verified.
func (t *tx) accepted(x submissionRow) error {
	if err := t.verifyLessons(x.ID); err != nil {
		return err
	}
	return t.closeTask(closing{task: x.Task, to: coord.LifecycleDone, note: string(x.ID) + " was accepted"})
}

// reslot makes the reviews of a submission those that the mode asks for. One
// that is being landed right now stays as it is until its landing ends.
func (t *tx) reslot(id coord.SubmissionID, mode coord.ReviewMode) error {
	x, err := t.submission(id)
	if err != nil {
		return err
	}
	work, err := t.task(x.Task)
	if err != nil {
		return err
	}
	if x.State != coord.SubmissionInReview && x.State != coord.SubmissionApproved || work.facts.Landing.Reserves() {
		return nil
	}
	have, err := t.slots(id)
	if err != nil {
		return err
	}
	missing, surplus := coord.Reslot(have, mode)
	if x.Integration == "" && cmp.Or(work.facts.CheckUnblocked(), x.CheckCurrent(work.Task)) != nil {
		surplus = nil // nothing else keeps it from being accepted as it is
	}
	for _, slot := range missing {
		if err := t.addSlot(x, work.Task, slot); err != nil {
			return err
		}
	}
	for _, review := range surplus {
		if err := t.dropSlot(x, review); err != nil {
			return err
		}
	}
	if err := t.recount(x.Integration); err != nil {
		return err
	}
	return t.settleApproval(id)
}

// addSlot makes one more review task of a submission, and has the integration
// wait for it.
func (t *tx) addSlot(x submissionRow, work coord.Task, slot coord.Actor) error {
	id, err := t.addTask(coord.ReviewTask(work, slot), x.ID)
	if err != nil || x.Integration == "" {
		return err
	}
	return t.change("INSERT INTO dependencies (task, depends_on) VALUES (?, ?)", string(x.Integration), string(id))
}

// dropSlot cancels a review task that is asked for no more, unless somebody is
// at it: then its decision is waited for.
func (t *tx) dropSlot(x submissionRow, review coord.TaskID) error {
	task, err := t.task(review)
	if err != nil || task.Owner != nil {
		return err
	}
	if err := t.cancelFollower(review, "the policy does not ask for it any more"); err != nil || x.Integration == "" {
		return err
	}
	return t.change("DELETE FROM dependencies WHERE task = ? AND depends_on = ?", string(x.Integration), string(review))
}

// recount counts what an integration task waits for. With nothing left, it
// joins the queue now.
func (t *tx) recount(integration coord.TaskID) error {
	if integration == "" {
		return nil
	}
	const open = "(SELECT count(*) FROM dependencies x JOIN tasks y ON y.id = x.depends_on WHERE x.task = tasks.id AND y.lifecycle <> 'done')"
	return t.change("UPDATE tasks SET ready_since = CASE WHEN open_dependencies > 0 AND "+open+" = 0 THEN ? ELSE ready_since END, open_dependencies = "+open+" WHERE id = ? AND lifecycle = 'open'",
		nanos(t.now), string(integration))
}

// reviewOf is the review task that a submission's stands for: an open one that
// an agent may take and nobody holds, if there is one.
func (v *view) reviewOf(x submissionRow) (coord.TaskID, error) {
	id := x.Reviews[len(x.Reviews)-1]
	_, err := v.get([]any{&id}, "SELECT id FROM tasks WHERE subject = ? AND kind = 'review' AND lifecycle = 'open' ORDER BY slot = 'human', attempt IS NOT NULL, number LIMIT 1", string(x.ID))
	return id, err
}
