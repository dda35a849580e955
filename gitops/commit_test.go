package gitops

import (
	"os"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestCommitTreeIsDeterministic(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "x", "x")
	r := f.open()
	tree := OID(f.run("rev-parse", "HEAD^{tree}"))
	spec := CommitSpec{Tree: tree, Parents: []OID{base}, Message: "grüße\n\n# not a comment\n", Author: &alpha, Committer: &alpha}
	first := must[OID](t)(r.CommitTree(t.Context(), spec))
	f.global("i18n.commitEncoding", "latin1")
	same(t, "second", must[OID](t)(r.CommitTree(t.Context(), spec)), first)
	c := must[Commit](t)(r.ReadCommit(t.Context(), first))
	same(t, "author", c.Author.When.Format(time.RFC3339), alpha.When.Format(time.RFC3339))
	same(t, "message", c.Message, spec.Message)
	same(t, "branch", f.run("rev-parse", "main"), base)
}

func TestCommitTreeRefuses(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "x", "x")
	tree := OID(f.run("rev-parse", "HEAD^{tree}"))
	r := f.open()
	bad := Signature{Name: "A <x>", When: alpha.When}
	for _, c := range []struct {
		name string
		spec CommitSpec
		code coord.Code
	}{
		{"no message", CommitSpec{Tree: tree}, coord.CodeBadRequest},
		{"no tree", CommitSpec{Message: "m"}, coord.CodeBadRequest},
		{"abbreviated parent", CommitSpec{Tree: tree, Parents: []OID{base[:8]}, Message: "m"}, coord.CodeBadRequest},
		{"missing tree", CommitSpec{Tree: OID(strings.Repeat("1", 40)), Message: "m"}, coord.CodeNotFound},
		{"bad identity", CommitSpec{Tree: tree, Message: "m", Author: &bad}, coord.CodeBadRequest},
		{"no date", CommitSpec{Tree: tree, Message: "m", Author: &Signature{Name: "A"}}, coord.CodeBadRequest},
	} {
		_, err := r.CommitTree(t.Context(), c.spec)
		if coord.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestCommitWithoutIdentity(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "x", "x")
	f.run("config", "--global", "--unset", "user.email")
	f.global("user.useConfigOnly", "true")
	f.write("x", "y")
	_, err := f.open().CommitSnapshot(t.Context(), "m")
	wantCode(t, err, coord.CodeSetup)
	if next := err.(*coord.Error).Next; len(next) == 0 || !strings.Contains(next[0], "config user.email") {
		t.Errorf("next is %q", next)
	}
	same(t, "branch", f.run("rev-parse", "main"), base)
	if _, err := os.Stat(f.path(".git/index.lock")); err == nil {
		t.Error("the index stays locked")
	}
}

func TestCommitSnapshot(t *testing.T) {
	f := newFixture(t)
	r := f.open()
	f.write("a", "1")
	f.write(".gitignore", "*.log\n")
	f.write("x.log", "ignored")
	first := must[OID](t)(r.CommitSnapshot(t.Context(), "first"))
	same(t, "unborn branch", f.run("rev-parse", "main"), first)
	f.write("a", "2")
	f.write("new file", "1")
	f.write("staged", "1")
	f.run("add", "staged")
	f.write("staged", "2")
	before := listing(t, f.dir)
	tree := must[OID](t)(r.Snapshot(t.Context()))
	made := must[OID](t)(r.CommitSnapshot(t.Context(), "second\n\nbody"))
	for _, l := range strings.Split(diffLines(before, listing(t, f.dir)), "\n") {
		if !strings.Contains(l, "/.git/") {
			t.Errorf("a file changed: %s", l)
		}
	}
	c := must[Commit](t)(r.ReadCommit(t.Context(), made))
	same(t, "tree", c.Tree, tree)
	same(t, "parents", c.Parents, []OID{first})
	same(t, "status", f.run("status", "--porcelain"), "")
	same(t, "index", f.run("write-tree"), tree)
	same(t, "reflog", f.run("reflog", "-1", "--format=%gs", "HEAD"), "commit: second")
	same(t, "nothing to commit", must[OID](t)(r.CommitSnapshot(t.Context(), "third")), made)
	f.run("fsck", "--strict")
}

// A change that comes right after the snapshot and leaves no mark but in the
// file's content must not be hidden by the new index.
func TestCommitSnapshotKeepsTheIndexHonest(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.write("a", "2")
	st, err := os.Stat(f.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	must[OID](t)(f.open().CommitSnapshot(t.Context(), "second"))
	f.write("a", "3")
	if err := os.Chtimes(f.path("a"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	if f.run("status", "--porcelain") == "" {
		t.Error("the index calls a changed file clean")
	}
}

// What a killed command of ours left stands in nobody's way.
func TestCommitSnapshotAfterAKill(t *testing.T) {
	for _, c := range []struct {
		name string
		left func(f *fixture)
	}{
		{"before the commit", func(f *fixture) { f.write(".git/index.lock", lockMark) }},
		{"before the index", func(f *fixture) {
			f.write(".git/index.lock", lockMark)
			if err := copyIndex(f.beside("index"), f.path(".git/index")); err != nil { // with its time
				f.t.Fatal(err)
			}
		}},
		{"after the index", func(f *fixture) { f.write(".git/index.lock", lockMark) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("base", "a", "1")
			if err := copyIndex(f.path(".git/index"), f.beside("index")); err != nil {
				t.Fatal(err)
			}
			f.write("a", "2")
			if c.name != "before the commit" {
				f.run("commit", "-qam", "m")
			}
			c.left(f)
			made := must[OID](t)(f.open().CommitSnapshot(t.Context(), "m"))
			same(t, "the branch", f.run("rev-parse", "main"), made)
			same(t, "the file", f.run("show", "main:a"), "2")
			same(t, "commits", f.run("rev-list", "--count", "main"), "2")
			same(t, "the status", f.run("status", "--porcelain"), "")
		})
	}
}

func TestCommitSnapshotRefuses(t *testing.T) {
	for _, c := range []struct {
		name, says string
		make       func(f *fixture)
	}{
		{"detached", "detached", func(f *fixture) { f.run("checkout", "-q", "--detach") }},
		{"merge", "merge", conflict},
		{"unmerged without a merge", "conflicts", func(f *fixture) { conflict(f); f.remove(".git/MERGE_HEAD") }},
		{"rebase", "rebase", func(f *fixture) { f.write(".git/rebase-merge/head-name", "x") }},
		{"index locked", "index.lock", func(f *fixture) { f.write(".git/index.lock", "") }},
		{"branch locked", "main.lock", func(f *fixture) { f.write(".git/refs/heads/main.lock", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("base", "a.txt", "hello\n")
			c.make(f)
			f.write("a.txt", "work")
			head, before := f.run("rev-parse", "HEAD"), listing(t, f.path(".git"))
			_, err := f.open().CommitSnapshot(t.Context(), "m")
			wantCode(t, err, coord.CodeStateConflict)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			same(t, "HEAD", f.run("rev-parse", "HEAD"), head)
			for _, l := range strings.Split(diffLines(before, listing(t, f.path(".git"))), "\n") {
				if l != "" && !strings.Contains(l, "/objects/") {
					t.Errorf("something changed: %s", l)
				}
			}
		})
	}
}

func TestUpdateRefs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	r := f.open()
	set := func(u ...RefUpdate) error { return r.UpdateRefs(t.Context(), u) }
	if err := set(RefUpdate{"refs/coord/x", a, Absent}, RefUpdate{"refs/coord/y", b, Absent}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, set(RefUpdate{"refs/coord/x", b, Absent}), coord.CodeStateConflict)
	wantCode(t, set(RefUpdate{"refs/coord/x", b, Exactly(a)}, RefUpdate{"refs/coord/y", a, Exactly(a)}), coord.CodeStateConflict)
	same(t, "all or none", must[map[string]OID](t)(r.Refs(t.Context(), "refs/coord/")), map[string]OID{"refs/coord/x": a, "refs/coord/y": b})
	if err := set(RefUpdate{"refs/coord/x", b, Exactly(a)}, RefUpdate{"refs/coord/y", "", Exactly(b)}, RefUpdate{"refs/coord/z", a, Absent}); err != nil {
		t.Fatal(err)
	}
	same(t, "after", must[map[string]OID](t)(r.Refs(t.Context(), "refs/coord/")), map[string]OID{"refs/coord/x": b, "refs/coord/z": a})
	for _, u := range []RefUpdate{
		{"refs/coord/x", a, Expect{}},
		{"refs/coord/x", a, Exactly("")},
		{"refs/coord/x", a[:9], Absent},
		{"coord/x", a, Absent},
		{"refs/coord/a\nb", a, Absent},
		{"refs/coord/n", "", Absent},
		{"refs/coord/n", a, Exactly(OID(strings.Repeat("0", 40)))},
	} {
		wantCode(t, set(u), coord.CodeBadRequest)
	}
	f.write(".git/refs/coord/x.lock", "")
	err := set(RefUpdate{"refs/coord/x", a, Exactly(b)})
	wantCode(t, err, coord.CodeStateConflict)
	if !strings.Contains(err.Error(), "x.lock") {
		t.Errorf("%q does not name the lock", err)
	}
}
