package gitops

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"coord"
)

func TestHead(t *testing.T) {
	f := newFixture(t)
	r := f.open()
	same(t, "unborn", must[Head](t)(r.Head(t.Context())), Head{Branch: "main", Unborn: true})
	c := f.commit("base", "x", "x")
	f.run("checkout", "-q", "-b", "coord/pay-1")
	same(t, "branch", must[Head](t)(r.Head(t.Context())), Head{Branch: "coord/pay-1", Commit: c})
	f.run("checkout", "-q", "--detach")
	same(t, "detached", must[Head](t)(r.Head(t.Context())), Head{Detached: true, Commit: c})
}

func TestResolve(t *testing.T) {
	f := newFixture(t)
	c := f.commit("base", "x", "x")
	f.run("tag", "-a", "-m", "tag", "v1")
	r := f.open()
	for _, rev := range []string{"HEAD", "main", "refs/heads/main", "v1", string(c), string(c[:8])} {
		same(t, rev, must[OID](t)(r.Resolve(t.Context(), rev)), c)
	}
	for rev, code := range map[string]coord.Code{
		"": coord.CodeBadRequest, "--all": coord.CodeBadRequest, "-n1": coord.CodeBadRequest, "nope": coord.CodeNotFound,
		"HEAD:x": coord.CodeNotFound, strings.Repeat("1", 40): coord.CodeNotFound, "main..v1": coord.CodeNotFound,
	} {
		_, err := r.Resolve(t.Context(), rev)
		if coord.CodeOf(err) != code {
			t.Errorf("%q: %v", rev, err)
		}
	}
}

func TestReadCommitTreeAndFile(t *testing.T) {
	f := newFixture(t)
	first := f.commit("base", "x", "x", "odd\nname", "odd", "dir/:(top)y", "y")
	symlink(f, "/etc/passwd", "link")
	second := f.commit("subject\n\nbody\n", "x", "2")
	r := f.open()
	c := must[Commit](t)(r.ReadCommit(t.Context(), second))
	same(t, "parents", c.Parents, []OID{first})
	same(t, "tree", c.Tree, f.run("rev-parse", "HEAD^{tree}"))
	same(t, "message", c.Message, "subject\n\nbody\n")
	same(t, "author", c.Author.Name+" "+c.Author.Email, "Agent agent@example.org")
	entries := must[[]TreeEntry](t)(r.ReadTree(t.Context(), second))
	var paths []string
	for _, e := range entries {
		paths = append(paths, e.Mode+" "+e.Path)
	}
	same(t, "tree", paths, []string{"100644 dir/:(top)y", "120000 link", "100644 odd\nname", "100644 x"})
	for name, want := range map[string]string{"x": "2", "odd\nname": "odd", "dir/:(top)y": "y", "link": "/etc/passwd"} {
		same(t, name, string(must[[]byte](t)(r.ReadFile(t.Context(), second, name))), want)
	}
	for _, name := range []string{"nope", "dir", "x/y"} {
		if _, err := r.ReadFile(t.Context(), second, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "/x", "dir/", "./x"} {
		_, err := r.ReadFile(t.Context(), second, name)
		wantCode(t, err, coord.CodeBadRequest)
	}
	for _, o := range []OID{c.Tree, entries[0].OID, OID(strings.Repeat("1", 40))} {
		_, err := r.ReadCommit(t.Context(), o)
		wantCode(t, err, coord.CodeNotFound)
	}
	_, err := r.ReadCommit(t.Context(), second[:10])
	wantCode(t, err, coord.CodeBadRequest)
}

func TestParseCommitPassesOverOtherHeaders(t *testing.T) {
	tree := strings.Repeat("a", 40)
	c, err := parseCommit("tree " + tree + "\nauthor A B <a@b> 12 -0330\ncommitter C <> 13 +0000\nencoding latin1\n" +
		"gpgsig -----BEGIN\n \n tree x\n -----END\n\nsubject\n\nparent no\n")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "author", c.Author.When.Format("15:04:05 -0700"), "20:30:12 -0330")
	same(t, "rest", []any{c.Author.Name, c.Committer.Email, len(c.Parents), c.Message}, []any{"A B", "", 0, "subject\n\nparent no\n"})
}

func TestStatus(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "mod", "1", "gone", "1", "typ", "1", "staged rm", "1", "clean", "1", ".gitignore", "*.log\n")
	f.write("mod", "22")
	f.remove("gone")
	f.remove("typ")
	symlink(f, "mod", "typ")
	f.run("rm", "-q", "staged rm")
	f.write("dir/new\nline", "1")
	f.write("added", "1")
	f.run("add", "added")
	f.write("x.log", "ignored")
	f.run("config", "status.showUntrackedFiles", "no")
	got := map[string]ChangeKind{}
	for _, c := range must[[]Change](t)(f.open().Status(t.Context())) {
		got[c.Path] = c.Kind
		if c.Staged != (c.Path == "added" || c.Path == "staged rm") {
			t.Errorf("%s staged: %v", c.Path, c.Staged)
		}
	}
	same(t, "changes", got, map[string]ChangeKind{"mod": Modified, "gone": Deleted, "typ": TypeChanged, "staged rm": Deleted, "dir/new\nline": Untracked, "added": Added})
}

func TestStatusOfConflictAndSubmodule(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "hello\n")
	submodule(f, "sub")
	conflict(f)
	f.write("sub/s.txt", "dirty")
	got := map[string]Change{}
	for _, c := range must[[]Change](t)(f.open().Status(t.Context())) {
		got[c.Path] = c
	}
	same(t, "conflict", got["a.txt"].Kind, Unmerged)
	same(t, "submodule", got["sub"].DirtySubmodule, true)
}
