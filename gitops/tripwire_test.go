package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// The tripwires hold what go-git does otherwise than git: the reasons why it
// only reads here. When one fails, a release has mended it: see whether
// docs/decisions/0001-git-engine.md still says the truth, and what may now be
// done in process.

const mended = "go-git has mended this: look at docs/decisions/0001-git-engine.md again"

// tripwire opens the fixture with go-git.
func tripwire(t *testing.T, f *fixture) (*git.Repository, *git.Worktree) {
	t.Helper()
	for _, kv := range f.env { // go-git reads the environment of the process
		if name, value, _ := strings.Cut(kv, "="); name == "HOME" || name == "XDG_CONFIG_HOME" {
			t.Setenv(name, value)
		}
	}
	r := must[*git.Repository](t)(git.PlainOpenWithOptions(f.dir, &git.PlainOpenOptions{EnableDotGitCommonDir: true}))
	return r, must[*git.Worktree](t)(r.Worktree())
}

func TestTripwire_ForcedCheckoutDeletesUntrackedFiles(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.write("untracked", "work")
	_, w := tripwire(t, f)
	if err := w.Checkout(&git.CheckoutOptions{Branch: "refs/heads/main", Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.path("untracked")); err == nil {
		t.Error(mended)
	}
}

// What go-git adds of some shapes is another tree than git's.
func TestTripwire_AddGivesAnotherTree(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(f *fixture)
	}{
		{"info/exclude", func(f *fixture) { f.write(".git/info/exclude", "secret\n"); f.write("secret", "x") }},
		{"excludes of this machine", func(f *fixture) { f.writeAt(filepath.Join(f.home, "git", "ignore"), "*.swp\n"); f.write("x.swp", "x") }},
		{"clean filter", func(f *fixture) {
			f.run("config", "filter.up.clean", "tr a-z A-Z")
			f.write(".gitattributes", "*.up filter=up\n")
			f.write("x.up", "shout")
		}},
		{"text attribute", func(f *fixture) { f.write(".gitattributes", "*.txt text\n"); f.write("n.txt", "a\r\n") }},
		{"working-tree-encoding", func(f *fixture) {
			f.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n")
			f.write("x.u16", "\xff\xfeh\x00i\x00")
		}},
		{"assume unchanged", func(f *fixture) { f.run("update-index", "--assume-unchanged", "a"); f.write("a", "x") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", "a", "1")
			c.make(f)
			want := must[OID](t)(f.open().Snapshot(t.Context()))
			_, w := tripwire(t, f)
			if err := w.AddWithOptions(&git.AddOptions{All: true}); err != nil {
				return // an error is another answer too
			}
			if got, ok := f.byHand("write-tree"); ok && strings.TrimSpace(got) == string(want) {
				t.Error(mended)
			}
		})
	}
}

func TestTripwire_IndexesThatItCannotRead(t *testing.T) {
	for name, do := range map[string]func(f *fixture){
		"split":  func(f *fixture) { f.run("update-index", "--split-index") },
		"sparse": func(f *fixture) { f.run("sparse-checkout", "set", "--cone", "--sparse-index", "one") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base", "one/a", "1", "two/b", "2")
			do(f)
			r, err := git.PlainOpen(f.dir)
			if err != nil {
				return // it does not even open
			}
			if index, err := r.Storer.Index(); err == nil && len(index.Entries) == 2 {
				t.Error(mended)
			}
		})
	}
}

func TestTripwire_LeaseOfAnObjectNameIsNotHonoured(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	c := f.commit("c", "x", "3")
	remote := f.bareRemote()
	f.run("push", "-q", "origin", string(c)+":"+target)
	r, _ := tripwire(t, f)
	err := r.Push(&git.PushOptions{
		RefSpecs:       []config.RefSpec{config.RefSpec("+" + string(b) + ":" + target)},
		ForceWithLease: &git.ForceWithLease{RefName: target, Hash: plumbing.NewHash(string(a))},
	})
	if now := f.runIn(remote, "rev-parse", target); now != string(b) || err != nil {
		t.Errorf("%s: the remote is %s, %v", mended, now, err)
	}
}

func TestTripwire_MergesOnlyByFastForward(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.run("checkout", "-q", "-b", "side")
	side := f.commit("side", "b", "1")
	f.run("checkout", "-q", "main")
	f.commit("main", "c", "1")
	r, _ := tripwire(t, f)
	ref := plumbing.NewHashReference("refs/heads/side", plumbing.NewHash(string(side)))
	if err := r.Merge(*ref, git.MergeOptions{}); err == nil {
		t.Error(mended)
	}
}

// A reference is written although another process holds its lock, and leaves no
// trace in the reflog.
func TestTripwire_SetReferenceIgnoresLocksAndLogs(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	f.commit("b", "x", "2")
	f.write(".git/refs/heads/main.lock", "")
	r, _ := tripwire(t, f)
	err := r.Storer.SetReference(plumbing.NewHashReference(target, plumbing.NewHash(string(a))))
	if now := f.run("rev-parse", target); err != nil || now != string(a) {
		t.Errorf("%s: %s, %v", mended, now, err)
	}
	if f.run("reflog", "-1", "--format=%H", "main") == string(a) {
		t.Error(mended)
	}
}

func TestTripwire_HooksDoNotRun(t *testing.T) {
	f := newFixture(t)
	f.commit("a", "x", "1")
	f.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	chmod(f, ".git/hooks/pre-commit", 0o755)
	if _, err := f.try(f.dir, "commit", "--allow-empty", "-m", "no"); err == nil {
		t.Skip("hooks do not run here at all")
	}
	_, w := tripwire(t, f)
	if _, err := w.Commit("yes", &git.CommitOptions{AllowEmptyCommits: true}); err != nil {
		t.Errorf("%s: %v", mended, err)
	}
}

// A cut-off object name in a reference is taken for another object's: why
// refReader holds references against their files.
func TestTripwire_DamagedReferencesAreRead(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	f.write(".git/refs/heads/short", string(a[:38])+"\n")
	f.write(".git/refs/heads/long", string(a)+"00\n")
	r, _ := tripwire(t, f)
	for _, name := range []plumbing.ReferenceName{"refs/heads/short", "refs/heads/long"} {
		if ref, err := r.Storer.Reference(name); err != nil || ref.Hash().IsZero() {
			t.Errorf("%s: %s gives %v, %v", mended, name, ref, err)
		}
	}
}

func TestTripwire_ObjectsElsewhere(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	clone(f, "--shared")
	f.write(".git/objects/info/alternates", "../../../repo/.git/objects\n")
	f.run("cat-file", "-e", string(a))
	r, _ := tripwire(t, f)
	if _, err := r.CommitObject(plumbing.NewHash(string(a))); err == nil {
		t.Error(mended)
	}
}

func TestTripwire_OtherObjectNames(t *testing.T) {
	f := newFixture(t, "--object-format=sha256")
	a := f.commit("a", "x", "1")
	r, err := git.PlainOpen(f.dir)
	if err != nil {
		return
	}
	if head, err := r.Head(); err == nil && head.Hash().String() == string(a) {
		t.Error(mended)
	}
}

// Shallow commits still name parents that are not there, and a walk fails.
func TestTripwire_ShallowHistoryIsWalkedIntoNothing(t *testing.T) {
	f := newFixture(t)
	f.commit("base")
	history(f, 5)
	clone(f, "--depth=2")
	r, _ := tripwire(t, f)
	log := must[object.CommitIter](t)(r.Log(&git.LogOptions{}))
	n := 0
	if err := log.ForEach(func(*object.Commit) error { n++; return nil }); err == nil && n == 2 {
		t.Error(mended)
	}
}
