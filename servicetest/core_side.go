package servicetest

import (
	"context"
	"maps"
	"slices"

	"coord"
)

// Side is one implementation of the workflow, as a walk drives it. A session
// goes on being what it is over a crash; after a restore it is refused.
type Side interface {
	Name() string
	// Open opens a session of the id under the one agent's credential.
	Open(ctx context.Context, id coord.SessionID, name string) error
	// As is the service for a session that was opened, as it runs now.
	As(id coord.SessionID) coord.Service
	// Operator is a person; Setup registers projects.
	Operator() coord.Service
	Setup() coord.Service
	// Crash loses everything but what is on the disk.
	Crash(ctx context.Context) error
	// Backup keeps the record as it is, in the place of an earlier backup;
	// Restore goes on from it, in the epoch that it returns.
	Backup(ctx context.Context) error
	Restore(ctx context.Context) (epoch int64, err error)
	Close() error
}

var _ Side = (*Core)(nil)

// Name is the core's in reports.
func (c *Core) Name() string { return "core" }

// Open opens a session.
func (c *Core) Open(_ context.Context, id coord.SessionID, name string) error {
	c.sessions[id] = &coreCaller{Core: c, id: id, name: name, role: coord.RoleAgent}
	return nil
}

// As is the core for a session; for one that is closed, one that refuses.
func (c *Core) As(id coord.SessionID) coord.Service {
	if s := c.sessions[id]; s != nil {
		return s
	}
	return &coreCaller{Core: c, id: id, role: coord.RoleAgent}
}

// Operator is the core for a person.
func (c *Core) Operator() coord.Service { return &coreCaller{Core: c, role: coord.RoleOperator} }

// Setup is the core for whoever registers projects.
func (c *Core) Setup() coord.Service { return &coreCaller{Core: c, role: coord.RoleSetup} }

// Crash loses nothing: whatever was answered is in the record.
func (c *Core) Crash(context.Context) error { return nil }

// Close has nothing to do.
func (c *Core) Close() error { return nil }

// Backup keeps the record as it is.
func (c *Core) Backup(context.Context) error {
	c.backup = c.record.copy()
	return nil
}

// Restore goes on from the backup. What was granted to anybody is void, no key
// is remembered, and no session is open.
func (c *Core) Restore(context.Context) (int64, error) {
	c.record = c.backup.copy()
	c.record.epoch = max(c.record.epoch+1, c.now().UnixMilli())
	c.record.restored = true
	for _, g := range c.record.targets {
		g.Unreconciled = true
	}
	clear(c.answers)
	clear(c.sessions)
	for _, t := range c.record.tasks {
		if a := t.current(); a != nil {
			c.revoke(t, a)
		}
	}
	return c.record.epoch, nil
}

// copy shares nothing with r that is ever changed in place.
func (r coreRecord) copy() coreRecord {
	r.projects, r.tasks, r.subs, r.landings = maps.Clone(r.projects), maps.Clone(r.tasks), maps.Clone(r.subs), maps.Clone(r.landings)
	for k, p := range r.projects {
		p = clone(p)
		p.asked = cloneAll(p.asked)
		r.projects[k] = p
	}
	for k, t := range r.tasks {
		t = clone(t)
		t.attempts, t.blockers = cloneAll(t.attempts), cloneAll(t.blockers)
		r.tasks[k] = t
	}
	for k, x := range r.subs {
		r.subs[k] = clone(x)
	}
	for k, l := range r.landings {
		r.landings[k] = clone(l)
	}
	r.receipts, r.targets = slices.Clone(r.receipts), maps.Clone(r.targets)
	for k, g := range r.targets {
		r.targets[k] = clone(g)
	}
	return r
}

func clone[T any](p *T) *T {
	c := *p
	return &c
}

func cloneAll[T any](all []*T) []*T {
	out := make([]*T, len(all))
	for i, p := range all {
		out[i] = clone(p)
	}
	return out
}
