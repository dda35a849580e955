package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// hostile is a repository in which everything that git can be made to run
// leaves a mark.
type hostile struct {
	*fixture
	mark string
}

func newHostile(t *testing.T) hostile {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to be hostile with")
	}
	f := newFixture(t)
	f.commit("base", "a", "a", "dir/b", "b")
	h := hostile{f, filepath.Join(f.home, "ran")}
	trap := f.path("trap")
	f.write("trap", "#!/bin/sh\necho \"$0 $*\" >> '"+h.mark+"'\n")
	chmod(f, "trap", 0o755)
	for _, hook := range []string{
		"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "post-merge", "post-rewrite", "post-index-change",
		"reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "query-watchman", "post-applypatch", "pre-merge-commit", "p4-pre-submit",
	} {
		f.write(".git/hooks/"+hook, "#!/bin/sh\necho "+hook+" >> '"+h.mark+"'\n")
		chmod(f, ".git/hooks/"+hook, 0o755)
	}
	f.write("included", "[core]\n\tfsmonitor = "+trap+" included\n\teditor = "+trap+" editor\n\tpager = "+trap+" pager\n[alias]\n\tadd = !"+trap+" alias\n\tstatus = !"+trap+" alias\n")
	for key, value := range map[string]string{
		"include.path": "../included", "core.fsmonitor": trap + " fsmonitor", "core.sshCommand": trap + " ssh", "core.pager": trap,
		"core.editor": trap, "core.askPass": trap, "core.gitProxy": trap, "core.alternateRefsCommand": trap, "diff.evil.textconv": trap + " textconv",
		"diff.evil.command": trap, "diff.external": trap, "merge.evil.driver": trap, "gpg.program": trap, "sequence.editor": trap, "pager.status": trap,
		"log.showSignature": "true", "commit.gpgSign": "false", "credential.helper": "!" + trap, "trailer.evil.command": trap, "gc.auto": "1", "gc.autoDetach": "false",
		"interactive.diffFilter": trap, "submodule.a.update": "!" + trap, "uploadpack.packObjectsHook": trap, "protocol.ext.allow": "always", "color.ui": "always",
	} {
		f.run("config", key, value)
	}
	f.write(".gitattributes", "* diff=evil merge=evil filter=unknown\n")
	f.write("a", "changed")
	return h
}

func (h hostile) ranNothing(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(h.mark); err == nil {
		t.Errorf("these ran:\n%s", text)
	}
}

func TestFault82_NothingOfTheRepositoryRuns(t *testing.T) {
	h := newHostile(t)
	h.run("-c", "core.fsmonitor="+h.path("trap")+" proof", "update-index", "-q", "--refresh", "--force-write-index")
	if _, err := os.Stat(h.mark); err != nil {
		t.Fatal("the traps of this test do not work at all")
	}
	if err := os.Remove(h.mark); err != nil {
		t.Fatal(err)
	}
	ctx, r := t.Context(), h.open()
	head := must[Head](t)(r.Head(ctx)).Commit
	must[[]Change](t)(r.Status(ctx))
	must[OID](t)(r.Snapshot(ctx))
	tree := must[OID](t)(r.KeepSnapshot(ctx))
	must[[]Commit](t)(r.Log(ctx, "", head, 5))
	must[[]byte](t)(r.ReadFile(ctx, head, "a"))
	made := must[OID](t)(r.CommitSnapshot(ctx, "m"))
	side := must[OID](t)(r.CommitTree(ctx, CommitSpec{Tree: tree, Parents: []OID{head}, Message: "side", Author: &alpha, Committer: &alpha}))
	must[Comparison](t)(r.Compare(ctx, side, made))
	must[MergeResult](t)(r.Merge(ctx, MergeSpec{Onto: made, Candidate: side, Message: "m", Author: alpha, Committer: alpha}))
	if err := r.UpdateRefs(ctx, []RefUpdate{{"refs/coord/x", side, Absent}}); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(h.home, "linked")
	if err := r.AddWorktree(ctx, WorktreeSpec{Path: at, Branch: "b", Start: head}); err != nil {
		t.Fatal(err)
	}
	if err := r.RemoveWorktree(ctx, at, ""); err != nil {
		t.Fatal(err)
	}
	h.ranNothing(t)
}

func TestFault81_RemotesThatRunPrograms(t *testing.T) {
	h := newHostile(t)
	ctx, r := t.Context(), h.open()
	head := must[Head](t)(r.Head(ctx)).Commit
	ext := "ext::sh -c 'echo ext >> " + h.mark + "'"
	h.run("config", "remote.evil.url", ext)
	h.run("config", "remote.hidden.url", "https://example.org/x")
	h.run("config", "url."+ext+".insteadOf", "https://example.org/x")
	h.run("config", "remote.push.url", h.bareRemote())
	h.run("config", "remote.push.pushurl", ext)
	h.run("config", "remote.helper.url", "https://example.org/y")
	h.run("config", "remote.helper.vcs", "ext")
	h.run("config", "remote.dash.url", "--upload-pack="+h.path("trap"))
	h.run("config", "remote.proxy.url", "ssh://-oProxyCommand="+h.path("trap")+"/x")
	for _, remote := range []string{ext, "evil", "hidden", "push", "helper", "dash", "proxy", "--upload-pack=x", "-oProxyCommand=x", "ssh://-oProxyCommand=x/y", "fd::3"} {
		if err := r.Push(ctx, remote, []RefUpdate{{target, head, Absent}}, false); err == nil {
			t.Errorf("pushed to %q", remote)
		} else {
			printable(t, err)
		}
		if remote == "push" {
			continue // it may be fetched from
		}
		if err := r.Fetch(ctx, remote, "refs/heads/main:refs/x/y"); err == nil {
			t.Errorf("fetched from %q", remote)
		}
		if _, err := r.Observe(ctx, remote, target); err == nil {
			t.Errorf("observed %q", remote)
		}
	}
	h.ranNothing(t)
}

// printable holds an error's text, and what it tells to type, to characters
// that do nothing to a terminal.
func printable(t *testing.T, err error) {
	t.Helper()
	var known *coord.Error
	text := err.Error()
	if asCoord(err, &known) {
		text += strings.Join(known.Next, "\n")
	}
	for l := range strings.SplitSeq(text, "\n") {
		if visible(l) != l {
			t.Errorf("%q is not printable", l)
		}
	}
}

func asCoord(err error, to **coord.Error) bool {
	e, ok := err.(*coord.Error)
	*to = e
	return ok
}

// A name with escape sequences comes back as bytes from what is read, and
// harmless in what is said.
func TestFault84_NamesAreShownHarmless(t *testing.T) {
	if !isUnix {
		t.Skip("Windows has no such names")
	}
	f := newFixture(t)
	const name = "\x1b]0;owned\x07"
	f.commit("base", name+"/x", "x")
	f.run("init", "-q", name+"inner")
	r := f.open()
	_, err := r.Snapshot(t.Context())
	if err == nil {
		t.Fatal("an embedded repository without commits was added")
	}
	printable(t, err)
	symlink(f, "/etc/passwd", "passwd")
	f.remove(name + "inner")
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	entries := must[[]TreeEntry](t)(r.ReadTree(t.Context(), tree))
	same(t, "tree", entries[0].Path+" "+entries[1].Mode+" "+entries[1].Path, name+"/x 120000 passwd")
	same(t, "not followed", string(must[[]byte](t)(r.ReadFile(t.Context(), tree, "passwd"))), "/etc/passwd")
	_, err = r.ReadFile(t.Context(), tree, name)
	wantCode(t, err, coord.CodeNotFound)
}

func TestFault83_GitDirectoriesOfOthers(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	borrowed := f.beside("borrowed")
	f.writeAt(filepath.Join(borrowed, ".git"), "gitdir: "+f.path(".git")+"\n")
	f.writeAt(filepath.Join(borrowed, "a"), "other work")
	linked := f.beside("linked link")
	if err := os.MkdirAll(linked, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.path(".git"), filepath.Join(linked, ".git")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, dir := range []string{borrowed, linked} {
		_, err := f.git.Open(t.Context(), dir)
		wantCode(t, err, coord.CodeSetup)
		if !strings.Contains(err.Error(), f.dir) {
			t.Errorf("%q does not name the other work tree", err)
		}
	}
	wandering := f.beside("wandering")
	f.writeAt(filepath.Join(wandering, ".git"), "gitdir: \x1b[31m/nowhere\n")
	_, err := f.git.Open(t.Context(), wandering)
	wantCode(t, err, coord.CodeSetup)
	printable(t, err)
}

func TestFault83_ForeignOwner(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	if os.Getuid() != 0 || os.Chown(f.path(".git"), 4711, -1) != nil {
		t.Skip("files cannot be given away here")
	}
	_, err := f.git.Open(t.Context(), f.dir)
	wantCode(t, err, coord.CodeSetup)
}
