package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

func newDemo(a *app) *cobra.Command {
	var keep bool
	c := a.verb("demo", "watch three agents land six tasks in a scratch project", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.demo(ctx, keep)
	})
	c.Flags().BoolVar(&keep, "keep", false, "leave the server, its dashboard and the repositories")
	c.AddCommand(newDemoAgent(a))
	return c
}

// demo builds a world, lets the agents loose in it, and believes only what
// the remote shows afterwards.
func (a *app) demo(ctx context.Context, keep bool) (output, error) {
	root, err := os.MkdirTemp("", "coord-demo-")
	if err != nil {
		return output{}, coord.Errorf(coord.CodeSetup, "cannot make a scratch directory: %w", err)
	}
	w, err := newDemoWorld(a, root)
	if err != nil {
		return output{}, err
	}
	defer func() {
		if !keep {
			w.tearDown()
		}
	}()
	began := wallClock()
	if err := w.build(ctx); err != nil {
		return output{}, err
	}
	if err := w.race(ctx); err != nil {
		return output{}, err
	}
	s, err := w.verify(ctx)
	if err != nil {
		return output{}, err
	}
	s.Seconds = wallClock().Sub(began).Round(100 * time.Millisecond).Seconds()
	if keep {
		s.Kept = root
	}
	return output{kind: "demo", data: s, text: s.text, err: s.verdict()}, nil
}

// keptText says where things are after --keep.
func (w *demoWorld) keptText() string {
	return fmt.Sprintf("dashboard %s   user %s   password %s", w.up.Dashboard, w.up.User, w.up.Password)
}
