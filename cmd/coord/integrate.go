package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

func newIntegrate(a *app) *cobra.Command {
	var target string
	var wait bool
	c := a.verb("integrate [TASK]", "land an approved submission on its target branch", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.integrate(ctx, a.taskArg(args), target, wait)
	})
	c.Flags().StringVar(&target, "target", "", "only a submission for this `BRANCH`")
	c.Flags().BoolVar(&wait, "wait", false, "wait while another landing holds the target")
	return c
}

func (a *app) integrate(ctx context.Context, ref, target string, wait bool) (output, error) {
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	o := work.LandOptions{Target: target}
	if ref != "" {
		if o.Task, err = a.taskNamed(ctx, d.Service, ref); err != nil {
			return output{}, err
		}
	}
	landed, err := d.Land(ctx, o)
	said := ""
	for wait && coord.CodeOf(err) == coord.CodeTargetHeld {
		if held := strings.TrimSuffix(err.Error(), "; nothing was changed"); held != said {
			a.progress("waiting: %s", held)
			said = held
		}
		if err = d.AwaitChange(ctx, err); err == nil {
			landed, err = d.Land(ctx, o)
		}
	}
	if err != nil {
		return output{}, err
	}
	return output{kind: "landing", data: landed, text: func(w io.Writer) { landedText(w, landed.Landing) }}, nil
}

func landedText(w io.Writer, l coord.Landing) {
	if l.AlreadyIn {
		fmt.Fprintf(w, "%s already landed  %s contains %s  tree %s\n", l.Task, l.Target, l.Result.Short(), l.Tree.Short())
		return
	}
	fmt.Fprintf(w, "%s landed  %s %s..%s  tree %s = verified tree\n", l.Task, l.Target, l.Base.Short(), l.Result.Short(), l.Tree.Short())
}
