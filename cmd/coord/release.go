package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newRelease(a *app) *cobra.Command {
	var reason string
	c := a.verb("release", "give the task back, keeping what was done", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.release(ctx, reason)
	})
	c.Flags().StringVarP(&reason, "message", "m", "", "why, as `TEXT`")
	_ = c.MarkFlagRequired("message")
	return c
}

func (a *app) release(ctx context.Context, reason string) (output, error) {
	d, b, err := a.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	r, err := d.Release(ctx, b, reason)
	if err != nil {
		return output{}, err
	}
	return output{kind: "release", data: r, text: func(w io.Writer) {
		if r.Checkpoint == nil {
			fmt.Fprintf(w, "%s released; there was nothing to save\n", b.Task)
			return
		}
		fmt.Fprintf(w, "%s released; its work is saved as checkpoint %d, tree %s\n", b.Task, r.Checkpoint.Number, r.Checkpoint.Tree.Short())
	}}, nil
}
