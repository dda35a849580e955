package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newTarget(a *app) *cobra.Command {
	return a.group("target", "Show the branches that work lands on, and settle one that was moved back",
		a.verb("list", "List the targets: tip, who lands, what waits, and what is wrong", cobra.NoArgs, a.targetList),
		newTargetSettle(a))
}

func (a *app) targetList(ctx context.Context, _ []string) (output, error) {
	board, err := a.landings(ctx)
	if err != nil {
		return output{}, err
	}
	return output{kind: "targets", data: listOf(board.Targets, ""), text: func(w io.Writer) {
		for _, t := range board.Targets {
			writeTarget(w, t)
		}
	}}, nil
}

func writeTarget(w io.Writer, t coord.TargetRow) {
	fmt.Fprintf(w, "%s  %s\n", t.Target, coord.OneLine(string(t.Repository)))
	if t.Tip == "" {
		field(w, "tip", "nothing has landed yet")
	} else {
		field(w, "tip", "%s after the last landing", t.Tip.Short())
	}
	if t.Hold != nil {
		field(w, "held", "by %s for %s, %s", coord.OneLine(t.Hold.Holder), t.Hold.Task, t.Hold.State)
	}
	if len(t.Queue) > 0 {
		field(w, "waiting", "%d, first %s", len(t.Queue), t.Queue[0])
	}
	if len(t.Outside) > 0 {
		field(w, "outside", "%s that no landing made, seen at the last hold", plural(len(t.Outside), "commit"))
	}
	if t.Unreconciled {
		field(w, "restored", "the server was restored; the next landing compares %s with it", t.Target)
	}
	if d := t.Diverged; d != nil {
		field(w, "diverged", "%s saw it at %s without %s, %s; coord target settle %s", coord.OneLine(d.By), d.Seen.Short(), t.Landed.Short(), day(d.At), t.Target)
	}
}

type targetSettle struct {
	*app
	accept bool
	reason string
}

func newTargetSettle(a *app) *cobra.Command {
	o := &targetSettle{app: a}
	c := a.verb("settle TARGET", "Open a diverged target again: it contains its last landing again, or is accepted without", cobra.ExactArgs(1), o.run)
	c.Flags().BoolVar(&o.accept, "accept", false, "go on without the landing that it lost, as the person signed in here")
	c.Flags().StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`; with --accept")
	return c
}

func (o *targetSettle) run(ctx context.Context, args []string) (output, error) {
	if o.accept && o.reason == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--accept needs -m REASON; nothing was changed")
	}
	d, err := o.desk(ctx)
	if err != nil {
		return output{}, err
	}
	if o.accept {
		person, err := o.asOperator()
		if err != nil {
			return output{}, err
		}
		d.Service = person
	}
	t, err := d.SettleTarget(ctx, args[0], o.accept, o.reason)
	if err != nil {
		return output{}, err
	}
	return output{kind: "target", data: t, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s is open again\n", t.Name)
		if o.accept {
			field(w, "but", "work that began on what was lost brings it back when it lands: have it rebased first")
		}
		field(w, "next", "coord integrate")
	}}, nil
}
