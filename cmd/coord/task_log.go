package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// logRows bounds the lines of a log that are printed; --json has all that the
// server gives.
const logRows = 50

type taskLog struct {
	*app
	all bool
}

func newTaskLog(a *app) *cobra.Command {
	o := &taskLog{app: a}
	c := a.verb("log [TASK]", "Show what happened to a task, an event a line, the latest last", cobra.MaximumNArgs(1), o.run)
	c.Flags().BoolVar(&o.all, "all", false, "the latest 200 rather than the latest 50")
	return c
}

func (o *taskLog) run(ctx context.Context, args []string) (output, error) {
	d, err := o.detail(ctx, args)
	if err != nil {
		return output{}, err
	}
	return output{kind: "events", data: listOf(d.Events, ""), text: func(w io.Writer) { o.write(w, d) }}, nil
}

func (o *taskLog) write(w io.Writer, d coord.TaskDetail) {
	rows := d.Events
	if left := len(rows) - logRows; left > 0 && !o.all {
		fmt.Fprintf(w, "%s before: coord task log %s --all\n", plural(left, "event"), d.ID)
		rows = rows[left:]
	}
	for _, e := range rows {
		fmt.Fprintf(w, "%s  %s\n", day(e.At), clip(e.Text, 160))
	}
}

// detail reads the task that is named, or that this worktree serves.
func (a *app) detail(ctx context.Context, args []string) (d coord.TaskDetail, err error) {
	svc, err := a.either(ctx, false)
	if err != nil {
		return d, err
	}
	var id coord.TaskID
	if len(args) == 1 {
		id, err = a.taskNamed(ctx, svc, args[0])
	} else {
		id, err = a.workingTask()
	}
	if err != nil {
		return d, err
	}
	return svc.Task(ctx, id)
}
