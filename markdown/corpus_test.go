package markdown

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coord"
)

var corpus = flag.String("corpus", "", "read the Markdown files of this `directory` too")

var boxLine = regexp.MustCompile(`^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+\S`)

// Every line of a file that looks like a checkbox is in a record or counted,
// line ends make no difference, and neither a second import nor one of the
// export plans anything.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../testdata/markdown/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	if *corpus != "" {
		more, err := filepath.Glob(filepath.Join(*corpus, "*.md"))
		if err != nil || len(more) == 0 {
			t.Fatalf("no files in %s: %v", *corpus, err)
		}
		files = append(files, more...)
	}
	var total int
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		unix := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		for _, as := range []coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord} {
			lf := readAs(t, as, string(unix))
			crlf := readAs(t, as, strings.ReplaceAll(string(unix), "\n", "\r\n"))
			if a, b := len(lf.Records), len(crlf.Records); a != b {
				t.Errorf("%s as %s: %d records with LF, %d with CRLF", filepath.Base(name), as, a, b)
			}
			total += len(lf.Records)
		}
		checkBoxes(t, filepath.Base(name), unix)
		checkStable(t, filepath.Base(name), src)
	}
	t.Logf("%d files, %d records in three roles", len(files), total)
}

// checkBoxes compares with the plainest reading there is: line by line.
func checkBoxes(t *testing.T, name string, src []byte) {
	doc := readAs(t, coord.AsBacklog, string(src))
	covered := map[int]bool{}
	for _, r := range doc.Records {
		for n := r.Line; n <= r.Last; n++ {
			covered[n] = true
		}
	}
	counted := 0
	for _, d := range doc.Diagnostics {
		if strings.HasPrefix(d.Code, "hidden_in_") || d.Code == "criteria_without_task" {
			counted += d.Count
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		if boxLine.MatchString(line) && !covered[i+1] {
			counted--
			if counted < 0 {
				t.Errorf("%s:%d: %q is in no record and not counted", name, i+1, line)
			}
		}
	}
}

// checkStable imports a file, applies it and imports it again.
func checkStable(t *testing.T, name string, src []byte) {
	for _, as := range []coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord} {
		s := newState()
		f := coord.SourceFile{Path: name, As: as, Content: src}
		first := s.plan(t, f)
		s.apply(t, first)
		again := s.plan(t, f)
		if again.Actions() != 0 {
			t.Errorf("%s as %s: the second import plans %v", name, as, brief(again))
		}
		out := s.export()
		for i := range out {
			out[i].Path = "export/" + out[i].Path
		}
		if plan := s.plan(t, out...); plan.Actions() != 0 || plan.Counts[coord.ImportUnchanged] != len(plan.Changes) {
			t.Errorf("%s as %s: the export plans %v", name, as, brief(plan))
		}
	}
}
