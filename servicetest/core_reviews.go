package servicetest

import (
	"cmp"
	"context"

	"coord"
)

func (s *coreCaller) Submit(_ context.Context, c coord.Submit) (coord.Submitted, error) {
	return once(s, coreRequest{"submit", c.Key, string(c.Attempt), c}, func() (func() coord.Submitted, error) {
		t, a, err := s.owned(c.Attempt, c.Fence)
		if err == nil && !t.Kind.Submits() {
			err = coord.Errorf(coord.CodeStateConflict, "%s takes no submission", t.ID)
		}
		if err == nil {
			err = cmp.Or(s.facts(t).CheckUnblocked(), c.CheckDigest(t.Task), c.CheckEvidence(t.Task, s.record.receipts))
		}
		if err != nil {
			return nil, err
		}
		x := s.handOver(t, a, c)
		return func() coord.Submitted { return coord.Submitted{Submission: x.Submission} }, nil
	})
}

// handOver makes the submission with its followers and ends the attempt.
func (s *coreCaller) handOver(t *coreTask, a *coreAttempt, c coord.Submit) *coreSubmission {
	n, p := int64(1), s.policy(t)
	for s.record.subs[coord.NewSubmissionID(t.ID, n)] != nil {
		n++
	}
	x := &coreSubmission{generation: a.facts.Generation, Submission: coord.Submission{
		ID: coord.NewSubmissionID(t.ID, n), Task: t.ID, Attempt: a.id, Author: s.name, State: c.State(t.Task, p), Commit: c.Commit, Tree: c.Tree,
		Base: c.Base, Ref: c.Ref, Target: t.Target, Summary: c.Summary, Digest: t.Digest, Judged: t.Digest, Required: c.Required,
	}}
	s.record.subs[x.ID] = x
	a.facts.Ended = coord.StandingSubmitted
	t.Submission, t.Saved = x.ID, nil
	reviews, integration := coord.Followers(t.Task, p)
	for _, r := range reviews {
		x.Reviews = append(x.Reviews, s.add(r, x.ID).ID)
	}
	integration.DependsOn = x.Reviews
	x.Integration = s.add(*integration, x.ID).ID
	return x
}

func (s *coreCaller) Review(_ context.Context, c coord.RecordReview) (coord.Review, error) {
	return once(s, coreRequest{"review", c.Key, string(c.Attempt), c}, func() (func() coord.Review, error) {
		slot, a, err := s.owned(c.Attempt, c.Fence)
		if err == nil && slot.Kind != coord.KindReview {
			err = coord.Errorf(coord.CodeStateConflict, "%s takes no review", slot.ID)
		}
		if err != nil {
			return nil, err
		}
		x := s.record.subs[slot.subject]
		work := s.record.tasks[x.Task]
		err = cmp.Or(slot.CheckSlot(s.role), s.independent(slot), c.CheckJudge(x.Submission, work.Task), s.facts(work).CheckUnblocked(), s.facts(slot).CheckUnblocked())
		if err != nil {
			return nil, err
		}
		a.facts.Ended = coord.StandingFinished
		s.close(slot, coord.LifecycleDone)
		out := coord.Review{Submission: x.ID, Task: slot.ID, Verdict: c.Verdict, Commit: x.Commit, Digest: x.Judged, Actor: coord.ActorOf(s.role), Reviewer: s.name, Note: c.Note, Findings: c.Findings}
		x.reviews = append(x.reviews, out)
		if c.Verdict == coord.VerdictApproved {
			x.State = coord.SubmissionApproved
		} else {
			s.sendBack(x)
			s.recurring(work, out)
		}
		return func() coord.Review { return out }, nil
	})
}

// recurring asks how a task goes on whose reviews keep wanting the same.
func (c *Core) recurring(t *coreTask, r coord.Review) {
	var earlier [][]coord.Finding
	for _, x := range c.record.subs {
		for _, e := range x.reviews {
			if x.Task == t.ID && e.Task != r.Task && e.Verdict == coord.VerdictChangesRequested {
				earlier = append(earlier, e.Wants())
			}
		}
	}
	limit := c.policy(t).FindingLimit
	if class := coord.Recurring(earlier, r.Wants(), limit); class != "" {
		c.ask(coord.EscalateFindings(t.Task, class, limit), true)
	}
}

// sendBack returns a submission and makes its task ready again.
func (c *Core) sendBack(x *coreSubmission) {
	t := c.record.tasks[x.Task]
	x.State, t.Submission = coord.SubmissionReturned, ""
	t.Saved = &coord.Saved{Generation: x.generation, Commit: x.Commit, Tree: x.Tree, Ref: x.Ref, Kind: coord.SavedCandidate}
	for _, id := range append(x.Reviews, x.Integration) {
		f := c.record.tasks[id]
		if f.Lifecycle != coord.LifecycleOpen {
			continue
		}
		if a := f.current(); a != nil {
			a.facts.Ended = coord.StandingFinished
		}
		c.close(f, coord.LifecycleCanceled)
	}
}

func (s *coreCaller) Revise(_ context.Context, c coord.Revise) (coord.Task, error) {
	return once(s, coreRequest{"revise", c.Key, string(c.Task), c}, func() (func() coord.Task, error) {
		t, err := s.task(c.Task)
		if err != nil {
			return nil, err
		}
		if t.subject != "" { // a follower stands for its task
			t = s.record.tasks[t.subject.Task()]
		}
		f := s.reviseFacts(t)
		if err := f.CheckRevise(c.Reason); err != nil {
			return nil, err
		}
		x := s.record.subs[t.Submission]
		s.sendBack(x)
		x.revisedAt = s.now()
		if limit := s.policy(t).ReviseLimit; f.Exceeds(limit, s.now()) {
			s.ask(coord.EscalateRevisions(t.Task, limit), true)
		}
		return s.asTask(t), nil
	})
}

func (s *coreCaller) reviseFacts(t *coreTask) coord.ReviseFacts {
	of := s.facts(t)
	f := coord.ReviseFacts{Task: t.ID, Digest: t.Digest, Submission: of.Submission, Landing: of.Landing, Author: t.workedOn(s.id)}
	if x := s.record.subs[t.Submission]; x != nil {
		f.Judged = x.Judged
	}
	for _, x := range s.record.subs {
		if x.Task == t.ID && !x.revisedAt.IsZero() {
			f.Before = append(f.Before, x.revisedAt)
		}
	}
	return f
}
