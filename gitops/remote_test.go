package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

const target = "refs/heads/main"

func observed(t *testing.T, r Repo, refs ...string) map[string]OID {
	t.Helper()
	seen := must[map[string]OID](t)(r.Observe(t.Context(), "origin", refs...))
	if len(refs) == 0 {
		delete(seen, "HEAD")
	}
	return seen
}

func TestPushWithLease(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	c := f.commit("c", "x", "3")
	f.bareRemote()
	r := f.open()
	push := func(u ...RefUpdate) error { return r.Push(t.Context(), "origin", u, true) }
	if err := push(RefUpdate{target, a, Absent}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, push(RefUpdate{target, b, Absent}), coord.CodeStateConflict)
	wantCode(t, push(RefUpdate{target, c, Exactly(b)}), coord.CodeStateConflict)
	wantCode(t, push(RefUpdate{target, b, Exactly(a)}, RefUpdate{"refs/coord/fence/main", c, Exactly(b)}), coord.CodeStateConflict)
	same(t, "atomic", observed(t, r), map[string]OID{target: a})
	if err := push(RefUpdate{target, b, Exactly(a)}, RefUpdate{"refs/coord/fence/main", c, Absent}); err != nil {
		t.Fatal(err)
	}
	same(t, "both", observed(t, r), map[string]OID{target: b, "refs/coord/fence/main": c})
	if err := push(RefUpdate{"refs/coord/fence/main", "", Exactly(c)}, RefUpdate{target, a, Exactly(b)}); err != nil {
		t.Fatal(err)
	}
	same(t, "deleted and forced", observed(t, r), map[string]OID{target: a})
}

// Any takes a reference as it is, but never loses a commit of it.
func TestPushWhateverThereIs(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	other := must[OID](t)(f.open().CommitTree(t.Context(), CommitSpec{Tree: OID(f.run("rev-parse", "HEAD^{tree}")), Parents: []OID{a}, Message: "other", Author: &alpha, Committer: &alpha}))
	f.bareRemote()
	r := f.open()
	const fence = "refs/coord/fence/main"
	push := func(u ...RefUpdate) error { return r.Push(t.Context(), "origin", u, true) }
	for _, c := range []struct {
		to   OID
		code coord.Code
	}{{a, ""}, {b, ""}, {b, ""}, {a, coord.CodeStateConflict}, {other, coord.CodeStateConflict}} {
		for _, ref := range []string{target, fence} {
			err := push(RefUpdate{ref, c.to, Any})
			if coord.CodeOf(err) != c.code {
				t.Errorf("%s to %s: %v, want %q", ref, c.to.Short(), err, c.code)
			}
		}
	}
	if err := push(RefUpdate{target, other, Exactly(b)}, RefUpdate{fence, a, Any}); err == nil {
		t.Error("half of an atomic push was done")
	}
	same(t, "observed", observed(t, r), map[string]OID{target: b, fence: b})
	wantCode(t, push(RefUpdate{target, "", Any}), coord.CodeBadRequest)
	wantCode(t, push(RefUpdate{target, a, Expect{}}), coord.CodeBadRequest)
	wantCode(t, r.UpdateRefs(t.Context(), []RefUpdate{{target, a, Any}}), coord.CodeBadRequest)
	same(t, "here", f.run("rev-parse", "main"), b)
}

// Git reports success for a stale lease when the value is already there: the
// reason why a push is read back.
func TestPushSucceedsAlthoughStale(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	f.bareRemote()
	r := f.open()
	f.run("push", "-q", "origin", string(b)+":"+target)
	if err := r.Push(t.Context(), "origin", []RefUpdate{{target, b, Exactly(a)}}, false); err != nil {
		t.Errorf("Git has mended this, the documentation of Push may be shortened: %v", err)
	}
	same(t, "observed", observed(t, r, target)[target], b)
}

func TestPushIsRefusedByTheRemote(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	remote := f.bareRemote()
	hook := filepath.Join(remote, "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nprintf 'no \\033[31mred\\n' >&2\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	err := r.Push(t.Context(), "origin", []RefUpdate{{target, a, Absent}}, false)
	wantCode(t, err, coord.CodeRemoteRefused)
	if !strings.Contains(err.Error(), `no \x1b[31mred`) || !strings.Contains(err.Error(), "pre-receive hook declined") {
		t.Errorf("the remote's words are %q", err)
	}
	same(t, "observed", len(observed(t, r)), 0)
}

func TestPushWithoutAnswer(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	f.run("remote", "add", "origin", f.beside("nowhere.git"))
	r := f.open()
	update := []RefUpdate{{target, a, Absent}}
	wantCode(t, r.Push(t.Context(), "origin", update, true), coord.CodeUnavailable)
	_, err := r.Observe(t.Context(), "origin", target)
	wantCode(t, err, coord.CodeUnavailable)
	wantCode(t, r.Fetch(t.Context(), "origin"), coord.CodeUnavailable)
	wantCode(t, r.Push(t.Context(), "elsewhere", update, true), coord.CodeSetup)
	missing := []RefUpdate{{target, OID(strings.Repeat("1", 40)), Absent}}
	wantCode(t, r.Push(t.Context(), "origin", missing, true), coord.CodeNotFound)
}

func TestRefusalCodes(t *testing.T) {
	out := "To x\n!\tabc:refs/heads/a\t[rejected] (stale info)\n=\tabc:refs/heads/b\t[up to date]\nDone\n"
	fail := func(out string) error {
		return pushError("origin", nil, &failure{args: []string{"push"}, status: 1, stdout: []byte(out)})
	}
	wantCode(t, fail(out), coord.CodeStateConflict)
	wantCode(t, fail("!\ta:refs/heads/a\t[rejected] (atomic push failed)\n!\ta:refs/heads/b\t[remote rejected] (protected)\n"), coord.CodeRemoteRefused)
	wantCode(t, fail("!\ta:refs/heads/a\t[remote failure] (remote failed to report status)\n"), coord.CodeUnavailable)
	wantCode(t, fail(""), coord.CodeUnavailable)
}

func TestPushRunsThePrePushHook(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	f.bareRemote()
	f.write(".git/hooks/pre-push", "#!/bin/sh\ntouch '"+f.beside("ran")+"'\n")
	chmod(f, ".git/hooks/pre-push", 0o755)
	if err := f.open().Push(t.Context(), "origin", []RefUpdate{{target, a, Absent}}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.beside("ran")); err != nil {
		t.Error("the pre-push hook, which LFS needs, did not run")
	}
}

func TestObserveIsExact(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	b := f.commit("b", "x", "2")
	f.bareRemote()
	f.run("push", "-q", "origin", string(a)+":refs/heads/main", string(b)+":refs/heads/x/refs/heads/main")
	r := f.open()
	same(t, "one", observed(t, r, target), map[string]OID{target: a})
	same(t, "absent", observed(t, r, "refs/heads/nope"), map[string]OID{})
	same(t, "HEAD", observed(t, r, "HEAD"), map[string]OID{"HEAD": a})
	for _, name := range []string{"main", "refs/heads/*", "--upload-pack=x", ""} {
		_, err := r.Observe(t.Context(), "origin", name)
		wantCode(t, err, coord.CodeBadRequest)
	}
}

func TestFetch(t *testing.T) {
	f := newFixture(t)
	a := f.commit("a", "x", "1")
	remote := f.bareRemote()
	f.run("push", "-q", "origin", "main")
	clone := f.beside("clone")
	f.run("clone", "-q", remote, clone)
	b := f.commit("b", "x", "2")
	f.run("push", "-q", "origin", "main", "main:refs/coord/attempts/pay-1/1")
	f.run("config", "--global", "fetch.prune", "true")
	r := f.openAt(clone)
	f.runIn(clone, "update-ref", "refs/coord/keep", string(a))
	if err := r.Fetch(t.Context(), "origin", "+refs/heads/main:refs/remotes/origin/main", "+refs/coord/*:refs/coord/*"); err != nil {
		t.Fatal(err)
	}
	same(t, "tip", must[OID](t)(r.Resolve(t.Context(), "refs/remotes/origin/main")), b)
	same(t, "coord", must[map[string]OID](t)(r.Refs(t.Context(), "refs/coord/")), map[string]OID{"refs/coord/keep": a, "refs/coord/attempts/pay-1/1": b})
	if err := r.Fetch(t.Context(), "origin"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.Fetch(t.Context(), "origin", "refs/heads/nope"), coord.CodeNotFound)
	wantCode(t, r.Fetch(t.Context(), "origin", "--upload-pack=x"), coord.CodeBadRequest)
	f.runIn(clone, "commit", "-q", "--allow-empty", "-m", "local")
	f.runIn(clone, "branch", "own")
	wantCode(t, r.Fetch(t.Context(), "origin", "refs/heads/main:refs/heads/own"), coord.CodeStateConflict)
}

func TestHostileRemotes(t *testing.T) {
	f := newFixture(t)
	f.commit("a", "x", "1")
	ran := f.beside("ran")
	evil := "ext::sh -c touch% " + ran
	f.run("remote", "add", "evil", evil)
	f.run("config", "remote.opt.url", "--upload-pack=touch "+ran)
	f.global("protocol.ext.allow", "always")
	r := f.open()
	f.global("url."+evil+".insteadOf", "https://example.org/rewritten")
	for _, remote := range []string{"https://example.org/rewritten", "evil", "opt", evil, "--upload-pack=touch " + ran, "-x", "", "ssh://-oProxyCommand=touch/x"} {
		if err := r.Fetch(t.Context(), remote); err == nil {
			t.Errorf("%q is fetched from", remote)
		}
		if _, err := r.Observe(t.Context(), remote); err == nil {
			t.Errorf("%q is observed", remote)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program ran")
	}
}

func TestRemoteURL(t *testing.T) {
	f := newFixture(t)
	r := f.open()
	for remote, want := range map[string]string{
		"https://user:secret@example.org/x": "https://example.org/x",
		"ssh://git:secret@example.org/x":    "ssh://git@example.org/x",
		"git@example.org:x":                 "git@example.org:x",
		"short:x":                           "git@example.org:team/x",
		"../origin.git":                     filepath.Join(filepath.Dir(r.Info().Root), "origin.git"),
	} {
		f.run("config", "url.git@example.org:team/.insteadOf", "short:")
		f.run("config", "remote.origin.url", remote)
		same(t, remote, must[string](t)(r.RemoteURL(t.Context(), "origin")), want)
	}
	same(t, "remotes", must[[]string](t)(r.Remotes(t.Context())), []string{"origin"})
	_, err := r.RemoteURL(t.Context(), "nope")
	wantCode(t, err, coord.CodeSetup)
	if err := r.(*repo).checkRemote(t.Context(), "--push"); err == nil {
		t.Error("an option is a remote")
	}
}
