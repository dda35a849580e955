package api

import (
	"context"

	"coord"
)

func taskPlanRoutes() []route {
	return []route{
		command("/tasks/{task}/edits", "edit-task", "Change what a task says", readers, serve(editTask)),
		command("/tasks/{task}/links", "link-task", "Add or remove a dependency or a parent", readers, serve(linkTask)),
		command("/tasks/{task}/cancellations", "cancel-task", "Close a task that is not wanted any more", readers, serve(cancelTask)),
		command("/tasks/{task}/successions", "supersede-task", "Close a task that another one stands for", readers, serve(supersedeTask)),
		command("/tasks/{task}/acceptances", "accept-objective", "Say that the criteria of an objective hold", readers, serve(acceptObjective)),
		command("/tasks/{task}/unblockings", "unblock-task", "Lift a blocker", readers, serve(unblock)),
	}
}

func editTask(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.EditTask]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.EditTask(ctx, c)
}

func linkTask(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.LinkTask]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.LinkTask(ctx, c)
}

func cancelTask(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.CancelTask]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.CancelTask(ctx, c)
}

func supersedeTask(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.SupersedeTask]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.SupersedeTask(ctx, c)
}

func acceptObjective(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.AcceptObjective]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.AcceptObjective(ctx, c)
}

func unblock(ctx context.Context, s coord.Service, key coord.Key, in *taskCommand[coord.Unblock]) (coord.Task, error) {
	c := in.Body
	c.Key, c.Task = key, in.Task
	return s.Unblock(ctx, c)
}
