package templates

import (
	"io/fs"
	"regexp"
	"testing"
)

// inline is what the dashboard's content security policy would block: script
// and style in the page, and handlers in attributes.
var inline = regexp.MustCompile(`(?i)<script(?:[^>]*[^/>])?>\s*[^<\s]|<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:|https?://`)

func TestPagesHoldNothingInline(t *testing.T) {
	for _, bad := range []string{`<p style="x">`, `<a onclick = "x">`, "<style>", "<script>x", `<a href="javascript:x">`} {
		if !inline.MatchString(bad) {
			t.Errorf("the pattern misses %s", bad)
		}
	}
	n := 0
	walk(t, HTML, func(name string, body []byte) {
		n++
		if m := inline.Find(body); m != nil {
			t.Errorf("%s holds %q", name, m)
		}
	})
	if n == 0 {
		t.Error("no page is embedded")
	}
}

func TestAssetsReachNothingElsewhere(t *testing.T) {
	elsewhere := regexp.MustCompile(`url\(|@import|\bimport\b.*from|//[a-z0-9.-]+\.[a-z]{2,}`)
	walk(t, Static, func(name string, body []byte) {
		body = regexp.MustCompile(`xmlns="[^"]*"`).ReplaceAll(body, nil)
		if m := elsewhere.Find(body); m != nil {
			t.Errorf("%s reaches elsewhere: %q", name, m)
		}
	})
}

func walk(t *testing.T, files fs.FS, see func(name string, body []byte)) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		see(name, body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
