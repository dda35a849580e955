package api

import (
	"context"
	"net/http"

	"coord"
)

func importRoutes() []route {
	plan := command("/projects/{project}/imports/plan", "plan-import", "What importing Markdown files would do; changes nothing", readers, serve(planImport))
	plan.keyed, plan.limit, plan.status = false, importLimit, http.StatusOK
	apply := command("/projects/{project}/imports", "apply-import", "Import exactly what was planned", readers, serve(applyImport))
	apply.limit = importLimit
	return []route{
		plan,
		apply,
		read("/projects/{project}/sources", "sources", "The files that were imported, and what is wrong in them", readers, serve(sources)),
	}
}

func planImport(ctx context.Context, s coord.Service, _ coord.Key, in *projectCommand[coord.ImportRequest]) (coord.ImportPlan, error) {
	r := in.Body
	r.Project = in.Project
	return s.PlanImport(ctx, r)
}

func applyImport(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.ApplyImport]) (coord.ImportResult, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.ApplyImport(ctx, c)
}

func sources(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.Sources, error) {
	return s.Sources(ctx, in.Project)
}
