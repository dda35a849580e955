package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

// A bare repository among the files of a commit is files: nothing is read from
// its configuration, by whoever steps into it.
func TestFault83_ABareRepositoryAmongTheFiles(t *testing.T) {
	h := newHostile(t)
	const at = "vendor/evil.git/"
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/keep": "", "refs/keep": "",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = " + h.path("trap") + "\n\tsshCommand = " + h.path("trap") + "\n\tworktree = ../..\n",
	} {
		h.write(at+name, text)
	}
	h.run("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "add", "-A")
	h.run("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "evil")
	h.removeAll(h.mark)
	_, err := h.git.Open(t.Context(), h.path("vendor/evil.git"))
	wantCode(t, err, coord.CodeSetup)
	same(t, "the directory around it", h.openAt(h.path("vendor")).Info().GitDir, h.open().Info().GitDir)
	r := h.open()
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	same(t, "a file", string(must[[]byte](t)(r.ReadFile(t.Context(), tree, at+"HEAD"))), "ref: refs/heads/main\n")
	wt := h.beside("wt")
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: wt, Branch: "b", Start: must[Head](t)(r.Head(t.Context())).Commit}); err != nil {
		t.Fatal(err)
	}
	_, err = h.git.Open(t.Context(), filepath.Join(wt, "vendor", "evil.git"))
	wantCode(t, err, coord.CodeSetup)
	h.ranNothing(t)
}

// Another's files are trusted when this machine's own configuration says so,
// and never because theirs does.
func TestFault83_ForeignOwnersAreTrustedByOurConfigurationOnly(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	f.run("worktree", "add", "-q", "../wt")
	f.run("config", "safe.directory", "*")
	for _, foreign := range []string{f.path(".git"), f.dir, f.beside("wt")} {
		if os.Getuid() != 0 || os.Chown(foreign, 4711, -1) != nil {
			t.Skip("files cannot be given away here")
		}
		opened := f.dir
		if foreign == f.beside("wt") {
			opened = foreign
		}
		_, err := f.git.Open(t.Context(), opened)
		wantCode(t, err, coord.CodeSetup)
		printable(t, err)
		f.runIn(f.home, "config", "--global", "safe.directory", opened)
		if _, err := f.git.Open(t.Context(), opened); err != nil {
			t.Errorf("%s is trusted by us: %v", foreign, err)
		}
		f.runIn(f.home, "config", "--global", "--unset-all", "safe.directory")
		if err := os.Chown(foreign, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// What a tree holds is the same wherever it is laid, is never followed, and is
// taken away without touching what it points to.
func TestFault84_WhatATreeHolds(t *testing.T) {
	if !isUnix {
		t.Skip("Windows has no such names")
	}
	f := newFixture(t)
	outside := f.beside("outside")
	f.writeAt(outside+"/precious", "theirs")
	f.writeAt(f.beside("library/x"), "x")
	f.runIn(f.beside("library"), "init", "-q")
	f.runIn(f.beside("library"), "add", "-A")
	f.runIn(f.beside("library"), "commit", "-q", "-m", "library")
	f.run("submodule", "--quiet", "add", f.beside("library"), "sub")
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	f.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	f.write("big.bin", pointer)
	symlink(f, "/etc/passwd", "passwd")
	symlink(f, outside, "way out")
	const name = "\x1b]0;owned\x07\x1b[2J"
	c := f.commit("odd", name, "x", name+"2/\n", "y")
	r := f.open()
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	same(t, "the tree", tree, f.run("rev-parse", "HEAD^{tree}"))
	wt := f.beside("wt")
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: wt, Branch: "b", Start: c}); err != nil {
		t.Fatal(err)
	}
	w := f.openAt(wt)
	same(t, "the tree elsewhere", must[OID](t)(w.Snapshot(t.Context())), tree)
	same(t, "the pointer", string(must[[]byte](t)(os.ReadFile(filepath.Join(wt, "big.bin")))), pointer)
	same(t, "a file as it is stored", string(must[[]byte](t)(w.ReadFile(t.Context(), c, "way out"))), outside)
	if _, err := w.ReadFile(t.Context(), c, "way out/precious"); coord.CodeOf(err) != coord.CodeNotFound {
		t.Errorf("a link is followed: %v", err)
	}
	same(t, "status", must[[]Change](t)(w.Status(t.Context())), []Change{})
	f.writeAt(filepath.Join(wt, name), "changed")
	err := r.RemoveWorktree(t.Context(), wt, "")
	wantCode(t, err, coord.CodeRequirement)
	printable(t, err)
	if err := r.RemoveWorktree(t.Context(), wt, must[OID](t)(w.Snapshot(t.Context()))); err != nil {
		t.Fatal(err)
	}
	same(t, "what the link points to", string(must[[]byte](t)(os.ReadFile(outside+"/precious"))), "theirs")
}

// What the commit needs must be here and whole, however deep it lies: the
// refusal says so, and the remote gets nothing.
func TestFault86_APushOfWhatIsNotWhole(t *testing.T) {
	for _, what := range []string{"HEAD:deep/file", "HEAD:deep", "HEAD^{tree}", "HEAD~1", "HEAD~1:deep/file", "HEAD"} {
		for name, damage := range map[string]func(f *fixture, file string){
			"missing": func(f *fixture, file string) { f.removeAll(file) },
			"cut off": func(f *fixture, file string) { f.overwrite(file, "x\x9cK") },
		} {
			t.Run(what+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				f.commit("one", "deep/file", "1")
				c := f.commit("two", "deep/file", "2", "other", "2")
				bare := f.bareRemote()
				o := f.run("rev-parse", what)
				damage(f, filepath.Join(f.path(".git/objects"), o[:2], o[2:]))
				err := f.open().Push(t.Context(), "origin", []RefUpdate{{target, c, Absent}, {fenceRef, c, Absent}}, true)
				if code := coord.CodeOf(err); code != coord.CodeNotFound && code != coord.CodeSetup {
					t.Errorf("%s: %v", code, err)
				}
				if !strings.Contains(err.Error(), o) {
					t.Errorf("%q does not name %s", err, o)
				}
				printable(t, err)
				same(t, "there", f.refsOf(bare), map[string]OID{})
			})
		}
	}
}

// Dates prove nothing: histories are read by parents, and what coord makes has
// the dates of the record.
func TestFault87_OddDates(t *testing.T) {
	f := newFixture(t)
	tree := func() string { f.run("add", "-A"); return f.run("write-tree") }
	raw := func(date string, parents ...OID) OID {
		text := "tree " + tree() + "\n"
		for _, p := range parents {
			text += "parent " + string(p) + "\n"
		}
		f.writeAt(f.beside("raw"), text+"author A <a@example.org> "+date+"\ncommitter A <a@example.org> "+date+"\n\n"+date+"\n")
		return OID(f.run("hash-object", "-t", "commit", "-w", "--literally", f.beside("raw")))
	}
	f.write("a", "1")
	for _, dates := range [][4]string{
		{"4102444800 +0000", "0 +0000", "1 -1400", "2147483648 +1400"},                // each before its parent
		{"253402300799 +0000", "253402300799 +0000", "0 +0000", "1700000000 +0545"},   // the year 9999
		{"18446744073709551615 +0000", "99999999999999999999 +9999", "-1 +0000", "x"}, // none at all
	} {
		t.Run(dates[0]+" "+dates[1], func(t *testing.T) {
			base := raw(dates[0])
			f.write("b", "1")
			onto := raw(dates[1], base)
			f.remove("b")
			f.write("c", "1")
			candidate := raw(dates[2], raw(dates[3], base))
			f.remove("c")
			for engine, r := range engines(f) {
				for i, o := range []OID{base, onto, candidate} {
					c, err := r.ReadCommit(t.Context(), o)
					if err != nil {
						t.Errorf("%s: %d: %v", engine, i, err)
					}
					same(t, engine+": tree", c.Tree, f.run("rev-parse", string(o)+"^{tree}"))
				}
				same(t, engine+": ancestor", must[bool](t)(r.IsAncestor(t.Context(), base, candidate)), true)
				same(t, engine+": no ancestor", must[bool](t)(r.IsAncestor(t.Context(), onto, candidate)), false)
				same(t, engine+": log", len(must[[]Commit](t)(r.Log(t.Context(), base, candidate, 9))), 2)
				cmp := must[Comparison](t)(r.Compare(t.Context(), onto, candidate))
				same(t, engine+": merge base", cmp.MergeBase, base)
				made := must[MergeResult](t)(r.Merge(t.Context(), MergeSpec{Onto: onto, Candidate: candidate, Message: "m", Author: alpha, Committer: alpha}))
				same(t, engine+": conflicts", len(made.Conflicts), 0)
				merged := must[Commit](t)(r.ReadCommit(t.Context(), made.Commit))
				same(t, engine+": date", merged.Committer.When.Format(time.RFC3339), alpha.When.Format(time.RFC3339))
				again := must[MergeResult](t)(r.Merge(t.Context(), MergeSpec{Onto: onto, Candidate: candidate, Message: "m", Author: alpha, Committer: alpha}))
				same(t, engine+": the same commit", again.Commit, made.Commit)
			}
		})
	}
}
