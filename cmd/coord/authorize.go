package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

type authorize struct {
	*app
	until        time.Duration
	revision     bool
	action, note string
	environment  string
}

func newAuthorize(a *app) *cobra.Command {
	o := &authorize{app: a}
	c := a.verb("authorize TASK", "Allow, as the person signed in here, that a task's submission lands", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	f.DurationVar(&o.until, "for", 24*time.Hour, "`TIME` that it holds")
	f.BoolVar(&o.revision, "revision", false, "only the commit that is submitted now")
	f.StringVar(&o.action, "action", coord.ActionLand, "`ACTION` that is allowed")
	f.StringVar(&o.environment, "environment", "", "only in this `ENVIRONMENT`; of a landing that is the target branch")
	f.StringVarP(&o.note, "message", "m", "", "why, as `TEXT`")
	return c
}

func (o *authorize) run(ctx context.Context, args []string) (output, error) {
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	id, err := o.taskNamed(ctx, p, args[0])
	if err != nil {
		return output{}, p.signedOut(err)
	}
	if o.until <= 0 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--for takes a time such as 24h; nothing was allowed")
	}
	c := coord.Authorize{Project: id.Project(), Task: id, Action: o.action, Environment: o.environment, For: coord.Duration(o.until), Note: o.note}
	if o.revision {
		if c.Revision, err = submittedCommit(ctx, p, id); err != nil {
			return output{}, p.signedOut(err)
		}
	}
	given, err := p.Authorize(ctx, c)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return output{kind: "authorization", data: given, text: func(w io.Writer) {
		what := string(given.Task)
		if given.Revision != "" {
			what += " at " + given.Revision.Short()
		}
		fmt.Fprintf(w, "%s  %s may %s until %s\n", given.ID, what, given.Action, day(given.Until))
		if given.Action == coord.ActionLand {
			fmt.Fprintf(w, "next      coord integrate %s\n", given.Task)
		}
	}}, nil
}

// submittedCommit is the commit of the submission that waits for review or
// landing.
func submittedCommit(ctx context.Context, svc coord.Service, id coord.TaskID) (coord.OID, error) {
	t, err := svc.Task(ctx, id)
	if err != nil {
		return "", err
	}
	for _, x := range t.Submissions {
		if x.ID == t.Submission {
			return x.Commit, nil
		}
	}
	return "", coord.Errorf(coord.CodeStateConflict, "%s has no submission that waits for review or landing; nothing was changed", id).WithNext("coord task show " + string(id))
}
