package servicetest

import (
	"context"
	"slices"

	"coord"
)

// view is the task as it is read now, with what is derived.
func (c *Core) view(t *coreTask) coord.Task {
	out, now := t.Task, c.now()
	f := c.facts(t)
	out.Status, out.WaitsFor, out.Blockers = f.Status(now), f.Waiting, f.Blockers
	if t.subject != "" {
		out.Submission = t.subject
	}
	if a := t.current(); a != nil {
		out.Owner = &coord.Owner{
			Attempt: a.id, Name: a.facts.Owner, Generation: a.facts.Generation, Standing: a.facts.Standing(now, t.Generation),
			Since: a.facts.StartedAt, ExpiresAt: a.facts.ExpiresAt, LastProgress: a.facts.ProgressAt,
		}
	}
	return out
}

func (c *Core) attemptView(t *coreTask, a *coreAttempt) coord.Attempt {
	return coord.Attempt{
		ID: a.id, Task: t.ID, Generation: a.facts.Generation, Fence: coord.Fence{Epoch: c.record.epoch, Generation: a.facts.Generation}, Owner: a.facts.Owner,
		Standing: a.facts.Standing(c.now(), t.Generation), Lease: coord.Lease{ExpiresAt: a.facts.ExpiresAt}, StartedAt: a.facts.StartedAt, StartedFrom: a.from,
	}
}

func (c *Core) claimed(t *coreTask, a *coreAttempt) coord.Claimed {
	return coord.Claimed{Task: c.view(t), Attempt: c.attemptView(t, a)}
}

// landingView is the landing under the fence of now.
func (c *Core) landingView(l *coreLanding) coord.Landing {
	out := l.Landing
	out.Fence.Epoch = c.record.epoch
	return out
}

// ListTasks returns all tasks of the project, in no order.
func (s *coreCaller) ListTasks(_ context.Context, q coord.TaskQuery) (page coord.Page[coord.Task], err error) {
	if _, err := s.project(q.Project); err != nil {
		return page, err
	}
	for _, t := range s.record.tasks {
		if t.Project == q.Project {
			page.Items = append(page.Items, s.view(t))
		}
	}
	return page, nil
}

// Task returns the records that a walk compares.
func (s *coreCaller) Task(_ context.Context, id coord.TaskID) (d coord.TaskDetail, err error) {
	t, err := s.task(id)
	if err != nil {
		return d, err
	}
	d.Task = s.view(t)
	for _, a := range t.attempts {
		d.Attempts = append(d.Attempts, s.attemptView(t, a))
	}
	for n := int64(1); ; n++ {
		x := s.record.subs[coord.NewSubmissionID(id, n)]
		if x == nil {
			break
		}
		d.Submissions, d.Reviews = append(d.Submissions, x.Submission), append(d.Reviews, x.reviews...)
	}
	for n := int64(1); ; n++ {
		l := s.record.landings[coord.NewLandingID(id, n)]
		if l == nil {
			return d, nil
		}
		d.Landings = append(d.Landings, s.landingView(l))
	}
}

// ListDecisions returns all of them, newest first.
func (s *coreCaller) ListDecisions(_ context.Context, q coord.DecisionQuery) (out []coord.Decision, err error) {
	p, err := s.project(q.Project)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Backward(p.asked) {
		now := *d
		now.State = d.Standing(s.now())
		out = append(out, now)
	}
	return out, nil
}
