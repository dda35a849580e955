package api

import (
	"context"
	"net/http"

	"coord"
)

func knowledgeRoutes() []route {
	plan := command("/projects/{project}/imports/plan", "plan-import", "What importing Markdown files would do; changes nothing", readers, serve(planImport))
	plan.keyed, plan.limit, plan.status = false, importLimit, http.StatusOK
	apply := command("/projects/{project}/imports", "apply-import", "Import exactly what was planned", readers, serve(applyImport))
	apply.limit = importLimit
	return []route{
		command("/projects/{project}/lessons", "learn", "Record a lesson", readers, serve(learn)),
		read("/projects/{project}/lessons", "list-lessons", "Lessons that fit the words, best first", readers, serve(lessons)),
		plan,
		apply,
		read("/projects/{project}/export", "export", "What the Markdown documents show", readers, serve(export)),
	}
}

func learn(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.Learn]) (coord.Lesson, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.Learn(ctx, c)
}

// lessonFilter is coord.LessonQuery as a query string.
type lessonFilter struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Text    string           `query:"text" maxLength:"500" doc:"Words to look for; the newest lessons without any."`
	Limit   int              `query:"limit" minimum:"1" maximum:"100" doc:"20 when absent."`
}

func lessons(ctx context.Context, s coord.Service, _ coord.Key, in *lessonFilter) (list[coord.Lesson], error) {
	return listOf(s.Lessons(ctx, coord.LessonQuery(*in)))
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

func export(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.ExportData, error) {
	return s.ExportData(ctx, in.Project)
}
