package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"coord"
)

// racers is how many push at once, and rounds how often.
func racers() (n, rounds int) {
	if testing.Short() {
		return 4, 1
	}
	return 6, 2
}

const fenceRef = "refs/coord/fence/main"

// regatta is a remote whose target stands at base, and a commit for each of
// those that push. Each opens the repository for itself.
type regatta struct {
	*fixture
	bare string
	base OID
}

func newRegatta(t *testing.T) *regatta {
	t.Helper()
	f := newFixture(t)
	g := &regatta{fixture: f, base: f.commit("base", "x", "1")}
	g.bare = f.bareRemote()
	g.bareFsync()
	return g
}

// bareFsync lets the remote be as quick as the fixture.
func (g *regatta) bareFsync() { g.runIn(g.bare, "config", "core.fsync", "none") }

// child is a commit on the base that no other name gives.
func (g *regatta) child(name string, parents ...OID) OID {
	g.t.Helper()
	if len(parents) == 0 {
		parents = []OID{g.base}
	}
	spec := CommitSpec{Tree: OID(g.run("rev-parse", string(g.base)+"^{tree}")), Parents: parents, Message: name, Author: &alpha, Committer: &alpha}
	return must[OID](g.t)(g.open().CommitTree(g.t.Context(), spec))
}

// set puts the remote where a round begins.
func (g *regatta) set(refs map[string]OID) {
	g.t.Helper()
	for _, name := range []string{target, fenceRef} {
		g.runIn(g.bare, "update-ref", "-d", name)
		if o := refs[name]; o != "" {
			g.run("push", "-q", "origin", string(o)+":"+name)
		}
	}
}

func (g *regatta) refs() map[string]OID { g.t.Helper(); return g.refsOf(g.bare) }

// refsOf are a repository's references, as git itself lists them.
func (f *fixture) refsOf(dir string) map[string]OID {
	f.t.Helper()
	refs := map[string]OID{}
	for l := range strings.Lines(f.runIn(dir, "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, oid, _ := strings.Cut(strings.TrimSpace(l), " ")
		refs[name] = OID(oid)
	}
	return refs
}

// race lets every entry push at once and gives what each was told.
func (g *regatta) race(entries [][]RefUpdate, atomic bool) []error {
	g.t.Helper()
	var ready, done sync.WaitGroup
	errs := make([]error, len(entries))
	start := make(chan struct{})
	for i, updates := range entries {
		r := g.open()
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			errs[i] = r.Push(g.t.Context(), "origin", updates, atomic)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return errs
}

// A lost race is a reference that is not as expected, whoever noticed it: the
// pusher's Git, or the remote's.
func TestRacingPushesHaveOneWinner(t *testing.T) {
	n, rounds := racers()
	for _, c := range []struct {
		name   string
		before OID
		old    func(base OID) Expect
	}{
		{"absent", "", func(OID) Expect { return Absent }},
		{"exactly", "base", Exactly},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newRegatta(t)
			for round := range rounds {
				refs := map[string]OID{}
				if c.before != "" {
					refs[target] = g.base
				}
				g.set(refs)
				var entries [][]RefUpdate
				for i := range n {
					entries = append(entries, []RefUpdate{{target, g.child(fmt.Sprintf("%d.%d", round, i)), c.old(g.base)}})
				}
				errs := g.race(entries, round%2 == 0)
				now := g.refs()[target]
				for i, err := range errs {
					if won := now == entries[i][0].New; won != (err == nil) {
						t.Errorf("%d: the remote has its commit: %v, and it was told %v", i, won, err)
					}
					if err != nil {
						wantCode(t, err, coord.CodeStateConflict)
						printable(t, err)
					}
				}
				if !slices.ContainsFunc(errs, func(err error) bool { return err == nil }) {
					t.Errorf("nobody won; the remote has %s", now)
				}
				same(t, "read back", observed(t, g.open(), target)[target], now)
			}
			g.fsck()
		})
	}
}

// fsck holds both repositories to what git says is sound.
func (g *regatta) fsck() {
	g.t.Helper()
	for _, dir := range []string{g.dir, g.bare} {
		for l := range strings.Lines(g.runIn(dir, "fsck", "--strict", "--no-dangling", "--no-progress")) {
			if !strings.HasPrefix(l, "notice: ") {
				g.t.Errorf("%s: %s", dir, l)
			}
		}
		for _, lock := range locksBelow(g.t, dir) {
			g.t.Errorf("%s is left behind", lock)
		}
	}
}

// locksBelow are Git's lock files below a directory.
func locksBelow(t testing.TB, dir string) (locks []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".lock") && filepath.Base(filepath.Dir(p)) != "coord" {
			locks = append(locks, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return locks
}

// With any, a winner's commit stays in the history, whoever comes after it.
func TestRacingPushesThatTakeWhatThereIs(t *testing.T) {
	n, rounds := racers()
	for _, kind := range []string{"side by side", "in a row"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := newRegatta(t)
			for round := range rounds {
				g.set(map[string]OID{target: g.base})
				var entries [][]RefUpdate
				last := g.base
				for i := range n {
					made := g.child(fmt.Sprintf("%d.%d", round, i), last)
					if kind == "in a row" {
						last = made
					}
					entries = append(entries, []RefUpdate{{target, made, Any}})
				}
				errs := g.race(entries, false)
				now := g.refs()[target]
				if !slices.ContainsFunc(entries, func(e []RefUpdate) bool { return e[0].New == now }) {
					t.Errorf("the remote has %s, which nobody pushed", now)
				}
				for i, err := range errs {
					in := must[bool](t)(g.open().IsAncestor(t.Context(), entries[i][0].New, now))
					if err == nil && !in {
						t.Errorf("%d was told that it was taken, and it was lost", i)
					}
					if err != nil {
						wantCode(t, err, coord.CodeStateConflict)
						if now == entries[i][0].New {
							t.Errorf("%d was told %v, and the remote has its commit", i, err)
						}
					}
				}
			}
			g.fsck()
		})
	}
}

// Target and fence move together or not at all, also while others move the
// fence alone.
func TestRacingPairsMoveTogether(t *testing.T) {
	n, rounds := racers()
	g := newRegatta(t)
	fence := g.child("fence")
	for round := range rounds {
		g.set(map[string]OID{target: g.base, fenceRef: fence})
		var entries [][]RefUpdate
		want := map[string]bool{}
		for i := range n {
			moved := RefUpdate{fenceRef, g.child(fmt.Sprintf("fence %d.%d", round, i)), Exactly(fence)}
			entry, pair := []RefUpdate{moved}, fmt.Sprint(g.base, moved.New)
			if i%2 == 0 {
				to := g.child(fmt.Sprintf("%d.%d", round, i))
				entry, pair = []RefUpdate{{target, to, Exactly(g.base)}, moved}, fmt.Sprint(to, moved.New)
			}
			entries, want[pair] = append(entries, entry), true
		}
		errs := g.race(entries, true)
		now := g.refs()
		if pair := fmt.Sprint(now[target], now[fenceRef]); !want[pair] {
			t.Errorf("one moved without the other: %s", pair)
		}
		for i, err := range errs {
			if won := entries[i][len(entries[i])-1].New == now[fenceRef]; won != (err == nil) {
				t.Errorf("%d: the remote has it: %v, and it was told %v", i, won, err)
			}
			if err != nil {
				wantCode(t, err, coord.CodeStateConflict)
			}
		}
	}
	g.fsck()
}
