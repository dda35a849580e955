package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coord"
)

// shHook puts a script for sh into a repository's hooks.
func (f *fixture) shHook(gitDir, name, script string) {
	f.t.Helper()
	if !isUnix {
		f.t.Skip("a hook written for sh")
	}
	p := filepath.Join(gitDir, "hooks", name)
	f.writeAt(p, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(p, 0o777); err != nil {
		f.t.Fatal(err)
	}
}

const rudely = `printf 'no \033]0;owned\007\033[31mred\n' >&2; exit 1`

// refusals are what a remote, or this repository's own hook, says no with.
var refusals = []struct {
	name string
	make func(g *regatta)
	to   func(g *regatta) RefUpdate // one step on main, if nil
	code coord.Code
	says string
}{
	{"pre-receive", func(g *regatta) { g.shHook(g.bare, "pre-receive", rudely) }, nil, coord.CodeRemoteRefused, `no \x1b]0;owned\x07\x1b[31mred`},
	{"update", func(g *regatta) { g.shHook(g.bare, "update", rudely) }, nil, coord.CodeRemoteRefused, `\x1b[31mred`},
	{"reference-transaction", func(g *regatta) { g.shHook(g.bare, "reference-transaction", rudely) }, nil, coord.CodeUnavailable, `\x1b[31mred`},
	{"pre-push", func(g *regatta) { g.shHook(g.path(".git"), "pre-push", rudely) }, nil, coord.CodeRequirement, "nothing was sent"},
	{"pre-push elsewhere", func(g *regatta) {
		g.shHook(g.home, "pre-push", rudely)
		g.run("config", "core.hooksPath", filepath.Join(g.home, "hooks"))
	}, nil, coord.CodeRequirement, "nothing was sent"},
	{"branch that is checked out", func(g *regatta) {
		g.runIn(g.bare, "config", "core.bare", "false")
		g.runIn(g.bare, "config", "receive.denyCurrentBranch", "refuse")
	}, nil, coord.CodeRemoteRefused, "checked out"},
	{"no rewinding, but forwards", func(g *regatta) {
		g.runIn(g.bare, "config", "receive.denyNonFastForwards", "true")
	}, func(g *regatta) RefUpdate {
		return RefUpdate{target, g.child("root", g.child("other")), Exactly(g.base)}
	}, "", ""},
	{"rewinding is refused", func(g *regatta) {
		g.runIn(g.bare, "config", "receive.denyNonFastForwards", "true")
	}, func(g *regatta) RefUpdate { return RefUpdate{target, g.root(), Exactly(g.base)} }, coord.CodeRemoteRefused, "non-fast-forward"},
	{"deleting is refused", func(g *regatta) {
		g.runIn(g.bare, "config", "receive.denyDeletes", "true")
	}, func(g *regatta) RefUpdate { return RefUpdate{target, "", Exactly(g.base)} }, coord.CodeRemoteRefused, "deletion prohibited"},
	{"hidden references", func(g *regatta) {
		g.runIn(g.bare, "config", "receive.hideRefs", "refs/coord")
	}, func(g *regatta) RefUpdate { return RefUpdate{fenceRef, g.base, Absent} }, coord.CodeRemoteRefused, "hidden ref"},
	{"a name that cannot be there", func(g *regatta) {
		g.runIn(g.bare, "update-ref", "refs/coord/fence", string(g.base))
	}, func(g *regatta) RefUpdate { return RefUpdate{fenceRef, g.base, Absent} }, coord.CodeRemoteRefused, "has refs/coord/fence, so there can be no"},
	{"a name that is a directory there", func(g *regatta) {
		g.runIn(g.bare, "update-ref", fenceRef+"/x", string(g.base))
	}, func(g *regatta) RefUpdate { return RefUpdate{fenceRef, g.base, Absent} }, coord.CodeRemoteRefused, "has " + fenceRef + "/x"},
	{"no atomic pushes", func(g *regatta) {
		g.runIn(g.bare, "config", "receive.advertiseAtomic", "false")
	}, nil, coord.CodeUnavailable, "atomic"},
}

// root is a commit without parents.
func (g *regatta) root() OID {
	g.t.Helper()
	return must[OID](g.t)(g.open().CommitTree(g.t.Context(), CommitSpec{Tree: OID(g.run("rev-parse", "HEAD^{tree}")), Message: "root", Author: &alpha, Committer: &alpha}))
}

func TestPushRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newRegatta(t)
			g.set(map[string]OID{target: g.base})
			c.make(g)
			u := RefUpdate{target, g.child("next"), Exactly(g.base)}
			if c.to != nil {
				u = c.to(g)
			}
			before := g.refs()
			err := g.open().Push(t.Context(), "origin", []RefUpdate{u}, true)
			wantCode(t, err, c.code)
			if err == nil {
				same(t, "the remote", g.refs()[u.Name], u.New)
				return
			}
			printable(t, err)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			same(t, "the remote", g.refs(), before)
			g.fsck()
		})
	}
}

// One reference whose answer was lost makes the whole unknown, whatever the
// others were told.
func TestALostAnswerStaysUnknown(t *testing.T) {
	const stale, lost, no, held = "!\ta:refs/heads/a\t[rejected] (stale info)\n", "!\ta:refs/heads/b\t[remote failure] (remote failed to report status)\n",
		"!\ta:refs/heads/c\t[remote rejected] (hook declined)\n", "!\ta:refs/heads/d\t[remote rejected] (failed to update ref)\n"
	for out, code := range map[string]coord.Code{
		stale + lost: coord.CodeUnavailable, lost + no: coord.CodeUnavailable, held + lost: coord.CodeUnavailable, no + stale: coord.CodeRemoteRefused, held + no: coord.CodeRemoteRefused,
	} {
		wantCode(t, pushError("origin", nil, &failure{args: []string{"push"}, status: 1, stdout: []byte(out)}), code)
	}
}

// killer is a hook that kills the remote's process.
const killer = `kill -9 $PPID; exit 1`

// What a remote was killed over is unknown until it is read, and it reads as
// the push did it or did not. Locks that it leaves are named, and are nobody's
// to remove but the remote's.
func TestPushOverAKilledRemote(t *testing.T) {
	for _, c := range []struct {
		name, hook, script string
		arrived            bool
		then               coord.Code // of the same push again
	}{
		{"before", "pre-receive", killer, false, ""},
		{"while it decides", "update", killer, false, ""},
		{"after", "post-receive", killer, true, ""},
		{"while it holds the locks", "reference-transaction", `test "$1" != prepared || ` + killer, false, coord.CodeStateConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newRegatta(t)
			g.set(map[string]OID{target: g.base})
			g.shHook(g.bare, c.hook, c.script)
			to := g.child("next")
			push := func() error {
				return g.open().Push(t.Context(), "origin", []RefUpdate{{target, to, Exactly(g.base)}, {fenceRef, to, Absent}}, true)
			}
			wantCode(t, push(), coord.CodeUnavailable)
			now := observed(t, g.open(), target, fenceRef)
			same(t, "arrived", []bool{now[target] == to, now[fenceRef] == to}, []bool{c.arrived, c.arrived})
			if err := os.Remove(filepath.Join(g.bare, "hooks", c.hook)); err != nil {
				t.Fatal(err)
			}
			err := push()
			wantCode(t, err, c.then)
			if c.then != "" {
				locks := locksBelow(t, g.bare)
				if !slices.ContainsFunc(locks, func(l string) bool { return strings.Contains(err.Error(), filepath.Base(l)) }) {
					t.Errorf("%v does not name one of %q", err, locks)
				}
				for _, l := range locks {
					g.removeAll(l)
				}
				if err := push(); err != nil {
					t.Error(err)
				}
			}
			same(t, "in the end", []OID{g.refs()[target], g.refs()[fenceRef]}, []OID{to, to})
			g.fsck()
		})
	}
}
