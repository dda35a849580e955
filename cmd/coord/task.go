package main

import (
	"github.com/spf13/cobra"

	"coord"
)

func newTask(a *app) *cobra.Command {
	return a.group("task", "Record, list, show and change tasks",
		newTaskNew(a), newTaskList(a), newTaskShow(a), newTaskEdit(a), newTaskLink(a), newTaskLog(a),
		newTaskAccept(a), newTaskUnblock(a), newTaskCancel(a), newTaskSupersede(a))
}

// workingTask is the task that a verb without an argument means: --task, or
// the one that this worktree serves.
func (a *app) workingTask() (coord.TaskID, error) {
	if a.task != "" {
		id := coord.TaskID(a.task)
		_, _, err := id.Split()
		return id, err
	}
	b, err := a.binding()
	if err != nil || b.Task != "" {
		return b.Task, err
	}
	return "", coord.Errorf(coord.CodeBadRequest, "no task is named, and this directory is not the worktree of one; nothing was done").
		WithNext("coord task list", "coord start")
}
