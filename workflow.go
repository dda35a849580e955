package coord

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// AttemptFacts is the part of an attempt that its authority is judged by.
type AttemptFacts struct {
	Task       TaskID
	Generation int64
	Session    SessionID
	Owner      string // display name
	StartedAt  time.Time
	ProgressAt time.Time // last checkpoint, or the claim
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
// is held. It returns CodeEpochChanged for a fence of another epoch,
// CodeFenced for anything else but the current fence and its own session, and
// CodeLeaseExpired, with details["resumable"], after expiry.
func (a AttemptFacts) Authorize(caller SessionID, stated Fence, current Fence, now time.Time) error {
	if stated != (Fence{}) && stated.Epoch != current.Epoch {
		return EpochChanged(stated.Epoch, current.Epoch)
	}
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

// CheckFree refuses to end an attempt in its owner's place before its lease
// ended: closing the session or revoking its credential does that.
func (a AttemptFacts) CheckFree(now time.Time, latest int64) error {
	switch standing := a.Standing(now, latest); standing {
	case StandingExpired:
		return nil
	case StandingLive:
		return Errorf(CodeTaskTaken, "%s is held by %s until %s; nothing was changed", a.Task, a.Owner, clock(a.ExpiresAt)).
			WithDetail("holder", a.Owner).WithRetryAfter(a.ExpiresAt.Sub(now)).WithNext("coord session list", "coord session close ID")
	default:
		return Errorf(CodeStateConflict, "attempt %d at %s is %s already; nothing was changed", a.Generation, a.Task, standing).WithNext("coord task show " + string(a.Task))
	}
}

// TaskFacts is what a task's status and eligibility are derived from.
type TaskFacts struct {
	ID           TaskID
	Kind         Kind
	Lifecycle    Lifecycle
	Waiting      []TaskID        // dependencies that are not done
	Never        []TaskID        // those of them that were closed another way and will never be done
	Blockers     []Blocker       // the open ones
	Children     int             // of an objective, those that are not closed
	Capabilities []string        // what a session must offer
	Slot         Actor           // of a review task
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
	case LifecycleSuperseded:
		return StatusSuperseded
	}
	if f.Attempt != nil {
		if f.Attempt.Standing(now, f.Generation) == StandingLive {
			return f.working()
		}
		return StatusRecoveryRequired
	}
	switch {
	case f.Kind.Submits() && f.Submission == SubmissionInReview:
		return StatusWaitingReview
	case f.Kind == KindCode && f.Submission == SubmissionApproved:
		return f.landing(now)
	case len(f.Blockers) > 0 || len(f.Waiting) > f.Children:
		return StatusBlocked
	case f.Children > 0:
		return StatusInProgress // its children are
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

// Claimant is the session that asks for a task.
type Claimant struct {
	Session      SessionID
	Role         Role
	Capabilities []string
	Held         int       // its live attempts, in any project
	Holdings     []Holding // the oldest of them, at most ListedHoldings
}

// Holding is a task that a session holds with a live lease.
type Holding struct {
	Task TaskID
	Kind Kind
}

// ListedHoldings is how many holdings a refusal names.
const ListedHoldings = 10

// CheckQuota refuses one more live attempt to a session that has as many as
// the policy allows: by a claim, a recovery or a resumption.
func (c Claimant) CheckQuota(p Policy) error {
	if c.Held < p.HeldLimit {
		return nil
	}
	var words, ids []string
	for _, h := range c.Holdings {
		words, ids = append(words, fmt.Sprintf("%s (%s)", h.Task, h.Kind)), append(ids, string(h.Task))
	}
	if more := c.Held - len(words); more > 0 && len(words) > 0 {
		words[len(words)-1] += fmt.Sprintf(" and %d more", more)
	}
	what := ""
	if len(words) > 0 {
		what = ": " + strings.Join(words, ", ")
	}
	e := Errorf(CodeQuota, "this session holds %d live attempts, and the project allows %d%s; nothing was changed", c.Held, p.HeldLimit, what).
		WithDetail("held", strconv.Itoa(c.Held))
	if len(ids) == 0 {
		return e.WithNext("coord status", "coord release -m REASON")
	}
	return e.WithDetail("holdings", strings.Join(ids, " ")).WithNext("coord release --task "+ids[0]+" -m REASON", "coord status")
}

// Grant decides a claim at now by the given session. It returns the
// generation to create, or a refusal that names the holder and what to type.
// The caller's own live attempt is not for Grant: see Claimed.
func (f TaskFacts) Grant(c Claimant, r *Recovery, p Policy, now time.Time) (generation int64, err error) {
	if err := f.claimable(r); err != nil {
		return 0, err
	}
	if err := f.suits(c, p); err != nil {
		return 0, err
	}
	if f.Attempt != nil {
		if err := f.recoverable(c.Session, p, now); err != nil {
			return 0, err
		}
	}
	if err := f.disposed(r); err != nil {
		return 0, err
	}
	return f.Generation + 1, nil
}

// suits refuses a session that may not have this task, or not one more.
func (f TaskFacts) suits(c Claimant, p Policy) error {
	if err := (Task{ID: f.ID, Kind: f.Kind, Slot: f.Slot}).CheckSlot(c.Role); err != nil {
		return err
	}
	for _, need := range f.Capabilities {
		if !slices.Contains(c.Capabilities, need) {
			return Errorf(CodeRequirement, "%s needs the capability %s, which this session does not offer; nothing was changed", f.ID, need).
				WithDetail("capability", need).WithNext("coord next", "COORD_SESSION=NAME COORD_CAPABILITIES="+need+" coord start "+string(f.ID))
		}
	}
	return c.CheckQuota(p)
}

// claimable refuses tasks on which nobody may work now. Whoever reports that
// a dead owner's task is blocked anyway may still do so.
func (f TaskFacts) claimable(r *Recovery) error {
	show := "coord task show " + string(f.ID)
	switch {
	case f.Lifecycle.Closed():
		return Errorf(CodeStateConflict, "%s is %s; there is nothing to claim", f.ID, f.Lifecycle).WithNext("coord next", show)
	case f.Lifecycle == LifecyclePlanned:
		return Errorf(CodeStateConflict, "%s is planned and not admitted yet; nothing was changed", f.ID).WithNext("coord task edit --admit "+string(f.ID), "coord next", show)
	case f.Kind == KindObjective:
		return Errorf(CodeStateConflict, "%s is an objective: its children are claimed, and then it is accepted; nothing was changed", f.ID).WithNext("coord next", "coord task accept "+string(f.ID)+" -m NOTE", show)
	case f.Kind.Submits() && (f.Submission == SubmissionInReview || f.Submission == SubmissionApproved):
		return Errorf(CodeStateConflict, "%s is submitted as %s and %s; nothing was changed", f.ID, f.SubmissionID, f.Submission).WithNext("coord next", show)
	case r != nil && r.Disposition == DispositionBlocked:
		return nil
	case len(f.Never) > 0:
		return Errorf(CodeStateConflict, "%s waits for %s, which was closed and will never be done; nothing was changed", f.ID, f.Never[0]).
			WithNext("coord task link "+string(f.ID)+" --after "+string(f.Never[0])+" --remove -m REASON", "coord next", show)
	case len(f.Waiting) > 0:
		return Errorf(CodeStateConflict, "%s waits for %s; nothing was changed", f.ID, f.Waiting[0]).WithNext("coord next", show)
	case len(f.Blockers) > 0:
		return f.blocked()
	}
	return nil
}

// blocked is the refusal of a task with an open blocker.
func (f TaskFacts) blocked() error {
	b := f.Blockers[0]
	e := Errorf(CodeStateConflict, "%s is blocked: %s; nothing was changed", f.ID, OneLine(b.Text)).WithDetail("blocker", string(b.ID)).
		WithNext(f.wayOut(b), "coord task show "+string(f.ID))
	if b.Actor == ActorHuman {
		e = e.WithActor("operator")
	}
	return e
}

// wayOut is the command that lifts a blocker.
func (f TaskFacts) wayOut(b Blocker) string {
	switch b.Kind {
	case BlockedByConflict, BlockedByCheck, BlockedByDecision:
		return b.Reopen
	}
	return "coord task unblock " + string(f.ID) + " -m REASON"
}

// CheckUnblocked refuses to finish work whose task has an open blocker.
func (f TaskFacts) CheckUnblocked() error {
	if len(f.Blockers) > 0 {
		return f.blocked()
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
	// What may have been pushed is nobody's to release; it waits for whoever
	// looks at the remote.
	if p.Recovery == RecoverManual && f.Landing != LandingPublishing {
		return Errorf(CodeNotPermitted, "the lease of %s on %s ended, and the policy lets an operator release it before others go on; nothing was changed", a.Owner, f.ID).
			WithDetail("holder", a.Owner).WithActor("operator").WithNext("coord release --task "+string(f.ID)+" -m REASON --person", "coord next")
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
	nothing := f.Attempt == nil && f.Saved == nil
	switch {
	case nothing && (r == nil || r.Disposition == DispositionResume || r.Disposition == DispositionRestart):
		return nil
	case r == nil:
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
	case DispositionDelivered:
		if f.Kind != KindCode {
			return Errorf(CodeBadRequest, "only a code task's work can be on its target already; %s is a %s task", f.ID, f.Kind)
		}
		return checkOIDs(r.Commit)
	case DispositionBlocked:
		if f.Attempt == nil || r.Blocker == nil {
			return Errorf(CodeBadRequest, "the disposition blocked says what a task is blocked by whose owner is gone; nobody holds %s, or no blocker was named", f.ID)
		}
		return r.Blocker.Validate()
	}
	return Errorf(CodeBadRequest, "disposition %q is not resume, restart, delivered or blocked", string(r.Disposition))
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

func clock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }
