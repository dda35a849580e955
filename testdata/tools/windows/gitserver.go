package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"coord/testdata/tools/windows/wire"
)

// gitServer runs git on the Linux side for the stand-in that Windows programs
// find as git.exe.
type gitServer struct {
	drives drives
	key    string
	list   net.Listener
	links  links
}

// serveGit listens on loopback and writes where beside git.exe.
func serveGit(d drives, beside string) (*gitServer, error) {
	list, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &gitServer{drives: d, key: rand.Text(), list: list}
	place, err := json.Marshal(wire.Place{Address: list.Addr().String(), Key: s.key})
	if err == nil {
		err = os.WriteFile(filepath.Join(beside, wire.PlaceFile), place, 0o600)
	}
	if err != nil {
		_ = list.Close()
		return nil, err
	}
	go s.accept()
	return s, nil
}

func (s *gitServer) close() { _ = s.list.Close() }

func (s *gitServer) accept() {
	for {
		conn, err := s.list.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			s.answer(conn)
		}()
	}
}

func (s *gitServer) answer(conn net.Conn) {
	kind, data, err := wire.Receive(conn)
	var r wire.Request
	if err != nil || kind != wire.Ask || json.Unmarshal(data, &r) != nil || r.Key != s.key {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in, input := io.Pipe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		feed(conn, input)
		cancel() // whoever asked is gone
	}()
	to := &frames{conn: conn}
	status, err := s.run(ctx, in, to, r)
	if err != nil {
		_ = to.send(wire.Errors, []byte("the stand-in for git: "+err.Error()+"\n"))
		status = 128
	}
	_ = in.Close()
	_ = to.send(wire.Exit, []byte(strconv.Itoa(status)))
	<-gone // closed while something is unread, a connection loses its end
}

// frames lets two streams share a connection.
type frames struct {
	mu   sync.Mutex
	conn net.Conn
}

func (f *frames) send(kind byte, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return wire.Send(f.conn, kind, data)
}

type stream struct {
	*frames
	kind byte
}

func (s stream) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return len(b), s.send(s.kind, b)
}

func (s *gitServer) run(ctx context.Context, in io.Reader, to *frames, r wire.Request) (status int, err error) {
	cmd := exec.CommandContext(ctx, "git")
	for _, a := range r.Args {
		cmd.Args = append(cmd.Args, s.drives.unix(a))
	}
	cmd.Dir, cmd.Env = s.drives.unix(r.Dir), s.environment(r.Env)
	out := &translating{d: s.drives, to: stream{to, wire.Output}}
	errs := &translating{d: s.drives, to: stream{to, wire.Errors}}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	if verb(r.Args) == "worktree" {
		defer s.links.lend(cmd.Dir, cmd.Env, s.drives)()
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { // git may end without reading it
		_, _ = io.Copy(stdin, in)
		_ = stdin.Close()
	}()
	err = cmd.Wait()
	if err := errors.Join(out.flush(), errs.flush()); err != nil {
		return 0, err
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return 128 + int(w.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}

// feed passes input on and returns when the connection has ended.
func feed(conn net.Conn, in io.WriteCloser) {
	for {
		kind, data, err := wire.Receive(conn)
		switch {
		case err != nil:
			return
		case kind == wire.Input:
			_, _ = in.Write(data)
		case kind == wire.InputEnds:
			_ = in.Close()
		}
	}
}

// carried are the variables, besides GIT_*, that say to git who its user is.
var carried = []string{"HOME", "XDG_CONFIG_HOME", "EMAIL", "LC_ALL", "LANG"}

// environment is what git gets of the Windows program's environment, and the
// PATH of this one. Git for Windows takes USERPROFILE for HOME as well.
func (s *gitServer) environment(env []string) []string {
	set := map[string]string{"PATH": os.Getenv("PATH")}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name = strings.ToUpper(name); {
		case name == "GIT_CEILING_DIRECTORIES" || name == "GIT_ALTERNATE_OBJECT_DIRECTORIES":
			set[name] = s.drives.unixList(value)
		case strings.HasPrefix(name, "GIT_") || slices.Contains(carried, name):
			set[name] = s.drives.unix(value)
		case name == "USERPROFILE" && set["HOME"] == "":
			set["HOME"] = s.drives.unix(value)
		}
	}
	var list []string
	for name, value := range set {
		list = append(list, name+"="+value)
	}
	return list
}

// verb is what git is asked to do, after its own options.
func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-c" || a == "-C" || a == "--git-dir" || a == "--work-tree":
			i++
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}
