package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/client"
	"coord/server"
	"coord/server/store"
)

var cycles = flag.Int("cycles", 200, "how often the server is killed under load")

// mortal is a server that is killed again and again on one data directory.
// Its clients know one address, and wait while nothing answers there: the
// real port is another each time.
type mortal struct {
	t       *testing.T
	dir     string
	secrets server.Secrets
	cmd     *exec.Cmd
	log     *bytes.Buffer
	address string // of the running server

	mu   sync.Mutex
	open chan struct{} // closed while clients are let through
}

const mortalURL = "http://127.0.0.1:8471"

func newMortal(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{t: t, dir: t.TempDir(), open: make(chan struct{})}
	var err error
	if m.secrets, err = server.Provision(t.Context(), m.dir, server.Wish{Agent: "workers", Operator: "operator"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.cmd != nil {
			m.kill()
		}
	})
	return m
}

// spawn starts the process and returns its output. It does not wait for it to
// answer.
func (m *mortal) spawn() io.Reader {
	m.t.Helper()
	m.log = &bytes.Buffer{}
	m.cmd = exec.Command(binary, "serve", "--data", m.dir, "--listen", "127.0.0.1:0", "--public-url", mortalURL)
	m.cmd.Stderr = m.log
	out, err := m.cmd.StdoutPipe()
	if err == nil {
		err = m.cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// start starts the server and returns when it answers.
func (m *mortal) start() {
	m.t.Helper()
	out := m.spawn()
	defer time.AfterFunc(time.Minute, func() { _ = m.cmd.Process.Kill() }).Stop() // ends the wait for its words
	line, err := bufio.NewReader(out).ReadString('\n')
	after, ok := strings.CutPrefix(line, "coord serves http://")
	if !ok {
		m.kill()
		m.t.Fatalf("the server did not start: %q, %v\n%s", line, err, m.log)
	}
	m.address, _, _ = strings.Cut(after, " ")
}

// kill ends the process without warning, and wants nothing alarming in what
// it logged.
func (m *mortal) kill() {
	m.t.Helper()
	if err := m.cmd.Process.Kill(); err != nil {
		m.t.Error(err)
	}
	_ = m.cmd.Wait() // it was killed
	m.cmd = nil
	for line := range strings.Lines(m.log.String()) {
		var l struct {
			Status int    `json:"status"`
			Level  string `json:"level"`
		}
		cut := !strings.HasSuffix(line, "\n")
		if json.Unmarshal([]byte(line), &l) != nil && !cut || l.Status >= 500 || l.Level == "ERROR" {
			m.t.Errorf("the server's log says: %s", line)
		}
	}
}

// admit lets the clients through, or has them wait.
func (m *mortal) admit(through bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if through {
		close(m.open)
	} else {
		m.open = make(chan struct{})
	}
}

func (m *mortal) gate() chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// client is a client that waits for its turn, or one that does not.
func (m *mortal) client(token string, s *client.Session, waits bool) *client.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		if waits {
			select {
			case <-m.gate():
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return (&net.Dialer{}).DialContext(ctx, network, m.address)
	}
	c := client.New(client.Options{
		Server: mortalURL, Token: token, Session: s, Version: "test", Timeout: time.Minute,
		HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}},
	})
	m.t.Cleanup(c.Close)
	return c
}

// project registers pay, with leases that outlast the test.
func (m *mortal) project() {
	m.t.Helper()
	m.start()
	long := coord.Duration(24 * time.Hour)
	_, err := m.client(m.secrets.SetupToken, nil, false).CreateProject(m.t.Context(), coord.CreateProject{
		Key: "key-of-the-project-pay", Project: "pay", Name: "Pay",
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay.git", Target: "main"}},
		Policy:       coord.Policy{Review: coord.ReviewAgent, Lease: long, ProgressCap: long, AttemptCap: long, HeldLimit: 2 * most},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.kill()
}

// intact checks a copy of the files as the kill left them, so that recovering
// them stays the server's work.
func (m *mortal) intact() {
	m.t.Helper()
	dir, err := os.MkdirTemp(m.t.TempDir(), "")
	if err != nil {
		m.t.Fatal(err)
	}
	defer os.RemoveAll(dir) // thousands of cycles make hundreds of copies
	for _, name := range []string{"coord.db", "coord.db-wal"} {
		text, err := os.ReadFile(filepath.Join(m.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil && !os.IsNotExist(err) {
			m.t.Fatal(err)
		}
	}
	copied, err := store.Open(m.t.Context(), store.Options{
		Path: filepath.Join(dir, "coord.db"), Now: time.Now,
		Plan: func(coord.ImportBase, []coord.SourceFile) (coord.ImportPlan, error) { return coord.ImportPlan{}, nil },
	})
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = copied.Close() }()
	if _, err := copied.Backup(m.t.Context(), filepath.Join(dir, "proved.db")); err != nil { // which proves what it copies
		m.t.Errorf("the files that a kill left are not whole: %v", err)
	}
}

// Killed at any instant under load, right after its start too, the server
// keeps all that it acknowledged, has no event without its effect and no
// effect without its event, gives each request that is sent again its first
// outcome, and leaves every lease its end.
func TestD2_K1_L16_KilledAgainAndAgain(t *testing.T) {
	began := time.Now()
	m := newMortal(t)
	m.project()
	r := rand.New(rand.NewPCG(1, uint64(began.UnixNano())))
	p := newWorkers(m, 12)
	stop := p.start()
	for n := 1; n <= *cycles && !t.Failed() && p.stuck() == nil; n++ {
		if r.IntN(8) == 0 { // in the middle of its start
			m.spawn()
			time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
			m.kill()
			continue
		}
		m.start()
		p.prove()
		m.admit(true)
		p.wait(r)
		m.admit(false)
		m.kill()
		if n%max(20, *cycles/50) == 0 {
			m.intact()
		}
	}
	stop()
	m.start()
	m.admit(true)
	p.done.Wait()
	m.kill()
	m.start()
	p.proveAll()
	m.kill()
	m.intact()
	if *cycles >= 100 && p.lost == 0 {
		t.Error("no kill came between a commit and its answer")
	}
	if t.Failed() {
		return
	}
	t.Logf("proof: %d kills of a server under load, in %s: %d acknowledged changes and %d refusals, none lost; %d changes whose answer was lost, each made once; %d events, none without effect",
		*cycles, time.Since(began).Round(time.Second), p.changes, p.refusals, p.lost, p.log.Seq)
}
