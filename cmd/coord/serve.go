package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"coord"
	"coord/files"
	"coord/server"
)

type serve struct {
	*app
	data, listen, publicURL string
}

func newServe(a *app) *cobra.Command {
	o := &serve{app: a}
	c := a.verb("serve", "Run the server until it is interrupted", cobra.NoArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.data, "data", "", "keep the server's data in `DIR` (default the user's state directory)")
	f.StringVar(&o.listen, "listen", "", "listen on `HOST:PORT` (default "+server.DefaultListen+")")
	f.StringVar(&o.publicURL, "public-url", "", "`URL` under which people reach it")
	return c
}

// readiness is what serve prints when it answers.
type readiness struct {
	URL  string `json:"url"`
	Data string `json:"data"`
}

func (o *serve) run(ctx context.Context, _ []string) (output, error) {
	l, err := o.local(o.data)
	if err != nil {
		return output{}, err
	}
	return output{}, o.serve(ctx, l, func(n serverNote) {
		r := readiness{URL: n.URL, Data: l.dir}
		// Who started it may be gone; the server goes on.
		_ = o.show(output{kind: "ready", data: r, text: func(w io.Writer) {
			fmt.Fprintf(w, "coord serves %s with its data in %s\n", r.URL, r.Data)
		}})
	})
}

// serve runs the server of a data directory until ctx ends. ready is called
// once it answers.
func (o *serve) serve(ctx context.Context, l localServer, ready func(serverNote)) error {
	unlock, err := tryLock(l.runLock())
	if errors.Is(err, files.ErrLocked) {
		return o.alreadyServed(l)
	}
	if err != nil {
		return err
	}
	defer unlock()
	files.Sweep(l.notePath())
	n := serverNote{PID: os.Getpid(), Started: wallClock().UTC()}
	c := server.Config{
		DataDir: l.dir, Listen: o.listen, PublicURL: o.publicURL, Version: version,
		Log: slog.New(slog.NewJSONHandler(o.std.err, nil)),
	}
	var noted error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = server.Run(ctx, c, func(addr string) {
		n.Listen, n.URL = addr, "http://"+addr
		if noted = l.write(n); noted != nil {
			cancel()
			return
		}
		ready(n)
	})
	return errors.Join(err, noted)
}

func (o *serve) alreadyServed(l localServer) error {
	n, err := l.note()
	if err != nil {
		return err
	}
	return coord.Errorf(coord.CodeSetup, "%s is served already, by process %d at %s; no second server was started", l.dir, n.PID, n.URL).
		WithNext("coord down", "coord serve --data DIR")
}
