package servicetest

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"coord"
)

func (s *coreCaller) CreateProject(_ context.Context, c coord.CreateProject) (coord.Project, error) {
	s.record.projects[c.Project] = &coreProject{policy: c.Policy.Complete(), target: c.Repositories[0].Target}
	return coord.Project{Key: c.Project}, nil
}

func (s *coreCaller) CreateTask(_ context.Context, c coord.CreateTask) (coord.Created, error) {
	return once(s, coreRequest{"create", c.Key, string(c.Project), c}, func() (func() coord.Created, error) {
		p, err := s.project(c.Project)
		if err != nil {
			return nil, err
		}
		for _, id := range c.DependsOn {
			if _, err := s.task(id); err != nil {
				return nil, err
			}
		}
		t := s.add(coord.Task{
			Project: c.Project, Kind: coord.KindCode, Title: c.Title, Target: cmp.Or(c.Target, p.target), DependsOn: c.DependsOn,
			Lifecycle: coord.LifecycleOpen, Priority: coord.PriorityNormal,
		}, "")
		return func() coord.Created { return coord.Created{Task: s.view(t)} }, nil
	})
}

// asTask is an answer that is the task as it is now.
func (c *Core) asTask(t *coreTask) func() coord.Task { return func() coord.Task { return c.view(t) } }

func (s *coreCaller) EditTask(_ context.Context, c coord.EditTask) (coord.Task, error) {
	return once(s, coreRequest{"edit", c.Key, string(c.Task), c}, func() (func() coord.Task, error) {
		t, err := s.task(c.Task)
		if err == nil {
			err = c.CheckEdit(s.view(t), t.workedOn(s.id))
		}
		if err != nil {
			return nil, err
		}
		t.Task, err = c.Apply(t.Task)
		return s.asTask(t), err
	})
}

func (s *coreCaller) CancelTask(_ context.Context, c coord.CancelTask) (coord.Task, error) {
	return once(s, coreRequest{"cancel", c.Key, string(c.Task), c}, func() (func() coord.Task, error) {
		t, err := s.task(c.Task)
		if err == nil {
			err = s.facts(t).CheckClose(s.id, s.policy(t), s.now())
		}
		if err != nil {
			return nil, err
		}
		if a := t.current(); a != nil {
			a.facts.Ended = coord.StandingReleased
		}
		if x := s.submission(t); x != nil && (x.State == coord.SubmissionInReview || x.State == coord.SubmissionApproved) {
			s.sendBack(x)
		}
		s.close(t, coord.LifecycleCanceled)
		return s.asTask(t), nil
	})
}

func (s *coreCaller) Unblock(_ context.Context, c coord.Unblock) (coord.Task, error) {
	return once(s, coreRequest{"unblock", c.Key, string(c.Task), c}, func() (func() coord.Task, error) {
		t, err := s.task(c.Task)
		if err != nil {
			return nil, err
		}
		b, err := c.Which(s.blockersOf(t))
		if err == nil {
			err = b.CheckLift(s.role)
		}
		if err != nil {
			return nil, err
		}
		of := s.record.tasks[b.Task] // a code task's may be its integration's
		of.blockers = slices.DeleteFunc(of.blockers, func(x *coord.Blocker) bool { return *x == b })
		return s.asTask(t), nil
	})
}

func (s *coreCaller) Ask(_ context.Context, c coord.Ask) (coord.Decision, error) {
	return once(s, coreRequest{"ask", c.Key, string(c.Project), c}, func() (func() coord.Decision, error) {
		for _, id := range c.Tasks {
			t, err := s.task(id)
			if err == nil && t.Lifecycle.Closed() {
				err = coord.Errorf(coord.CodeStateConflict, "%s is closed", id)
			}
			if err != nil {
				return nil, err
			}
		}
		return s.asDecision(s.ask(c, false)), nil
	})
}

func (c *Core) asDecision(d *coord.Decision) func() coord.Decision {
	return func() coord.Decision {
		out := *d
		out.State = d.Standing(c.now())
		return out
	}
}

// ask numbers the question and parks what it names.
func (c *Core) ask(a coord.Ask, escalation bool) *coord.Decision {
	p, d := c.record.projects[a.Project], a.Begin(c.now())
	d.ID, d.Escalation = coord.DecisionID("D"+strconv.Itoa(len(p.asked)+1)), escalation
	p.asked = append(p.asked, &d)
	for _, id := range d.Tasks {
		c.block(c.record.tasks[id], coord.Blocker{Kind: coord.BlockedByDecision, Actor: d.RequiredActor, Decision: d.ID})
	}
	return &d
}

func (s *coreCaller) Decide(_ context.Context, c coord.Decide) (coord.Decision, error) {
	return once(s, coreRequest{"decide", c.Key, string(c.Project) + string(c.Decision), c}, func() (func() coord.Decision, error) {
		p, err := s.project(c.Project)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(p.asked, func(d *coord.Decision) bool { return d.ID == c.Decision })
		if i < 0 {
			return nil, coord.Errorf(coord.CodeNotFound, "there is no decision %s", c.Decision)
		}
		d, contributor := p.asked[i], false
		for _, id := range d.Tasks {
			contributor = contributor || s.record.tasks[id].workedOn(s.id)
		}
		next, err := d.Decided(c, coord.Caller{Session: s.id, Role: s.role}, contributor, s.now())
		if err != nil {
			return nil, err
		}
		*d = next
		for _, id := range d.Tasks { // it lifts the blockers that name it
			t := s.record.tasks[id]
			t.blockers = slices.DeleteFunc(t.blockers, func(b *coord.Blocker) bool { return b.Decision == d.ID })
		}
		return s.asDecision(d), nil
	})
}
