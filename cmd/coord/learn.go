package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

type learn struct{ *app }

func newLearn(a *app) *cobra.Command {
	o := &learn{app: a}
	return a.verb("learn TEXT", "Record a lesson for whoever works here next", cobra.ExactArgs(1), o.run)
}

func (o *learn) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	cmd := coord.Learn{Project: project, Text: args[0], Task: coord.TaskID(o.task)}
	if cmd.Task == "" {
		b, err := o.binding()
		if err != nil {
			return output{}, err
		}
		if b.Project == project {
			cmd.Task = b.Task
		}
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	l, err := svc.Learn(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "lesson", data: l, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s %s%s\n", l.ID, l.Status, ofTask(l.Task))
	}}, nil
}

func ofTask(t coord.TaskID) string {
	if t == "" {
		return ""
	}
	return ", " + string(t)
}
