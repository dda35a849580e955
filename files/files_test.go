package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := TryLock(first); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(second); !errors.Is(err, ErrLocked) {
		t.Fatalf("a second holder: %v", err)
	}
	if err := second.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a refused file stays open: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(open(t, path)); err != nil {
		t.Errorf("after it was closed: %v", err)
	}
}

func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first := open(t, path)
	if err := TryLock(first); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := Lock(ctx, open(t, path)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a wait that was given up: %v", err)
	}
	got := make(chan error)
	waits := open(t, path)
	go func() { got <- Lock(t.Context(), waits) }()
	select {
	case err := <-got:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	if err := TryLock(open(t, path)); !errors.Is(err, ErrLocked) {
		t.Errorf("beside the one who waited: %v", err)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"old", "new, and longer"} {
		if err := Replace(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("%q, %v", b, err)
		}
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode() != 0o640 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if Replace(filepath.Join(dir, "taken"), nil, 0o600) == nil {
		t.Error("a directory was replaced")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("left behind: %v, %v", all, err)
	}
	others := []string{".a.json.tmp", ".a.jsonl.1.tmp", ".b.json.1.tmp", "a.json.1.tmp", ".a.json.1"}
	for _, name := range append(others, ".a.json.123.tmp") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(path)
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2+len(others) {
		t.Errorf("swept: %v, %v", all, err)
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	a, b, gone := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "gone")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	linked := os.Symlink(a, link) == nil // Windows asks for a right to make one
	for _, c := range []struct {
		x, y string
		same bool
	}{{a, a, true}, {a, filepath.Join(b, "..", "a") + "/", true}, {a, b, false}, {gone, gone, true}, {gone, a, false}, {link, a, linked}} {
		if Same(c.x, c.y) != c.same || Same(c.y, c.x) != c.same {
			t.Errorf("%s and %s: not %v", c.x, c.y, c.same)
		}
	}
}
