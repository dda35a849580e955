package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/client"
	"coord/server/store"
	"coord/servicetest"
)

// tap stands before a server that is restored meanwhile. It writes down what
// it passes on, and loses answers on demand.
type tap struct {
	*httptest.Server
	mu     sync.Mutex
	server http.Handler
	lose   int
	log    []sent
}

// sent is a request as it came.
type sent struct {
	method, path string
	header       http.Header
	body         []byte
}

func newTap(t *testing.T) *tap {
	p := &tap{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.log = append(p.log, sent{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
	server, lose := p.server, p.lose > 0 && r.Header.Get("Idempotency-Key") != ""
	if lose {
		p.lose--
	}
	p.mu.Unlock()
	if lose {
		server.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler) // it took effect, and nobody hears of it
	}
	server.ServeHTTP(w, r)
}

// put connects a server, and gives what the one before was sent.
func (p *tap) put(c Config, st *store.Store) []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.server, p.log = routes(c, &gated{Store: st}), nil
	return log
}

// again sends a request of another time.
func (p *tap) again(t *testing.T, s sent) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), s.method, p.URL+s.path, bytes.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = s.header.Clone()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// seat is one session's place on a machine: each command is a client of its
// own.
type seat struct {
	url, token string
	key        client.SessionKey
}

func (s seat) command(t *testing.T) *client.Client {
	t.Helper()
	session, err := client.LoadSession(s.key, "alpha", "m1", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Options{Server: s.url, Token: s.token, Session: session, Journal: client.OpenJournal(s.key), Version: "test"})
	t.Cleanup(c.Close)
	return c
}

// TestR1_TheTrafficOfBeforeIsRefused restores a server in the middle of work
// and sends it every request that its predecessor got: no mutation succeeds,
// and nothing is changed. A command whose answer was lost does not execute
// again (K7), until somebody who was told gives it anew.
func TestR1_TheTrafficOfBeforeIsRefused(t *testing.T) {
	ctx, clock, p := t.Context(), servicetest.NewClock(), newTap(t)
	c := Config{DataDir: filepath.Join(t.TempDir(), "old"), Version: "test", Now: clock.Now}.complete()
	st, err := openStore(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	p.put(c, st)
	tokens := map[coord.Role]string{}
	for _, role := range []coord.Role{coord.RoleAgent, coord.RoleSetup} {
		if tokens[role], err = st.IssueToken(ctx, coord.PrincipalID(role), role, "test"); err != nil {
			t.Fatal(err)
		}
	}
	origin, err := client.Origin(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	alpha := seat{p.URL, tokens[coord.RoleAgent], client.SessionKey{Dir: t.TempDir(), Origin: origin, Name: "alpha"}}
	first := work(t, p.URL, tokens[coord.RoleSetup], alpha)
	backup := filepath.Join(t.TempDir(), "one.backup")
	if _, err := st.Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	// What the restored server will know nothing of.
	lost := coord.CreateTask{Project: "pay", Title: "lost"}
	if _, err := alpha.command(t).Release(ctx, coord.Release{Attempt: first.Attempt.ID, Fence: first.Attempt.Fence, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := alpha.command(t).Claim(ctx, coord.Claim{Project: "pay", Task: "pay-2"}); err != nil {
		t.Fatal(err)
	}
	p.lose = 2
	if _, err := alpha.command(t).CreateTask(ctx, lost); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Fatalf("no answer, and %v", err)
	}

	clock.Advance(time.Minute)
	c.DataDir = filepath.Join(t.TempDir(), "new")
	if _, err := store.Restore(ctx, store.RestoreOptions{Backup: backup, Into: c.DataDir, Now: clock.Now()}); err != nil {
		t.Fatal(err)
	}
	restored, err := openStore(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = restored.Close() }()
	log := p.put(c, restored)
	before := events(ctx, t, restored)
	p.refusesAll(t, log)
	if after := events(ctx, t, restored); after != before {
		t.Errorf("event %d became %d", before, after)
	}

	_, err = alpha.command(t).CreateTask(ctx, lost)
	var e *coord.Error
	if coord.CodeOf(err) != coord.CodeEpochChanged {
		t.Fatalf("the command again: %v", err)
	}
	if e, _ = err.(*coord.Error); e == nil || len(e.Next) == 0 || e.Next[0] != "coord status" || e.Retry != coord.RetryAfterReread {
		t.Errorf("it does not say to look first: %+v", e)
	}
	if after := events(ctx, t, restored); after != before {
		t.Errorf("the command again: event %d became %d", before, after)
	}
	if _, err := alpha.command(t).CreateTask(ctx, lost); err != nil {
		t.Errorf("given anew: %v", err)
	}
	page, err := asOperator(restored).ListTasks(ctx, coord.TaskQuery{Project: "pay", Title: "lost"})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("%d tasks, %v", len(page.Items), err)
	}
}

// refusesAll sends every mutation of the log again and wants each refused.
func (p *tap) refusesAll(t *testing.T, log []sent) {
	t.Helper()
	mutations := 0
	for _, s := range log {
		if s.method == http.MethodGet {
			continue
		}
		mutations++
		status, answer := p.again(t, s)
		if status < 400 || status >= 500 {
			t.Errorf("%s %s: %d %s", s.method, s.path, status, answer)
		}
		if s.header.Get("Idempotency-Key") != "" && s.header.Get("Coord-Session") != "" && !strings.Contains(answer, string(coord.CodeEpochChanged)) {
			t.Errorf("K7: %s %s is answered %s", s.method, s.path, answer)
		}
	}
	if mutations < 10 {
		t.Errorf("only %d mutations in the log", mutations)
	}
}

func events(ctx context.Context, t *testing.T, st *store.Store) coord.Seq {
	t.Helper()
	all, err := asOperator(st).Events(ctx, "", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return all[len(all)-1].Seq
}

// work is what the server did before the backup: it ends with a live attempt
// of alpha's.
func work(t *testing.T, url, setup string, alpha seat) coord.Claimed {
	t.Helper()
	ctx := t.Context()
	up := client.New(client.Options{Server: url, Token: setup})
	t.Cleanup(up.Close)
	_, err := up.CreateProject(ctx, coord.CreateProject{
		Key: "key-of-the-project-01", Project: "pay", Name: "Payments", Policy: coord.DefaultPolicy(),
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay.git", Target: "main"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"one", "two"} {
		if _, err := alpha.command(t).CreateTask(ctx, coord.CreateTask{Project: "pay", Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	held, err := alpha.command(t).Claim(ctx, coord.Claim{Project: "pay"})
	if err != nil {
		t.Fatal(err)
	}
	oid := coord.OID(strings.Repeat("1", 40))
	_, err = alpha.command(t).RecordCheckpoint(ctx, coord.RecordCheckpoint{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Note: "half", Commit: oid, Tree: oid, Ref: "refs/coord/x", Pushed: true})
	if err == nil {
		_, err = alpha.command(t).Learn(ctx, coord.Learn{Project: "pay", Text: "look first"})
	}
	if err == nil {
		_, err = alpha.command(t).Renew(ctx, coord.Renew{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence})
	}
	if err != nil {
		t.Fatal(err)
	}
	return held
}
