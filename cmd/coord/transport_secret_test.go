package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A password or key that the remote does not take: the refusal tells what the
// remote said and what to type, nothing is asked, nothing changes, and what
// was tried is not shown. Work is kept on the machine.
func TestWrongCredentials(t *testing.T) {
	for name, open := range map[string]func(*testing.T, string) way{"ssh": sshWay, "smart HTTP": smartHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newCrossing(t, open)
			x.done(x.dir, "task", "new", "Begun")
			x.done(x.dir, "task", "new", "Not begun")
			names := []string{"alpha", "bravo", "delta"} // a helper, a header, a helper behind another URL
			if name == "ssh" {
				names = names[:1]
			}
			for _, who := range names {
				m := x.enrol(who)
				s := m.start("pay-1")
				m.write(s.Worktree.Path, "work.txt", who+"\n")
				m.wrong(x.way)
				m.turnedAway(s)
				m.settings()
				m.done(s.Worktree.Path, "release", "-m", "the next one")
			}
			if name == "smart HTTP" {
				x.inTheURL()
			}
			x.noServerErrors()
		})
	}
}

// wrong has the machine prove itself with what the remote does not know.
func (m *machine) wrong(w way) {
	m.t.Helper()
	text := w.settings(m.name, m.root)
	for _, secret := range w.secrets {
		text = strings.ReplaceAll(text, secret, strings.ToUpper(secret))
	}
	if strings.Contains(text, "sshCommand") {
		_, other := newKey(m.t)
		sshFiles(m.t, filepath.Join(m.root, ".ssh"), map[string]string{"id": string(other)})
	}
	m.write(m.root, ".gitconfig", text)
}

// notLetIn reports whether a text says what a remote says to who may not enter.
func notLetIn(text string) bool {
	return strings.Contains(text, "Authentication failed") || strings.Contains(text, "Permission denied") ||
		strings.Contains(text, "terminal prompts disabled") // no helper had another password
}

// turnedAway types what needs the remote.
func (m *machine) turnedAway(s started) {
	m.t.Helper()
	began := time.Now()
	events, refs := len(m.x.events()), m.x.refs()
	r := m.runs(m.dir, "start", "pay-2", "--no-keeper", "--json")
	e := r.said()
	if r.status == 0 || !notLetIn(e.Message) || len(e.Next) == 0 || e.Next[0] != "git ls-remote origin" {
		m.t.Errorf("%s starts: status %d %s%s", m.name, r.status, r.out, r.err)
	}
	if n := len(m.x.events()); n != events {
		m.t.Errorf("%s: %d events", m.name, n-events)
	}
	r = m.runs(s.Worktree.Path, "checkpoint", "-m", "kept here")
	if r.status == 0 || !strings.Contains(r.out, "local only") || !notLetIn(r.err) || !strings.Contains(r.err, "next:  git ls-remote origin\n") {
		m.t.Errorf("%s saves: status %d %s%s", m.name, r.status, r.out, r.err)
	}
	if now := m.x.refs(); now != refs {
		m.t.Errorf("the remote changed: %s", now)
	}
	if took := time.Since(began); took > 30*time.Second {
		m.t.Errorf("it took %s to be turned away", took)
	}
	for _, secret := range m.x.way.secrets {
		if strings.Contains(m.x.said.String(), strings.ToUpper(secret)) {
			m.t.Errorf("coord printed what was tried: %s", m.x.said.String())
		}
	}
}

// inTheURL has a wrong password in the remote's URL itself.
func (x *crossing) inTheURL() {
	x.t.Helper()
	text := strings.ReplaceAll(x.way.settings(x.name, x.root), passwords[x.name], "wrong-5e0c")
	x.write(x.root, ".gitconfig", text)
	for _, args := range [][]string{{"start", "pay-2", "--no-keeper"}, {"doctor"}, {"start", "pay-2", "--no-keeper", "--json"}} {
		r := x.runs(x.dir, args...)
		if said := r.out + r.err; strings.Contains(said, "wrong-5e0c") || args[0] == "start" && !notLetIn(said) {
			x.t.Errorf("%v: %s", args, said)
		}
	}
	x.settings()
}
