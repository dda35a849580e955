package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

// startOptions are the flags of start.
type startOptions struct {
	kind     string
	another  bool
	restart  string
	noKeeper bool
	// What becomes of a task whose owner is gone, besides going on with it.
	delivered string
	blocked   string
	reopen    string
}

func newStart(a *app) *cobra.Command {
	var o startOptions
	c := a.verb("start [TASK]", "claim a task and get a worktree for it", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.start(ctx, o, args)
	})
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "", "claim the next task of `KIND`: code, general or review")
	f.BoolVar(&o.another, "another", false, "claim a further task although this session holds one")
	f.StringVar(&o.restart, "restart", "", "begin anew instead of going on from saved work, for `REASON`")
	f.StringVar(&o.delivered, "delivered", "", "the work is on the target already, at `COMMIT`: begin there and submit it")
	f.StringVar(&o.blocked, "blocked", "", "end a gone owner's attempt and say what the task cannot go on without, as `KIND: TEXT`")
	f.StringVar(&o.reopen, "reopen", "", "with --blocked: the `CONDITION` under which it can go on")
	f.BoolVar(&o.noKeeper, "no-keeper", false, "leave no background process that renews the lease")
	c.MarkFlagsMutuallyExclusive("restart", "delivered", "blocked")
	return c
}

func (a *app) start(ctx context.Context, o startOptions, args []string) (output, error) {
	kind := coord.Kind(o.kind)
	if kind != "" && !kind.Submits() && kind != coord.KindReview {
		return output{}, coord.Errorf(coord.CodeBadRequest, "start takes --kind code, general or review; nothing was claimed").
			WithNext("coord start --kind review", "coord integrate")
	}
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	if !o.noKeeper {
		d.Keep = a.spawnKeeper
	}
	var task coord.TaskID
	if ref := a.taskArg(args); ref != "" {
		if task, err = a.taskNamed(ctx, d.Service, ref); err != nil {
			return output{}, err
		}
	}
	if task == "" && o.delivered+o.blocked != "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "say which task it is; nothing was claimed").WithNext("coord start TASK --delivered COMMIT", "coord start TASK --blocked TEXT")
	}
	if o.blocked != "" {
		return a.block(ctx, d, task, o)
	}
	s, err := d.Start(ctx, work.StartOptions{Task: task, Kind: kind, Another: o.another, Restart: o.restart, Delivered: o.delivered})
	if err != nil {
		return output{}, err
	}
	checks, err := d.ChecksOf(ctx, s.Task.Target)
	if err != nil {
		return output{}, err
	}
	return a.brief(s, checks, !o.noKeeper)
}

// block ends the attempt of an owner who is gone, with a blocker.
func (a *app) block(ctx context.Context, d *work.Desk, task coord.TaskID, o startOptions) (output, error) {
	b, err := blockerOf(o.blocked, o.reopen, "")
	if err != nil {
		return output{}, err
	}
	t, err := d.Block(ctx, task, *b)
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: t, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s %s: %s\nlifted by: coord task unblock %s -m REASON\n", t.ID, t.Status, coord.OneLine(b.Text), t.ID)
	}}, nil
}

// taskArg is the task that the command line names: the argument, or --task.
func (a *app) taskArg(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return a.task
}
