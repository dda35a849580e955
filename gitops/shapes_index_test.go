package gitops

import (
	"fmt"
	"path/filepath"
)

// indexShapes are about what lies in the index.
var indexShapes = []shape{
	{name: "intent to add", make: func(f *fixture) {
		f.write("later", "x")
		f.write("never", "x")
		f.run("add", "-N", "later", "never")
		f.remove("never")
	}},
	{name: "assume unchanged", make: func(f *fixture) { f.run("update-index", "--assume-unchanged", "a.txt"); f.write("a.txt", "x") }},
	{name: "skip worktree", make: func(f *fixture) {
		f.run("update-index", "--skip-worktree", "a.txt", "dir/b")
		f.write("a.txt", "x")
		f.remove("dir/b")
	}},
	{name: "sparse checkout by patterns", make: func(f *fixture) {
		f.run("sparse-checkout", "set", "--no-cone", "/a.txt")
		f.write("dir/outside", "x")
	}},
	{name: "sparse checkout in cones", make: func(f *fixture) {
		f.commit("more", "one/a", "1", "two/b", "2", "two/three/c", "3")
		f.run("sparse-checkout", "set", "--cone", "one")
		f.write("one/a", "changed")
		f.write("two/outside", "x")
	}},
	{name: "sparse index", make: func(f *fixture) {
		f.commit("more", "one/a", "1", "two/b", "2", "two/three/c", "3")
		f.run("sparse-checkout", "set", "--cone", "--sparse-index", "one")
		f.write("one/a", "changed")
		f.write("one/new", "x")
		f.write("two/three/outside", "x")
	}},
	{name: "split index", make: func(f *fixture) {
		f.run("config", "core.splitIndex", "true")
		f.run("update-index", "--split-index")
		for i := range 30 {
			f.write(fmt.Sprint("new", i), "x")
		}
		f.run("add", "new1", "new2")
		f.write("new1", "changed")
	}},
	{name: "split index and a big file", make: func(f *fixture) {
		f.run("config", "core.splitIndex", "true")
		f.run("update-index", "--split-index")
		bigUntracked(f)
	}},
	{name: "index version 4", make: func(f *fixture) {
		f.run("update-index", "--index-version=4")
		f.write("a.txt", "changed")
		f.write("dir/bb", "x")
	}},
	{name: "index version 4 and a big file", make: func(f *fixture) { f.run("update-index", "--index-version=4"); bigUntracked(f) }},
	{name: "untracked cache", make: func(f *fixture) {
		f.run("config", "core.untrackedCache", "true")
		f.run("update-index", "--untracked-cache")
		f.run("status")
		f.write("dir/new", "x")
		f.write("new", "x")
	}},
	{name: "cached trees", make: func(f *fixture) {
		f.run("write-tree")
		f.write("dir/b", "changed")
		f.write("dir/sub/new", "x")
	}},
	{name: "conflict", make: conflict, flags: flags{noCommit: true}},
	{name: "conflict of a deletion", make: func(f *fixture) {
		was := f.run("symbolic-ref", "--short", "HEAD")
		f.run("checkout", "-q", "-b", "side")
		f.run("rm", "-q", "a.txt")
		f.run("commit", "-qm", "side")
		f.run("checkout", "-q", was)
		f.commit("main", "a.txt", "main\n")
		_, _ = f.try(f.dir, "merge", "side")
	}, flags: flags{noCommit: true}},
	{name: "conflict, resolved on disk", make: func(f *fixture) { conflict(f); f.write("a.txt", "resolved\n") }, flags: flags{noCommit: true}},
	{name: "no index", make: func(f *fixture) { f.removeAll(filepath.Join(f.gitPath(), "index")) }},
	{name: "damaged index", make: func(f *fixture) { f.writeAt(filepath.Join(f.gitPath(), "index"), "DIRCmuch too short to be an index") }, flags: flags{refuses: "index", noCommit: true}},
}

// submoduleShapes are about repositories in repositories.
var submoduleShapes = []shape{
	{name: "submodule", make: func(f *fixture) { submodule(f, "sub") }},
	{name: "submodule moved on", make: func(f *fixture) {
		submodule(f, "sub")
		f.runIn(f.path("sub"), "commit", "-q", "--allow-empty", "-m", "on")
	}},
	{name: "submodule dirty", make: func(f *fixture) { submodule(f, "sub"); f.write("sub/s.txt", "dirty"); f.write("sub/new", "x") }},
	{name: "submodule ignored by configuration", make: func(f *fixture) {
		submodule(f, "sub")
		f.run("config", "submodule.sub.ignore", "all")
		f.write("sub/s.txt", "dirty")
	}},
	{name: "submodule without a checkout", make: func(f *fixture) {
		submodule(f, "sub")
		f.run("submodule", "--quiet", "deinit", "-f", "sub")
	}},
	{name: "submodule removed", make: func(f *fixture) { submodule(f, "sub"); f.remove("sub") }},
	{name: "submodule moved elsewhere", make: func(f *fixture) { submodule(f, "sub"); f.run("mv", "sub", "other") }},
	{name: "submodule becomes a file", make: func(f *fixture) { submodule(f, "sub"); f.remove("sub"); f.write("sub", "x") }},
	{name: "submodule in a submodule", make: func(f *fixture) {
		inner := f.library("inner")
		outer := f.library("outer")
		f.runIn(outer, "submodule", "--quiet", "add", inner, "inner")
		f.runIn(outer, "commit", "-qm", "inner")
		f.run("submodule", "--quiet", "add", outer, "sub")
		f.run("submodule", "--quiet", "update", "--init", "--recursive")
		f.run("commit", "-qm", "sub")
		f.write("sub/inner/s.txt", "dirty")
		f.runIn(f.path("sub"), "commit", "-q", "--allow-empty", "-m", "on")
	}},
	{name: "embedded repository", make: func(f *fixture) {
		f.run("init", "-q", "inner")
		f.runIn(f.path("inner"), "commit", "-q", "--allow-empty", "-m", "x")
		f.write("inner/file", "x")
	}},
	{name: "embedded repository without commits", make: func(f *fixture) { f.run("init", "-q", "inner") }, flags: flags{refuses: "inner"}},
	{name: "embedded bare repository", make: func(f *fixture) { f.run("init", "-q", "--bare", "inner.git") }},
	{name: "embedded worktree", make: func(f *fixture) { f.run("worktree", "add", "-q", "-b", "inside", "inside") }},
}

// library makes a repository with one commit beside the fixture's.
func (f *fixture) library(name string) string {
	f.t.Helper()
	lib := f.beside(name)
	f.run("init", "-q", lib)
	f.writeAt(filepath.Join(lib, "s.txt"), name)
	f.runIn(lib, "add", "-A")
	f.runIn(lib, "commit", "-q", "-m", name)
	return lib
}

func submodule(f *fixture, at string) {
	f.t.Helper()
	f.run("submodule", "--quiet", "add", f.library("lib"), at)
	f.run("commit", "-q", "-m", "sub")
}
