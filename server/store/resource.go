package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// maxResources bounds the resources of a project, whose list has no pages.
const maxResources = 1000

// resourceRow is a stored resource without who holds it.
type resourceRow struct {
	coord.Resource
	id int64
}

const resourceColumns = "r.id, r.project, r.name, r.scope, r.capacity, r.note, r.created_by, r.at"

func scanResource(r scanner) (x resourceRow, err error) {
	var at int64
	err = r.Scan(&x.id, &x.Project, &x.Name, &x.Scope, &x.Capacity, &x.Note, &x.CreatedBy, &at)
	x.At = instant(at)
	return x, err
}

// resource finds one by its canonical name.
func (v *view) resource(p coord.ProjectKey, name string) (resourceRow, bool, error) {
	return one(v, scanResource, "SELECT "+resourceColumns+" FROM resources r WHERE r.project = ? AND r.name = ?", string(p), name)
}

// CreateResource names a resource. The same scope and capacity again is
// answered as it is, whatever its note says.
func (s *service) CreateResource(ctx context.Context, c coord.CreateResource) (coord.Resource, error) {
	if err := cmp.Or(s.mayRead(), c.Validate()); err != nil {
		return coord.Resource{}, err
	}
	agent := s.caller.Role == coord.RoleAgent
	if agent {
		if err := s.mayWork(); err != nil {
			return coord.Resource{}, err
		}
	}
	i := intent[coord.Resource]{operation: "create_resource", key: c.Key, ids: []string{string(c.Project)}, command: c, session: agent}
	return mutate(ctx, s, i, func(t *tx) (coord.Resource, error) { return t.createResource(c) })
}

func (t *tx) createResource(c coord.CreateResource) (coord.Resource, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Resource{}, err
	}
	want, err := c.Canonical()
	if err != nil {
		return coord.Resource{}, err
	}
	known, found, err := t.resource(c.Project, want.Name)
	if err != nil {
		return coord.Resource{}, err
	}
	if found {
		return known.Resource, known.CheckSame(want)
	}
	if err := p.Policy.CheckCreateResource(t.caller.Role, want.Scope); err != nil {
		return coord.Resource{}, err
	}
	var n int
	if _, err := t.get([]any{&n}, "SELECT count(*) FROM resources WHERE project = ?", string(c.Project)); err != nil {
		return coord.Resource{}, err
	}
	if n >= maxResources {
		return coord.Resource{}, coord.Errorf(coord.CodeQuota, "%s has %d resources, and a project has at most %d; nothing was created", c.Project, n, maxResources).WithNext("coord resource list")
	}
	return t.addResource(want)
}

func (t *tx) addResource(c coord.CreateResource) (coord.Resource, error) {
	err := t.change("INSERT INTO resources (project, name, scope, capacity, note, created_by, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		string(c.Project), c.Name, string(c.Scope), c.Capacity, c.Note, t.actor(), nanos(t.now))
	if err != nil {
		return coord.Resource{}, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventResourceCreated, Project: c.Project, Text: fmt.Sprintf("%s named the resource %s, %s, capacity %d", t.actor(), c.Name, c.Scope, c.Capacity),
		Data: map[string]string{"resource": c.Name},
	})
	if err != nil {
		return coord.Resource{}, err
	}
	r, _, err := t.resource(c.Project, c.Name)
	return r.Resource, err
}

// ListResources returns the resources by name, with who holds them.
func (s *service) ListResources(ctx context.Context, project coord.ProjectKey) ([]coord.Resource, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Resource, error) {
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		rows, err := list(v, scanResource, "SELECT "+resourceColumns+" FROM resources r WHERE r.project = ? ORDER BY r.name", string(project))
		if err != nil {
			return nil, err
		}
		out := make([]coord.Resource, len(rows))
		at := map[string]int{}
		for i, r := range rows {
			out[i], at[r.Name] = r.Resource, i
		}
		return out, v.addHolders(project, func(name string) *coord.Resource { return &out[at[name]] })
	})
}

// addHolders fills in who holds each resource and how many stand in line.
func (v *view) addHolders(p coord.ProjectKey, find func(name string) *coord.Resource) error {
	held, err := list(v, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE r.project = ? AND n.released_at IS NULL ORDER BY n.id", string(p))
	if err != nil {
		return err
	}
	for _, n := range held {
		r := find(n.Resource)
		r.Held = append(r.Held, n.Reservation)
	}
	line, err := v.line(p)
	if err != nil {
		return err
	}
	for _, k := range line {
		for _, w := range k.Wants {
			find(w.Resource).Waiting++
		}
	}
	return nil
}
