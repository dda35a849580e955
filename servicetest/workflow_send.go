package servicetest

import (
	"context"

	"coord"
)

// reply is what an answer says, as far as a walk compares it.
type reply struct {
	task       coord.TaskID
	status     coord.Status
	attempt    coord.AttemptID
	fence      coord.Fence
	standing   coord.Standing
	until      int64 // of the lease
	stalled    bool
	commit     coord.OID
	submission coord.SubmissionID
	landing    coord.LandingID
	state      string // of a submission, a landing or a decision; a verdict
	tries      int
	decision   coord.DecisionID
	answer     string
}

func (x reply) of(a coord.Attempt) reply {
	x.task, x.attempt, x.fence, x.standing, x.until, x.commit = a.Task, a.ID, a.Fence, a.Standing, a.Lease.ExpiresAt.UnixNano(), a.StartedFrom
	return x
}

func tellTask(t coord.Task, err error) (reply, error) {
	return reply{task: t.ID, status: t.Status}, err
}

func tellClaim(c coord.Claimed, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: c.Task.Status}.of(c.Attempt), nil
}

func tellLanding(l coord.Landing, err error) (reply, error) {
	return reply{landing: l.ID, state: string(l.State), tries: l.Tries, commit: l.Result, fence: l.Fence}, err
}

func tellDecision(d coord.Decision, err error) (reply, error) {
	out := reply{decision: d.ID, state: string(d.State)}
	if d.Answer != nil {
		out.answer = d.Answer.Option + " " + string(d.Answer.Actor)
	}
	return out, err
}

// send is a command as a call of the service.
func send(ctx context.Context, s coord.Service, command any) (reply, error) {
	switch c := command.(type) {
	case coord.CreateTask:
		x, err := s.CreateTask(ctx, c)
		return tellTask(x.Task, err)
	case coord.EditTask:
		return tellTask(s.EditTask(ctx, c))
	case coord.CancelTask:
		return tellTask(s.CancelTask(ctx, c))
	case coord.Unblock:
		return tellTask(s.Unblock(ctx, c))
	case coord.Revise:
		return tellTask(s.Revise(ctx, c))
	case coord.Claim:
		return tellClaim(s.Claim(ctx, c))
	case coord.Resume:
		return tellClaim(s.Resume(ctx, c))
	case coord.Renew:
		x, err := s.Renew(ctx, c)
		if err != nil {
			return reply{}, err
		}
		return reply{until: x.ExpiresAt.UnixNano(), stalled: x.Stalled}, nil
	case coord.Release:
		x, err := s.Release(ctx, c)
		if err != nil {
			return reply{}, err
		}
		return reply{}.of(x), nil
	case coord.RecordCheckpoint:
		x, err := s.RecordCheckpoint(ctx, c)
		return reply{attempt: x.Attempt, commit: x.Commit}, err
	case coord.Submit:
		x, err := s.Submit(ctx, c)
		return reply{submission: x.Submission.ID, state: string(x.Submission.State), commit: x.Submission.Commit, task: x.Submission.Integration}, err
	case coord.RecordReview:
		x, err := s.Review(ctx, c)
		return reply{submission: x.Submission, state: string(x.Verdict), commit: x.Commit}, err
	case coord.CloseSession:
		_, err := s.CloseSession(ctx, c)
		return reply{}, err
	}
	return sendOn(ctx, s, command)
}

// sendOn is send for decisions and landings.
func sendOn(ctx context.Context, s coord.Service, command any) (reply, error) {
	switch c := command.(type) {
	case coord.Ask:
		return tellDecision(s.Ask(ctx, c))
	case coord.Decide:
		return tellDecision(s.Decide(ctx, c))
	case coord.Hold:
		x, err := s.Hold(ctx, c)
		if err != nil {
			return reply{}, err
		}
		return reply{landing: x.Landing.ID, state: string(x.Landing.State), tries: x.Landing.Tries}.of(x.Attempt), nil
	case coord.RecordMerge:
		x, err := s.RecordMerge(ctx, c)
		return tellLanding(x.Landing, err)
	case coord.Permit:
		return tellLanding(s.Permit(ctx, c))
	case coord.FailLanding:
		return tellLanding(s.FailLanding(ctx, c))
	case coord.RecordObservation:
		x, err := s.RecordObservation(ctx, c)
		out, err := tellLanding(x.Landing, err)
		out.task, out.status = x.Task.ID, x.Task.Status
		return out, err
	case coord.DivergeTarget:
		return tellTarget(s.DivergeTarget(ctx, c))
	case coord.SettleTarget:
		return tellTarget(s.SettleTarget(ctx, c))
	case coord.Reconcile:
		x, err := s.Reconcile(ctx, c)
		out, err := tellLanding(x.Landing, err)
		out.commit = x.Target.Tip
		return out, err
	}
	panic("no such command")
}

// tellTarget is a target's tip, with whether anything may land there.
func tellTarget(g coord.Target, err error) (reply, error) {
	out := reply{commit: g.Tip, state: string(g.Landed)}
	if g.Diverged != nil {
		out.state += " diverged at " + string(g.Diverged.Seen)
	}
	return out, err
}

// authority is the attempt or landing, and the fence, that a command states;
// none is the zero fence.
func authority(command any) (coord.AttemptID, coord.LandingID, coord.Fence) {
	switch c := command.(type) {
	case coord.Renew:
		return c.Attempt, "", c.Fence
	case coord.Resume:
		return c.Attempt, "", c.Fence
	case coord.Release:
		return c.Attempt, "", c.Fence
	case coord.RecordCheckpoint:
		return c.Attempt, "", c.Fence
	case coord.Submit:
		return c.Attempt, "", c.Fence
	case coord.RecordReview:
		return c.Attempt, "", c.Fence
	case coord.RecordMerge:
		return "", c.Landing, c.Fence
	case coord.Permit:
		return "", c.Landing, c.Fence
	case coord.FailLanding:
		return "", c.Landing, c.Fence
	case coord.RecordObservation:
		return "", c.Landing, c.Fence
	case coord.DivergeTarget:
		return "", c.Landing, c.Fence
	case coord.Reconcile:
		return "", c.Landing, c.Fence
	}
	return "", "", coord.Fence{}
}
