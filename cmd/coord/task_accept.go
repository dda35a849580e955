package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskAccept struct {
	*app
	note   string
	person bool
}

func newTaskAccept(a *app) *cobra.Command {
	o := &taskAccept{app: a}
	c := a.verb("accept TASK", "Say that an objective's own criteria hold, after its children are done", cobra.ExactArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", "what shows that the criteria hold, as `TEXT`")
	c.Flags().BoolVar(&o.person, "person", false, "as the person signed in here")
	_ = c.MarkFlagRequired("message")
	return c
}

func (o *taskAccept) run(ctx context.Context, args []string) (output, error) {
	svc, err := o.either(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	id, err := o.taskNamed(ctx, svc, args[0])
	if err != nil {
		return output{}, err
	}
	t, err := svc.AcceptObjective(ctx, coord.AcceptObjective{Task: id, Note: o.note})
	if err != nil {
		err = orAsPerson(err, "coord task accept "+string(id)+" -m NOTE --person")
	}
	return changedTask(t, err)
}
