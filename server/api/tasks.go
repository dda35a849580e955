package api

import (
	"context"

	"coord"
)

func taskRoutes() []route {
	return []route{
		command("/projects/{project}/tasks", "create-task", "Record a task", readers, serve(createTask)),
		read("/projects/{project}/tasks", "list-tasks", "Tasks in selection order, in pages", readers, serve(listTasks)),
		read("/tasks/{task}", "get-task", "One task with its whole record", readers, serve(getTask)),
		work("/tasks/{task}/revisions", "revise-task", "Send the current submission back to be worked on", serve(revise)),
	}
}

func createTask(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.CreateTask]) (coord.Created, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.CreateTask(ctx, c)
}

// taskFilter is coord.TaskQuery as a query string.
type taskFilter struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Status  coord.Status     `query:"status" enum:"planned,ready,in_progress,waiting_review,waiting_integration,integrating,validating,blocked,recovery_required,done,canceled,superseded"`
	Kind    coord.Kind       `query:"kind" enum:"code,general,objective,review,integration"`
	Label   string           `query:"label" maxLength:"64" doc:"One of the labels."`
	Parent  coord.TaskID     `query:"parent" doc:"Children of this objective."`
	Owner   string           `query:"owner" maxLength:"80" doc:"Display name of who holds it."`
	Text    string           `query:"text" maxLength:"200" doc:"Substring of the title; ASCII letters match in either case."`
	Title   string           `query:"title" maxLength:"200" doc:"Exact title."`
	Limit   int              `query:"limit" minimum:"1" maximum:"200" doc:"Tasks in a page; 50 when absent."`
	Cursor  string           `query:"cursor" maxLength:"500" doc:"next_cursor of the page before."`
}

func listTasks(ctx context.Context, s coord.Service, _ coord.Key, in *taskFilter) (coord.Page[coord.Task], error) {
	return s.ListTasks(ctx, coord.TaskQuery(*in))
}

func getTask(ctx context.Context, s coord.Service, _ coord.Key, in *struct {
	Task coord.TaskID `path:"task" doc:"Such as pay-42."`
},
) (coord.TaskDetail, error) {
	return s.Task(ctx, in.Task)
}

func revise(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Task coord.TaskID `path:"task" doc:"Such as pay-42."`
	Body coord.Revise
},
) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.Revise(ctx, c)
}
