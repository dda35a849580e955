package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coord"
	"coord/client"
)

// proofWorld is a server of its own with the project pay: a bare remote
// pay.git and its clone pay.
type proofWorld struct {
	*testHome
	dir    string // the clone
	url    string // the server's
	token  string // the machine's, for looking at the record
	record *client.Client
}

// proofConfig is the committed part of .coord.toml; up adds the rest. Its
// check passes everywhere that Git runs.
const proofConfig = "[[check]]\nname = \"test\"\nrun = [\"git\", \"--version\"]\n"

func newProofWorld(t *testing.T, config string, up ...string) *proofWorld {
	t.Helper()
	w := &proofWorld{testHome: newTestHome(t)}
	w.dir = w.repository("pay")
	w.write(w.dir, configName, config)
	var done upDone
	if err := w.json(w.dir, &done, append([]string{"up"}, up...)...); err != nil {
		t.Fatal("up:", err)
	}
	w.commit(w.dir, "Use coord")
	w.url, w.token = done.Server, w.credential(done.Server).Agent
	w.record = client.New(client.Options{Server: w.url, Token: w.token})
	return w
}

func (w *proofWorld) credential(server string) client.Credential {
	w.t.Helper()
	c, err := client.Credentials{Dir: filepath.Join(w.root, "config")}.For(server)
	if err != nil || c.Agent == "" || c.Setup == "" {
		w.t.Fatalf("no credential for %s: %v", server, err)
	}
	return c
}

// clone makes another clone of the remote.
func (w *proofWorld) clone(name string) string {
	w.t.Helper()
	w.git(w.root, "clone", "-q", "pay.git", name)
	return filepath.Join(w.root, name)
}

func (w *proofWorld) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *proofWorld) write(dir, name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// commit commits all of a clone and pushes it to the branch it is on.
func (w *proofWorld) commit(dir, message string) {
	w.t.Helper()
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", message)
	w.git(dir, "push", "-q", "origin", "HEAD")
}

// refs are the remote's refs with their values.
func (w *proofWorld) refs() string { return w.git(w.root, "ls-remote", "pay.git") }

// ran is how a command of a session ended.
type ran struct {
	status   int
	out, err string
}

// said is the error of a run with --json.
func (r ran) said() coord.Error {
	var d document
	if json.Unmarshal([]byte(r.out), &d) != nil || d.Error == nil {
		return coord.Error{}
	}
	return *d.Error
}

// as runs a command as a session in a directory.
func (w *proofWorld) as(session, dir string, args ...string) ran {
	cmd := w.command(session, dir, args...)
	var out, chatter bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &chatter
	err := cmd.Run()
	r := ran{out: out.String(), err: chatter.String()}
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited):
		r.status = exited.ExitCode()
	case err != nil:
		w.t.Errorf("coord %v: %v", args, err)
		r.status = -1
	}
	return r
}

func (w *proofWorld) command(session, dir string, args ...string) *exec.Cmd {
	cmd := w.coord(dir, args...)
	cmd.Env = append(slices.Clone(w.env), "COORD_SESSION="+session)
	return cmd
}

// must runs a command that has to succeed.
func (w *proofWorld) must(session, dir string, args ...string) string {
	w.t.Helper()
	r := w.as(session, dir, args...)
	if r.status != 0 {
		w.t.Fatalf("%s: coord %v: status %d\n%s%s", session, args, r.status, r.out, r.err)
	}
	return r.out
}

// startIn starts the task in a clone and returns its worktree.
func (w *proofWorld) startIn(session, dir string, args ...string) started {
	w.t.Helper()
	args = append([]string{"start", "--no-keeper", "--json"}, args...)
	var s started
	if err := json.Unmarshal([]byte(w.must(session, dir, args...)), &struct{ Data any }{&s}); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// task reads the whole record of a task.
func (w *proofWorld) taskDetail(id coord.TaskID) coord.TaskDetail {
	w.t.Helper()
	d, err := w.record.Task(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// events reads the whole log and proves that it is dense from 1 and chained.
func (w *proofWorld) events() []coord.Event {
	w.t.Helper()
	var all []coord.Event
	for {
		page, err := w.record.Events(context.Background(), "", coord.Seq(len(all)), 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	checkChain(w.t, all)
	return all
}

func checkChain(t *testing.T, events []coord.Event) {
	t.Helper()
	before := ""
	for i, e := range events {
		if e.Seq != coord.Seq(i+1) {
			t.Fatalf("event %d has sequence %d", i+1, e.Seq)
		}
		bare := e
		bare.Hash = ""
		text, err := json.Marshal(bare)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(append([]byte(before), text...))
		if e.Hash != hex.EncodeToString(sum[:]) {
			t.Fatalf("event %d does not follow from the one before", e.Seq)
		}
		before = e.Hash
	}
}

// ofKind counts the events of a kind.
func ofKind(events []coord.Event, kind coord.EventKind) int {
	n := 0
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// noServerErrors reads the server's log: it answered no request with 5xx.
func (w *proofWorld) noServerErrors() {
	w.t.Helper()
	text, err := os.ReadFile(localServer{filepath.Join(w.root, "state", "coord")}.logPath())
	if err != nil {
		w.t.Fatal(err)
	}
	answered := 0
	for line := range strings.Lines(string(text)) {
		var l struct {
			Status int    `json:"status"`
			Level  string `json:"level"`
		}
		if json.Unmarshal([]byte(line), &l) != nil || l.Status >= 500 || l.Level == "ERROR" {
			w.t.Errorf("the server's log says: %s", line)
		}
		if l.Status > 0 {
			answered++
		}
	}
	if answered == 0 {
		w.t.Error("the server's log has no requests")
	}
}
