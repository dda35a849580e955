package markdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shared is where the real files are kept, beside the repository; they are no
// part of it.
const shared = "../../shared/corpus/markdown"

func corpusFiles(t *testing.T) []string {
	files, err := filepath.Glob("../testdata/markdown/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	return files
}

// realFiles are the files of the corpus; the test is skipped where there is none.
func realFiles(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(shared, "*.md"))
	if err != nil || len(files) == 0 {
		t.Skipf("no corpus of real files at %s", shared)
	}
	return files
}

var boxLine = regexp.MustCompile(`^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+\S`)

// Every line of a file that looks like a checkbox is in a record or counted,
// line ends make no difference, the tiles are the file, and neither a second
// import nor one of the export plans anything.
func TestCorpus(t *testing.T) { checkFiles(t, corpusFiles(t), true) }

// The same holds for files that people and agents wrote; planning each in three
// roles takes its time, so that every fourth is.
func TestCorpusOfRealFiles(t *testing.T) { checkFiles(t, realFiles(t), false) }

func checkFiles(t *testing.T, files []string, all bool) {
	var total int
	for i, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		unix := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		for _, as := range markdownRoles {
			lf := readAs(t, as, string(unix))
			crlf := readAs(t, as, strings.ReplaceAll(string(unix), "\n", "\r\n"))
			if a, b := outline3(lf), outline3(crlf); a != b {
				t.Errorf("%s as %s differs with CRLF:\n%s", base, as, cmp.Diff(a, b))
			}
			checkSpans(t, src, readAs(t, as, string(src)))
			total += len(lf.Records)
			if as != coord.AsInstructions {
				checkConserved(t, base, as, unix)
			}
		}
		checkBoxes(t, base, unix)
		if all || i%4 == 0 {
			checkStable(t, base, src)
		}
	}
	t.Logf("%d files, %d records in %d roles", len(files), total, len(markdownRoles))
}

// outline3 is what must not depend on line ends: records, notes and links.
func outline3(doc Document) string {
	var b strings.Builder
	for _, r := range doc.Records {
		fmt.Fprintf(&b, "%d-%d %s %s\n", r.Line, r.Last, r.Shape, seen(r))
	}
	for _, l := range doc.Links {
		fmt.Fprintf(&b, "%d %s %s\n", l.Line, l.Kind, l.Raw)
	}
	return b.String() + strings.Join(codes(doc), ", ")
}

// checkConserved holds every line that begins with a list sign outside of code,
// every checkbox and every row of a table to be in a record or accounted for.
func checkConserved(t interface{ Errorf(string, ...any) }, name string, as coord.SourceRole, src []byte) {
	p := newPage(src)
	x := newExtraction(p, p.blocks(), as)
	x.run()
	known := map[int]bool{}
	for _, r := range x.records {
		skipLines(known, r.Line-1, r.Last-1)
	}
	for _, n := range x.notes.lines {
		known[n] = true
	}
	skipLines(known, 0, x.lineOf(x.body)-1)
	for i, b := range x.blocks {
		if n := len(b.at); b.kind == KindHeading && n > 0 {
			skipLines(known, x.lineOf(b.at[n-1])+1, b.last) // what underlines it
		}
		if g := x.grids[i]; g != nil {
			skipLines(known, x.lineOf(b.at[g.first]), x.lineOf(b.at[g.first+1]))
		}
	}
	for n := range p.starts {
		line := strings.Trim(strings.TrimLeft(p.line(n), " \t>"), " \t")
		row := strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|")
		if (listSign([]byte(line)) > 0 && !isRule([]byte(line)) || row) && !known[n] {
			t.Errorf("%s:%d as %s: %q is in no record and not counted", name, n+1, as, line)
		}
	}
}

// Property 15, of lines: each that looks like an item is in a record or counted.
func TestNothingIsDroppedInSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := sources.Draw(t, "source")
		if checkLimits(src) == nil {
			checkConserved(t, "F.md", rapid.SampledFrom(markdownRoles[:5]).Draw(t, "role"), src)
		}
	})
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
		if strings.HasPrefix(d.Code, "hidden_in_") || d.Code == "criteria_without_task" || d.Code == "legend" {
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
