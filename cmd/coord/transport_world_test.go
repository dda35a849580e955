package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/client"
)

// crossing is a project whose machines share nothing but the remote and the
// server. The first of them is the desk, where a person is signed in and the
// server runs.
type crossing struct {
	*machine
	way  way
	said strings.Builder // all that coord printed on any machine
}

// way is how machines reach the remote.
type way struct {
	url      func(machine string) string       // of origin, in the machine's clone
	settings func(machine, home string) string // of Git, for the machine's user
	road     *road
	// secrets are what a machine proves itself with: they may be nowhere but
	// in its user's settings.
	secrets []string
}

// machine is a user's account on a computer of its own: a home with its own
// configuration, state and clone, and a token with which the server knows it.
type machine struct {
	*proofWorld
	x    *crossing
	name string
	id   coord.TokenID
}

func newCrossing(t *testing.T, open func(t *testing.T, root string) way, up ...string) *crossing {
	t.Helper()
	w := &proofWorld{testHome: newTestHome(t)}
	x := &crossing{machine: &machine{proofWorld: w, name: "desk"}}
	x.x = x
	w.dir = w.repository("pay")
	x.way = open(t, w.root)
	x.settings()
	w.git(w.dir, "remote", "set-url", "origin", x.way.url(x.name))
	w.write(w.dir, configName, proofConfig)
	var done upDone
	x.data(w.dir, &done, append([]string{"up"}, up...)...)
	w.commit(w.dir, "Use coord")
	w.url, w.token = done.Server, w.credential(done.Server).Agent
	w.record = client.New(client.Options{Server: w.url, Token: w.token})
	signIn := w.command(x.name, w.dir, "login")
	signIn.Stdin = strings.NewReader(done.Password + "\n")
	if out, err := signIn.CombinedOutput(); err != nil {
		t.Fatalf("login: %v: %s", err, out)
	}
	t.Cleanup(x.kept)
	return x
}

// settings writes the user's Git configuration of the machine.
func (m *machine) settings() {
	m.t.Helper()
	m.write(m.root, ".gitconfig", m.x.way.settings(m.name, m.root))
}

// enrol makes another machine, with a token of its own.
func (x *crossing) enrol(name string) *machine {
	x.t.Helper()
	var k coord.IssuedToken
	x.data(x.dir, &k, "token", "new", "--label", name)
	w := *x.proofWorld
	home := &testHome{t: x.t, root: filepath.Join(x.root, "machines", name)}
	for _, kv := range x.env {
		if !strings.HasPrefix(kv, "PATH=") {
			kv = strings.ReplaceAll(kv, x.root, home.root)
		}
		home.env = append(home.env, kv)
	}
	w.testHome, w.dir = home, filepath.Join(home.root, "pay")
	m := &machine{proofWorld: &w, x: x, name: name, id: k.Token.ID}
	if err := os.MkdirAll(home.root, 0o700); err != nil {
		x.t.Fatal(err)
	}
	m.settings()
	m.git(home.root, "clone", "-q", x.way.url(name), "pay")
	init := m.command(name, m.dir, "init", "--server", w.url)
	init.Env = append(init.Env, "COORD_TOKEN="+k.Secret)
	if out, err := init.CombinedOutput(); err != nil {
		x.t.Fatalf("init on %s: %v: %s", name, err, out)
	}
	return m
}

// dies takes the machine away for good: nobody reaches its disk, and its token
// is revoked.
func (m *machine) dies() {
	m.t.Helper()
	if err := os.Rename(m.root, m.root+".away"); err != nil {
		m.t.Fatal(err)
	}
	m.x.done(m.x.dir, "token", "revoke", string(m.id), "--reason", "the machine is lost")
}

// runs types a command as the machine's agent, and keeps what it said.
func (m *machine) runs(dir string, args ...string) ran {
	r := m.as(m.name, dir, args...)
	m.x.said.WriteString(r.out + r.err)
	return r
}

// done types a command that has to succeed.
func (m *machine) done(dir string, args ...string) string {
	m.t.Helper()
	r := m.runs(dir, args...)
	if r.status != 0 {
		m.t.Fatalf("%s: coord %v: status %d\n%s%s", m.name, args, r.status, r.out, r.err)
	}
	return r.out
}

// data types a command that has to succeed, and reads what it answers.
func (m *machine) data(dir string, data any, args ...string) {
	m.t.Helper()
	out := m.done(dir, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &struct{ Data any }{data}); err != nil {
		m.t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// start starts a task and returns it with its worktree.
func (m *machine) start(args ...string) (s started) {
	m.t.Helper()
	m.data(m.dir, &s, append([]string{"start", "--no-keeper"}, args...)...)
	return s
}

// approved brings a task with one new file to its submission, in a project
// without review.
func (m *machine) approved(title, file string) coord.TaskID {
	m.t.Helper()
	var task coord.Task
	m.data(m.dir, &task, "task", "new", title)
	at := m.start(string(task.ID)).Worktree.Path
	m.write(at, file, "by "+m.name+"\n")
	m.done(at, "check")
	m.done(at, "submit", "--all", "-m", title)
	return task.ID
}

// kept proves that the secrets are in no output and in no file: not in what
// coord keeps, not in the server's data and log, not in a repository.
func (x *crossing) kept() {
	for _, secret := range x.way.secrets {
		if strings.Contains(x.said.String(), secret) {
			x.t.Errorf("coord printed the secret %s", secret)
		}
	}
	x.nowhere("", x.way.secrets...)
}

// nowhere proves that no file below the root holds a secret, but for users'
// own settings and the one that is named.
func (w *proofWorld) nowhere(but string, secrets ...string) {
	w.t.Helper()
	looked := 0
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".ssh" {
			return filepath.SkipDir
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == ".gitconfig" || path == but {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				w.t.Errorf("%s holds the secret %s", path, secret)
			}
		}
		return nil
	})
	if err != nil || looked < 50 {
		w.t.Errorf("looked at %d files: %v", looked, err)
	}
}
