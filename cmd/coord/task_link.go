package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskLink struct {
	*app
	after, parent, reason string
	remove                bool
}

func newTaskLink(a *app) *cobra.Command {
	o := &taskLink{app: a}
	c := a.verb("link TASK", "Have a task wait for another, or be part of an objective", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	f.StringVar(&o.after, "after", "", "the `TASK` that must be done first")
	f.StringVar(&o.parent, "parent", "", "the `OBJECTIVE` that it is part of")
	f.BoolVar(&o.remove, "remove", false, "remove the link instead")
	f.StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`; needed to remove a link")
	return c
}

func (o *taskLink) run(ctx context.Context, args []string) (output, error) {
	again := "coord task link " + shellWord(args[0])
	if (o.after == "") == (o.parent == "") {
		return output{}, coord.Errorf(coord.CodeBadRequest, "coord task link takes either --after TASK or --parent OBJECTIVE; nothing was done").
			WithNext(again+" --after TASK", again+" --parent OBJECTIVE")
	}
	if o.remove && o.reason == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "a link is removed for a reason; nothing was done").WithNext(again + o.edge() + " --remove -m REASON")
	}
	svc, id, err := o.planned(ctx, args[0])
	if err != nil {
		return output{}, err
	}
	to, err := o.taskNamed(ctx, svc, o.after+o.parent)
	if err != nil {
		return output{}, err
	}
	cmd := coord.LinkTask{Task: id, Remove: o.remove, Reason: o.reason}
	if o.after != "" {
		cmd.After = to
	} else {
		cmd.Parent = to
	}
	return changedTask(svc.LinkTask(ctx, cmd))
}

// edge is the link as it was typed.
func (o *taskLink) edge() string {
	if o.after != "" {
		return " --after " + shellWord(o.after)
	}
	return " --parent " + shellWord(o.parent)
}
