package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newTaskUnblock(a *app) *cobra.Command {
	var blocker, reason string
	var person bool
	c := a.verb("unblock [TASK]", "lift a blocker of a task, for a reason", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.taskUnblock(ctx, args, coord.Unblock{Blocker: coord.BlockerID(blocker), Reason: reason}, person)
	})
	c.Flags().StringVar(&blocker, "blocker", "", "which `BLOCKER`, such as b7, where there are several")
	c.Flags().StringVarP(&reason, "message", "m", "", "why it does not block any more, as `TEXT`")
	c.Flags().BoolVar(&person, "person", false, "as the person signed in here")
	_ = c.MarkFlagRequired("message")
	return c
}

func (a *app) taskUnblock(ctx context.Context, args []string, c coord.Unblock, person bool) (output, error) {
	svc, err := a.either(ctx, person)
	if err != nil {
		return output{}, err
	}
	if len(args) == 1 {
		c.Task, err = a.taskNamed(ctx, svc, args[0])
	} else {
		c.Task, err = a.workingTask()
	}
	if err != nil {
		return output{}, err
	}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	t, err := svc.Unblock(ctx, c)
	if err != nil {
		return output{}, orAsPerson(err, "coord task unblock "+string(c.Task)+" -m REASON --person")
	}
	return output{kind: "task", data: t, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s %s\n", t.ID, standing(t))
		for _, b := range t.Blockers {
			writeBlocker(w, b)
		}
	}}, nil
}

// writeBlocker is one open blocker and its way out.
func writeBlocker(w io.Writer, b coord.Blocker) {
	who := ""
	if b.Actor == coord.ActorHuman {
		who = " (a person)"
	}
	field(w, "blocked", "%s  %s; lifted by: %s%s", b.ID, coord.OneLine(b.Text), coord.OneLine(b.Reopen), who)
}
