package api

import (
	"context"

	"coord"
)

func knowledgeRoutes() []route {
	return []route{
		command("/projects/{project}/lessons", "learn", "Record a lesson", readers, serve(learn)),
		read("/projects/{project}/lessons", "list-lessons", "Lessons that fit the words, best first", readers, serve(lessons)),
		read("/projects/{project}/lessons/{lesson}", "get-lesson", "One lesson with its record", readers, serve(getLesson)),
		command("/projects/{project}/lessons/{lesson}/edit", "edit-lesson", "Change what a lesson says", readers, serve(editLesson)),
		command("/projects/{project}/lessons/{lesson}/judgement", "judge-lesson", "Verify or dispute a lesson", readers, serve(judgeLesson)),
		command("/projects/{project}/lessons/{lesson}/feedback", "rate-lesson", "Say whether a lesson helped", readers, serve(rateLesson)),
		command("/projects/{project}/lessons/{lesson}/supersede", "supersede-lesson", "Put another lesson in the place of one", readers, serve(supersedeLesson)),
		read("/projects/{project}/rules/revisions", "rule-revisions", "Every text of the project's rules, by name, the latest first", readers, serve(ruleRevisions)),
		read("/projects/{project}/handoffs", "list-handoffs", "Notes of imported handoffs, the newest day first, in pages", readers, serve(handoffs)),
		read("/projects/{project}/handoffs/{handoff}", "get-handoff", "One handoff note with its earlier versions", readers, serve(getHandoff)),
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
	Project   coord.ProjectKey   `path:"project" doc:"Key of the project, such as pay."`
	Text      string             `query:"text" maxLength:"500" doc:"Words to look for, all of them; the last may be the beginning of one. The newest lessons without any."`
	Kind      coord.LessonKind   `query:"kind" enum:"lesson,fact,rejected,proposal"`
	Status    coord.LessonStatus `query:"status" enum:"observed,verified,disputed,superseded"`
	Tag       string             `query:"tag"`
	Component string             `query:"component"`
	Path      string             `query:"path" maxLength:"400" doc:"Lessons whose paths meet it."`
	For       coord.TaskID       `query:"for" doc:"The task whose scope counts first."`
	Shared    bool               `query:"shared" doc:"Of all projects, those of this one first."`
	All       bool               `query:"all" doc:"Those that are superseded or expired too."`
	Limit     int                `query:"limit" minimum:"1" maximum:"100" doc:"20 when absent."`
}

func lessons(ctx context.Context, s coord.Service, _ coord.Key, in *lessonFilter) (list[coord.Lesson], error) {
	return listOf(s.Lessons(ctx, coord.LessonQuery(*in)))
}

// inLesson names a lesson of a project.
type inLesson struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Lesson  coord.LessonID   `path:"lesson" doc:"Such as L3."`
}

// lessonCommand is a command C about one lesson.
type lessonCommand[C any] struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Lesson  coord.LessonID   `path:"lesson" doc:"Such as L3."`
	Body    C
}

func getLesson(ctx context.Context, s coord.Service, _ coord.Key, in *inLesson) (coord.LessonDetail, error) {
	return s.Lesson(ctx, in.Project, in.Lesson)
}

func editLesson(ctx context.Context, s coord.Service, key coord.Key, in *lessonCommand[coord.EditLesson]) (coord.Lesson, error) {
	c := in.Body
	c.Key, c.Project, c.Lesson = key, in.Project, in.Lesson
	return s.EditLesson(ctx, c)
}

func judgeLesson(ctx context.Context, s coord.Service, key coord.Key, in *lessonCommand[coord.JudgeLesson]) (coord.Lesson, error) {
	c := in.Body
	c.Key, c.Project, c.Lesson = key, in.Project, in.Lesson
	return s.JudgeLesson(ctx, c)
}

func rateLesson(ctx context.Context, s coord.Service, key coord.Key, in *lessonCommand[coord.RateLesson]) (coord.Lesson, error) {
	c := in.Body
	c.Key, c.Project, c.Lesson = key, in.Project, in.Lesson
	return s.RateLesson(ctx, c)
}

func supersedeLesson(ctx context.Context, s coord.Service, key coord.Key, in *lessonCommand[coord.SupersedeLesson]) (coord.Lesson, error) {
	c := in.Body
	c.Key, c.Project, c.Lesson = key, in.Project, in.Lesson
	return s.SupersedeLesson(ctx, c)
}

func ruleRevisions(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (list[coord.Rule], error) {
	return listOf(s.RuleRevisions(ctx, in.Project))
}

// handoffFilter is coord.HandoffQuery as a query string.
type handoffFilter struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Text    string           `query:"text" maxLength:"500" doc:"Words to look for, all of them; the last may be the beginning of one."`
	Path    string           `query:"path" maxLength:"1024" doc:"Notes of this file."`
	Limit   int              `query:"limit" minimum:"1" maximum:"100" doc:"Notes in a page; 20 when absent."`
	Cursor  string           `query:"cursor" maxLength:"500" doc:"next_cursor of the page before."`
}

func handoffs(ctx context.Context, s coord.Service, _ coord.Key, in *handoffFilter) (coord.Page[coord.HandoffNote], error) {
	return s.Handoffs(ctx, coord.HandoffQuery(*in))
}

func getHandoff(ctx context.Context, s coord.Service, _ coord.Key, in *struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Handoff coord.HandoffID  `path:"handoff" doc:"Such as H3."`
},
) (coord.HandoffDetail, error) {
	return s.Handoff(ctx, in.Project, in.Handoff)
}

func export(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.ExportData, error) {
	return s.ExportData(ctx, in.Project)
}
