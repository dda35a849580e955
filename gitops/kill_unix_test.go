//go:build unix

package gitops

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coord"
)

// doomed runs an operation in a process of its own, whose git kills it.
type doomed struct {
	*fixture
	dir string // of the counts
}

func newDoomed(f *fixture) *doomed {
	f.t.Helper()
	d := &doomed{fixture: f, dir: f.beside("kill")}
	gallows := must[[]byte](f.t)(os.ReadFile(filepath.Join("..", "testdata", "git", "gallows.sh")))
	f.writeAt(filepath.Join(d.dir, "bin", "git"), string(gallows))
	if err := os.Chmod(filepath.Join(d.dir, "bin", "git"), 0o777); err != nil {
		f.t.Fatal(err)
	}
	return d
}

// run runs the operation on the argument until its at-th git, and reports how
// many there were and whether it was killed.
func (d *doomed) run(op, arg string, at int, after bool) (calls int, killed bool) {
	d.t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		d.t.Fatal(err)
	}
	d.writeAt(filepath.Join(d.dir, "count"), "0")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$", "-test.v")
	cmd.Dir = d.fixture.dir
	cmd.Env = append(slices.Clone(d.env), "PATH="+filepath.Join(d.dir, "bin")+":"+os.Getenv("PATH"), "KILL="+d.dir, "KILL_AT="+strconv.Itoa(at),
		"REAL_GIT="+real, "KILL_OPERATION="+op, "KILL_ARGUMENT="+arg)
	if after {
		cmd.Env = append(cmd.Env, "KILL_AFTER=1")
	}
	out, err := cmd.CombinedOutput()
	count, _ := os.ReadFile(filepath.Join(d.dir, "count"))
	calls, _ = strconv.Atoi(strings.TrimSpace(string(count)))
	killed = err != nil && cmd.ProcessState.ExitCode() == -1
	if err != nil && !killed {
		d.t.Fatalf("%s, to be killed at %d, failed: %v\n%s", op, at, err, out)
	}
	return calls, killed
}

// TestKilledChild is the process that is killed.
func TestKilledChild(t *testing.T) {
	op := os.Getenv("KILL_OPERATION")
	if op == "" {
		t.Skip("it is run by the tests that kill it")
	}
	r, err := New(os.Environ()).Open(t.Context(), ".")
	if err == nil {
		err = operations[op].do(t.Context(), r, os.Getenv("KILL_ARGUMENT"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// extent is how far an operation came.
type extent int

const (
	undone extent = iota
	half
	done
)

// extentOf is that of an operation which does two things.
func extentOf(a, b bool) extent {
	switch {
	case a && b:
		return done
	case a || b:
		return half
	}
	return undone
}

// operation is what is killed, on a name of its own each time.
type operation struct {
	prepare func(f *fixture, name string)
	do      func(ctx context.Context, r Repo, name string) error
	// done says how far it came.
	done  func(f *fixture, name string) extent
	halts bool // being half done is one of the things it may be, with nothing lost
	// again are the refusals that the same operation may meet then, with what
	// to type in them.
	again []coord.Code
	moves bool // it changes HEAD and the index, which is what it is for
}

var operations = map[string]operation{
	"update references": {
		do: func(ctx context.Context, r Repo, name string) error {
			head, err := r.Head(ctx)
			if err != nil {
				return err
			}
			return r.UpdateRefs(ctx, []RefUpdate{{"refs/coord/a/" + name, head.Commit, Absent}, {"refs/coord/b/" + name, head.Commit, Absent}})
		},
		done: func(f *fixture, name string) extent {
			refs := f.refsOf(f.dir)
			return extentOf(refs["refs/coord/a/"+name] != "", refs["refs/coord/b/"+name] != "")
		},
		again: []coord.Code{coord.CodeStateConflict},
	},
	"checkpoint": {
		do: func(ctx context.Context, r Repo, name string) error {
			if _, err := r.Snapshot(ctx); err != nil {
				return err
			}
			tree, err := r.KeepSnapshot(ctx)
			if err != nil {
				return err
			}
			made, err := r.CommitTree(ctx, CommitSpec{Tree: tree, Message: name, Author: &alpha, Committer: &alpha})
			if err != nil {
				return err
			}
			if now, err := r.Refs(ctx, "refs/coord/"); err != nil || now["refs/coord/"+name] == made {
				return err
			}
			return r.UpdateRefs(ctx, []RefUpdate{{"refs/coord/" + name, made, Absent}})
		},
		done: func(f *fixture, name string) extent {
			there := f.refsOf(f.dir)["refs/coord/"+name] != ""
			return extentOf(there, there)
		},
	},
	"commit": {
		prepare: func(f *fixture, name string) { f.write("work", name) },
		do: func(ctx context.Context, r Repo, name string) error {
			_, err := r.CommitSnapshot(ctx, name)
			return err
		},
		done: func(f *fixture, name string) extent {
			if f.run("log", "-1", "--format=%s") != name {
				return undone
			}
			// The index follows when it is done again.
			return extentOf(true, f.run("status", "--porcelain") == "")
		},
		halts: true,
		moves: true,
	},
	"push": {
		do: func(ctx context.Context, r Repo, name string) error {
			head, err := r.Head(ctx)
			if err != nil {
				return err
			}
			return r.Push(ctx, "origin", []RefUpdate{{"refs/heads/" + name, head.Commit, Absent}, {"refs/coord/fence/" + name, head.Commit, Absent}}, true)
		},
		done: func(f *fixture, name string) extent {
			refs := f.refsOf(f.beside("origin.git"))
			return extentOf(refs["refs/heads/"+name] != "", refs["refs/coord/fence/"+name] != "")
		},
	},
	"remove": {
		prepare: linkedWith,
		do: func(ctx context.Context, r Repo, name string) error {
			path := r.Info().Root + "-" + name
			return r.RemoveWorktree(ctx, path, snapshotAt(ctx, r, path))
		},
		done: func(f *fixture, name string) extent {
			whole, known := linkedLeft(f, f.dir+"-"+name, name)
			return extentOf(!whole, !known)
		},
		again: []coord.Code{coord.CodeNotFound},
	},
	"trash": {
		prepare: linkedWith,
		do: func(ctx context.Context, r Repo, name string) error {
			path := r.Info().Root + "-" + name
			err := r.TrashWorktree(ctx, path, snapshotAt(ctx, r, path), r.Info().Root+"-trash/"+name)
			if coord.CodeOf(err) == coord.CodeNotFound { // as coord prune does
				return r.ForgetWorktree(ctx, path)
			}
			return err
		},
		done: func(f *fixture, name string) extent {
			here, known := linkedLeft(f, f.dir+"-"+name, name)
			if there, _ := linkedLeft(f, f.dir+"-trash/"+name, name); here == there {
				f.t.Errorf("%s: the work is here: %v, in the trash: %v", name, here, there)
			}
			return extentOf(!here, !known)
		},
		halts: true,
	},
}

// linkedWith makes a linked work tree with work in it.
func linkedWith(f *fixture, name string) {
	f.t.Helper()
	f.run("worktree", "add", "-q", "-b", name, f.dir+"-"+name, "base")
	f.writeAt(f.dir+"-"+name+"/work", "mine")
}

// snapshotAt is a work tree's own snapshot; none when it is gone.
func snapshotAt(ctx context.Context, r Repo, path string) OID {
	there, err := r.(*repo).git.Open(ctx, path)
	if err != nil {
		return ""
	}
	tree, _ := there.Snapshot(ctx)
	return tree
}

// linkedLeft reports whether the work of a linked work tree is whole at a
// place, and whether Git knows it still.
func linkedLeft(f *fixture, path, name string) (whole, known bool) {
	work, _ := os.ReadFile(path + "/work")
	_, err := os.Stat(f.path(".git/worktrees/repo-" + name))
	return string(work) == "mine", err == nil
}

// usersState is everything in a repository that is the user's: files, index,
// HEAD and references, with their times.
func usersState(f *fixture) string {
	f.t.Helper()
	var kept []string
	for l := range strings.SplitSeq(listing(f.t, f.dir), "\n") {
		if !strings.Contains(l, "/objects") && !strings.Contains(l, `/refs/coord`) && !strings.Contains(l, `/refs/remotes`) && !strings.Contains(l, `/.git/worktrees`) &&
			!strings.HasPrefix(l, `"/.git/refs" `) && !strings.HasPrefix(l, `"/.git/packed-refs" `) && !strings.Contains(l, `/refs/heads`) && !strings.Contains(l, "/logs/refs") {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n") + f.run("for-each-ref", "refs/heads", "refs/tags")
}

// Wherever an operation is killed, it is not done or done, nothing of the
// user's is different, and the same operation again does it or says what to type.
func TestKilledAtEveryGit(t *testing.T) {
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("base", "work", "1", ".gitattributes", "* text\n")
			f.run("tag", "base")
			f.bareRemote()
			f.write("staged", "1")
			f.run("add", "staged")
			f.write("work", "2")
			d := newDoomed(f)
			for at, killed := 1, true; killed; at++ {
				step := fmt.Sprintf("k%d", at)
				if op.prepare != nil {
					op.prepare(f, step)
				}
				before := usersState(f)
				var calls int
				if calls, killed = d.run(name, step, at, false); killed {
					d.checkLeft(op, step, before)
					continue
				}
				if at < 3 {
					t.Fatal("nothing was killed")
				}
				last := step + "last"
				if op.prepare != nil {
					op.prepare(f, last)
				}
				before = usersState(f)
				if _, killed := d.run(name, last, calls, true); !killed {
					t.Fatal("it was not killed at its end")
				}
				d.checkLeft(op, last, before)
			}
			(&regatta{fixture: f, bare: f.beside("origin.git")}).fsck()
		})
	}
}

// A push may be cut while the remote works on it, with all that runs here.
func TestKilledDuringAPush(t *testing.T) {
	for hook, want := range map[string]extent{"pre-receive": undone, "update": undone, "post-receive": done} {
		t.Run(hook, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("base", "a", "1")
			bare := f.bareRemote()
			f.run("push", "-q", "origin", "main")
			f.write("a", "2")
			d := newDoomed(f)
			f.shHook(bare, hook, `kill -9 $(cat '`+d.dir+`/parent'); kill -9 -$(cat '`+d.dir+`/group') 0`)
			before := usersState(f)
			if _, killed := d.run("push", "x", 0, false); !killed {
				t.Fatal("it was not killed")
			}
			op := operations["push"]
			for range 100 { // the remote may end a little after
				if op.done(f, "x") == want {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if came := op.done(f, "x"); came != want {
				t.Errorf("it came to %d, want %d", came, want)
			}
			f.removeAll(filepath.Join(bare, "hooks", hook))
			d.checkLeft(op, "x", before)
			(&regatta{fixture: f, bare: bare}).fsck()
		})
	}
}

// checkLeft holds what a killed operation left against the promise, and does it again.
func (d *doomed) checkLeft(op operation, name, before string) {
	d.t.Helper()
	if !op.moves {
		if after := usersState(d.fixture); after != before {
			d.t.Errorf("%s: the user's has changed:\n%s", name, diffLines(before, after))
		}
	}
	came := op.done(d.fixture, name)
	if came == half && !op.halts {
		d.t.Errorf("%s: it is half done", name)
	}
	err := op.do(d.t.Context(), d.open(), name)
	if err != nil && (came == undone || !slices.Contains(op.again, coord.CodeOf(err))) {
		d.t.Errorf("%s, again: %v", name, err)
	}
	if op.done(d.fixture, name) != done {
		d.t.Errorf("%s, again: it is not done", name)
	}
}
