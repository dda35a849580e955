package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coord"
	"coord/client"
)

// testHome is a home of its own with a repository that has a remote.
type testHome struct {
	t    *testing.T
	root string
	env  []string
}

func newTestHome(t *testing.T) *testHome {
	t.Helper()
	h := &testHome{t: t, root: t.TempDir()}
	h.env = []string{
		"HOME=" + h.root, "USERPROFILE=" + h.root, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH"),
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "COORD_SESSION=a",
		"XDG_STATE_HOME=" + filepath.Join(h.root, "state"), "LocalAppData=" + filepath.Join(h.root, "state"),
		"COORD_CONFIG_DIR=" + filepath.Join(h.root, "config"),
		"GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.org", "GIT_COMMITTER_NAME=Agent", "GIT_COMMITTER_EMAIL=agent@example.org",
	}
	t.Cleanup(func() { _, _ = h.coord("", "down").CombinedOutput() })
	return h
}

// repository makes NAME.git and a clone NAME with one pushed commit.
func (h *testHome) repository(name string) (dir string) {
	h.t.Helper()
	bare, dir := filepath.Join(h.root, name+".git"), filepath.Join(h.root, name)
	for _, args := range [][]string{
		{"init", "-q", "--bare", "--initial-branch=main", bare},
		{"clone", "-q", bare, dir},
		{"-C", dir, "commit", "-q", "--allow-empty", "-m", "Begin"},
		{"-C", dir, "push", "-q", "-u", "origin", "HEAD:main"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = h.env
		if out, err := cmd.CombinedOutput(); err != nil {
			h.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func (h *testHome) coord(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = h.env
	if cmd.Dir = dir; dir == "" {
		cmd.Dir = h.root
	}
	return cmd
}

// killServer ends the server without warning. Its death takes a moment; its
// lock dies with it.
func (h *testHome) killServer() {
	h.t.Helper()
	p, err := os.FindProcess(h.note().PID)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	unlock, err := waitLock(ctx, localServer{filepath.Join(h.root, "state", "coord")}.runLock())
	if err != nil {
		h.t.Fatal(err)
	}
	unlock()
}

// json runs a command with --json and reads its data.
func (h *testHome) json(dir string, data any, args ...string) error {
	out, err := h.coord(dir, append(args, "--json")...).Output()
	if err != nil {
		h.t.Logf("%v: %s", args, out)
		return err
	}
	return json.Unmarshal(out, &struct{ Data any }{data})
}

func (h *testHome) note() serverNote {
	h.t.Helper()
	n, err := localServer{filepath.Join(h.root, "state", "coord")}.note()
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// Several ups at once make one server, which all of them use.
func TestUpAtOnce(t *testing.T) {
	h := newTestHome(t)
	names := []string{"pay", "shop", "desk", "mail"}
	var dirs []string
	for _, n := range names {
		dirs = append(dirs, h.repository(n))
	}
	results := make([]upDone, len(dirs))
	var wg sync.WaitGroup
	for i, dir := range dirs {
		wg.Go(func() {
			if err := h.json(dir, &results[i], "up"); err != nil {
				t.Errorf("up in %s: %v", dir, err)
			}
		})
	}
	wg.Wait()
	started := 0
	for _, r := range results {
		if r.Started {
			started++
		}
		if r.Server != results[0].Server || !r.Created {
			t.Errorf("got %+v", r)
		}
	}
	if started != 1 {
		t.Errorf("%d servers were started", started)
	}
}

// A server that was killed is started again at its address, with its record.
func TestUpAfterKill(t *testing.T) {
	h := newTestHome(t)
	dir := h.repository("pay")
	var first, second upDone
	if err := h.json(dir, &first, "up"); err != nil {
		t.Fatal(err)
	}
	if out, err := h.coord(dir, "task", "new", "Stay").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.killServer()
	if err := h.json(dir, &second, "up"); err != nil {
		t.Fatal(err)
	}
	if second.Server != first.Server || second.Created || second.Password != "" {
		t.Errorf("got %+v after %+v", second, first)
	}
	out, err := h.coord(dir, "task", "show", "pay-1").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "pay-1  Stay\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// A server ends with status 0 when it is asked to, whoever runs it.
func TestServeEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process without a console takes no signal")
	}
	h := newTestHome(t)
	dir := h.repository("pay")
	for name, tt := range map[string]struct {
		args []string
		last string // a word of the line that says it is ready
	}{
		"serve": {[]string{"serve", "--listen", "127.0.0.1:0"}, "coord serves http://127.0.0.1:"},
		"up":    {[]string{"up", "--foreground"}, "next "},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := h.coord(dir, tt.args...)
			var log bytes.Buffer
			cmd.Stderr = &log
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ready := false
			for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
				ready = strings.HasPrefix(lines.Text(), tt.last)
			}
			if !ready {
				t.Errorf("it never said that it is ready: %s", log.String())
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v: %s", err, log.String())
			}
		})
	}
}

// A keeper stops as soon as the process that it keeps for is gone.
func TestKeepEnds(t *testing.T) {
	h := newTestHome(t)
	dir := h.repository("pay")
	if out, err := h.coord(dir, "up").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var kept struct {
		Ended string `json:"ended"`
	}
	err := h.json(dir, &kept, "keep", "pay-1.a1", "1.1", "--session", "name a", "--pid", "1", "--start", "never")
	if err != nil || kept.Ended != "process_ended" {
		t.Errorf("%+v, %v", kept, err)
	}
}

// A port that is free when up chooses it may be another's when the server
// listens: another one is chosen, and the login that was made is still told.
// An address that .coord.toml names is not given up for another.
func TestUpChoosesAgainWhenThePortIsTaken(t *testing.T) {
	for _, named := range []bool{false, true} {
		root := t.TempDir()
		a := &app{std: streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, env: environment{"COORD_CONFIG_DIR=" + filepath.Join(root, "config")}}
		l := localServer{filepath.Join(root, "state")}
		if err := os.MkdirAll(l.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		var c Config
		if named {
			c = Config{Path: ".coord.toml", Server: "http://127.0.0.1:8471"}
		}
		tries := 0
		r, err := a.ensure(t.Context(), l, c, func(context.Context, localServer, string) error {
			if tries++; tries == 1 {
				return coord.Errorf(coord.CodeSetup, "taken").WithDetail("address", "127.0.0.1:8471")
			}
			return nil
		})
		if named {
			if err == nil || tries != 1 {
				t.Errorf("a named address: %d tries, %v", tries, err)
			}
			continue
		}
		have, credErr := client.Credentials{Dir: filepath.Join(root, "config")}.For(r.url)
		if err != nil || credErr != nil || tries != 2 || r.secrets.Password == "" || r.secrets.Operator == "" || have.Agent == "" {
			t.Errorf("%d tries, %v, %v: %+v", tries, err, credErr, r)
		}
	}
}
