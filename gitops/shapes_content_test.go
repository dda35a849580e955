package gitops

import (
	"path/filepath"
	"strings"
	"time"
)

// contentShapes are about what git does to the content of files on the way in.
var contentShapes = []shape{
	{name: "clean"},
	{name: "modified", make: func(f *fixture) { f.write("a.txt", "changed\n") }},
	{name: "deleted", make: func(f *fixture) { f.remove("a.txt") }},
	{name: "untracked", make: func(f *fixture) { f.write("new/deep/x", "x") }},
	{name: "empty file and directory", make: func(f *fixture) { f.write("empty", ""); f.write("hollow/x", ""); f.remove("hollow/x") }},
	{name: "autocrlf", make: func(f *fixture) { f.run("config", "core.autocrlf", "true"); f.write("crlf", "a\r\nb\r\n") }},
	{name: "autocrlf and safecrlf", make: func(f *fixture) {
		f.run("config", "core.autocrlf", "input")
		f.run("config", "core.safecrlf", "true")
		f.write("crlf", "a\r\nb\n")
	}},
	{name: "carriage returns in the index", base: []string{"crlf", "a\r\nb\r\n"}, make: func(f *fixture) {
		f.run("config", "core.autocrlf", "true")
		f.write("crlf", "a\r\nb\r\nc\r\n")
		f.write("fresh", "a\r\n")
	}},
	{name: "carriage returns in the index, then none, then again", base: []string{"crlf", "a\r\nb\r\n", ".gitattributes", "* text=auto\n"}, make: func(f *fixture) {
		f.write("crlf", "a\nb\nlonger\n")
		_, _ = f.open().Snapshot(f.t.Context())
		f.write("crlf", "a\r\nb\r\nc\r\n")
	}},
	{name: "text and eol", make: func(f *fixture) { f.write(".gitattributes", "*.txt text eol=crlf\n"); f.write("n.txt", "a\r\nb\r\n") }},
	{name: "text auto and binary", make: func(f *fixture) {
		f.write(".gitattributes", "* text=auto\n*.bin -text\n*.sh eol=lf\n")
		f.write("n.txt", "a\r\nb\r\n")
		f.write("n.bin", "a\r\nb\r\n")
		f.write("nul", "a\r\n\x00b\r\n")
		f.write("n.sh", "a\r\nb\r\n")
	}},
	{name: "attributes in info", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.gitPath(), "info", "attributes"), "*.txt text\n")
		f.write("n.txt", "a\r\nb\r\n")
	}},
	{name: "attributes of this machine", make: func(f *fixture) {
		f.writeAt(filepath.Join(f.home, "git", "attributes"), "*.txt text\n")
		f.write("n.txt", "a\r\nb\r\n")
	}},
	{name: "ident", make: func(f *fixture) {
		f.write(".gitattributes", "*.c ident\n")
		f.write("x.c", "/* $Id: what it was$ */\n")
	}},
	{name: "working-tree-encoding", make: func(f *fixture) {
		f.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n")
		f.write("x.u16", "\xff\xfeh\x00i\x00\n\x00")
	}},
	{name: "working-tree-encoding that lies", make: func(f *fixture) {
		f.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n")
		f.write("x.u16", "odd")
	}, flags: flags{refuses: "x.u16"}},
	{name: "changed in the same second", make: racy},
	{name: "changed in the same second, with a big file", make: func(f *fixture) {
		f.hole(f.t, "big", 2<<20, longAgo)
		f.touch("a.txt", time.Unix(1700000000, 0))
		f.run("update-index", "--refresh", "-q", "--really-refresh")
		must[OID](f.t)(f.open().Snapshot(f.t.Context()))
		racy(f)
	}},
	{name: "staged, then changed", make: func(f *fixture) { f.write("a.txt", "one"); f.run("add", "a.txt"); f.write("a.txt", "two!") }},
	{name: "staged, then deleted", make: func(f *fixture) { f.write("n", "one"); f.run("add", "n"); f.remove("n") }},
	{name: "staged only", make: func(f *fixture) { f.write("n", "one"); f.run("add", "n") }},
	{name: "removed from the index", make: func(f *fixture) { f.run("rm", "-q", "--cached", "a.txt") }},
	{name: "no commit yet", make: func(f *fixture) { f.write("x", "x") }, flags: flags{unborn: true, partly: true}},
	{name: "nothing at all", flags: flags{unborn: true, partly: true, noCommit: true}},
	{name: "big untracked files", make: bigUntracked},
}

// bigUntracked leaves files that the second snapshot need not read again, and
// then changes what decides about them.
func bigUntracked(f *fixture) {
	big := strings.Repeat("0123456789abcde\n", bigFile/16)
	for _, name := range []string{"big", "ignored later", "dir/tracked later", "changed later", "gone later", "text later"} {
		f.write(name, big+name)
	}
	f.write("text later", strings.ReplaceAll(big, "\n", "\r\n"))
	old := time.Unix(1700000000, 0)
	for _, name := range []string{"big", "text later"} {
		f.touch(name, old)
	}
	must[OID](f.t)(f.open().Snapshot(f.t.Context()))
	f.write(".gitignore", "ignored later\n")
	f.run("add", "dir/tracked later")
	f.write("changed later", big+"changed")
	f.remove("gone later")
	f.write("gone later/x", "x")
	must[OID](f.t)(f.open().Snapshot(f.t.Context()))
	f.write(".gitattributes", "text* text eol=crlf\n")
}

// racy makes a change that only the index's own time betrays: same size, and
// file and index of one and the same time.
func racy(f *fixture) {
	at := time.Unix(1700000000, 0)
	f.touch("a.txt", at)
	f.run("update-index", "--refresh", "-q", "--really-refresh")
	f.touchAt(filepath.Join(f.gitPath(), "index"), at)
	f.write("a.txt", strings.Repeat("z", len("hello\n")))
	f.touch("a.txt", at)
}

// filterShapes are about programs that git runs on files.
var filterShapes = []shape{
	{name: "clean filter", make: func(f *fixture) {
		f.run("config", "filter.up.clean", "tr a-z A-Z")
		f.write(".gitattributes", "*.up filter=up\n")
		f.write("x.up", "shout")
	}},
	{name: "smudge filter", make: func(f *fixture) {
		f.run("config", "filter.rot.clean", "tr a-z b-za")
		f.run("config", "filter.rot.smudge", "tr b-za a-z")
		f.commit("filtered", ".gitattributes", "*.rot filter=rot\n", "x.rot", "abc\n")
		f.remove("x.rot")
		f.run("checkout", "--", "x.rot")
		f.write("y.rot", "new\n")
	}},
	{name: "big file with a filter", make: func(f *fixture) {
		f.write(".gitattributes", "*.up filter=up\n")
		f.run("config", "filter.up.clean", "tr a-z A-Z")
		f.write("x.up", strings.Repeat("shout and\n", bigFile/8))
		must[OID](f.t)(f.open().Snapshot(f.t.Context()))
		f.run("config", "filter.up.clean", "tr a-z B-ZA")
	}},
	{name: "filter that is not configured", make: func(f *fixture) {
		f.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
		f.write("x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0", 64)+"\nsize 12\n")
	}},
	{name: "filter whose program is missing", make: func(f *fixture) {
		f.run("config", "filter.gone.clean", "no-such-program-here")
		f.write(".gitattributes", "*.gone filter=gone\n")
		f.write("x.gone", "as it is")
	}},
	{name: "required filter whose program is missing", make: func(f *fixture) {
		f.run("config", "filter.lfs.clean", "no-such-program-here -- %f")
		f.run("config", "filter.lfs.required", "true")
		f.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
		f.write("x.bin", "big")
	}, flags: flags{refuses: "x.bin"}},
	{name: "filter process that ends", make: func(f *fixture) {
		f.run("config", "filter.p.process", "false")
		f.run("config", "filter.p.required", "true")
		f.write(".gitattributes", "*.p filter=p\n")
		f.write("x.p", "x")
	}, flags: flags{refuses: "nothing was changed"}},
	{name: "pointers of large files", make: func(f *fixture) {
		f.run("config", "filter.lfs.clean", `sh -c 'printf "version https://git-lfs.github.com/spec/v1\noid sha256:%s\n" $(sha256sum | cut -d" " -f1)'`)
		f.run("config", "filter.lfs.smudge", "cat")
		f.run("config", "filter.lfs.required", "true")
		f.commit("pointer", ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "x.bin", "content")
		f.write("y.bin", "more content")
	}},
}
