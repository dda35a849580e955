package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

func newSubmit(a *app) *cobra.Command {
	var o work.SubmitOptions
	c := a.verb("submit", "hand the worktree's commit over for review and landing", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.submit(ctx, o)
	})
	f := c.Flags()
	f.StringVarP(&o.Summary, "message", "m", "", "what changed, as `TEXT`; with --all also the commit's message")
	f.BoolVar(&o.All, "all", false, "commit everything that is not ignored first")
	f.StringArrayVar(&o.Lessons, "lesson", nil, "`TEXT` worth knowing next time; repeat for more")
	_ = c.MarkFlagRequired("message")
	return c
}

func (a *app) submit(ctx context.Context, o work.SubmitOptions) (output, error) {
	d, b, err := a.stage(ctx, coord.KindCode)
	if err != nil {
		return output{}, err
	}
	s, err := d.Submit(ctx, b, o)
	if err != nil {
		return output{}, err
	}
	if s.Committed != "" {
		a.say("committed %s", s.Committed.Short())
	}
	return output{kind: "submission", data: s, text: func(w io.Writer) {
		sub := s.Submission
		if sub.Review == "" {
			fmt.Fprintf(w, "submitted %s → integration %s\n", sub.ID, sub.Integration)
			return
		}
		fmt.Fprintf(w, "submitted %s → review %s, integration %s\n", sub.ID, sub.Review, sub.Integration)
	}}, nil
}
