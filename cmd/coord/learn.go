package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

type learn struct {
	*app
	says    lessonSays
	receipt string
}

func newLearn(a *app) *cobra.Command {
	o := &learn{app: a}
	c := a.verb("learn TEXT", "Record a lesson for whoever works here next", cobra.ExactArgs(1), o.run)
	o.says.flags(c.Flags())
	c.Flags().StringVar(&o.receipt, "receipt", "", "the `RECEIPT` of a run that shows it")
	return c
}

func (o *learn) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	cmd := coord.Learn{
		Project: project, Text: args[0], Task: coord.TaskID(o.task), Receipt: coord.ReceiptID(o.receipt),
		Kind: coord.LessonKind(o.says.kind), Reopen: o.says.reopen, Scope: o.says.scope(), Tags: named(o.says.tags),
	}
	if cmd.Task == "" {
		if cmd.Task, err = o.taskHere(project); err != nil {
			return output{}, err
		}
	}
	if cmd.ExpiresAt, err = until(o.says.expires, wallClock()); err != nil {
		return output{}, err
	}
	if cmd.ExpiresAt != nil && cmd.ExpiresAt.IsZero() {
		cmd.ExpiresAt = nil
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, err := o.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	l, err := svc.Learn(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "lesson", data: l, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s %s%s\n", l.ID, l.Status, ofTask(l.Task))
		if l.Kind == coord.KindProposal {
			field(w, "next", "coord rule set NAME --from %s --reason WHY   (whoever may edit rules)", l.ID)
		}
	}}, nil
}

// taskHere is the task of this worktree, if it is one of the project.
func (a *app) taskHere(project coord.ProjectKey) (coord.TaskID, error) {
	b, err := a.binding()
	if err != nil || b.Project != project {
		return "", err
	}
	return b.Task, nil
}

func ofTask(t coord.TaskID) string {
	if t == "" {
		return ""
	}
	return ", " + string(t)
}
