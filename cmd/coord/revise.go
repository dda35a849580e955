package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// reviseOptions are the flags of revise: exactly one reason.
type reviseOptions struct {
	conflict, checkFailed, withdrawn bool
	note                             string
}

func newRevise(a *app) *cobra.Command {
	var o reviseOptions
	c := a.verb("revise [TASK]", "send a submission back to be worked on", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		if !o.one() {
			return output{}, coord.Errorf(coord.CodeBadRequest, "revise takes exactly one of --conflict, --check-failed and --withdrawn; nothing was done")
		}
		return a.revise(ctx, o, a.taskArg(args))
	})
	f := c.Flags()
	f.BoolVar(&o.conflict, "conflict", false, "its landing met a merge conflict")
	f.BoolVar(&o.checkFailed, "check-failed", false, "its landing met a failed check")
	f.BoolVar(&o.withdrawn, "withdrawn", false, "its author takes it back")
	f.StringVarP(&o.note, "message", "m", "", "what the next attempt should know, as `TEXT`")
	return c
}

// one reports whether exactly one reason is given.
func (o reviseOptions) one() bool {
	given := 0
	for _, flag := range []bool{o.conflict, o.checkFailed, o.withdrawn} {
		if flag {
			given++
		}
	}
	return given == 1
}

func (o reviseOptions) reason() coord.ReviseReason {
	switch {
	case o.conflict:
		return coord.ReviseConflict
	case o.checkFailed:
		return coord.ReviseCheckFailed
	}
	return coord.ReviseWithdrawn
}

func (a *app) revise(ctx context.Context, o reviseOptions, ref string) (output, error) {
	service, err := a.service(ctx)
	if err != nil {
		return output{}, err
	}
	if ref == "" {
		b, err := a.binding()
		if err != nil {
			return output{}, err
		}
		if ref = string(b.Task); ref == "" {
			return output{}, coord.Errorf(coord.CodeBadRequest, "revise needs a task here; nothing was done").WithNext("coord revise --" + flagOf(o.reason()) + " TASK")
		}
	}
	id, err := a.taskNamed(ctx, service, ref)
	if err != nil {
		return output{}, err
	}
	task, err := service.Revise(ctx, coord.Revise{Task: id, Reason: o.reason(), Note: o.note})
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: task, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s %s  its next attempt goes on from the submitted commit\nnext      coord start %s\n", task.ID, task.Status, task.ID)
	}}, nil
}

func flagOf(r coord.ReviseReason) string {
	if r == coord.ReviseCheckFailed {
		return "check-failed"
	}
	return string(r)
}
