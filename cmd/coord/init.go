package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// initialize registers a repository at a server that exists.
type initialize struct{ enrol }

func newInit(a *app) *cobra.Command {
	o := &initialize{enrol: enrol{app: a}}
	c := a.verb("init", "Register this repository at a server that exists, and write "+configName, cobra.NoArgs, o.run)
	o.flags(c)
	c.Flags().StringVar(&o.server, "server", "", "the server's `URL` (default COORD_SERVER or "+configName+"); COORD_TOKEN holds the token")
	return c
}

func (o *initialize) run(ctx context.Context, _ []string) (output, error) {
	if err := o.survey(ctx); err != nil {
		return output{}, err
	}
	if o.server != "" {
		o.told = true
		if o.conf.Server != "" && !sameOrigin(o.conf.Server, o.server) {
			return output{}, coord.Errorf(coord.CodeStateConflict, "%s names the server %s already; nothing was changed", o.conf.Path, o.conf.Server).
				WithNext("edit "+o.conf.Path, "coord init")
		}
	} else {
		server, err := o.serverURL()
		if err != nil {
			return output{}, err
		}
		o.server = server
	}
	r, err := o.complete(ctx)
	if err != nil {
		return output{}, err
	}
	return output{kind: "init", data: r, text: func(w io.Writer) {
		field(w, "server", "%s", r.Server)
		r.write(w)
		field(w, "next", `coord task new "…"`)
	}}, nil
}
