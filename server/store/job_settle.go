package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// settlement is how an observation that settles a job is kept.
type settlement struct {
	coord.ObserveJob
	Settled bool `json:"settled"`
}

// SettleJob says, for a person or an agent that could recover the task, how a
// job ended that nobody observes any more, and gives back what only it used.
func (s *service) SettleJob(ctx context.Context, c coord.SettleJob) (coord.Job, error) {
	agent := s.caller.Role == coord.RoleAgent
	may := s.mayRead
	if agent {
		may = s.mayWork
	}
	if err := cmp.Or(may(), c.Validate()); err != nil {
		return coord.Job{}, err
	}
	i := intent[coord.Job]{operation: "settle_job", key: c.Key, ids: []string{string(c.Job)}, command: c, session: agent}
	i.current = func(t *tx, out *coord.Job) error {
		j, err := t.job(out.ID)
		*out = j.shown(t.now)
		return err
	}
	return mutate(ctx, s, i, func(t *tx) (coord.Job, error) { return t.settleJob(c) })
}

func (t *tx) settleJob(c coord.SettleJob) (coord.Job, error) {
	old, err := t.job(c.Job)
	if err != nil {
		return coord.Job{}, err
	}
	if err := t.maySettle(old.Job); err != nil {
		return coord.Job{}, err
	}
	next, seen, err := old.Settle(c, t.now)
	if err != nil {
		return coord.Job{}, err
	}
	err = t.change("INSERT INTO job_observations (job, sequence, state, effect, observer, detail, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		old.id, seen.Sequence, string(seen.State), string(coord.EffectCounted), t.actor(), toJSON(settlement{seen, true}), nanos(t.now))
	if err != nil {
		return coord.Job{}, err
	}
	if err := t.updateJob(old, next); err != nil {
		return coord.Job{}, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventJobObserved, Project: next.Project, Task: next.Task,
		Text: fmt.Sprintf("%s says that %s of %s, which nobody observed, is %s: %s", t.actor(), next.ID, next.Task, next.State, coord.OneLine(c.Evidence)),
		Data: map[string]string{"job": string(next.ID), "state": string(next.State), "settled": "true", "evidence": c.Evidence},
	})
	if err != nil {
		return coord.Job{}, err
	}
	if err := t.freeAfterJob(old.id, string(next.ID)+" was settled as "+string(next.State)); err != nil {
		return coord.Job{}, err
	}
	j, err := t.job(c.Job)
	return j.shown(t.now), err
}

// maySettle asks the rule about the task as it stands.
func (t *tx) maySettle(j coord.Job) error {
	task, err := t.task(j.Task)
	if err != nil {
		return err
	}
	p, err := t.project(j.Project)
	if err != nil {
		return err
	}
	return task.facts.CheckSettle(coord.Claimant{Session: t.caller.Session, Role: t.caller.Role}, p.Policy, t.now)
}
