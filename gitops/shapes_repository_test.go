package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repositoryShapes are about how the repository itself is laid out.
var repositoryShapes = []shape{
	{name: "SHA-256", init: []string{"--object-format=sha256"}, make: func(f *fixture) { f.write("b", "b") }, flags: flags{byGit: true}},
	{name: "SHA-256 and a big file", init: []string{"--object-format=sha256"}, make: bigUntracked, flags: flags{byGit: true}},
	{name: "packed", make: func(f *fixture) {
		history(f, 40)
		f.run("repack", "-adq", "--depth=50", "--window=50")
		f.run("pack-refs", "--all")
		f.commit("on top", "a.txt", "top\n")
	}},
	{name: "several packs", make: func(f *fixture) {
		f.run("repack", "-dq")
		history(f, 5)
		f.run("repack", "-dq")
		f.run("multi-pack-index", "write")
		f.run("commit-graph", "write", "--reachable")
		f.commit("on top")
	}},
	{name: "shallow", make: func(f *fixture) { history(f, 6); clone(f, "--depth=2"); f.write("new", "x") }, flags: flags{alone: true, byGit: true}},
	{name: "partial", make: func(f *fixture) {
		history(f, 6)
		f.run("config", "uploadpack.allowFilter", "true")
		clone(f, "--filter=blob:none")
		f.write("new", "x")
	}, flags: flags{alone: true, byGit: true, objects: true}},
	{name: "alternates", make: func(f *fixture) { history(f, 3); clone(f, "--shared"); f.write("new", "x") }, flags: flags{alone: true, byGit: true}},
	{name: "relative alternates", make: func(f *fixture) {
		history(f, 3)
		name := filepath.Base(f.dir)
		clone(f, "--shared")
		f.write(".git/objects/info/alternates", "../../../"+name+"/.git/objects\n")
		f.write("new", "x")
	}, flags: flags{alone: true, byGit: true}},
	{name: "alternates with odd names", make: func(f *fixture) { odd(f, "with:colon \"quote"); clone(f, "--shared"); f.write("new", "x") }, flags: flags{alone: true, byGit: true, unix: true}},
	{name: "odd place", make: func(f *fixture) { odd(f, "with:colon \"quote é"); f.write("new", "x") }, flags: flags{alone: true, unix: true}},
	{name: "configuration of work trees", make: func(f *fixture) {
		f.run("config", "extensions.worktreeConfig", "true")
		f.run("config", "--worktree", "core.autocrlf", "true")
		f.write("crlf", "a\r\n")
	}},
	{name: "work tree configured", make: func(f *fixture) {
		f.run("config", "core.worktree", f.dir)
		f.write("new", "x")
	}, flags: flags{alone: true}},
	{name: "Git directory elsewhere", make: func(f *fixture) {
		f.run("init", "-q", "--separate-git-dir="+f.beside("elsewhere"))
		f.write("new", "x")
	}, flags: flags{alone: true}},
	{name: "replaced objects", make: func(f *fixture) {
		one := f.commit("one", "a.txt", "one\n")
		two := f.commit("two", "a.txt", "two\n")
		f.run("replace", string(two), string(one))
		f.write("new", "x")
	}},
	{name: "grafts", make: func(f *fixture) {
		history(f, 4)
		f.writeAt(filepath.Join(f.commonPath(), "info", "grafts"), f.run("rev-parse", "HEAD")+"\n")
	}, flags: flags{byGit: true}},
	{name: "unknown extension of version 0", make: func(f *fixture) { f.run("config", "extensions.unheard", "true") }, flags: flags{byGit: true}},
	{name: "included configuration", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.home, "more"), "[core]\n\tautocrlf = true\n")
		f.run("config", "include.path", filepath.Join(f.home, "more"))
		f.write("crlf", "a\r\n")
	}},
	{name: "configuration in an odd form", make: func(f *fixture) {
		p := filepath.Join(f.commonPath(), "config")
		text, _ := os.ReadFile(p)
		f.writeAt(p, string(text)+"[alias \"x\\\\y\"] z = \"a # b\" ; c\n[core] autocrlf = \\\n  true\n")
		f.write("crlf", "a\r\n")
	}, flags: flags{byGit: true}},
	{name: "merges", make: func(f *fixture) { merges(f); f.write("new", "x") }},
	{name: "long history", make: func(f *fixture) { history(f, manyCommits+20) }, flags: flags{partly: true, alone: true}},
	{name: "dates that run backwards", make: func(f *fixture) {
		for i := range 8 {
			f.env = append(f.env, fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", 1700000000-i*1000))
			f.commit(fmt.Sprint("back ", i), "a.txt", fmt.Sprint(i))
		}
	}},
	{name: "commits in other encodings and with signatures", make: func(f *fixture) {
		f.run("config", "i18n.commitEncoding", "ISO-8859-1")
		f.commit("gr\xfc\xdfe")
		raw := fmt.Sprintf("tree %s\nparent %s\nauthor  Odd  Name  <a b@c> 1700000000 -0330\ncommitter X <> 5 +1400\ngpgsig -----BEGIN\n \n tree no\n -----END\nmergetag object %s\n type commit\n\nsubject\n",
			f.run("rev-parse", "HEAD^{tree}"), f.run("rev-parse", "HEAD"), f.run("rev-parse", "HEAD"))
		f.writeAt(f.beside("raw"), raw)
		f.run("reset", "-q", "--soft", f.run("hash-object", "--literally", "-t", "commit", "-w", f.beside("raw")))
	}, flags: flags{noCommit: true}},
}

// referenceShapes are about HEAD and the references.
var referenceShapes = []shape{
	{name: "detached", make: func(f *fixture) { f.run("checkout", "-q", "--detach") }, flags: flags{noCommit: true}},
	{name: "many references", make: func(f *fixture) {
		f.run("tag", "-a", "-m", "tag", "v1")
		f.run("tag", "light")
		f.run("pack-refs", "--all")
		f.run("branch", "a/b/c")
		f.run("branch", "grüße")
		f.run("update-ref", "refs/coord/attempts/x/1", "HEAD")
		f.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/a/b/c")
		f.run("tag", "-d", "light")
		f.run("branch", "light/x")
	}},
	{name: "packed, then deleted, with the directory left", make: func(f *fixture) {
		f.run("branch", "a/b")
		f.run("pack-refs", "--all")
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "a", "b", "c"), "")
		f.removeAll(filepath.Join(f.commonPath(), "refs", "heads", "a", "b", "c"))
	}},
	{name: "references of bisecting", make: func(f *fixture) { f.run("update-ref", "refs/bisect/bad", "HEAD") }, flags: flags{alone: true}},
	{name: "references of one work tree", make: func(f *fixture) {
		f.run("update-ref", "refs/worktree/mine", "HEAD")
		f.run("update-ref", "refs/bisect/bad", "HEAD")
	}, flags: flags{partly: true}},
	{name: "symbolic branch", make: func(f *fixture) {
		f.run("branch", "real")
		f.run("symbolic-ref", "refs/heads/alias", "refs/heads/real")
		f.run("symbolic-ref", "HEAD", "refs/heads/alias")
	}, flags: flags{partly: true, noCommit: true}},
	{name: "dangling symbolic reference", make: func(f *fixture) { f.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone") }, flags: flags{partly: true}},
	{name: "cut-off reference", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "short"), f.run("rev-parse", "HEAD")[:38]+"\n")
	}, flags: flags{partly: true, noCommit: true}},
	{name: "damaged reference", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "short"), f.run("rev-parse", "HEAD")[:38]+"\n")
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "long"), f.run("rev-parse", "HEAD")+"00\n")
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "empty"), "")
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "x.lock"), "")
	}, flags: flags{partly: true, noCommit: true}},
	{name: "reference to a missing object", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.commonPath(), "refs", "heads", "missing"), strings.Repeat("1", 40)+"\n")
	}, flags: flags{noCommit: true}},
}

func (f *fixture) removeAll(p string) {
	f.t.Helper()
	if err := os.RemoveAll(p); err != nil {
		f.t.Fatal(err)
	}
}

// history makes commits, much faster than git commit does.
func history(f *fixture, commits int) {
	f.t.Helper()
	branch := f.run("symbolic-ref", "HEAD")
	var in strings.Builder
	for i := range commits {
		fmt.Fprintf(&in, "commit %s\ncommitter A <a@b> %d +0000\ndata 2\nx\n", branch, 1700000000+i)
		if i == 0 {
			fmt.Fprintf(&in, "from %s^0\n", branch)
		}
		fmt.Fprintf(&in, "M 644 inline a.txt\ndata <<E\n%sE\nM 644 inline dir/%d\ndata <<E\n%d\nE\n\n", strings.Repeat(fmt.Sprintln("line", i), 1+i%5), i%7, i)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = f.dir, f.env, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("%v: %s", err, out)
	}
	f.run("reset", "-q", "--hard")
}

// merges makes a history with crossing merges, an octopus and a second root.
func merges(f *fixture) {
	f.t.Helper()
	was := f.run("symbolic-ref", "--short", "HEAD")
	f.run("branch", "one")
	f.run("branch", "two")
	f.commit("main 1", "m", "1")
	for i, name := range []string{"one", "two", "one", "two"} {
		f.run("checkout", "-q", name)
		f.commit(fmt.Sprint(name, i), fmt.Sprint(name, i), "x")
	}
	f.run("merge", "-q", "-m", "cross", "one~1")
	f.run("checkout", "-q", "one")
	f.run("merge", "-q", "-m", "cross back", "two~2")
	f.run("checkout", "-q", was)
	f.run("merge", "-q", "-m", "octopus", "one", "two")
	f.run("checkout", "-q", "--orphan", "root")
	f.commit("another root")
	f.run("checkout", "-q", was)
	f.run("merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "roots", "root")
	f.commit("top", "m", "2")
}

// clone puts the fixture into a clone of its repository.
func clone(f *fixture, args ...string) {
	f.t.Helper()
	to := f.beside("clone")
	from := "file://" + filepath.ToSlash(f.dir)
	if slices.Contains(args, "--shared") {
		from = f.dir
	}
	f.run(append(append([]string{"clone", "-q"}, args...), from, to)...)
	f.dir = to
}

// odd moves the repository to a place with an odd name.
func odd(f *fixture, name string) {
	f.t.Helper()
	if err := os.Rename(f.dir, f.beside(name)); err != nil {
		f.t.Fatal(err)
	}
	f.dir = f.beside(name)
}
