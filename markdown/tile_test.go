package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var markdownRoles = []coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord, coord.AsMemory, coord.AsArchive, coord.AsInstructions}

// checkSpans holds a document to what its types promise about bytes.
func checkSpans(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, doc Document,
) {
	t.Helper()
	at := 0
	for _, tile := range doc.Tiles {
		if tile.From != at || tile.To <= tile.From || tile.Record >= len(doc.Records) {
			t.Fatalf("tile %+v after byte %d", tile, at)
		}
		at = tile.To
	}
	if at != len(src) {
		t.Fatalf("the tiles end at %d of %d", at, len(src))
	}
	for i, r := range doc.Records {
		checkRecordSpans(t, src, doc, i)
		for _, mark := range []Span{r.Marks.Box, r.Marks.Status} {
			if mark != (Span{}) && (mark.From < r.Whole.From || mark.To > r.Whole.To || mark.From >= mark.To) {
				t.Fatalf("record %d at %+v has a mark at %+v", i, r.Whole, mark)
			}
		}
		if r.Marks.End != 0 && (r.Marks.End < r.Own.From || r.Marks.End > r.Own.To) {
			t.Fatalf("record %d %+v is marked at %d", i, r.Own, r.Marks.End)
		}
	}
	for _, l := range doc.Links {
		if l.Span.From < 0 || l.Span.To > len(src) || l.Span.From >= l.Span.To || l.Line < 1 || l.Line > doc.Lines || l.Record >= len(doc.Records) {
			t.Fatalf("link %+v", l)
		}
	}
}

func checkRecordSpans(t interface{ Fatalf(string, ...any) }, src []byte, doc Document, i int) {
	r := doc.Records[i]
	if r.Line < 1 || r.Last < r.Line || r.Last > doc.Lines {
		t.Fatalf("lines %d to %d of %d", r.Line, r.Last, doc.Lines)
	}
	lineStart := func(at int) bool { return at == 0 || at == len(src) || src[at-1] == '\n' || src[at-1] == '\r' }
	if r.Whole.From < 0 || r.Whole.From > r.Whole.To || r.Whole.To > len(src) || !lineStart(r.Whole.From) || !lineStart(r.Whole.To) {
		t.Fatalf("record %d has the lines %+v of %d bytes", i, r.Whole, len(src))
	}
	if r.Own != (Span{}) && (r.Own.From < r.Whole.From || r.Own.To > r.Whole.To || r.Own.From > r.Own.To) {
		t.Fatalf("record %d has its text %+v outside of its lines %+v", i, r.Own, r.Whole)
	}
	for j, o := range doc.Records {
		disjoint := o.Whole.To <= r.Whole.From || r.Whole.To <= o.Whole.From
		inside := o.Whole.From <= r.Whole.From && r.Whole.To <= o.Whole.To || r.Whole.From <= o.Whole.From && o.Whole.To <= r.Whole.To
		if i != j && !disjoint && !inside {
			t.Fatalf("records %d and %d overlap: %+v %+v", i, j, r.Whole, o.Whole)
		}
	}
	if p := r.Parent; p < -1 || p >= len(doc.Records) || p == i || p >= 0 && (doc.Records[p].Whole.From > r.Whole.From || doc.Records[p].Whole.To < r.Whole.To) {
		t.Fatalf("record %d is said to be in %d", i, p)
	}
}

// Files are drawn from pieces that mean something to a Markdown parser.
var sources = rapid.Custom(func(t *rapid.T) []byte {
	pieces := []string{
		"# A", "## B #", "A\n===", "- [ ] a", "- [x] b <!-- coord:pay-1 -->", "* c", "1. d", "  - [ ] e", "\t- f", "\t\t- [x] g", "    code",
		"```", "~~~", "> q", "> - [ ] r", "<details>", "<!--", "-->", "| ID | Task | Status |", "|---|---|---|", "| B-1 | h | open |", "| `i\\|j` | k | done",
		"---", "status: Done", "id: 1", "text", "[l](m.md) #7", "[n]: o.md", "**Status:** done", "- accept: p", "<!-- coord:begin pay-1 sum=00000000 -->",
		"<!-- coord:end pay-1 -->", "## Next steps", "## Done", "\xff", "é", "", "", "-", "- - [ ] s", "This file is deprecated", "- [~] t", "~~u~~ done",
	}
	var b bytes.Buffer
	if rapid.IntRange(0, 3).Draw(t, "start") == 0 {
		b.WriteString(rapid.SampledFrom([]string{"\ufeff", "---\n", "\ufeff---\r\n"}).Draw(t, "first"))
	}
	for range rapid.IntRange(0, 14).Draw(t, "pieces") {
		b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\n\n", "\r\n", "\r", " ", ""}).Draw(t, "end"))
	}
	return b.Bytes()
})

// Properties 1 and 2: the tiles of a file are its bytes, and every span is where
// it says.
func TestTilesAreTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := sources.Draw(t, "source")
		doc, err := Read(coord.SourceFile{Path: "F.md", As: rapid.SampledFrom(markdownRoles).Draw(t, "role"), Content: src})
		if err != nil {
			return
		}
		checkSpans(t, src, doc)
	})
}

// Property 5: the sign in a box is all that has to change for a record to read as
// closed or open: no other record changes with it, and changing it back gives the
// file.
func TestOneByteFlipsOneRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := sources.Draw(t, "source")
		file := coord.SourceFile{Path: "F.md", As: coord.AsBacklog, Content: src}
		doc, err := Read(file)
		if err != nil {
			return
		}
		for i, r := range doc.Records {
			box := r.Marks.Box
			if box.To-box.From != 1 || !strings.ContainsRune(" x", rune(src[box.From])) {
				continue
			}
			file.Content = slices.Clone(src)
			file.Content[box.From] ^= ' ' ^ 'x'
			again, err := Read(file)
			if err != nil || len(again.Records) != len(doc.Records) {
				t.Fatalf("%d records after a box was changed, %d before (%v)\n%s", len(again.Records), len(doc.Records), err, src)
			}
			for j := range again.Records {
				was, is := doc.Records[j], again.Records[j]
				if i != j && inside(was.Whole, box) {
					continue // its body holds the box
				}
				if i == j {
					was.Facets.Status, was.Ready, was.Disputed = is.Facets.Status, is.Ready, is.Disputed
				}
				if diff := cmp.Diff(was, is); diff != "" {
					t.Fatalf("the box of record %d changed record %d: %s\n%s", i, j, diff, src)
				}
			}
			file.Content[box.From] ^= ' ' ^ 'x'
			if !bytes.Equal(file.Content, src) {
				t.Fatalf("changed twice, the file differs")
			}
		}
	})
}

// Where the signs of records stand, shown as the text that each span covers.
func TestMarks(t *testing.T) {
	for _, test := range []struct{ name, text, own, box, status, end string }{
		{"26 after a tab", "- a\n\t- b\n\t\t- [ ] c\n", "- [ ] c", " ", "", "\n"},
		{"26 two items in one line", "- - [ ] a\n", "- [ ] a", " ", "", "\n"},
		{"wide mark", "- [⏳] a\n", "- [⏳] a", "⏳", "", "\n"},
		{"lines", "- [x] a\n  b\n", "- [x] a\n  b", "x", "", "\n"},
		{"comments at the end", "- [ ] a <!-- b --> <!-- coord:pay-1 -->\n", "- [ ] a <!-- b --> <!-- coord:pay-1 -->", " ", "", " <!-- b -->"},
		{"comment inside", "- [ ] a <!-- b --> c\n", "- [ ] a <!-- b --> c", " ", "", "\n"},
		{"comment in code", "- [ ] a `<!-- b -->`\n", "- [ ] a `<!-- b -->`", " ", "", "\n"},
		{"criteria behind the title", "- [ ] a\n  Acceptance:\n  - b\n", "- [ ] a\n  Acceptance:", " ", "", "\n  Acc"},
		{"45 closed heading", "## B-1 Title ##  \n", "## B-1 Title ##", "", "", " ##"},
		{"45 closed heading with a marker", "## B-1 Title <!-- coord:pay-1 --> ##\n", "## B-1 Title <!-- coord:pay-1 --> ##", "", "", " <!--"},
		{"heading with a box", "## [ ] Title\n", "## [ ] Title", " ", "", "\n"},
		{"underlined heading", "B-1 Title\n---\n", "B-1 Title\n---", "", "", "\n---"},
		{"no final newline", "- [ ] a", "- [ ] a", " ", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				of := func(s string) string { return strings.ReplaceAll(s, "\n", end) }
				src := of(test.text)
				doc := readAs(t, coord.AsBacklog, src)
				if len(doc.Records) != 1 {
					t.Fatalf("%d records", len(doc.Records))
				}
				r := doc.Records[0]
				show := func(s Span) string { return src[s.From:s.To] }
				got := []string{show(r.Own), show(r.Marks.Box), show(r.Marks.Status)}
				if diff := cmp.Diff([]string{of(test.own), test.box, test.status}, got); diff != "" {
					t.Errorf("own text, box, status (-want +got):\n%s", diff)
				}
				if !strings.HasPrefix(src[r.Marks.End:], of(test.end)) || test.end == "" && r.Marks.End != len(src) {
					t.Errorf("a remark goes before %q, want before %q", src[r.Marks.End:], test.end)
				}
			}
		})
	}
}
