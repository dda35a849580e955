package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"coord"
)

func writeHand(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// A file that somebody changed after it was read is left as they made it.
func TestHandFileChangedMeanwhile(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "BACKLOG.md")
	writeHand(t, path, "- [ ] a\n")
	f, err := openHand(root, path)
	if err != nil {
		t.Fatal(err)
	}
	writeHand(t, path, "- [ ] a, in haste\n")
	var refused *coord.Error
	if err := f.replace([]byte("- [x] a\n")); !errors.As(err, &refused) || refused.Code != coord.CodeStateConflict {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "- [ ] a, in haste\n" {
		t.Errorf("the file became %q", text)
	}
}

// A link inside of the root is followed, and stays a link; one that leads out is
// refused.
func TestHandFileBehindLink(t *testing.T) {
	root := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "B.md")
	writeHand(t, elsewhere, "- [ ] a\n")
	if err := os.Symlink(elsewhere, filepath.Join(root, "out.md")); err != nil {
		t.Skip(err)
	}
	if _, err := openHand(root, filepath.Join(root, "out.md")); err == nil {
		t.Error("a link out of the root was followed")
	}
	writeHand(t, filepath.Join(root, "BACKLOG.md"), "- [ ] a\n")
	link := filepath.Join(root, "TODO.md")
	if err := os.Symlink("BACKLOG.md", link); err != nil {
		t.Fatal(err)
	}
	f, err := openHand(root, link)
	if err != nil || f.source.Path != "TODO.md" {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := f.replace([]byte("- [x] a\n")); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(link)
	if err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", st.Mode(), err)
	}
	st, err = os.Stat(link)
	text, _ := os.ReadFile(filepath.Join(root, "BACKLOG.md"))
	if err != nil || string(text) != "- [x] a\n" || st.Mode().Perm() != 0o640 && st.Mode().Perm()&0o200 == 0 {
		t.Errorf("%q, %v, %v", text, st.Mode(), err)
	}
}
