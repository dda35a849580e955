package work

import (
	"context"

	"coord"
)

// hold reserves the target: anew, or as this session already holds it, or
// taking over from a holder whose lease ended, be it this session itself.
func (d *Desk) hold(ctx context.Context, o LandOptions) (coord.Held, error) {
	c := coord.Hold{Project: d.Project, Task: o.Task, Target: o.Target, Repository: d.Repository}
	held, err := d.Service.Hold(ctx, c)
	if err == nil && stale(held) {
		held, err = d.Service.Hold(ctx, c)
	}
	if resumable(err) {
		if c.Task, err = d.resumeHold(ctx, o, err); err != nil {
			return coord.Held{}, err
		}
		held, err = d.Service.Hold(ctx, c)
	}
	refusal, need := asError(err, coord.CodeRecoveryRequired)
	if !need {
		return held, err
	}
	d.Say("taking over the landing of %s", refusal.Details["task"])
	c.Task = coord.TaskID(refusal.Details["task"])
	c.Recovery = &coord.Recovery{Generation: number(refusal.Details["generation"]), Disposition: coord.DispositionResume}
	return d.Service.Hold(ctx, c)
}

// stale is the late answer to an earlier run whose hold is over by now. One
// that landed is the answer still.
func stale(h coord.Held) bool {
	if h.Landing.State == coord.LandingLanded {
		return false
	}
	return !h.Landing.State.Reserves() || h.Attempt.Standing != coord.StandingLive
}

// resumeHold resumes this session's own landing whose lease ran out, and
// returns its integration task. The service refuses to resume another
// session's, so trying does no harm.
func (d *Desk) resumeHold(ctx context.Context, o LandOptions, refusal error) (coord.TaskID, error) {
	tasks, err := d.heldLandings(ctx, o, refusal)
	if err != nil {
		return "", err
	}
	for _, id := range tasks {
		a, err := d.latestAttempt(ctx, id, coord.KindIntegration)
		if err != nil {
			return "", err
		}
		if a.Standing != coord.StandingExpired {
			continue
		}
		_, err = d.Service.Resume(ctx, coord.Resume{Attempt: a.ID, Fence: a.Fence})
		if err == nil {
			d.Say("resuming the landing of %s", id)
			return id, nil
		}
		if coord.CodeOf(err) != coord.CodeFenced {
			return "", err
		}
	}
	return "", refusal
}

// heldLandings are the integration tasks that hold a target: the one that the
// refusal names, or those that the options fit.
func (d *Desk) heldLandings(ctx context.Context, o LandOptions, refusal error) ([]coord.TaskID, error) {
	if e, ok := asError(refusal, coord.CodeStateConflict); ok && e.Details["task"] != "" {
		return []coord.TaskID{coord.TaskID(e.Details["task"])}, nil
	}
	board, err := d.Service.LandingBoard(ctx, d.Project)
	if err != nil {
		return nil, err
	}
	var tasks []coord.TaskID
	for _, t := range board.Targets {
		if t.Hold == nil || (o.Target != "" && o.Target != t.Target) {
			continue
		}
		if o.Task == "" || o.Task == t.Hold.Task || o.Task == t.Hold.Integration {
			tasks = append(tasks, t.Hold.Integration)
		}
	}
	return tasks, nil
}

// alreadyLanded answers for a named task that has landed, in a run whose
// answer was lost or by another session. Otherwise the refusal stands.
func (d *Desk) alreadyLanded(ctx context.Context, task coord.TaskID, refusal error) (coord.Landed, error) {
	if task == "" || coord.CodeOf(refusal) != coord.CodeStateConflict {
		return coord.Landed{}, refusal
	}
	if landed, ok := d.landed(ctx, task); ok {
		return landed, nil
	}
	return coord.Landed{}, refusal
}

// landed is the landing of a code task, or of an integration task's subject.
func (d *Desk) landed(ctx context.Context, id coord.TaskID) (coord.Landed, bool) {
	t, err := d.Service.Task(ctx, id)
	if err == nil && t.Kind == coord.KindIntegration {
		t, err = d.Service.Task(ctx, t.Submission.Task())
	}
	if err != nil || t.Landed == nil {
		return coord.Landed{}, false
	}
	for _, l := range t.Landings {
		if l.ID == t.Landed.Landing {
			return coord.Landed{Task: t.Task, Landing: l, Replayed: true}, true
		}
	}
	return coord.Landed{}, false
}
