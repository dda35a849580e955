package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// reviseOptions are the flags of revise: exactly one reason.
type reviseOptions struct {
	conflict, checkFailed, missing, requirements, withdrawn bool
	landed                                                  bool
	note                                                    string
}

func newRevise(a *app) *cobra.Command {
	var o reviseOptions
	c := a.verb("revise [TASK]", "send a submission back to be worked on", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		switch n := len(o.reasons()); {
		case o.landed && n == 0:
			return a.revert(ctx, o.note, a.taskArg(args))
		case o.landed || n != 1:
			return output{}, coord.Errorf(coord.CodeBadRequest,
				"revise takes exactly one of --conflict, --check-failed, --candidate-missing, --requirements-changed, --withdrawn and --landed; nothing was done")
		}
		return a.revise(ctx, o, a.taskArg(args))
	})
	f := c.Flags()
	f.BoolVar(&o.conflict, "conflict", false, "its landing met a merge conflict")
	f.BoolVar(&o.checkFailed, "check-failed", false, "its landing met a failed check")
	f.BoolVar(&o.missing, "candidate-missing", false, "the remote does not have its commit; this is looked up first")
	f.BoolVar(&o.requirements, "requirements-changed", false, "its task was edited since")
	f.BoolVar(&o.withdrawn, "withdrawn", false, "its author takes it back")
	f.BoolVar(&o.landed, "landed", false, "it has landed: make a task that takes it back")
	f.StringVarP(&o.note, "message", "m", "", "what the next attempt should know, as `TEXT`")
	return c
}

// reasons are those that are given.
func (o reviseOptions) reasons() (out []coord.ReviseReason) {
	for _, r := range []struct {
		given  bool
		reason coord.ReviseReason
	}{
		{o.conflict, coord.ReviseConflict},
		{o.checkFailed, coord.ReviseCheckFailed},
		{o.missing, coord.ReviseMissing},
		{o.requirements, coord.ReviseRequirements},
		{o.withdrawn, coord.ReviseWithdrawn},
	} {
		if r.given {
			out = append(out, r.reason)
		}
	}
	return out
}

func (a *app) revise(ctx context.Context, o reviseOptions, ref string) (output, error) {
	reason := o.reasons()[0]
	service, err := a.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	if ref == "" {
		b, err := a.binding()
		if err != nil {
			return output{}, err
		}
		if ref = string(b.Task); ref == "" {
			return output{}, coord.Errorf(coord.CodeBadRequest, "revise needs a task here; nothing was done").WithNext("coord revise --" + flagOf(reason) + " TASK")
		}
	}
	id, err := a.taskNamed(ctx, service, ref)
	if err != nil {
		return output{}, err
	}
	if reason == coord.ReviseMissing {
		d, err := a.desk(ctx)
		if err != nil {
			return output{}, err
		}
		if err := d.CandidateMissing(ctx, id); err != nil {
			return output{}, err
		}
	}
	task, err := service.Revise(ctx, coord.Revise{Task: id, Reason: reason, Note: o.note})
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: task, text: func(w io.Writer) {
		next := "coord start " + string(task.ID)
		if task.Status == coord.StatusBlocked {
			next = "coord task show " + string(task.ID)
		}
		fmt.Fprintf(w, "%s %s  its next attempt goes on from the submitted commit\n", task.ID, task.Status)
		for _, b := range task.Blockers {
			writeBlocker(w, b)
		}
		field(w, "next", "%s", next)
	}}, nil
}

// revert makes the task that takes back what another one landed.
func (a *app) revert(ctx context.Context, why, ref string) (output, error) {
	if ref == "" || why == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "revise --landed needs a task and -m REASON; nothing was done").WithNext("coord revise --landed TASK -m REASON")
	}
	service, err := a.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	id, err := a.taskNamed(ctx, service, ref)
	if err != nil {
		return output{}, err
	}
	detail, err := service.Task(ctx, id)
	if err != nil {
		return output{}, err
	}
	cmd, err := detail.Revert(why)
	if err != nil {
		return output{}, err
	}
	made, err := service.CreateTask(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: made, text: func(w io.Writer) {
		verb := "takes back"
		if made.Existing {
			verb = "exists already and takes back"
		}
		fmt.Fprintf(w, "%s %s what %s landed on %s\n", made.ID, verb, id, made.Target)
		field(w, "next", "coord start %s, which begins with the revert", made.ID)
	}}, nil
}

func flagOf(r coord.ReviseReason) string { return strings.ReplaceAll(string(r), "_", "-") }
