package gitops

import (
	"strings"
	"testing"

	"coord"
)

// by is a merge of the candidate by another strategy.
func by(s coord.Strategy, onto, candidate OID) MergeSpec {
	spec := mergeSpec(onto, candidate)
	spec.Strategy, spec.Trailers = s, "Coord-Task: pay-1"
	return spec
}

// diverged is a target with one commit and a branch of three, which git itself
// rebases without a conflict.
func diverged(f *fixture) (onto, candidate OID) {
	f.commit("base", "a", "1\n2\n3\n4\n5\n", "old", strings.Repeat("line\n", 20), "b", "1\n")
	f.run("checkout", "-q", "-b", "side")
	f.commit("first", "a", "one\n2\n3\n4\n5\n")
	f.run("mv", "old", "new")
	f.commit("second\n\nwith a body")
	candidate = f.commit("third\n\nReviewed: yes", "new", strings.Repeat("line\n", 20)+"more\n")
	f.run("checkout", "-q", "main")
	return f.commit("main", "a", "1\n2\n3\n4\nfive\n", "old", "zero\n"+strings.Repeat("line\n", 20)), candidate
}

func TestSquash(t *testing.T) {
	f := newFixture(t)
	onto, candidate := diverged(f)
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategySquash, onto, candidate)))
	f.run("merge", "-q", "--squash", "side")
	same(t, "tree that git gives", string(got.Tree), f.run("write-tree"))
	same(t, "parents", got.Parents, []OID{onto})
	c := must[Commit](t)(r.ReadCommit(t.Context(), got.Commit))
	same(t, "stored", []any{c.Parents[0], len(c.Parents), c.Tree, c.Message}, []any{onto, 1, got.Tree, "Land pay-1\n\nCoord-Task: pay-1\n"})
	same(t, "again", must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategySquash, onto, candidate))), got)
}

func TestRebase(t *testing.T) {
	f := newFixture(t)
	onto, candidate := diverged(f)
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyRebase, onto, candidate)))
	same(t, "again", must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyRebase, onto, candidate))), got)
	f.run("rebase", "-q", "main", "side")
	mine := must[[]Commit](t)(r.Log(t.Context(), onto, got.Commit, 10))
	gits := must[[]Commit](t)(r.Log(t.Context(), onto, OID(f.run("rev-parse", "side")), 10))
	same(t, "commits", len(mine), len(gits))
	for i := range mine {
		same(t, "tree", mine[i].Tree, gits[i].Tree)
		same(t, "author", mine[i].Author, gits[i].Author)
	}
	same(t, "last", mine[0].Message, "third\n\nReviewed: yes\nCoord-Task: pay-1\n")
	same(t, "middle", mine[1].Message, "second\n\nwith a body\n")
	same(t, "parents", got.Parents, mine[0].Parents)
}

func TestRebaseKeepsWhatIsInPlace(t *testing.T) {
	f := newFixture(t)
	onto := f.commit("base", "a", "1\n")
	f.commit("one", "a", "2\n")
	first := OID(f.run("rev-parse", "HEAD"))
	candidate := f.commit("two", "a", "3\n")
	spec := by(coord.StrategyRebase, onto, candidate)
	got := must[MergeResult](t)(f.open().Merge(t.Context(), spec))
	same(t, "parents", got.Parents, []OID{first})
	spec.Trailers = ""
	got = must[MergeResult](t)(f.open().Merge(t.Context(), spec))
	same(t, "result", got.Commit, candidate)
}

// What the target has already is dropped; if that is all, an empty commit says
// what landed.
func TestRebaseDropsWhatIsThere(t *testing.T) {
	f := newFixture(t)
	onto, candidate := fork(f, []string{"a", "1\n"}, []string{"a", "2\n"}, []string{"a", "2\n"})
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyRebase, onto, candidate)))
	same(t, "parents", got.Parents, []OID{onto})
	same(t, "tree", got.Tree, must[Commit](t)(r.ReadCommit(t.Context(), onto)).Tree)
	same(t, "message", must[Commit](t)(r.ReadCommit(t.Context(), got.Commit)).Message, "Land pay-1\n\nCoord-Task: pay-1\n")
}

// A merge on the branch that settled a conflict in its own way is not lost in
// silence.
func TestI4_RebaseThatWouldLoseAMergeIsNone(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1\n", "b", "1\n")
	f.run("checkout", "-q", "-b", "side")
	f.commit("side", "a", "2\n")
	f.run("checkout", "-q", "-b", "other", string(base))
	f.commit("other", "b", "2\n")
	f.run("checkout", "-q", "side")
	f.run("merge", "-q", "--no-commit", "--no-ff", "other")
	candidate := f.commit("merged, with a change of its own", "c", "3\n")
	f.run("checkout", "-q", "main")
	onto := f.commit("main", "d", "1\n")
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyRebase, onto, candidate)))
	same(t, "commit", got.Commit, "")
	same(t, "says why", strings.Contains(got.NotForward, "another tree"), true)
	squashed := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategySquash, onto, candidate)))
	same(t, "squash", string(must[[]byte](t)(r.ReadFile(t.Context(), squashed.Commit, "c"))), "3\n")
}

func TestRebaseConflicts(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1\n")
	f.run("checkout", "-q", "-b", "side")
	f.commit("there", "a", "2\n")
	candidate := f.commit("and back", "a", "1\n")
	f.run("checkout", "-q", "main")
	onto := f.commit("main", "a", "3\n")
	got := must[MergeResult](t)(f.open().Merge(t.Context(), by(coord.StrategyRebase, onto, candidate)))
	same(t, "conflicts", got.Conflicts, []string{"a"})
	same(t, "commit", got.Commit, "")
}

func TestFastForward(t *testing.T) {
	f := newFixture(t)
	onto := f.commit("a", "x", "1")
	candidate := f.commit("b", "x", "2")
	r := f.open()
	got := must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyFF, onto, candidate)))
	same(t, "result", []any{got.Commit, got.Parents[0]}, []any{candidate, onto})
	aside := OID(f.run("commit-tree", "-p", string(onto), "-m", "aside", string(onto)+"^{tree}"))
	got = must[MergeResult](t)(r.Merge(t.Context(), by(coord.StrategyFF, aside, candidate)))
	same(t, "behind", []any{got.Commit, strings.Contains(got.NotForward, "does not contain")}, []any{OID(""), true})
}

func TestWithTrailers(t *testing.T) {
	for _, c := range [][2]string{
		{"subject", "subject\n\nK: v\n"},
		{"subject\n\nbody", "subject\n\nbody\n\nK: v\n"},
		{"subject\n\nbody\n\nSigned-off-by: alpha <a@example.com>\n", "subject\n\nbody\n\nSigned-off-by: alpha <a@example.com>\nK: v\n"},
		{"Fix: it", "Fix: it\n\nK: v\n"},
		{"subject\n\nsee: this\nand that", "subject\n\nsee: this\nand that\n\nK: v\n"},
	} {
		same(t, c[0], withTrailers(c[0], "K: v"), c[1])
	}
}
