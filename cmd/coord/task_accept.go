package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskAccept struct {
	*app
	note string
}

func newTaskAccept(a *app) *cobra.Command {
	o := &taskAccept{app: a}
	c := a.verb("accept TASK", "Say that an objective's own criteria hold, after its children are done", cobra.ExactArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", "what shows that the criteria hold, as `TEXT`")
	_ = c.MarkFlagRequired("message")
	return c
}

func (o *taskAccept) run(ctx context.Context, args []string) (output, error) {
	svc, id, err := o.planned(ctx, args[0])
	if err != nil {
		return output{}, err
	}
	return changedTask(svc.AcceptObjective(ctx, coord.AcceptObjective{Task: id, Note: o.note}))
}
