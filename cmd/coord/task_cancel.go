package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskCancel struct {
	*app
	reason string
}

func newTaskCancel(a *app) *cobra.Command {
	o := &taskCancel{app: a}
	c := a.verb("cancel TASK", "Close a task that is not wanted any more; what it saved stays", cobra.ExactArgs(1), o.run)
	c.Flags().StringVarP(&o.reason, "message", "m", "", "why it is not wanted, as `TEXT`")
	_ = c.MarkFlagRequired("message")
	return c
}

func (o *taskCancel) run(ctx context.Context, args []string) (output, error) {
	svc, id, err := o.planned(ctx, args[0])
	if err != nil {
		return output{}, err
	}
	return changedTask(svc.CancelTask(ctx, coord.CancelTask{Task: id, Reason: o.reason}))
}
