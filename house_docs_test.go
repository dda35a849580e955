package coord_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// documents are the Markdown files that people read: those of the root and of
// docs.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func links(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range markdownLink.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], "://") && !strings.HasPrefix(m[1], "#") {
			name, _, _ := strings.Cut(m[1], "#")
			out = append(out, filepath.Join(filepath.Dir(file), name))
		}
	}
	return out
}

// TestHouseLinks follows every relative link of the documents.
func TestHouseLinks(t *testing.T) {
	for _, file := range documents(t) {
		for _, to := range links(t, file) {
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", file, to)
			}
		}
	}
}

// TestHouseSummary asks for every chapter of the book in its table of
// contents.
func TestHouseSummary(t *testing.T) {
	listed := map[string]bool{filepath.Join("docs", "src", "SUMMARY.md"): true}
	for _, chapter := range links(t, filepath.Join("docs", "src", "SUMMARY.md")) {
		listed[chapter] = true
	}
	for _, file := range documents(t) {
		if filepath.Dir(file) == filepath.Join("docs", "src") && !listed[file] {
			t.Errorf("docs/src/SUMMARY.md does not list %s", file)
		}
	}
}
