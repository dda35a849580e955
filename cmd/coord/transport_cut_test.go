package main

import (
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// A push that meets with trouble is told as the remote shows it afterwards,
// and the same command goes on: nothing is called saved or landed that is not,
// and nothing is pushed twice.
func TestACutPushIsReadBack(t *testing.T) {
	for name, open := range map[string]func(*testing.T, string) way{"ssh": sshWay, "smart HTTP": smartHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newCrossing(t, open, "--review", "none")
			m := x.enrol("alpha")
			m.cutCheckpoints(name == "smart HTTP")
			for what, trouble := range map[string]trouble{"arrives": cutAfter, "is lost": cutBefore, "meets status 500": notWorking, "is sent twice": sentTwice} {
				if trouble > cutAfter && name == "ssh" {
					continue
				}
				m.cutLanding("Push that "+what, trouble)
			}
			x.historyIsRecord("main")
			x.noServerErrors()
		})
	}
}

// cutLanding lands something new by a push that meets with trouble: it lands
// once, by the first merge.
func (m *machine) cutLanding(title string, what trouble) {
	m.t.Helper()
	id := m.approved(title, strings.ReplaceAll(title, " ", "-"))
	m.x.way.road.meets(what, false)
	m.done(m.dir, "integrate", string(id))
	m.x.way.road.opens(m.t)
	if d := m.x.taskDetail(id); d.Status != coord.StatusDone || len(d.Landings) != 1 || d.Landings[0].Weak || d.Landings[0].Tries != 1 {
		m.t.Errorf("%s: %s is %s, %+v", title, id, d.Status, d.Landings)
	}
}

// cutCheckpoints saves work over pushes that meet with trouble.
func (m *machine) cutCheckpoints(http bool) {
	m.t.Helper()
	m.done(m.dir, "task", "new", "Save over a bad line")
	at := m.start("pay-1").Worktree.Path
	for _, c := range []struct {
		name   string
		met    trouble
		closed bool
		pushed bool
	}{
		{"the answer is lost", cutAfter, false, true},
		{"the push is lost", cutBefore, false, false},
		{"the answer is lost, and the remote", cutAfter, true, false},
		{"the push is lost, and the remote", cutBefore, true, false},
		{"status 500", notWorking, false, false},
		{"sent twice", sentTwice, false, true},
	} {
		if c.met > cutAfter && !http {
			continue
		}
		m.write(at, "work.txt", c.name+"\n")
		m.x.way.road.meets(c.met, c.closed)
		r := m.runs(at, "checkpoint", "-m", c.name)
		m.x.way.road.opens(m.t)
		if c.pushed {
			if r.status != 0 || !strings.HasSuffix(r.out, "pushed\n") {
				m.t.Errorf("%s: status %d %s%s", c.name, r.status, r.out, r.err)
			}
		} else if said := r.out + r.err; r.status == 0 || !strings.Contains(said, "local only") || !strings.Contains(said, "coord checkpoint") {
			m.t.Errorf("%s: status %d %s", c.name, r.status, said)
		}
		if c.closed && !strings.Contains(r.err, "as far as is known") {
			m.t.Errorf("%s: nobody knows what arrived, and it says %s", c.name, r.err)
		}
		if out := m.done(at, "checkpoint", "-m", c.name); !strings.HasSuffix(out, "pushed\n") {
			m.t.Errorf("%s, again: %s", c.name, out)
		}
		m.x.savedIs(m.snapshotOf(at))
	}
	m.done(at, "release", "-m", "enough")
	m.x.done(m.x.dir, "task", "cancel", "pay-1", "-m", "it was a test of the line")
}

// savedIs proves that the record and the remote have the work of pay-1.
func (x *crossing) savedIs(tree coord.OID) {
	x.t.Helper()
	d := x.taskDetail("pay-1")
	if d.Saved == nil || d.Saved.LocalOnly || d.Saved.Tree != tree {
		x.t.Errorf("saved is %+v, the work is %s", d.Saved, tree)
		return
	}
	if there := x.git(filepath.Join(x.root, "pay.git"), "rev-parse", d.Saved.Ref+"^{tree}"); there != string(tree) {
		x.t.Errorf("the remote has %s, the work is %s", there, tree)
	}
}

// A remote over HTTP that takes no atomic push and hides refs/coord: the
// refusal names the setting that works, and with it work is saved and lands,
// marked as weak.
func TestFault78_WeakRemoteOverHTTP(t *testing.T) {
	x := newCrossing(t, smartHTTP, "--review", "none")
	for _, set := range [][]string{{"receive.advertiseAtomic", "false"}, {"receive.hideRefs", "refs/coord"}} {
		x.git(x.root, append([]string{"--git-dir=pay.git", "config"}, set...)...)
	}
	m := x.enrol("alpha")
	m.done(m.dir, "task", "new", "Land weakly")
	at := m.start("pay-1").Worktree.Path
	m.write(at, "weak.txt", "weak\n")
	r := m.runs(at, "checkpoint", "-m", "hidden")
	if r.status != 6 || !strings.Contains(r.err, `next:  ref_namespace = "refs/heads/coord" in .coord.toml`) {
		t.Errorf("a remote without refs/coord: status %d %s%s", r.status, r.out, r.err)
	}
	m.write(at, configName, "ref_namespace = \"refs/heads/coord\"\n"+m.read(at, configName))
	if out := m.done(at, "checkpoint", "-m", "open"); !strings.HasSuffix(out, "pushed\n") {
		t.Errorf("below refs/heads/coord: %s", out)
	}
	m.done(at, "check")
	m.done(at, "submit", "--all", "-m", "Weak")
	m.write(m.dir, configName, m.read(at, configName))
	out := m.done(m.dir, "integrate")
	if d := x.taskDetail("pay-1"); d.Status != coord.StatusDone || !d.Landings[0].Weak {
		t.Errorf("%s is %s, %+v", d.ID, d.Status, d.Landings)
	}
	if !strings.Contains(out, "\nweak ") {
		t.Errorf("nothing says that it landed in weak mode: %s", out)
	}
	x.historyIsRecord("main")
}
