// Package server puts the server together: the store, the API and the
// dashboard behind one listener, and an orderly end.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"coord"
	"coord/markdown"
	"coord/server/api"
	"coord/server/store"
)

// DefaultListen is the loopback address that a server listens on when nothing
// else is said.
const DefaultListen = "127.0.0.1:8471"

// databaseName is the database's file in a data directory.
const databaseName = store.DatabaseName

// drain is how long requests that are under way may take after a server was
// asked to end.
const drain = 20 * time.Second

// Config says how a server runs. DataDir is needed.
type Config struct {
	DataDir   string
	Listen    string           // host:port; DefaultListen when empty
	PublicURL string           // where people reach it; http://ADDRESS when empty
	Version   string           // of this program
	Log       *slog.Logger     // discards when nil
	Now       func() time.Time // Clock() when nil
	Wall      func() time.Time // the machine's clock, to report differences from Now; Wall when both are nil
	Requests  api.Pace         // of one session; Run's is requestPace when it is zero
	Renewals  api.Pace         // of one session's leases; Run's is renewalPace when it is zero
}

// The paces of a server that runs. No caller that waits for an answer before
// it decides what to ask next comes near them.
var (
	requestPace = api.Pace{Burst: 1000, Every: 4 * time.Millisecond}
	renewalPace = api.Pace{Burst: 100, Every: 100 * time.Millisecond}
)

// Run serves until ctx ends, and calls ready once with the address it
// listens on. Then it takes no new request, lets those under way finish for
// up to 20 s, and closes the database. It returns CodeSetup when the data
// directory is in use or the address cannot be had, and ends in the same order
// by itself, with CodeInternal, when the storage fails.
func Run(ctx context.Context, c Config, ready func(addr string)) error {
	c = c.complete().paced()
	ln, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	st, err := openStore(ctx, c)
	if err != nil {
		return err
	}
	err = serve(ctx, c, st, ln, ready)
	return errors.Join(err, st.Close())
}

func (c Config) complete() Config {
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = Clock()
		if c.Wall == nil {
			c.Wall = Wall
		}
	}
	return c
}

// paced is c with a pace for what it leaves unbounded.
func (c Config) paced() Config {
	if c.Requests == (api.Pace{}) {
		c.Requests = requestPace
	}
	if c.Renewals == (api.Pace{}) {
		c.Renewals = renewalPace
	}
	return c
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "the address %s cannot be listened on: %w; no server was started", address, err).
			WithDetail("address", address).WithNext("coord serve --listen 127.0.0.1:0")
	}
	return ln, nil
}

func openStore(ctx context.Context, c Config) (*store.Store, error) {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "the data directory %s cannot be made: %w; no server was started", c.DataDir, err).
			WithNext("coord serve --data DIR")
	}
	return store.Open(ctx, store.Options{
		Path: filepath.Join(c.DataDir, databaseName), Now: c.Now, Wall: c.Wall, Plan: markdown.Plan, Log: c.Log,
	})
}

// serve answers requests on ln until ctx ends, the listener fails or the
// storage does.
func serve(ctx context.Context, c Config, st *store.Store, ln net.Listener, ready func(string)) error {
	if c.PublicURL == "" {
		c.PublicURL = "http://" + ln.Addr().String()
	}
	g := &gated{Store: st}
	waits, endWaits := context.WithCancel(context.Background())
	defer endWaits()
	srv := newHTTPServer(endWaiting(waits, routes(c, g)), c.Log)
	defer keepTime(waits, st)()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	if ready != nil {
		ready(ln.Addr().String())
	}
	var broken error
	select {
	case err := <-failed:
		return coord.Errorf(coord.CodeInternal, "the listener failed: %w", err)
	case broken = <-st.Broken():
	case <-ctx.Done():
	}
	g.ending.Store(true)
	endWaits()
	err := shutDown(c.Log, srv)
	if broken == nil {
		select {
		case broken = <-st.Broken(): // it failed while the server ended
		default:
		}
	}
	return errors.Join(storageFailed(c.DataDir, broken), err)
}

// keepTime does what is due whether or not anybody makes a request. What it
// returns ends that, and waits for the end.
func keepTime(ctx context.Context, st *store.Store) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		st.KeepTime(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// shutDown lets the requests that are under way finish.
func shutDown(log *slog.Logger, srv *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		log.Warn("requests were cut off", "after", drain.String())
		return srv.Close()
	}
	return nil
}

// storageFailed is what a server ends with when its storage broke; nil when
// it did not. What was acknowledged before was synced; what was being written
// then is not to be trusted.
func storageFailed(dir string, err error) error {
	if err == nil {
		return nil
	}
	return coord.Errorf(coord.CodeInternal, "the storage in %s failed and the server ended, so that nothing is written to it any more: %w", dir, err).
		WithActor("operator").
		WithNext("copy "+dir+" to a safe place and check its disk", "coord serve --data "+dir)
}

// newHTTPServer bounds what a slow or hostile peer can hold. There is no
// write timeout: event streams stay open.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
