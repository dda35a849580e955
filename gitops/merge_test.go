package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// fork makes two branches from one commit.
func fork(f *fixture, base, ours, theirs []string) (onto, candidate OID) {
	f.commit("base", base...)
	f.run("checkout", "-q", "-b", "side")
	candidate = f.commit("side", theirs...)
	f.run("checkout", "-q", "main")
	return f.commit("main", ours...), candidate
}

func mergeSpec(onto, candidate OID) MergeSpec {
	return MergeSpec{Onto: onto, Candidate: candidate, Message: "Land pay-1\n", Author: alpha, Committer: alpha}
}

func TestMerge(t *testing.T) {
	f := newFixture(t)
	onto, _ := fork(f, []string{"a", "1\n", "b", "1\n", "old", "1\n2\n3\n4\n5\n"},
		[]string{"a", "2\n", "old", "1\n2\n3\n4\nfive\n"}, []string{"b", "2\n"})
	f.run("checkout", "-q", "side")
	f.run("mv", "old", "new")
	candidate := f.commit("renamed")
	f.run("checkout", "-q", "main")
	r := f.open()
	f.write("a", "dirty")
	before := listing(t, f.dir)
	got := must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, candidate)))
	for _, l := range strings.Split(diffLines(before, listing(t, f.dir)), "\n") {
		if l != "" && !strings.Contains(l, "/.git/objects") {
			t.Errorf("the merge changed %s", l)
		}
	}
	c := must[Commit](t)(r.ReadCommit(t.Context(), got.Commit))
	same(t, "parents", c.Parents, []OID{onto, candidate})
	same(t, "tree", c.Tree, got.Tree)
	same(t, "a", string(must[[]byte](t)(r.ReadFile(t.Context(), got.Commit, "a"))), "2\n")
	same(t, "b", string(must[[]byte](t)(r.ReadFile(t.Context(), got.Commit, "b"))), "2\n")
	same(t, "follows the rename", string(must[[]byte](t)(r.ReadFile(t.Context(), got.Commit, "new"))), "1\n2\n3\n4\nfive\n")
	f.global("merge.renames", "false")
	f.global("user.name", "Someone")
	same(t, "again", must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, candidate))), got)
	bare := f.beside("bare.git")
	f.run("clone", "-q", "--bare", f.dir, bare)
	same(t, "in a bare clone", must[MergeResult](t)(f.openAt(bare).Merge(t.Context(), mergeSpec(onto, candidate))), got)
}

func TestMergeFastForwardIsStillAMerge(t *testing.T) {
	f := newFixture(t)
	onto := f.commit("a", "x", "1")
	candidate := f.commit("b", "x", "2")
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, candidate)))
	same(t, "parents", must[Commit](t)(r.ReadCommit(t.Context(), got.Commit)).Parents, []OID{onto, candidate})
	back := must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(candidate, onto)))
	same(t, "contained", []any{back.AlreadyContained, back.Commit}, []any{true, candidate})
	same(t, "same", must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, onto))).AlreadyContained, true)
}

func TestMergeConflicts(t *testing.T) {
	f := newFixture(t)
	onto, candidate := fork(f, []string{"a", "1\n", "dir/odd\nname", "1\n", "fine", "1\n"},
		[]string{"a", "2\n", "dir/odd\nname", "2\n"}, []string{"a", "3\n", "dir/odd\nname", "3\n", "fine", "2\n"})
	got := must[MergeResult](t)(f.open().Merge(t.Context(), mergeSpec(onto, candidate)))
	same(t, "conflicts", strings.Join(got.Conflicts, "|"), "a|dir/odd\nname")
	same(t, "commit", got.Commit+got.Tree, "")
}

func TestMergeRefuses(t *testing.T) {
	f := newFixture(t)
	onto := f.commit("a", "x", "1")
	f.run("checkout", "-q", "--orphan", "other")
	other := f.commit("b", "y", "1")
	r := f.open()
	for _, c := range []struct {
		spec MergeSpec
		code coord.Code
	}{
		{mergeSpec(onto, other), coord.CodeMergeConflict},
		{mergeSpec(onto, OID(strings.Repeat("1", 40))), coord.CodeNotFound},
		{mergeSpec(OID(f.run("rev-parse", "HEAD^{tree}")), onto), coord.CodeNotFound},
		{mergeSpec("main", onto), coord.CodeBadRequest},
		{MergeSpec{Onto: onto, Candidate: other, Message: "m"}, coord.CodeBadRequest},
	} {
		got, err := r.Merge(t.Context(), c.spec)
		wantCode(t, err, c.code)
		same(t, "result", got, MergeResult{})
	}
}

// An exit status of 1 without a tree is not a conflict.
func TestMergeErrorIsNoConflict(t *testing.T) {
	for _, out := range []string{"", "\x00", "not a tree\x00path\x00", strings.Repeat("a", 40) + "\x00"} {
		got, err := mergeConflicts(&failure{args: []string{"merge-tree"}, status: 1, stdout: []byte(out)})
		wantCode(t, err, coord.CodeInternal)
		same(t, "conflicts", len(got), 0)
	}
}

// The target decides how its files merge; neither the candidate, nor what is
// checked out here, nor the user's own attributes do.
func TestMergeDriversAreTheTargets(t *testing.T) {
	f := newFixture(t)
	f.write("../home/attributes", "list merge=union\n")
	f.global("core.attributesFile", filepath.Join(f.home, "attributes"))
	onto, candidate := fork(f, []string{"list", "1\n"}, []string{"list", "1\n2\n"}, []string{"list", "1\n3\n", ".gitattributes", "list merge=union\n"})
	r := f.open()
	f.write(".gitattributes", "list merge=union\n")
	f.run("add", ".gitattributes")
	got := must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, candidate)))
	same(t, "without the target's consent", got.Conflicts, []string{"list"})
	onto = f.commit("attributes") // what was staged above
	if err := os.Remove(f.path(".gitattributes")); err != nil {
		t.Fatal(err)
	}
	f.run("rm", "-q", "--cached", ".gitattributes")
	got = must[MergeResult](t)(r.Merge(t.Context(), mergeSpec(onto, candidate)))
	same(t, "union", string(must[[]byte](t)(r.ReadFile(t.Context(), got.Commit, "list"))), "1\n2\n3\n")
}

func TestCompareLogAndDiff(t *testing.T) {
	f := newFixture(t)
	onto, candidate := fork(f, []string{"a", "1\n"}, []string{"a", "2\n"}, []string{"b", "1\n"})
	candidate2 := OID(f.run("commit-tree", "-p", string(candidate), "-m", "more", string(candidate)+"^{tree}"))
	r := f.open()
	base := OID(f.run("merge-base", "main", "side"))
	same(t, "comparison", must[Comparison](t)(r.Compare(t.Context(), candidate2, onto)), Comparison{Ahead: 2, Behind: 1, MergeBase: base})
	same(t, "ancestor", must[bool](t)(r.IsAncestor(t.Context(), base, onto)), true)
	same(t, "self", must[bool](t)(r.IsAncestor(t.Context(), onto, onto)), true)
	same(t, "not ancestor", must[bool](t)(r.IsAncestor(t.Context(), candidate, onto)), false)
	_, err := r.IsAncestor(t.Context(), OID(strings.Repeat("1", 40)), onto)
	wantCode(t, err, coord.CodeNotFound)
	var names []OID
	for _, c := range must[[]Commit](t)(r.Log(t.Context(), onto, candidate2, 10)) {
		names = append(names, c.OID)
	}
	same(t, "log", names, []OID{candidate2, candidate})
	same(t, "limit", len(must[[]Commit](t)(r.Log(t.Context(), "", candidate2, 2))), 2)
	same(t, "empty", len(must[[]Commit](t)(r.Log(t.Context(), candidate2, candidate, 2))), 0)
	root := OID(f.run("commit-tree", "-m", "root", string(onto)+"^{tree}"))
	same(t, "unrelated", must[Comparison](t)(r.Compare(t.Context(), root, onto)), Comparison{Ahead: 1, Behind: 2})
}
