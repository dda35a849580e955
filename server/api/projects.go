package api

import (
	"context"
	"net/http"

	"coord"
)

func projectRoutes() []route {
	open := command("/sessions", "open-session", "Open a session, or open it again with the same proof", workers, serve(openSession))
	open.session, open.keyed = sessionIgnored, false // opening again has no second effect
	create := command("/projects", "create-project", "Register a project", setup, serve(createProject))
	create.session = sessionIgnored
	rows := []route{
		create,
		read("/projects", "list-projects", "All projects", anyone, serve(listProjects)),
		read("/projects/{project}", "get-project", "One project", anyone, serve(getProject)),
		open,
		read("/whoami", "whoami", "Who the server takes the caller for", anyone, serve(whoami)),
	}
	for i := range rows {
		if rows[i].method == http.MethodGet && rows[i].id != "whoami" {
			rows[i].session = sessionIgnored
		}
	}
	return rows
}

func createProject(ctx context.Context, s coord.Service, key coord.Key, in *struct{ Body coord.CreateProject }) (coord.Project, error) {
	c := in.Body
	c.Key = key
	return s.CreateProject(ctx, c)
}

func listProjects(ctx context.Context, s coord.Service, _ coord.Key, _ *nothing) (list[coord.Project], error) {
	return listOf(s.ListProjects(ctx))
}

func getProject(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.Project, error) {
	return s.Project(ctx, in.Project)
}

func openSession(ctx context.Context, s coord.Service, _ coord.Key, in *struct{ Body coord.OpenSession }) (coord.Session, error) {
	return s.OpenSession(ctx, in.Body)
}

func whoami(ctx context.Context, s coord.Service, _ coord.Key, _ *nothing) (coord.Caller, error) {
	return s.Whoami(ctx)
}
