package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

type jobSettle struct {
	*app
	as, evidence string
	exit         int
	exited       func() bool
	person       bool
}

func newJobSettle(a *app) *cobra.Command {
	o := &jobSettle{app: a}
	c := a.verb("settle JOB", "Say how a job ended that nobody observes any more: what only it used is free then", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	f.StringVar(&o.as, "as", "", "how it ended, as `STATE`: succeeded, failed, interrupted or not_started")
	f.IntVar(&o.exit, "exit", 0, "the exit `STATUS`; needed for failed")
	f.StringVarP(&o.evidence, "message", "m", "", "what was looked at and what it showed, as `TEXT`")
	f.BoolVar(&o.person, "person", false, "as the person signed in here")
	o.exited = func() bool { return f.Changed("exit") }
	return c
}

func (o *jobSettle) run(ctx context.Context, args []string) (output, error) {
	c := coord.SettleJob{Job: coord.JobID(args[0]), State: coord.JobState(o.as), Evidence: o.evidence}
	again := "coord job settle " + shellWord(args[0]) + " --as interrupted -m EVIDENCE"
	switch {
	case o.as == "" || o.evidence == "":
		return output{}, coord.Errorf(coord.CodeBadRequest, "coord job settle needs --as STATE and -m TEXT: how the job ended, and what that rests on; nothing was changed").WithNext(again)
	case o.exited() || c.State == coord.JobSucceeded:
		c.Exit = &o.exit
	}
	if err := c.Validate(); err != nil {
		return output{}, asError(err).WithNext(again)
	}
	svc, err := o.either(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	j, err := svc.SettleJob(ctx, c)
	if err != nil {
		return output{}, orAsPerson(err, "coord job settle "+string(c.Job)+" --as "+o.as+" -m EVIDENCE --person")
	}
	return output{kind: "job", data: j, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s of %s is %s\n", j.ID, j.Task, jobState(j))
	}}, nil
}
