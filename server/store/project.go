package store

import (
	"context"
	"slices"

	"coord"
)

// CreateProject registers a project. Its key and remotes must be new.
func (s *service) CreateProject(ctx context.Context, c coord.CreateProject) (coord.Project, error) {
	if err := s.need(coord.RoleSetup, coord.RoleOperator); err != nil {
		return coord.Project{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Project{}, err
	}
	i := intent[coord.Project]{operation: "create_project", key: c.Key, command: c}
	return mutate(ctx, s, i, func(t *tx) (coord.Project, error) { return t.createProject(c) })
}

func (t *tx) createProject(c coord.CreateProject) (p coord.Project, err error) {
	if err := t.checkNewProject(c); err != nil {
		return p, err
	}
	policy := c.Policy.Complete()
	err = t.change("INSERT INTO projects (key, name, policy, created_at, created_by) VALUES (?, ?, ?, ?, ?)",
		string(c.Project), c.Name, toJSON(policy), nanos(t.now), string(t.caller.Principal))
	if err != nil {
		return p, err
	}
	if err := t.addPolicyRevision(c.Project, policy, "the project was registered"); err != nil {
		return p, err
	}
	for n, r := range c.Repositories {
		err := t.change("INSERT INTO repositories (id, project, position, remote, target) VALUES (?, ?, ?, ?, ?)", string(r.ID), string(c.Project), n, r.Remote, r.Target)
		if err != nil {
			return p, err
		}
	}
	err = t.record(coord.Event{Kind: coord.EventProjectCreated, Project: c.Project, Text: t.actor() + " registered project " + string(c.Project)})
	if err != nil {
		return p, err
	}
	return t.project(c.Project)
}

func (t *tx) checkNewProject(c coord.CreateProject) error {
	var one int
	if found, err := t.get([]any{&one}, "SELECT 1 FROM projects WHERE key = ?", string(c.Project)); err != nil || found {
		return orConflict(err, "project %s exists already; nothing was changed", string(c.Project))
	}
	taken, err := t.registered()
	if err != nil {
		return err
	}
	for _, r := range c.Repositories {
		i := slices.IndexFunc(taken, func(x registered) bool { return coord.SameRepository(x.ID, r.ID) || x.Remote == r.Remote })
		if i >= 0 {
			return orConflict(nil, "repository %s belongs to project "+string(taken[i].project)+" already; nothing was changed", string(taken[i].ID))
		}
	}
	return nil
}

func orConflict(err error, format, arg string) error {
	if err != nil {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, format, arg).WithNext("coord up")
}

// project reads one project, or returns CodeNotFound.
func (v *view) project(key coord.ProjectKey) (coord.Project, error) {
	p, found, err := one(v, scanProject, "SELECT "+projectColumns+" FROM projects WHERE key = ?", string(key))
	if err != nil {
		return p, err
	}
	if !found {
		return p, unknownProject(key)
	}
	p.Repositories, err = v.repositories(key)
	return p, err
}

func unknownProject(key coord.ProjectKey) error {
	return coord.Errorf(coord.CodeNotFound, "there is no project %q", string(key)).WithNext("coord up")
}

const projectColumns = "key, name, policy, policy_revision, created_at, created_by"

func scanProject(r scanner) (p coord.Project, err error) {
	var at int64
	var policy string
	if err = r.Scan(&p.Key, &p.Name, &policy, &p.PolicyRevision, &at, &p.CreatedBy); err != nil {
		return p, err
	}
	p.CreatedAt = instant(at)
	if err = fromJSON(policy, &p.Policy); err == nil {
		p.Policy = p.Policy.Complete() // one that was stored before a field existed
	}
	return p, err
}

func (v *view) repositories(key coord.ProjectKey) ([]coord.Repository, error) {
	return list(v, func(r scanner) (x coord.Repository, err error) {
		err = r.Scan(&x.ID, &x.Remote, &x.Target)
		return x, err
	}, "SELECT id, remote, target FROM repositories WHERE project = ? ORDER BY position", string(key))
}

// registered is a repository with the project that has it.
type registered struct {
	project coord.ProjectKey
	coord.Repository
}

// registered lists the repositories of all projects.
func (v *view) registered() ([]registered, error) {
	return list(v, func(r scanner) (x registered, err error) {
		err = r.Scan(&x.project, &x.ID, &x.Remote, &x.Target)
		return x, err
	}, "SELECT project, id, remote, target FROM repositories ORDER BY project, position")
}

// Project returns the project, to every role.
func (s *service) Project(ctx context.Context, key coord.ProjectKey) (coord.Project, error) {
	return reading(ctx, s.Store, func(v *view) (coord.Project, error) { return v.project(key) })
}

// ListProjects returns every project by key.
func (s *service) ListProjects(ctx context.Context) ([]coord.Project, error) {
	return reading(ctx, s.Store, (*view).projects)
}

func (v *view) projects() ([]coord.Project, error) {
	all, err := list(v, scanProject, "SELECT "+projectColumns+" FROM projects ORDER BY key")
	if err != nil {
		return nil, err
	}
	rows, err := v.registered()
	of := map[coord.ProjectKey][]coord.Repository{}
	for _, x := range rows {
		of[x.project] = append(of[x.project], x.Repository)
	}
	for i := range all {
		all[i].Repositories = of[all[i].Key]
	}
	return all, err
}
