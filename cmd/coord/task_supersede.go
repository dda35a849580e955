package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskSupersede struct {
	*app
	by, reason string
}

func newTaskSupersede(a *app) *cobra.Command {
	o := &taskSupersede{app: a}
	c := a.verb("supersede TASK", "Close a task that another one stands for; what waits for it waits for the other", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	f.StringVar(&o.by, "by", "", "the `TASK` that stands for it")
	f.StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`")
	return c
}

func (o *taskSupersede) run(ctx context.Context, args []string) (output, error) {
	if o.by == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "coord task supersede needs --by TASK; nothing was done").
			WithNext("coord task supersede "+shellWord(args[0])+" --by TASK", "coord task cancel "+shellWord(args[0])+" -m REASON")
	}
	svc, id, err := o.planned(ctx, args[0])
	if err != nil {
		return output{}, err
	}
	by, err := o.taskNamed(ctx, svc, o.by)
	if err != nil {
		return output{}, err
	}
	return changedTask(svc.SupersedeTask(ctx, coord.SupersedeTask{Task: id, By: by, Reason: o.reason}))
}
