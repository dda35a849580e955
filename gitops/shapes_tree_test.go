package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

func (f *fixture) touch(name string, at time.Time) { f.t.Helper(); f.touchAt(f.path(name), at) }

func (f *fixture) touchAt(p string, at time.Time) {
	f.t.Helper()
	if err := os.Chtimes(p, at, at); err != nil {
		f.t.Fatal(err)
	}
}

// gitPath is the Git directory of the work tree; commonPath the one that all
// share.
func (f *fixture) gitPath() string { f.t.Helper(); return f.run("rev-parse", "--absolute-git-dir") }

func (f *fixture) commonPath() string {
	f.t.Helper()
	return f.run("rev-parse", "--path-format=absolute", "--git-common-dir")
}

// treeShapes are about kinds of files.
var treeShapes = []shape{
	{name: "executable bit", make: func(f *fixture) { chmod(f, "a.txt", 0o755) }},
	{name: "executable bit gone", make: func(f *fixture) {
		chmod(f, "a.txt", 0o755)
		f.commit("program")
		chmod(f, "a.txt", 0o644)
		f.write("new", "x")
		chmod(f, "new", 0o755)
	}},
	{name: "executable bit not looked at", make: func(f *fixture) {
		f.run("config", "core.fileMode", "false")
		chmod(f, "a.txt", 0o755)
		f.write("new", "x")
		chmod(f, "new", 0o755)
	}},
	{name: "symlinks", make: func(f *fixture) {
		symlink(f, "/etc/passwd", "link")
		symlink(f, "../../outside", "dir/up")
		symlink(f, "nowhere", "broken")
		symlink(f, ".", "loop")
		f.remove("a.txt")
		symlink(f, "dir", "a.txt")
	}},
	{name: "directory becomes symlink", make: func(f *fixture) { f.remove("dir"); symlink(f, "/etc", "dir") }},
	{name: "symlinks not looked at", make: func(f *fixture) {
		symlink(f, "a.txt", "link")
		f.commit("link")
		f.run("config", "core.symlinks", "false")
		f.remove("link")
		f.write("link", "dir")
	}},
	{name: "file becomes directory", make: func(f *fixture) { f.remove("a.txt"); f.write("a.txt/x", "x") }},
	{name: "directory becomes file", make: func(f *fixture) { f.remove("dir"); f.write("dir", "x") }},
	{name: "file becomes symlink", make: func(f *fixture) { f.remove("a.txt"); symlink(f, "dir/b", "a.txt") }},
	{name: "pipes and sockets", make: func(f *fixture) { pipe(f, "pipe"); pipe(f, "dir/pipe"); f.write("x", "x") }, flags: flags{unix: true}},
	{name: "tracked file becomes a pipe", make: func(f *fixture) { f.remove("a.txt"); pipe(f, "a.txt") }, flags: flags{unix: true, refuses: "a.txt"}},
	{name: "many directories", make: func(f *fixture) {
		for i := range manyTrees + 5 {
			f.write(filepath.Join("d", string(rune('a'+i%26)), strings.Repeat("x", 1+i/26), "f"), "x")
		}
		f.commit("many")
		f.write("d/a/x/f", "y")
	}, flags: flags{partly: true}},
}

// nameShapes are about names of files.
var nameShapes = []shape{
	{name: "odd names", make: func(f *fixture) {
		oddNames(f)
		f.commit("odd")
		f.write("with space/and more", "1")
		f.remove("-n")
	}},
	{name: "odd untracked names", make: func(f *fixture) { oddNames(f) }},
	{name: "names of control characters", make: func(f *fixture) {
		f.write("line\nbreak", "2")
		f.write("tab\there", "2")
		f.write("\x1b]0;title\x07", "4")
		f.write(`back\slash`, "5")
		f.write(`"quoted"`, "6")
		f.commit("odd")
		f.write("line\nbreak", "changed")
		f.write("car\rriage", "x")
	}, flags: flags{unix: true}},
	{name: "names that are no UTF-8", make: func(f *fixture) {
		f.write("latin\xe9", "1")
		f.commit("odd")
		f.remove("latin\xe9")
		f.write("latin\xe9/x", "2")
		f.write("\xff\xfe", "3")
	}, flags: flags{unix: true}},
	{name: "names that differ in case", make: func(f *fixture) {
		f.write("readme", "1")
		f.write("README", "2")
		f.commit("case")
		f.write("ReadMe", "3")
	}, flags: flags{unix: true}},
	{name: "a name in two normal forms", make: func(f *fixture) { f.write("e\u0301", "1"); f.write("\u00e9", "2") }, flags: flags{unix: true}},
	{name: "deep and long names", make: func(f *fixture) {
		f.write(strings.Repeat("deep/", 40)+"x", "1")
		f.write(strings.Repeat("l", 200), "2")
	}},
	{name: "names that sort oddly", make: func(f *fixture) {
		for _, name := range []string{"s/x", "s-x", "s.x", "s0", "s/", "sa"} {
			if !strings.HasSuffix(name, "/") {
				f.write(name, name)
			}
		}
		f.commit("sorted")
		f.write("s-/x", "1")
	}},
}

func oddNames(f *fixture) {
	f.write("with space/and  two", "1")
	f.write("grüße/日本", "3")
	f.write(":(top)magic*", "5")
	f.write("-n", "6")
	f.write("[glob]?", "7")
	f.write("!not", "8")
	f.write("#hash", "9")
	f.write(" lead", "10")
}

// ignoreShapes are about what is left out.
var ignoreShapes = []shape{
	{name: "ignored", make: func(f *fixture) { f.write(".gitignore", "*.log\n"); f.write("x.log", "x") }},
	{name: "ignored with exceptions", make: func(f *fixture) {
		f.write(".gitignore", "*.log\n!keep.log\nbuild/*\n!build/keep\n/top\nvendor/\n!vendor/no\n\\#odd\n**/deep/**/x\n")
		for _, name := range []string{"x.log", "keep.log", "dir/keep.log", "build/x", "build/keep", "top", "dir/top", "vendor/no", "#odd", "deep/er/x", "a/deep/b/c/x"} {
			f.write(name, name)
		}
	}},
	{name: "ignore files in directories", make: func(f *fixture) {
		f.write(".gitignore", "*.o\n")
		f.write("dir/.gitignore", "!*.o\n*\n!.gitignore\n")
		f.write("dir/x.o", "x")
		f.write("y.o", "y")
	}},
	{name: "excluded by info/exclude", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.commonPath(), "info", "exclude"), "secret\n")
		f.write("secret", "x")
	}},
	{name: "excluded on this machine", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.home, "git", "ignore"), "*.swp\n")
		f.write("x.swp", "x")
	}},
	{name: "excluded by a configured file", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.home, "my-ignores"), "*.swp\n!keep.swp\n")
		f.run("config", "core.excludesFile", "~/my-ignores")
		f.write("x.swp", "x")
		f.write("keep.swp", "x")
	}},
	{name: "tracked in an ignored directory", make: func(f *fixture) {
		f.write("out/a", "1")
		f.write("out/b", "1")
		f.run("add", "-f", "out")
		f.commit("out", ".gitignore", "out/\n")
		f.write("out/a", "2")
		f.remove("out/b")
		f.write("out/new", "3")
	}},
	{name: "tracked but ignored, gone and back", make: func(f *fixture) {
		f.write("x.log", "1")
		f.run("add", "-f", "x.log")
		f.commit("log", ".gitignore", "*.log\n")
		f.remove("x.log")
		must[OID](f.t)(f.open().Snapshot(f.t.Context()))
		f.write("x.log", "2")
	}},
	{name: "ignore file is a symlink", make: func(f *fixture) {
		f.write("rules", "*.log\n")
		symlink(f, "rules", ".gitignore")
		f.write("x.log", "x")
	}},
}
