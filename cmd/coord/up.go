package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

type up struct {
	enrol
	data       string
	makeRemote bool
	foreground bool
}

func newUp(a *app) *cobra.Command {
	o := &up{enrol: enrol{app: a}}
	c := a.verb("up", "Set up this repository: server, project, credential, "+configName, cobra.NoArgs, o.run)
	o.flags(c)
	f := c.Flags()
	f.BoolVar(&o.makeRemote, "make-remote", false, "make a bare repository beside this one and use it as its remote")
	f.StringVar(&o.data, "data", "", "keep the server's data in `DIR` (default the user's state directory)")
	f.BoolVar(&o.foreground, "foreground", false, "run the server in this process, until it is interrupted")
	return c
}

// upDone is what is there after up.
type upDone struct {
	enrolled
	Started    bool   `json:"started"` // the server, just now
	Data       string `json:"data,omitempty"`
	MadeRemote string `json:"made_remote,omitempty"`
	Dashboard  string `json:"dashboard"`
	User       string `json:"user,omitempty"`
	Password   string `json:"password,omitempty"` // shown once
}

func (o *up) run(ctx context.Context, _ []string) (output, error) {
	made, err := o.remoteMade(ctx)
	if err != nil {
		return output{}, err
	}
	if err := o.survey(ctx); err != nil {
		return output{}, err
	}
	if o.foreground {
		return output{}, o.attached(ctx, made)
	}
	r, err := o.find(ctx, o.startDetached)
	if err != nil {
		return output{}, err
	}
	return o.finished(ctx, r, made)
}

// remoteMade makes the remote when that was asked for and there is none.
func (o *up) remoteMade(ctx context.Context) (path string, err error) {
	if !o.makeRemote {
		return "", nil
	}
	g, err := o.checkout(ctx)
	if err != nil {
		return "", err
	}
	names, err := g.repo.Remotes(ctx)
	if err != nil || len(names) > 0 {
		return "", err
	}
	path = filepath.Join(filepath.Dir(mainRoot(g.repo.Info())), g.dirName()+".git")
	return path, o.gitOps().MakeRemote(ctx, g.repo, "origin", path, g.branch)
}

// find finds or starts the server; commands that do take turns.
func (o *up) find(ctx context.Context, start starter) (reached, error) {
	if other := o.elsewhere(o.conf); other != "" {
		return reached{url: other}, nil
	}
	l, err := o.local(o.data)
	if err != nil {
		return reached{}, err
	}
	unlock, err := waitLock(ctx, l.upLock())
	if err != nil {
		return reached{}, err
	}
	defer unlock()
	return o.ensure(ctx, l, o.conf, start)
}

// finished enrols the repository at the server that was found.
func (o *up) finished(ctx context.Context, r reached, made string) (output, error) {
	o.server = r.url
	e, err := o.complete(ctx)
	if err != nil {
		var e *coord.Error
		if r.data != "" && errors.As(err, &e) && e.Code == coord.CodeUnauthenticated {
			err = e.WithNext("coord down", "coord up") // a server that up starts is given new tokens
		}
		if r.secrets.Password != "" { // it exists nowhere else
			o.say("the dashboard at %s/ has the user %s, password %s (shown once)", r.url, r.secrets.Operator, r.secrets.Password)
		}
		return output{}, err
	}
	u := upDone{
		enrolled: e, Started: r.started, Data: r.data, MadeRemote: made,
		Dashboard: strings.TrimRight(e.Server, "/") + "/", User: r.secrets.Operator, Password: r.secrets.Password,
	}
	return output{kind: "up", data: u, text: u.write}, nil
}

func (u upDone) write(w io.Writer) {
	server := u.Server
	switch {
	case u.Started:
		server += " started, data in " + u.Data
	case u.Data != "":
		server += " running, data in " + u.Data
	}
	field(w, "server", "%s", server)
	if u.MadeRemote != "" {
		field(w, "remote", "%s made, as %s", u.MadeRemote, u.Remote)
	}
	u.enrolled.write(w)
	dashboard := u.Dashboard
	if u.Password != "" {
		dashboard += fmt.Sprintf("  user %s  password %s (shown once)", u.User, u.Password)
	}
	field(w, "dashboard", "%s", dashboard)
	field(w, "next", `coord task new "…"`)
}

// attached is up with the server in this process.
func (o *up) attached(ctx context.Context, made string) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var ended chan error
	r, err := o.find(ctx, func(_ context.Context, l localServer, addr string) error {
		ended = make(chan error, 1)
		ready := make(chan serverNote, 1)
		s := serve{app: o.app, listen: addr}
		go func() { ended <- s.serve(ctx, l, func(n serverNote) { ready <- n }) }()
		select {
		case <-ready:
			return nil
		case err := <-ended:
			return err
		}
	})
	if err != nil {
		return err
	}
	if ended == nil {
		return coord.Errorf(coord.CodeSetup, "the server at %s runs already, apart from this command; nothing was done", r.url).
			WithNext("coord up", "coord down")
	}
	out, err := o.finished(ctx, r, made)
	if err == nil {
		err = o.show(out)
	}
	if err != nil {
		end()
		<-ended
		return err
	}
	return <-ended
}
