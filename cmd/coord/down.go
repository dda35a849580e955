package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

type down struct {
	*app
	data string
}

func newDown(a *app) *cobra.Command {
	o := &down{app: a}
	c := a.verb("down", "Stop the server that up started, and wait until it has ended", cobra.NoArgs, o.run)
	c.Flags().StringVar(&o.data, "data", "", "the server's data is in `DIR` (default the user's state directory)")
	return c
}

type stopped struct {
	Stopped bool   `json:"stopped"` // false: none was running
	URL     string `json:"url,omitempty"`
	Data    string `json:"data"`
}

func (o *down) run(ctx context.Context, _ []string) (output, error) {
	l, err := o.local(o.data)
	if err != nil {
		return output{}, err
	}
	s := stopped{Data: l.dir}
	on, err := l.running()
	if err != nil {
		return output{}, err
	}
	if on {
		unlock, err := waitLock(ctx, l.upLock())
		if err != nil {
			return output{}, err
		}
		defer unlock()
		n, err := l.stop(ctx)
		if err != nil {
			return output{}, err
		}
		s.Stopped, s.URL = true, n.URL
	}
	return output{kind: "down", data: s, text: func(w io.Writer) {
		if !s.Stopped {
			fmt.Fprintf(w, "no server is running with its data in %s\n", s.Data)
			return
		}
		fmt.Fprintf(w, "stopped %s; its data stays in %s\n", s.URL, s.Data)
	}}, nil
}
