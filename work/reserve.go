package work

import (
	"context"
	"slices"
	"strings"

	"coord"
	"coord/worktree"
)

// Reserve takes a set of resources for the attempt, all or none. With wait it
// stands in line until they are free: it is woken by what is given back, and
// asks again often enough to keep its place and its lease.
func (d *Desk) Reserve(ctx context.Context, b worktree.Bound, c coord.Reserve, wait bool) (coord.Reserved, error) {
	c.Attempt, c.Fence, c.Line = b.Attempt, b.Fence, wait
	told := ""
	for {
		if err := d.renew(ctx, b); err != nil {
			return coord.Reserved{}, err
		}
		out, err := d.Service.Reserve(ctx, c)
		if err != nil || out.Ticket == nil {
			return out, err
		}
		c.Ticket = out.Ticket.ID
		if busy := strings.Join(out.Ticket.Busy, ", "); busy != told && d.Say != nil {
			told = busy
			d.Say("in line for %s, %d ahead", busy, out.Ticket.Ahead)
		}
		if err := d.awaitFree(ctx, out.Ticket.AsOf); err != nil {
			return out, err
		}
	}
}

// awaitFree returns when something was given back after a sequence, or when it
// is time to ask about the ticket again.
func (d *Desk) awaitFree(ctx context.Context, after coord.Seq) error {
	wait, cancel := context.WithTimeout(ctx, coord.TicketLife/4)
	defer cancel()
	for {
		events, err := d.Service.WaitEvents(wait, d.Project, after)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case wait.Err() != nil:
			return nil
		case err != nil || slices.ContainsFunc(events, letsOthersGo):
			return err
		case len(events) > 0:
			after = events[len(events)-1].Seq
		}
	}
}

// letsOthersGo reports an event after which a line may be shorter.
func letsOthersGo(e coord.Event) bool {
	return e.Kind == coord.EventResourceReleased || e.Kind == coord.EventAttemptReleased || e.Kind == coord.EventAttemptRevoked
}

// Unreserve gives back the attempt's reservations of the named resources, or
// all of them without a name.
func (d *Desk) Unreserve(ctx context.Context, b worktree.Bound, names []string) ([]coord.Reservation, error) {
	c := coord.Unreserve{Attempt: b.Attempt, Fence: b.Fence}
	if len(names) == 0 {
		return d.Service.Unreserve(ctx, c)
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		had := len(c.Reservations)
		for _, n := range t.Obligations.Reservations {
			if n.Attempt == b.Attempt && (strings.EqualFold(n.Resource, name) || string(n.ID) == name) {
				c.Reservations = append(c.Reservations, n.ID)
			}
		}
		if len(c.Reservations) == had {
			return nil, coord.Errorf(coord.CodeStateConflict, "this attempt at %s does not hold %s; nothing was given back", b.Task, name).WithNext("coord task show "+string(b.Task), "coord resource list")
		}
	}
	return d.Service.Unreserve(ctx, c)
}

// Adoption says what to adopt of the jobs, or of the reservations, that
// earlier attempts left: those with the names, or all without one.
type Adoption struct {
	Jobs         bool
	Reservations bool
	Names        []string
}

// Adopt makes the attempt answer for what earlier attempts of its task left.
func (d *Desk) Adopt(ctx context.Context, b worktree.Bound, o Adoption) (coord.Obligations, error) {
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return coord.Obligations{}, err
	}
	c := coord.Adopt{Attempt: b.Attempt, Fence: b.Fence}
	meant := func(names ...string) bool {
		return len(o.Names) == 0 || slices.ContainsFunc(o.Names, func(s string) bool { return slices.Contains(names, s) })
	}
	for _, j := range t.Obligations.Jobs {
		if o.Jobs && j.Attempt != b.Attempt && meant(string(j.ID)) {
			c.Jobs = append(c.Jobs, j.ID)
		}
	}
	for _, n := range t.Obligations.Reservations {
		if o.Reservations && n.Attempt != b.Attempt && meant(string(n.ID), n.Resource) {
			c.Reservations = append(c.Reservations, n.ID)
		}
	}
	if len(c.Jobs)+len(c.Reservations) == 0 {
		return coord.Obligations{}, coord.Errorf(coord.CodeStateConflict, "earlier attempts at %s left nothing of that kind; nothing was adopted", b.Task).WithNext("coord task show " + string(b.Task))
	}
	return d.Service.Adopt(ctx, c)
}
