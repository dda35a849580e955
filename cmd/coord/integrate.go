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
	var target, decision string
	var wait, all bool
	c := a.verb("integrate [TASK]", "land an approved submission on its target branch", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		if all && (len(args) > 0 || wait || decision != "") {
			return output{}, coord.Errorf(coord.CodeBadRequest, "--all lands whatever waits: it takes no task, --wait or --decision; nothing was done").WithNext("coord integrate --all")
		}
		if all {
			return a.integrateAll(ctx, target)
		}
		return a.integrate(ctx, a.taskArg(args), work.LandOptions{Target: target}, landHow{wait, coord.DecisionID(decision)})
	})
	c.Flags().StringVar(&target, "target", "", "only a submission for this `BRANCH`")
	c.Flags().StringVar(&decision, "decision", "", "the answered `DECISION` that lets a check run again which failed too often on the merged tree")
	c.Flags().BoolVar(&all, "all", false, "land whatever is approved, one after another; what conflicts or fails goes back to its author")
	c.Flags().BoolVar(&wait, "wait", false, "wait while another landing holds the target")
	return c
}

// landHow is how to land, beside what.
type landHow struct {
	wait     bool
	decision coord.DecisionID
}

func (a *app) integrate(ctx context.Context, ref string, o work.LandOptions, how landHow) (output, error) {
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	d.Decision = how.decision
	if ref != "" {
		if o.Task, err = a.taskNamed(ctx, d.Service, ref); err != nil {
			return output{}, err
		}
	}
	landed, err := d.Land(ctx, o)
	said := ""
	for how.wait && coord.CodeOf(err) == coord.CodeTargetHeld {
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
	if l.Weak {
		fmt.Fprintln(w, "weak      without the fence: the remote takes no atomic push, or no such ref")
	}
}
