package main

import (
	"context"

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
}

func newStart(a *app) *cobra.Command {
	var o startOptions
	c := a.verb("start [TASK]", "claim a task and get a worktree for it", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.start(ctx, o, args)
	})
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "", "claim the next task of `KIND`: code or review")
	f.BoolVar(&o.another, "another", false, "claim a further task although this session holds one")
	f.StringVar(&o.restart, "restart", "", "begin anew instead of going on from saved work, for `REASON`")
	f.BoolVar(&o.noKeeper, "no-keeper", false, "leave no background process that renews the lease")
	return c
}

func (a *app) start(ctx context.Context, o startOptions, args []string) (output, error) {
	kind := coord.Kind(o.kind)
	if kind != "" && kind != coord.KindCode && kind != coord.KindReview {
		return output{}, coord.Errorf(coord.CodeBadRequest, "start takes --kind code or review; nothing was claimed").
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
	s, err := d.Start(ctx, work.StartOptions{Task: task, Kind: kind, Another: o.another, Restart: o.restart})
	if err != nil {
		return output{}, err
	}
	checks, err := d.ChecksOf(ctx, s.Task.Target)
	if err != nil {
		return output{}, err
	}
	return a.brief(s, checks, !o.noKeeper)
}

// taskArg is the task that the command line names: the argument, or --task.
func (a *app) taskArg(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return a.task
}
