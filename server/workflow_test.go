package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"coord"
	"coord/client"
	"coord/server/store"
	"coord/servicetest"
)

var walks = flag.Int("walks", servicetest.HistorySize(100), "walks of the workflow")

// TestL1_L3_L7_L9_L11_L17_Workflow walks the rules alone, the store and client
// → API → store side by side.
func TestL1_L3_L7_L9_L11_L17_Workflow(t *testing.T) {
	dir, wire := t.TempDir(), newLine(t)
	servicetest.RunWorkflow(t, *walks, func(now func() time.Time) ([]servicetest.Side, error) {
		direct, err := newOnStore(dir, now)
		if err != nil {
			return nil, err
		}
		over, err := newOverHTTP(dir, now, wire)
		return []servicetest.Side{servicetest.NewCore(now), direct, over}, err
	})
}

const workflowProof = "proof-of-0123456789abcdef0123456789"

// onStore is the workflow on SQLite.
type onStore struct {
	config   Config
	dir      string // all that it writes is below it
	copies   int
	backup   string
	st       *store.Store
	agent    coord.Caller
	sessions map[coord.SessionID]coord.Caller
}

func newOnStore(dir string, now func() time.Time) (*onStore, error) {
	dir, err := os.MkdirTemp(dir, "walk")
	if err != nil {
		return nil, err
	}
	o := &onStore{config: Config{Version: "test", Now: now}.complete(), dir: dir, sessions: map[coord.SessionID]coord.Caller{}}
	o.agent = coord.Caller{Principal: "agents", Role: coord.RoleAgent, Name: "agents"}
	return o, o.openAt(o.fresh())
}

// fresh is a path that nothing has.
func (o *onStore) fresh() string {
	o.copies++
	return filepath.Join(o.dir, fmt.Sprint(o.copies))
}

// openAt goes on with the data directory, and ends the store before.
func (o *onStore) openAt(data string) error {
	o.config.DataDir = data
	next, err := openStore(context.Background(), o.config)
	if err != nil {
		return err
	}
	was := o.st
	o.st = next
	if was == nil {
		return nil
	}
	return was.Close()
}

func (o *onStore) Name() string { return "store" }

func (o *onStore) Open(ctx context.Context, id coord.SessionID, name string) error {
	_, err := o.st.As(o.agent).OpenSession(ctx, coord.OpenSession{ID: id, Verifier: coord.SessionVerifier(workflowProof), Name: name, Machine: "m1"})
	if err != nil {
		return err
	}
	o.sessions[id], err = o.st.VerifySession(ctx, o.agent, id, workflowProof)
	return err
}

func (o *onStore) As(id coord.SessionID) coord.Service { return o.st.As(o.sessions[id]) }

func (o *onStore) Operator() coord.Service { return asOperator(o.st) }

func (o *onStore) Setup() coord.Service {
	return o.st.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"})
}

// Crash copies the files as they lie on the disk while the store is open,
// which is what a kill leaves, and opens the copy.
func (o *onStore) Crash(context.Context) error {
	to := o.fresh()
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{databaseName, databaseName + "-wal"} {
		b, err := os.ReadFile(filepath.Join(o.config.DataDir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return o.openAt(to)
}

func (o *onStore) Backup(ctx context.Context) error {
	o.backup = o.fresh()
	_, err := o.st.Backup(ctx, o.backup)
	return err
}

func (o *onStore) Restore(ctx context.Context) (int64, error) {
	to := o.fresh()
	if _, err := store.Restore(ctx, store.RestoreOptions{Backup: o.backup, Into: to, Now: o.config.Now()}); err != nil {
		return 0, err
	}
	err := o.openAt(to)
	return o.st.Epoch(), err
}

func (o *onStore) Close() error { return errors.Join(o.st.Close(), os.RemoveAll(o.dir)) }

// line is a listener whose server changes.
type line struct {
	*httptest.Server
	server atomic.Value // http.HandlerFunc
	http   *http.Client // of every client
}

func newLine(t *testing.T) *line {
	w := &line{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.server.Load().(http.HandlerFunc)(rw, r)
	}))
	w.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		w.Close()
	})
	return w
}

// overHTTPSide is the workflow over HTTP. The operator is the dashboard, which is
// at the store's side of the wire.
type overHTTPSide struct {
	*onStore
	wire    *line
	token   string
	clients map[coord.SessionID]*client.Client
}

func newOverHTTP(dir string, now func() time.Time, w *line) (*overHTTPSide, error) {
	o, err := newOnStore(dir, now)
	if err != nil {
		return nil, err
	}
	s := &overHTTPSide{onStore: o, wire: w, clients: map[coord.SessionID]*client.Client{}}
	s.connect()
	s.token, err = o.st.IssueToken(context.Background(), "agents", coord.RoleAgent, "test")
	return s, err
}

// connect puts the store of now behind the wire.
func (s *overHTTPSide) connect() {
	s.wire.server.Store(http.HandlerFunc(routes(s.config, &gated{Store: s.st}).ServeHTTP))
}

func (s *overHTTPSide) Name() string { return "HTTP" }

// Open makes a client of its own, whose first request opens the session.
func (s *overHTTPSide) Open(ctx context.Context, id coord.SessionID, name string) error {
	c := client.New(client.Options{
		Server: s.wire.URL, Token: s.token, HTTP: s.wire.http, Version: "test",
		Session: &client.Session{ID: id, Proof: workflowProof, Name: name, Machine: "m1"},
	})
	s.clients[id] = c
	_, err := c.Renew(ctx, coord.Renew{Attempt: "none-1.a1"})
	if coord.CodeOf(err) == coord.CodeNotFound {
		return nil
	}
	return fmt.Errorf("renewing nothing: %w", err)
}

func (s *overHTTPSide) As(id coord.SessionID) coord.Service { return s.clients[id] }

func (s *overHTTPSide) Crash(ctx context.Context) error {
	err := s.onStore.Crash(ctx)
	s.connect()
	return err
}

func (s *overHTTPSide) Restore(ctx context.Context) (int64, error) {
	epoch, err := s.onStore.Restore(ctx)
	s.connect()
	return epoch, err
}
