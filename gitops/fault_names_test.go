package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// hostileNames are short branch names that mean something else to somebody.
var hostileNames = []string{
	"--upload-pack=x", "-x", "-", "--", "a..b", "a.lock", "a.lock/b", "@{u}", "@", "a@{1}", "refs/heads/x", "a\nb", "a\x00b", "a\x1b[31m", "\x7f", "a b", "a~1", "a^", "a:b",
	"a?", "a*", "[a", `a\b`, "/a", "a/", "a//b", ".a", "a/.b", "a.", "HEAD", "a/HEAD", "-d/x", "a/-x", "", strings.Repeat("a", 3000),
}

// A name that is an option, a range, a lock, a pattern or a line of its own
// goes through no door, here or to the remote.
func TestFault80_HostileNamesGoThroughNoDoor(t *testing.T) {
	f := newFixture(t)
	c := f.commit("base", "a", "1")
	bare := f.bareRemote()
	f.run("push", "-q", "origin", "main")
	r, ctx := f.open(), t.Context()
	before := func() string {
		return fmt.Sprint(f.refsOf(f.dir), f.refsOf(bare), f.run("worktree", "list"), f.run("config", "--list"))
	}
	was := before()
	for _, short := range hostileNames {
		for _, name := range []string{"refs/heads/" + short, short} {
			if CheckRefName(name) == nil { // refs/heads/x, where a short name belongs
				continue
			}
			doors := map[string]error{
				"update":   r.UpdateRefs(ctx, []RefUpdate{{name, c, Absent}}),
				"push":     r.Push(ctx, "origin", []RefUpdate{{name, c, Absent}}, true),
				"fetch":    r.Fetch(ctx, "origin", "+"+name+":refs/coord/x"),
				"fetch to": r.Fetch(ctx, "origin", "refs/heads/main:"+name),
			}
			if name != "HEAD" { // which may be observed
				_, doors["observe"] = r.Observe(ctx, "origin", name)
			}
			if short != "" { // which stands for a detached HEAD
				doors["worktree"] = r.AddWorktree(ctx, WorktreeSpec{Path: f.beside("n"), Branch: short, Start: c})
				doors["check out"] = r.AddWorktree(ctx, WorktreeSpec{Path: f.beside("n"), Branch: short})
			}
			for door, err := range doors {
				if coord.CodeOf(err) != coord.CodeBadRequest {
					t.Errorf("%s of %q: %v", door, name, err)
				} else {
					printable(t, err)
				}
			}
		}
		if err := coord.CheckBranch(short); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("the record takes %q as a target: %v", short, err)
		}
	}
	same(t, "references, worktrees and configuration", before(), was)
}

// What is there already under an odd name, made by others, hides nothing and
// runs nothing.
func TestFault80_OddNamesThatAreThere(t *testing.T) {
	f := newFixture(t)
	c := f.commit("base", "a", "1")
	bare := f.bareRemote()
	for _, odd := range []string{"refs/heads/refs/heads/main", "refs/heads/--force", "refs/heads/-x", "refs/tags/main", "refs/heads/heads/main"} {
		for _, dir := range []string{f.dir, bare} {
			p := filepath.Join(dir, ".git", filepath.FromSlash(odd))
			if dir == bare {
				p = filepath.Join(dir, filepath.FromSlash(odd))
			}
			f.writeAt(p, string(c)+"\n")
		}
	}
	if err := os.CopyFS(filepath.Join(bare, "objects"), os.DirFS(f.path(".git/objects"))); err != nil {
		t.Fatal(err)
	}
	next := f.commit("next", "a", "2")
	r := f.open()
	for _, old := range []Expect{Absent, Any, Exactly(next)} {
		err := r.Push(t.Context(), "origin", []RefUpdate{{target, next, old}}, true)
		wantCode(t, err, coord.CodeStateConflict)
		if e := err.(*coord.Error); !strings.Contains(e.Message, "refs/heads/refs/heads/main, which Git takes for") || len(e.Next) == 0 {
			t.Errorf("%q, next %q", e.Message, e.Next)
		}
	}
	same(t, "the look-alike", f.refsOf(bare)["refs/heads/refs/heads/main"], c)
	f.run("push", "-q", "origin", "--delete", "refs/heads/refs/heads/main") // as it says
	if err := r.Push(t.Context(), "origin", []RefUpdate{{target, next, Absent}}, true); err != nil {
		t.Fatal(err)
	}
	same(t, "observed", observed(t, r, target), map[string]OID{target: next})
	same(t, "resolved", must[OID](t)(r.Resolve(t.Context(), target)), next)
	same(t, "head", must[Head](t)(r.Head(t.Context())), Head{Commit: next, Branch: "main"})
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("n"), Branch: "x", Start: next}); err != nil {
		t.Fatal(err)
	}
	same(t, "branch", f.runIn(f.beside("n"), "symbolic-ref", "HEAD"), "refs/heads/x")
}

// Only a full, lower-case name of a commit is set anywhere.
func TestFault85_OnlyCommitsAreSet(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "--object-format="+format)
			c := f.commit("base", "a", "1")
			bare := filepath.Join(filepath.Dir(f.dir), "origin.git")
			f.run("init", "-q", "--bare", "--object-format="+format, bare)
			f.run("remote", "add", "origin", bare)
			f.run("tag", "-a", "-m", "tag", "tag")
			other := OID(strings.Repeat("1", 104-len(c))) // of the other format
			r, ctx := f.open(), t.Context()
			for name, o := range map[string]OID{
				"abbreviated": c[:12], "upper case": OID(strings.ToUpper(string(c))), "short by one": c[:len(c)-1], "long by one": c + "0", "an option": "-" + c[1:],
				"a revision": "HEAD", "with a line": c + "\n", "a blob": OID(f.run("rev-parse", "HEAD:a")), "a tree": OID(f.run("rev-parse", "HEAD^{tree}")),
				"a tag": OID(f.run("rev-parse", "tag")), "missing": OID(strings.Repeat("1", len(c))), "of the other format": other, "zero": OID(strings.Repeat("0", len(c))),
			} {
				tree := OID(f.run("rev-parse", "HEAD^{tree}"))
				_, parentErr := r.CommitTree(ctx, CommitSpec{Tree: tree, Parents: []OID{o}, Message: "m", Author: &alpha, Committer: &alpha})
				_, mergeErr := r.Merge(ctx, MergeSpec{Onto: c, Candidate: o, Message: "m", Author: alpha, Committer: alpha})
				for door, err := range map[string]error{
					"update":   r.UpdateRefs(ctx, []RefUpdate{{"refs/coord/x", o, Absent}}),
					"push":     r.Push(ctx, "origin", []RefUpdate{{"refs/coord/x", o, Absent}}, true),
					"parent":   parentErr,
					"merge":    mergeErr,
					"worktree": r.AddWorktree(ctx, WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: o}),
				} {
					if code := coord.CodeOf(err); code != coord.CodeBadRequest && code != coord.CodeNotFound {
						t.Errorf("%s of %s: %v", door, name, err)
					}
				}
			}
			same(t, "here", f.refsOf(f.dir), map[string]OID{"refs/heads/main": c, "refs/tags/tag": OID(f.run("rev-parse", "tag"))})
			same(t, "there", f.refsOf(bare), map[string]OID{})
			if err := r.Push(ctx, "origin", []RefUpdate{{target, c, Absent}}, true); err != nil {
				t.Error(err)
			}
			same(t, "observed", observed(t, r), map[string]OID{target: c})
			if _, err := os.Stat(f.beside("n")); err == nil {
				t.Error("a worktree was made")
			}
		})
	}
}
