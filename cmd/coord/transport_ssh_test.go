package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
)

// sshRemote serves the bare repositories of a directory to those who have the
// user's key.
type sshRemote struct {
	*road
	root   string
	config *ssh.ServerConfig
}

// newKey makes a key, as ssh-keygen(1) writes it.
func newKey(t *testing.T) (ssh.Signer, []byte) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, pem.EncodeToMemory(block)
}

// sshWay opens a way over ssh. Each machine's ssh configuration is named by
// the user's core.sshCommand; delta and the desk also write their remote
// shorter.
func sshWay(t *testing.T, root string) way {
	t.Helper()
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("needs ssh, the OpenSSH client")
	}
	host, _ := newKey(t)
	user, private := newKey(t)
	s := &sshRemote{road: &road{}, root: root, config: &ssh.ServerConfig{
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(key.Marshal(), user.PublicKey().Marshal()) {
				return nil, errors.New("unknown key")
			}
			return nil, nil
		},
	}}
	s.config.AddHostKey(host)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go s.serve(ln)
	url := "ssh://git@" + ln.Addr().String() + "/"
	port := ln.Addr().(*net.TCPAddr).Port
	return way{
		road: s.road, secrets: []string{strings.Split(string(private), "\n")[3]},
		url: func(machine string) string {
			if machine == "delta" || machine == "desk" {
				return "work:pay.git"
			}
			return url + "pay.git"
		},
		settings: func(_, home string) string {
			known := fmt.Sprintf("[127.0.0.1]:%d %s", port, ssh.MarshalAuthorizedKey(host.PublicKey()))
			config := fmt.Sprintf("Host *\n\tIdentityFile %q\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %q\n\tStrictHostKeyChecking yes\n",
				filepath.Join(home, ".ssh", "id"), filepath.Join(home, ".ssh", "known"))
			sshFiles(t, filepath.Join(home, ".ssh"), map[string]string{"id": string(private), "known": known, "config": config})
			return fmt.Sprintf("[core]\n\tsshCommand = %s -F %s\n[url %q]\n\tinsteadOf = work:\n",
				filepath.ToSlash(program), filepath.ToSlash(filepath.Join(home, ".ssh", "config")), url)
		},
	}
}

func sshFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *sshRemote) serve(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go s.connection(c)
	}
}

func (s *sshRemote) connection(c net.Conn) {
	defer func() { _ = c.Close() }()
	if s.isClosed() {
		return
	}
	conn, channels, requests, err := ssh.NewServerConn(c, s.config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for fresh := range channels {
		if fresh.ChannelType() != "session" {
			_ = fresh.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		ch, asked, err := fresh.Accept()
		if err != nil {
			return
		}
		go s.session(conn, ch, asked)
	}
}

// session runs the one command of a session.
func (s *sshRemote) session(conn ssh.Conn, ch ssh.Channel, asked <-chan *ssh.Request) {
	var env []string
	for r := range asked {
		switch r.Type {
		case "env":
			var v struct{ Name, Value string }
			if ssh.Unmarshal(r.Payload, &v) == nil && v.Name == "GIT_PROTOCOL" {
				env = append(env, v.Name+"="+v.Value)
			}
			_ = r.Reply(true, nil)
		case "exec":
			var v struct{ Command string }
			_ = ssh.Unmarshal(r.Payload, &v)
			_ = r.Reply(true, nil)
			status, cut := s.command(ch, v.Command, env)
			if cut {
				_ = conn.Close()
				return
			}
			_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
			_ = ch.Close()
		default:
			_ = r.Reply(false, nil)
		}
	}
}

// command runs git-upload-pack or git-receive-pack on a repository; cut means
// that the client gets no answer.
func (s *sshRemote) command(ch ssh.Channel, line string, env []string) (status uint32, cut bool) {
	verb, path, _ := strings.Cut(line, " ")
	if verb != "git-upload-pack" && verb != "git-receive-pack" {
		return 127, false
	}
	cmd := exec.Command("git", strings.TrimPrefix(verb, "git-"), filepath.Join(s.root, filepath.Base(strings.Trim(path, "'"))))
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "HOME="+filepath.Join(s.root, "nobody"))
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1, false
	}
	p := &pushing{road: s.road, ch: ch, in: in, receives: verb == "git-receive-pack"}
	cmd.Stdout, cmd.Stderr = p, ch.Stderr()
	if err := cmd.Start(); err != nil {
		return 1, false
	}
	go p.feed()
	err = cmd.Wait()
	var exited *exec.ExitError
	switch {
	case p.cut.Load():
		return 0, true
	case errors.As(err, &exited):
		return uint32(exited.ExitCode()), false
	case err != nil:
		return 1, false
	}
	return 0, false
}

// pushing hands on what a client sends and what it is answered. A client that
// pushes sends its first byte after it has read which refs there are; with
// that the push is on its way, and may meet with trouble.
type pushing struct {
	*road
	ch       ssh.Channel
	in       io.WriteCloser
	receives bool
	cut      atomic.Bool
}

func (p *pushing) feed() {
	defer func() { _ = p.in.Close() }()
	first := make([]byte, 32<<10)
	n, err := p.ch.Read(first)
	if err != nil || p.receives && n > 4 && p.meets() {
		return
	}
	if _, err := p.in.Write(first[:n]); err == nil {
		_, _ = io.Copy(p.in, p.ch)
	}
}

// meets reports whether the push ends here.
func (p *pushing) meets() bool {
	what := p.push()
	p.cut.Store(what != noTrouble)
	return what == cutBefore
}

func (p *pushing) Write(b []byte) (int, error) {
	if p.cut.Load() {
		return len(b), nil
	}
	return p.ch.Write(b)
}
