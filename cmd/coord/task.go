package main

import (
	"github.com/spf13/cobra"

	"coord"
)

// taskVerbs are the verbs below coord task.
var taskVerbs = []struct {
	name  string
	build func(*app) *cobra.Command
}{
	{"new", newTaskNew},
	{"list", newTaskList},
	{"show", newTaskShow},
	{"edit", newTaskEdit},
	{"link", newTaskLink},
	{"log", newTaskLog},
	{"accept", newTaskAccept},
	{"unblock", newTaskUnblock},
	{"cancel", newTaskCancel},
	{"supersede", newTaskSupersede},
}

// newTask has all of them, or the one that the command line names: it is the
// largest group, and the one that is used most.
func newTask(a *app) *cobra.Command {
	const what = "Record, list, show and change tasks"
	var all []*cobra.Command
	for _, v := range taskVerbs {
		if v.name == a.second {
			return a.group("task", what, v.build(a))
		}
	}
	for _, v := range taskVerbs {
		all = append(all, v.build(a))
	}
	return a.group("task", what, all...)
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
