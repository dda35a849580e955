package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

// berth is a repository with a linked work tree and a remote, in which there is
// something to do for each command.
type berth struct {
	*fixture
	base, next OID
	here, wt   Repo
	bare       string
}

func newBerth(t *testing.T) *berth {
	t.Helper()
	f := newFixture(t)
	b := &berth{fixture: f, base: f.commit("base", "a", "1")}
	f.git.patience = 50 * time.Millisecond
	b.bare = f.bareRemote()
	f.run("push", "-q", "origin", "main", "main:refs/heads/old", "main:refs/heads/more")
	f.run("branch", "gone")
	f.run("worktree", "add", "-q", "-b", "linked", "../wt")
	f.run("pack-refs", "--all")
	f.runIn(b.bare, "pack-refs", "--all")
	b.next = f.commit("next", "a", "2")
	f.run("push", "-q", "origin", "HEAD:refs/heads/more")
	f.run("update-ref", "refs/remotes/origin/more", string(b.base))
	f.write("a", "3")
	f.writeAt(f.beside("wt/a"), "4")
	b.here, b.wt = f.open(), f.openAt(f.beside("wt"))
	return b
}

// commands are what may meet a lock, by name, each with the locks that stop it.
var commands = []struct {
	name  string
	do    func(ctx context.Context, b *berth) error
	stops []string
}{
	{"read", func(ctx context.Context, b *berth) error {
		_, err := b.here.Status(ctx)
		_, headErr := b.here.Head(ctx)
		_, refsErr := b.here.Refs(ctx, "refs/")
		_, obsErr := b.here.Observe(ctx, "origin")
		_, compErr := b.here.Compare(ctx, b.base, b.next)
		return errors.Join(err, headErr, refsErr, obsErr, compErr)
	}, nil},
	{"snapshot", func(ctx context.Context, b *berth) error {
		_, err := b.here.Snapshot(ctx)
		_, keepErr := b.here.KeepSnapshot(ctx)
		_, linkedErr := b.wt.KeepSnapshot(ctx)
		return errors.Join(err, keepErr, linkedErr)
	}, nil},
	{"checkpoint", func(ctx context.Context, b *berth) error {
		tree, err := b.wt.KeepSnapshot(ctx)
		if err != nil {
			return err
		}
		made, err := b.wt.CommitTree(ctx, CommitSpec{Tree: tree, Parents: []OID{b.base}, Message: "m"})
		if err != nil {
			return err
		}
		return b.wt.UpdateRefs(ctx, []RefUpdate{{"refs/coord/a", made, Absent}})
	}, []string{"repo/.git/refs/coord/a.lock"}},
	{"delete", func(ctx context.Context, b *berth) error {
		return b.here.UpdateRefs(ctx, []RefUpdate{{"refs/heads/gone", "", Exactly(b.base)}})
	}, []string{"repo/.git/refs/heads/gone.lock", "repo/.git/packed-refs.lock"}},
	{"add a worktree", func(ctx context.Context, b *berth) error {
		return b.here.AddWorktree(ctx, WorktreeSpec{Path: b.beside("n"), Branch: "x", Start: b.base})
	}, []string{"repo/.git/refs/heads/x.lock"}},
	{
		"commit", func(ctx context.Context, b *berth) error { _, err := b.here.CommitSnapshot(ctx, "m"); return err },
		[]string{"repo/.git/index.lock", "repo/.git/HEAD.lock", "repo/.git/refs/heads/main.lock"},
	},
	{
		"commit in the worktree", func(ctx context.Context, b *berth) error { _, err := b.wt.CommitSnapshot(ctx, "m"); return err },
		[]string{"repo/.git/worktrees/wt/index.lock", "repo/.git/worktrees/wt/HEAD.lock", "repo/.git/refs/heads/linked.lock"},
	},
	{"fetch", func(ctx context.Context, b *berth) error {
		return b.here.Fetch(ctx, "origin", "+refs/heads/more:refs/remotes/origin/more")
	}, []string{"repo/.git/refs/remotes/origin/more.lock"}},
	{"fetch ours", func(ctx context.Context, b *berth) error {
		return b.here.Fetch(ctx, "origin", "+refs/heads/old:refs/coord/fetched")
	}, []string{"repo/.git/refs/coord/fetched.lock"}},
	{"push", func(ctx context.Context, b *berth) error {
		return b.here.Push(ctx, "origin", []RefUpdate{{target, b.next, Exactly(b.base)}, {fenceRef, b.next, Absent}}, true)
	}, []string{"origin.git/HEAD.lock", "origin.git/refs/heads/main.lock", "origin.git/refs/coord/fence/main.lock"}},
	{"delete there", func(ctx context.Context, b *berth) error {
		return b.here.Push(ctx, "origin", []RefUpdate{{"refs/heads/old", "", Exactly(b.base)}}, false)
	}, []string{"origin.git/refs/heads/old.lock", "origin.git/packed-refs.lock"}},
	{"trash the worktree", func(ctx context.Context, b *berth) error {
		tree, err := b.wt.Snapshot(ctx)
		if err != nil {
			return err
		}
		return b.here.TrashWorktree(ctx, b.beside("wt"), tree, b.beside("trash/wt"))
	}, []string{"repo/.git/worktrees/wt/index.lock", "repo/.git/worktrees/wt/HEAD.lock"}},
}

// everyLock is each lock that stops a command, and some that stop none.
func everyLock() []string {
	locks := slices.Clone(wholeLocks)
	for _, c := range commands {
		locks = append(locks, c.stops...)
	}
	slices.Sort(locks)
	return slices.Compact(locks)
}

// wholeLocks are those that every command is tried under; under the others only
// what they stop is.
var wholeLocks = []string{"repo/.git/index.lock", "repo/.git/HEAD.lock", "repo/.git/packed-refs.lock", "repo/.git/worktrees/wt/index.lock", "repo/.git/config.lock"}

// A lock of another Git command is waited for, named, and left: what it stops
// changes nothing, and works when it is gone. What it does not stop works.
func TestLocksOfOthers(t *testing.T) {
	for _, lock := range everyLock() {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			b := newBerth(t)
			file := b.beside(lock)
			b.writeAt(file, "somebody's")
			for _, c := range commands {
				stops, before := slices.Contains(c.stops, lock), ""
				if !stops && !slices.Contains(wholeLocks, lock) {
					continue
				}
				if stops {
					before = b.state()
				}
				err := c.do(t.Context(), b)
				if text, _ := os.ReadFile(file); string(text) != "somebody's" {
					t.Fatalf("%s took the lock away", c.name)
				}
				if !stops {
					if err != nil {
						t.Errorf("%s: %v", c.name, err)
					}
					continue
				}
				b.refusedFor(c.name, file, err)
				same(t, c.name+" changed", b.state(), before)
				aside := b.beside("lock aside")
				move(t, file, aside)
				if err := c.do(t.Context(), b); err != nil {
					t.Errorf("%s, without the lock: %v", c.name, err)
				}
				if c.name != "trash the worktree" {
					move(t, aside, file)
				}
			}
			b.removeAll(file)
			(&regatta{fixture: b.fixture, bare: b.bare}).fsck()
		})
	}
}

// refusedFor holds a refusal to naming the lock and what to type.
func (b *berth) refusedFor(what, lock string, err error) {
	b.t.Helper()
	var e *coord.Error
	if !errors.As(err, &e) || e.Code != coord.CodeStateConflict {
		b.t.Fatalf("%s: %v", what, err)
	}
	if said := strings.ReplaceAll(e.Message, "/./", "/"); !strings.Contains(filepath.ToSlash(said), filepath.ToSlash(lock)) {
		b.t.Errorf("%s: %q does not name the lock", what, e.Message)
	}
	if !slices.Contains(e.Next, "the same command again") {
		b.t.Errorf("%s: it does not say what to type: %q", what, e.Next)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// state is what a refused command must not change.
func (b *berth) state() string {
	b.t.Helper()
	out := []string{b.run("for-each-ref"), b.run("worktree", "list"), b.runIn(b.bare, "for-each-ref"), b.run("status", "--porcelain"), b.run("rev-parse", "HEAD")}
	if _, err := os.Stat(b.beside("wt")); err == nil {
		out = append(out, b.runIn(b.beside("wt"), "status", "--porcelain", "--branch"))
	}
	return strings.Join(out, "\n--\n")
}

// A lock that goes away in time is only waited for.
func TestLocksAreWaitedFor(t *testing.T) {
	for _, lock := range []string{"refs/coord/x.lock", "index.lock"} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			base := f.commit("base", "a", "1")
			f.write("a", "2")
			file := f.path(".git/" + lock)
			f.writeAt(file, "")
			f.git.patience = time.Minute
			r, done := f.open(), make(chan error, 1)
			go func() {
				_, err := r.CommitSnapshot(t.Context(), "m")
				done <- errors.Join(err, r.UpdateRefs(t.Context(), []RefUpdate{{"refs/coord/x", base, Absent}}))
			}()
			select {
			case err := <-done:
				t.Fatalf("it did not wait: %v", err)
			case <-time.After(100 * time.Millisecond):
			}
			f.removeAll(file)
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
