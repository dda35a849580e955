package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newCheckpoint(a *app) *cobra.Command {
	var note, next string
	c := a.verb("checkpoint", "save the worktree as it is, pushed", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.checkpoint(ctx, note, next)
	})
	c.Flags().StringVarP(&note, "message", "m", "", "what is done, as `TEXT`")
	c.Flags().StringVar(&next, "next", "", "what is left, as `TEXT` for whoever goes on")
	_ = c.MarkFlagRequired("message")
	return c
}

func (a *app) checkpoint(ctx context.Context, note, next string) (output, error) {
	d, b, err := a.stage(ctx, coord.KindCode)
	if err != nil {
		return output{}, err
	}
	saved, err := d.Checkpoint(ctx, b, note, next)
	if saved.Commit == "" {
		return output{}, err
	}
	where := "pushed"
	if !saved.Pushed {
		where = "saved: local only"
	}
	return output{kind: "checkpoint", data: saved, err: err, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s checkpoint %d  tree %s  %s\n", saved.Task, saved.Number, saved.Tree.Short(), where)
	}}, nil
}
