package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

func newWatch(a *app) *cobra.Command {
	after := int64(-1)
	c := a.verb("watch", "print what happens, one line per event, until interrupted", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return output{}, a.watch(ctx, coord.Seq(after))
	})
	c.Flags().Int64Var(&after, "after", -1, "begin after `SEQUENCE`, 0 for the whole log; from now when left out")
	c.Long = c.Short + ".\nWith --json each event is a document of its own, on a line of its own."
	return c
}

// watch prints events as they come; an interruption is its normal end. It ends
// with an error when the server cannot be asked any more.
func (a *app) watch(ctx context.Context, after coord.Seq) error {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return err
	}
	if after, err = seqOr(ctx, svc, project, after); err != nil {
		return err
	}
	for {
		events, err := svc.WaitEvents(ctx, project, after)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Seq
			if a.task != "" && string(e.Task) != a.task {
				continue
			}
			if err := a.show(eventOutput(e)); err != nil {
				return coord.Errorf(coord.CodeInternal, "an event could not be printed: %w", err)
			}
		}
	}
}
