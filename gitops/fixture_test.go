package gitops

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"coord"
)

// fixture is a real repository with a home directory of its own.
type fixture struct {
	t    testing.TB
	home string
	dir  string
	env  []string
	git  *Git
}

func newFixture(t testing.TB, initArgs ...string) *fixture {
	t.Helper()
	top := t.TempDir()
	f := &fixture{t: t, home: filepath.Join(top, "home"), dir: filepath.Join(top, "repo")}
	for _, d := range []string{f.home, f.dir} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	f.env = []string{"HOME=" + f.home, "USERPROFILE=" + f.home, "XDG_CONFIG_HOME=" + f.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	f.git = New(f.env)
	f.writeAt(filepath.Join(f.home, ".gitconfig"), fixtureConfig)
	f.run(append([]string{"init", "-q"}, initArgs...)...)
	return f
}

const fixtureConfig = `[user]
	name = Agent
	email = agent@example.org
[init]
	defaultBranch = main
[core]
	fsync = none
[gc]
	auto = 0
[protocol "file"]
	allow = always
`

func (f *fixture) global(key, value string) { f.t.Helper(); f.run("config", "--global", key, value) }

// run runs git as a user would, in the fixture's directory.
func (f *fixture) run(args ...string) string {
	f.t.Helper()
	return f.runIn(f.dir, args...)
}

func (f *fixture) runIn(dir string, args ...string) string {
	f.t.Helper()
	out, err := f.try(dir, args...)
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (f *fixture) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, f.env...), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *fixture) write(name, text string) { f.t.Helper(); f.writeAt(f.path(name), text) }

func (f *fixture) writeAt(p, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(name string) {
	f.t.Helper()
	if err := os.RemoveAll(f.path(name)); err != nil {
		f.t.Fatal(err)
	}
}

// commit writes files given as name, text pairs and commits them.
func (f *fixture) commit(message string, files ...string) OID {
	f.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		f.write(files[i], files[i+1])
	}
	f.run("add", "-A")
	f.run("commit", "-q", "--allow-empty", "-m", message)
	return OID(f.run("rev-parse", "HEAD"))
}

func (f *fixture) open() Repo { f.t.Helper(); return f.openAt(f.dir) }

func (f *fixture) openAt(dir string) Repo {
	f.t.Helper()
	r, err := f.git.Open(f.t.Context(), dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// bareRemote makes a bare repository and adds it as origin.
func (f *fixture) bareRemote() string {
	f.t.Helper()
	dir := filepath.Join(filepath.Dir(f.dir), "origin.git")
	f.run("init", "-q", "--bare", dir)
	f.run("remote", "add", "origin", dir)
	return dir
}

// listing is a fingerprint of everything below a directory: names, content,
// modes and modification times in nanoseconds. Left out are coord's own
// directory, and the times of what holds it; of objects and shared indexes,
// which Git renews when it meets one again, the times.
func listing(t testing.TB, root string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "coord" && filepath.Base(filepath.Dir(filepath.Dir(p))) != "refs" && isGitDir(filepath.Dir(p)) {
			return fs.SkipDir
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(p)
		case d.Type().IsRegular():
			text, err = contentOf(p, st)
		}
		inObjects := strings.Contains(filepath.ToSlash(p)+"/", "/objects/")
		if !inObjects && !strings.HasPrefix(d.Name(), "sharedindex.") && !(d.IsDir() && isGitDir(p)) {
			text += st.ModTime().Format(" " + time.RFC3339Nano)
		}
		lines = append(lines, fmt.Sprintf("%q %v %s", strings.TrimPrefix(p, root), st.Mode(), text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// contentOf is a digest of a file; of a huge one its size, since it is the time
// that tells.
func contentOf(p string, st fs.FileInfo) (string, error) {
	if st.Size() > 64<<20 {
		return fmt.Sprint(st.Size()), nil
	}
	b, err := os.ReadFile(p)
	return fmt.Sprintf("%x", sha256.Sum256(b)), err
}

func isGitDir(p string) bool {
	_, err := os.Stat(filepath.Join(p, "HEAD"))
	return err == nil
}

func wantCode(t testing.TB, err error, code coord.Code) {
	t.Helper()
	if coord.CodeOf(err) != code {
		t.Fatalf("error is %q (%v), want code %s", coord.CodeOf(err), err, code)
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s\n got: %v\nwant: %v", what, got, want)
	}
}

var alpha = Signature{Name: "Agent", Email: "agent@example.org", When: time.Unix(1700000000, 0).In(time.FixedZone("", -3*3600-1800))}
