package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestFault85_OnlyFullLowerCaseNames(t *testing.T) {
	f := newFixture(t)
	c := f.commit("base", "a", "a")
	blob := OID(f.run("rev-parse", "HEAD:a"))
	for _, r := range engines(f) {
		for _, o := range []OID{c[:12], OID(strings.ToUpper(string(c))), "", "HEAD", c + " ", "-" + c[1:]} {
			_, err := r.ReadCommit(t.Context(), o)
			wantCode(t, err, coord.CodeBadRequest)
			_, err = r.ReadTree(t.Context(), o)
			wantCode(t, err, coord.CodeBadRequest)
			_, err = r.ReadFile(t.Context(), o, "a")
			wantCode(t, err, coord.CodeBadRequest)
			_, err = r.Log(t.Context(), "", o, 1)
			wantCode(t, err, coord.CodeBadRequest)
		}
		_, err := r.ReadCommit(t.Context(), blob)
		wantCode(t, err, coord.CodeNotFound)
		_, err = r.ReadTree(t.Context(), blob)
		wantCode(t, err, coord.CodeNotFound)
	}
}

// engines opens the fixture once for each way of reading.
func engines(f *fixture) map[string]*repo {
	f.t.Helper()
	git, inside := f.open().(*repo), f.open().(*repo)
	git.stored = installed{git}
	inside.stored = &inProcess{git: installed{inside}}
	return map[string]*repo{"git": git, "go-git": inside}
}

func TestFault86_DamagedObjects(t *testing.T) {
	for name, damage := range map[string]func(f *fixture, file string){
		"missing":  func(f *fixture, file string) { f.removeAll(file) },
		"empty":    func(f *fixture, file string) { f.overwrite(file, "") },
		"cut off":  func(f *fixture, file string) { f.overwrite(file, "x\x9cK") },
		"not zlib": func(f *fixture, file string) { f.overwrite(file, "commit 3\x00abc") },
		"a blob":   func(f *fixture, file string) { f.swap(file, f.run("rev-parse", "HEAD:a")) },
		"a commit": func(f *fixture, file string) { f.swap(file, f.run("rev-parse", "HEAD~1")) },
		"a pack": func(f *fixture, file string) {
			f.run("repack", "-adq")
			packs, _ := filepath.Glob(f.path(".git/objects/pack/*.pack"))
			text, _ := os.ReadFile(packs[0])
			f.overwrite(packs[0], string(text[:20])+strings.Repeat("\xff", len(text)-20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("one", "a", "a")
			c := f.commit("two", "a", "b")
			f.bareRemote()
			damage(f, filepath.Join(f.path(".git/objects"), string(c[:2]), string(c[2:])))
			for engine, r := range engines(f) {
				_, err := r.ReadCommit(t.Context(), c)
				if err == nil && name != "a commit" { // git itself believes the file's name
					t.Errorf("%s reads it", engine)
				}
				if err := r.Push(t.Context(), "origin", []RefUpdate{{target, c, Absent}}, false); err == nil {
					t.Errorf("%s: it was pushed", engine)
				}
				if err != nil {
					printable(t, err)
				}
			}
			lost := &repo{git: New([]string{"PATH="}), info: f.open().Info()}
			lost.stored = &inProcess{git: installed{lost}}
			if _, err := lost.ReadCommit(t.Context(), c); err == nil {
				t.Error("go-git believes it")
			}
			same(t, "the remote", f.runIn(f.beside("origin.git"), "for-each-ref"), "")
		})
	}
}

func (f *fixture) overwrite(file, text string) {
	f.t.Helper()
	f.removeAll(file) // objects are read-only
	f.writeAt(file, text)
}

func (f *fixture) swap(file, oid string) {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.path(".git/objects"), oid[:2], oid[2:]))
	if err != nil {
		f.t.Fatal(err)
	}
	f.overwrite(file, string(text))
}

// What is written by others while a repository is open is found.
func TestObjectsWrittenMeanwhileAreFound(t *testing.T) {
	f := newFixture(t)
	first := f.commit("one", "a", "1")
	f.run("repack", "-adq")
	r := f.open()
	must[Commit](t)(r.ReadCommit(t.Context(), first))
	second := f.commit("two", "a", "2")
	f.run("repack", "-adq")
	f.run("pack-refs", "--all")
	same(t, "HEAD", must[Head](t)(r.Head(t.Context())).Commit, second)
	same(t, "log", len(must[[]Commit](t)(r.Log(t.Context(), "", second, 9))), 2)
	same(t, "file", string(must[[]byte](t)(r.ReadFile(t.Context(), second, "a"))), "2")
	same(t, "first", must[Commit](t)(r.ReadCommit(t.Context(), first)).Message, "one\n")
	f.run("fetch", "-q", "--depth=1", "file://"+filepath.ToSlash(f.dir), "main")
	f.writeAt(f.path(".git/shallow"), string(second)+"\n")
	same(t, "cut meanwhile", len(must[[]Commit](t)(r.Log(t.Context(), "", second, 9))), 1)
}

// TestObjectsInQuarantineAreNotThere: what a push has brought and the remote
// has not taken yet (git-receive-pack(1)) is no object of the repository, for
// either engine.
func TestObjectsInQuarantineAreNotThere(t *testing.T) {
	for _, quarantine := range []string{"tmp_objdir-incoming-abc123", "incoming-abc123"} {
		f := newFixture(t)
		f.commit("one", "a", "1")
		c := f.commit("two", "a", "2")
		f.run("reset", "-q", "--hard", "HEAD~1")
		object := filepath.Join(string(c[:2]), string(c[2:]))
		text, err := os.ReadFile(filepath.Join(f.path(".git/objects"), object))
		if err != nil {
			t.Fatal(err)
		}
		f.removeAll(filepath.Join(f.path(".git/objects"), object))
		f.writeAt(filepath.Join(f.path(".git/objects"), quarantine, object), string(text))
		for engine, r := range engines(f) {
			if _, err := r.ReadCommit(t.Context(), c); coord.CodeOf(err) != coord.CodeNotFound {
				t.Errorf("%s reads what is in %s: %v", engine, quarantine, err)
			}
		}
	}
}

func TestReadingIsSafeForSeveralGoroutines(t *testing.T) {
	f := newFixture(t)
	f.commit("base")
	history(f, 30)
	f.run("repack", "-adq")
	r := f.open()
	head := must[Head](t)(r.Head(t.Context())).Commit
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 5 {
				if _, e := r.Log(t.Context(), "", head, 100); e != nil {
					err = e
				}
				if _, e := r.ReadTree(t.Context(), head); e != nil {
					err = e
				}
				if _, e := r.Refs(t.Context(), "refs/"); e != nil {
					err = e
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	if !isUnix {
		t.Skip("the test's git is a shell script")
	}
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	r := f.open().(*repo)
	r.stored = installed{r}
	f.git.found = f.beside("git")
	f.writeAt(f.git.found, "#!/bin/sh\nexec cat /dev/zero\n")
	chmodAt(t, f.git.found, 0o755)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := r.ReadTree(ctx, base)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(mostOutput>>20, " MiB")) || ctx.Err() != nil {
		t.Errorf("%v", err)
	}
}

func chmodAt(t *testing.T, p string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(p, mode); err != nil {
		t.Fatal(err)
	}
}
