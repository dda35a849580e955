package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// WithdrawApproval takes an approval back: it counts no more, and another is
// asked for.
func (s *service) WithdrawApproval(ctx context.Context, c coord.WithdrawApproval) (coord.Submission, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Submission{}, err
	}
	i := intent[coord.Submission]{
		operation: "withdraw_approval", key: c.Key, ids: []string{string(c.Review)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentSubmission,
	}
	return mutate(ctx, s, i, func(t *tx) (coord.Submission, error) { return t.withdraw(c) })
}

func currentSubmission(t *tx, out *coord.Submission) error {
	x, err := t.submission(out.ID)
	*out = x.Submission
	return err
}

func (t *tx) withdraw(c coord.WithdrawApproval) (coord.Submission, error) {
	n, err := reviewNumber(c.Review)
	if err != nil {
		return coord.Submission{}, err
	}
	f, err := t.withdrawable(c.Review, n)
	if err != nil {
		return coord.Submission{}, err
	}
	if err := f.CheckWithdraw(); err != nil {
		return coord.Submission{}, err
	}
	if err := t.void(f.Review, n, c.Reason); err != nil {
		return coord.Submission{}, err
	}
	x, err := t.submission(f.Review.Submission)
	return x.Submission, err
}

// withdrawable reads what taking the review back is judged by. An agent's is
// its session's.
func (t *tx) withdrawable(id coord.ReviewID, n int64) (f coord.WithdrawFacts, err error) {
	r, found, err := one(&t.view, scanReview, "SELECT "+reviewColumns+" FROM reviews WHERE id = ?", n)
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no review %q; nothing was changed", string(id))
	}
	if err != nil {
		return f, err
	}
	x, err := t.submission(r.Submission)
	if err != nil {
		return f, err
	}
	f = coord.WithdrawFacts{Review: r, Submission: x.State, Own: t.caller.Role == coord.RoleOperator}
	if f.Landing, err = t.landingState(x); err != nil || f.Own {
		return f, err
	}
	f.Own, err = t.get([]any{new(int64)}, "SELECT 1 FROM reviews r JOIN attempts a ON a.id = r.attempt WHERE r.id = ? AND a.session = ?", n, string(t.caller.Session))
	return f, err
}

func (v *view) landingState(x submissionRow) (coord.LandingState, error) {
	if x.landing == "" {
		return "", nil
	}
	l, err := v.landing(x.landing)
	return l.State, err
}

// void makes an approval count no more: a landing that was under way gives its
// target back, and the reviews that the policy asks for are asked for again.
func (t *tx) void(r coord.Review, n int64, reason string) error {
	err := t.change("INSERT INTO review_voids (review, reason, voided_by, at) VALUES (?, ?, ?, ?)", n, reason, t.actor(), nanos(t.now))
	if err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventApprovalVoided, Project: r.Task.Project(), Task: r.Submission.Task(),
		Text: fmt.Sprintf("the approval of %s by %s counts no more: %s", r.Submission, r.Reviewer, coord.OneLine(reason)),
		Data: map[string]string{"submission": string(r.Submission), "review": string(r.ID)},
	})
	if err != nil {
		return err
	}
	if err := t.stopLanding(r.Submission, "an approval counts no more: "+coord.OneLine(reason)); err != nil {
		return err
	}
	return t.reslotNow(r.Submission)
}

// reslotNow is reslot by the policy in force.
func (t *tx) reslotNow(x coord.SubmissionID) error {
	p, err := t.project(x.Task().Project())
	if err != nil {
		return err
	}
	return t.reslot(x, p.Policy.Review)
}

// stopLanding ends a landing of the submission that has not got its permit
// yet, whoever holds it.
func (t *tx) stopLanding(id coord.SubmissionID, reason string) error {
	x, err := t.submission(id)
	if err != nil || x.landing == "" {
		return err
	}
	l, err := t.landing(x.landing)
	if err != nil || l.State != coord.LandingHeld && l.State != coord.LandingMerged {
		return err
	}
	a, err := t.attempt(l.attempt)
	if err != nil {
		return err
	}
	if err := t.releaseHold(a, reason); err != nil {
		return err
	}
	return t.endOthers(l.Integration, reason)
}

// lostAccess is true of an approval in reviews whose reviewer was disabled, or
// has no valid token left since one was revoked after it. Its parameter is now.
const lostAccess = `(EXISTS (SELECT 1 FROM operators o WHERE o.name = reviews.principal AND o.disabled_at >= reviews.at)
	OR reviews.actor = 'agent' AND EXISTS (SELECT 1 FROM tokens k WHERE k.principal = reviews.principal AND k.role = 'agent' AND k.revoked_at >= reviews.at)
	AND NOT EXISTS (SELECT 1 FROM tokens k WHERE k.principal = reviews.principal AND k.role = 'agent' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)))`

// voidLost takes back the approvals of a submission whose reviewers lost their
// access while it might have been pushed, now that it is known not to be.
func (t *tx) voidLost(id coord.SubmissionID) error {
	all, err := list(&t.view, scanReview, "SELECT "+reviewColumns+" FROM reviews"+` WHERE reviews.submission = ? AND reviews.verdict = 'approved'
		AND NOT EXISTS (SELECT 1 FROM review_voids z WHERE z.review = reviews.id) AND `+lostAccess+" ORDER BY reviews.id", string(id), nanos(t.now))
	if err != nil {
		return err
	}
	return t.voidAllOf(all, "its reviewer lost access while it was being pushed")
}

func (t *tx) voidAllOf(all []coord.Review, reason string) error {
	for _, r := range all {
		n, err := reviewNumber(r.ID)
		if err != nil {
			return err
		}
		if err := t.void(r, n, reason); err != nil {
			return err
		}
	}
	return nil
}

// voidApprovals takes back what a principal approved and nobody pushed yet: it
// lost its access.
func (t *tx) voidApprovals(principal coord.PrincipalID, reason string) error {
	all, err := list(&t.view, scanReview, "SELECT "+reviewColumns+" FROM reviews"+` JOIN submissions s ON s.id = reviews.submission LEFT JOIN landings l ON l.id = s.landing
		WHERE reviews.principal = ? AND reviews.verdict = 'approved' AND s.state IN ('in_review', 'approved') AND coalesce(l.state, '') <> 'publishing'
			AND NOT EXISTS (SELECT 1 FROM review_voids z WHERE z.review = reviews.id) ORDER BY reviews.id`, string(principal))
	if err != nil {
		return err
	}
	return t.voidAllOf(all, "its reviewer lost access: "+reason)
}
