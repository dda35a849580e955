package coord

import (
	"fmt"
	"time"
)

// AttemptFacts is the part of an attempt that its authority is judged by.
type AttemptFacts struct {
	Task       TaskID
	Generation int64
	Session    SessionID
	Owner      string // display name
	ExpiresAt  time.Time
	Ended      Standing // "" while not ended, else how it ended
}

// Standing judges the attempt at now. A lease ends exactly at its expiry:
// equality is expired.
func (a AttemptFacts) Standing(now time.Time, latest int64) Standing {
	switch {
	case a.Ended != "":
		return a.Ended
	case latest > a.Generation:
		return StandingSuperseded
	case !now.Before(a.ExpiresAt):
		return StandingExpired
	}
	return StandingLive
}

// Authorize decides whether the session may use the attempt's authority at
// now. The store calls it inside the write transaction, after the writer lock
// is held. It returns CodeFenced for anything but the current fence and its
// own session, and CodeLeaseExpired, with details["resumable"], after expiry.
func (a AttemptFacts) Authorize(caller SessionID, stated Fence, current Fence, now time.Time) error {
	if caller != a.Session || stated.Epoch != current.Epoch || stated.Generation != a.Generation {
		return Errorf(CodeFenced, "this session does not hold the stated attempt at %s; nothing was changed", a.Task).
			WithNext("coord status", "coord next")
	}
	switch standing := a.Standing(now, current.Generation); standing {
	case StandingLive:
		return nil
	case StandingExpired:
		return Errorf(CodeLeaseExpired, "the lease on %s ended at %s; nothing was changed and nobody else has taken it yet", a.Task, clock(a.ExpiresAt)).
			WithDetail("resumable", "true").WithNext("coord start " + string(a.Task))
	default:
		return Errorf(CodeFenced, "attempt %d at %s is %s; nothing was changed", a.Generation, a.Task, standing).
			WithNext("coord task show "+string(a.Task), "coord next")
	}
}

// Extended is the expiry after a renewal: now plus the lease's length, never
// earlier than before.
func Extended(expiresAt, now time.Time, lease Duration) time.Time {
	if next := now.Add(time.Duration(lease)); next.After(expiresAt) {
		return next
	}
	return expiresAt
}

// TaskFacts is what a task's status and eligibility are derived from.
type TaskFacts struct {
	ID           TaskID
	Kind         Kind
	Lifecycle    Lifecycle
	Waiting      []TaskID // dependencies that are not done
	Blocker      *Blocker
	Generation   int64           // latest attempt's, 0 before the first
	Attempt      *AttemptFacts   // the attempt that was not ended, live or expired
	Submission   SubmissionState // of the current submission, "" without one
	SubmissionID SubmissionID
	Landing      LandingState // of the submission's latest landing, "" without one
	LandingEnds  time.Time    // when the lease of that landing's holder ends, while it reserves the target
	Saved        *Saved
}

// Status derives the status at now.
func (f TaskFacts) Status(now time.Time) Status {
	switch f.Lifecycle {
	case LifecyclePlanned:
		return StatusPlanned
	case LifecycleDone:
		return StatusDone
	case LifecycleCanceled:
		return StatusCanceled
	}
	if f.Attempt != nil {
		if f.Attempt.Standing(now, f.Generation) == StandingLive {
			return f.working()
		}
		return StatusRecoveryRequired
	}
	switch {
	case f.Kind == KindCode && f.Submission == SubmissionInReview:
		return StatusWaitingReview
	case f.Kind == KindCode && f.Submission == SubmissionApproved:
		return f.landing(now)
	case len(f.Waiting) > 0 || f.Blocker != nil:
		return StatusBlocked
	}
	return StatusReady
}

// working is the status under a live attempt.
func (f TaskFacts) working() Status {
	if f.Kind == KindIntegration && f.Landing.Reserves() {
		return f.integrating()
	}
	return StatusInProgress
}

// landing is the status of a code task that is approved. Where the holder's
// lease ended, nobody brings the landing to its end until it is taken over.
func (f TaskFacts) landing(now time.Time) Status {
	if f.Landing.Reserves() && !now.Before(f.LandingEnds) {
		return StatusRecoveryRequired
	}
	return f.integrating()
}

func (f TaskFacts) integrating() Status {
	switch f.Landing {
	case LandingHeld:
		return StatusIntegrating
	case LandingMerged, LandingPublishing:
		return StatusValidating
	case LandingConflict, LandingFailed:
		return StatusBlocked
	}
	return StatusWaitingIntegration
}

// Grant decides a claim at now by the given session. It returns the
// generation to create, or a refusal that names the holder and what to type.
// The caller's own live attempt is not for Grant: see Claimed.
func (f TaskFacts) Grant(caller SessionID, r *Recovery, p Policy, now time.Time) (generation int64, err error) {
	if err := f.claimable(); err != nil {
		return 0, err
	}
	if f.Attempt != nil {
		if err := f.recoverable(caller, p, now); err != nil {
			return 0, err
		}
	}
	if err := f.disposed(r); err != nil {
		return 0, err
	}
	return f.Generation + 1, nil
}

// claimable refuses tasks on which nobody may work now.
func (f TaskFacts) claimable() error {
	show := "coord task show " + string(f.ID)
	switch {
	case f.Lifecycle == LifecycleDone || f.Lifecycle == LifecycleCanceled:
		return Errorf(CodeStateConflict, "%s is %s; there is nothing to claim", f.ID, f.Lifecycle).WithNext("coord next", show)
	case f.Lifecycle == LifecyclePlanned:
		return Errorf(CodeStateConflict, "%s is planned and not admitted yet; nothing was changed", f.ID).WithNext("coord import --admit FILE", "coord next", show)
	case f.Kind == KindCode && (f.Submission == SubmissionInReview || f.Submission == SubmissionApproved):
		return Errorf(CodeStateConflict, "%s is submitted as %s and %s; nothing was changed", f.ID, f.SubmissionID, f.Submission).WithNext("coord next", show)
	case len(f.Waiting) > 0:
		return Errorf(CodeStateConflict, "%s waits for %s; nothing was changed", f.ID, f.Waiting[0]).WithNext("coord next", show)
	case f.Blocker != nil:
		return Errorf(CodeStateConflict, "%s is blocked: %s; nothing was changed", f.ID, f.Blocker.Text).WithNext(f.Blocker.Reopen, show)
	}
	return nil
}

// recoverable judges a task that has an attempt which was not ended.
func (f TaskFacts) recoverable(caller SessionID, p Policy, now time.Time) error {
	a := f.Attempt
	if a.Standing(now, f.Generation) == StandingLive {
		e := Errorf(CodeTaskTaken, "%s is held by %s until %s; nothing was changed", f.ID, a.Owner, clock(a.ExpiresAt))
		return e.WithDetail("holder", a.Owner).WithRetryAfter(a.ExpiresAt.Sub(now)).WithNext("coord next", "coord start")
	}
	if a.Session == caller {
		again := "coord start " + string(f.ID)
		if f.Kind == KindIntegration {
			again = "coord integrate " + string(f.ID)
		}
		return Errorf(CodeStateConflict, "this session's own lease on %s ended, and it resumes the task instead of recovering it; nothing was changed", f.ID).
			WithDetail("resumable", "true").WithDetail("task", string(f.ID)).WithNext(again)
	}
	if free := a.ExpiresAt.Add(time.Duration(p.RecoveryGrace)); now.Before(free) {
		e := Errorf(CodeTaskTaken, "the lease of %s on %s ended, and others may recover it from %s; nothing was changed", a.Owner, f.ID, clock(free))
		return e.WithDetail("holder", a.Owner).WithRetryAfter(free.Sub(now)).WithNext("coord start " + string(f.ID))
	}
	return nil
}

// disposed checks that saved work, or a dead owner, was taken up or declined
// by name.
func (f TaskFacts) disposed(r *Recovery) error {
	if f.Attempt == nil && f.Saved == nil {
		return nil
	}
	if r == nil {
		return f.recoveryRequired()
	}
	if r.Generation != f.Generation {
		return Errorf(CodeFenced, "the latest generation of %s is %d, not %d; nothing was changed", f.ID, f.Generation, r.Generation).WithNext("coord task show " + string(f.ID))
	}
	switch r.Disposition {
	case DispositionResume:
		return f.resumesFrom(r.Commit)
	case DispositionRestart:
		return checkText("reason to restart", r.Reason, 1, 2000)
	}
	return Errorf(CodeBadRequest, "disposition %q is not resume or restart", string(r.Disposition))
}

// resumesFrom refuses any commit but the recorded one; without saved work
// there is none to state.
func (f TaskFacts) resumesFrom(commit OID) error {
	switch {
	case f.Saved == nil && commit == "", f.Saved != nil && commit == f.Saved.Commit:
		return nil
	case f.Saved == nil:
		return Errorf(CodeRecoveryRequired, "%s has no saved work, so nothing can be resumed from %s; nothing was changed", f.ID, commit.Short()).WithNext("coord start " + string(f.ID))
	}
	return Errorf(CodeRecoveryRequired, "the saved work of %s is commit %s, not %s; nothing was changed", f.ID, f.Saved.Commit.Short(), commit.Short()).WithNext("coord start " + string(f.ID))
}

func (f TaskFacts) recoveryRequired() error {
	e := Errorf(CodeRecoveryRequired, "%s has an earlier attempt whose work must be taken up or declined; nothing was changed", f.ID).
		WithDetail("task", string(f.ID)).WithDetail("generation", fmt.Sprint(f.Generation)).
		WithNext("coord start "+string(f.ID), "coord start "+string(f.ID)+" --restart REASON")
	if f.Saved != nil {
		e = e.WithDetail("commit", string(f.Saved.Commit)).WithDetail("ref", f.Saved.Ref)
		if f.Saved.LocalOnly {
			e = e.WithDetail("local_only", "true")
		}
	}
	return e
}

// CheckIndependent refuses a reviewer who ever held an attempt of the task.
func CheckIndependent(task TaskID, reviewer SessionID, contributors []SessionID) error {
	for _, c := range contributors {
		if c == reviewer {
			return Errorf(CodeNotIndependent, "this session worked on %s, so another one must review it; nothing was changed", task).
				WithNext("coord next", "COORD_SESSION=another coord start --kind review")
		}
	}
	return nil
}

// Followers are the tasks that a submission makes: a review task when the
// policy asks for one, and the integration task that waits for it. Number and
// digest are the store's to give.
func Followers(t Task, p Policy) (review, integration *Task) {
	follower := func(kind Kind, title string) *Task {
		return &Task{
			Project: t.Project, Kind: kind, Title: title, Priority: t.Priority, Lifecycle: LifecycleOpen,
			Repository: t.Repository, Target: t.Target, Source: string(t.ID),
		}
	}
	integration = follower(KindIntegration, "Land "+string(t.ID)+": "+t.Title)
	if p.Review == ReviewAgent {
		review = follower(KindReview, "Review "+string(t.ID)+": "+t.Title)
		review.Outcome, review.Criteria = t.Outcome, t.Criteria // what the reviewer judges by
	}
	return review, integration
}

// CheckRevise decides whether a submission may be sent back. last is the
// state of its latest landing, and author whether the caller contributed.
func CheckRevise(task TaskID, s SubmissionState, last LandingState, author bool, reason ReviseReason) error {
	switch {
	case s != SubmissionInReview && s != SubmissionApproved:
		return Errorf(CodeStateConflict, "%s has no submission that waits for review or landing; nothing was changed", task).WithNext("coord task show " + string(task))
	case last.Reserves():
		return Errorf(CodeTargetHeld, "%s is being landed right now; nothing was changed", task).WithNext("coord task show " + string(task))
	case reason == ReviseConflict && last != LandingConflict, reason == ReviseCheckFailed && last != LandingFailed:
		return Errorf(CodeRequirement, "no landing of %s recorded a %s; nothing was changed", task, reason).WithNext("coord integrate " + string(task))
	case reason == ReviseWithdrawn && !author:
		return Errorf(CodeNotPermitted, "only a session that worked on %s may withdraw it; nothing was changed", task).WithNext("coord task show " + string(task))
	case reason != ReviseConflict && reason != ReviseCheckFailed && reason != ReviseWithdrawn:
		return Errorf(CodeBadRequest, "reason %q is not conflict, check_failed or withdrawn", string(reason))
	}
	return nil
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }
