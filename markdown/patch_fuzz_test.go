package markdown

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"coord"

	"pgregory.net/rapid"
)

// FuzzPatch looks for an edit that changes anything beside what was wished, or
// that cannot be undone.
func FuzzPatch(f *testing.F) {
	for i, s := range append(append(seeds, tileSeeds...), "- [ ] a", "## B-1 a ##\n", row("x\\|y", "open"), "---\nid: 1\nstatus: open\n---\n") {
		f.Add([]byte(s), byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, src []byte, record, op byte) {
		file := backlog(string(src))
		doc, err := Read(file)
		if err != nil || len(doc.Records) == 0 {
			return
		}
		w := patchOps[int(op)%len(patchOps)]
		w.Record = int(record) % len(doc.Records)
		if doc.Records[w.Record].Kind != coord.RecordTask {
			return
		}
		checkPatch(t, file, doc, w)
	})
}

// checkPatch holds one edit to what a patch promises, read back from nothing
// but the bytes.
func checkPatch(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, f coord.SourceFile, doc Document, w Wish,
) {
	t.Helper()
	p := mustPatch(t, f, w)
	if len(p.Refused) > 0 {
		if !bytes.Equal(p.Text, f.Content) {
			t.Fatalf("refused, but %q became %q", f.Content, p.Text)
		}
		return
	}
	after, err := Read(coord.SourceFile{Path: f.Path, As: f.As, Content: p.Text})
	if err != nil || len(after.Records) != len(doc.Records) {
		t.Fatalf("%q became %q: %d records, %v", f.Content, p.Text, len(after.Records), err)
	}
	is, was := after.Records[w.Record], doc.Records[w.Record]
	if w.Status != "" && (is.Facets.Status != w.Status || is.Disputed != "" || is.Ready) {
		t.Fatalf("%q became %q: %s %q", f.Content, p.Text, is.Facets.Status, is.Disputed)
	}
	if is.Facets.Title != was.Facets.Title || is.Lead != was.Lead || is.Label != was.Label || is.Facets.Priority != was.Facets.Priority {
		t.Fatalf("%q became %q: %+v", f.Content, p.Text, is.Facets)
	}
	if p.Marked[0] && is.Marker != w.Marker {
		t.Fatalf("%q became %q: marker %q", f.Content, p.Text, is.Marker)
	}
	for i, r := range after.Records {
		if o := doc.Records[i]; i != w.Record && (r.Facets.Status != o.Facets.Status || r.Facets.Title != o.Facets.Title || r.Marker != o.Marker) {
			t.Fatalf("%q became %q: record %d is another one", f.Content, p.Text, i)
		}
	}
	if strings.Count(string(p.Text), "~~") > strings.Count(string(f.Content), "~~") {
		t.Fatalf("%q became %q: struck", f.Content, p.Text)
	}
}

// soup is Markdown of many kinds in any order.
var soup = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"- [ ] a\n", "* [ ] **B-1 b**: c — P1\n", "  - [ ] d\n", "\t- e\n", "1. [/] f (P2)\n", "## B-2 g\n", "## Done\n", "h\n", "\n", "\r\n", "- [ ] i\r\n",
		"| ID | Task | Status |\n|---|---|---|\n| B-3 | j | open |\n| B-4 | k \\| l | todo |\n", "- [x] m — done\n", "> - [ ] n\n", "```\n- [ ] o\n```\n",
		"<!-- p -->\n", "- [ ] q <!-- coord:pay-9 -->\n", "- [ ] r\n  Status: open\n", "Next:\n", "- s\n", "- [ ] t — after B-1\n", "\xff\n", "- [ ] u",
	}), 1, 8).Draw(t, "lines"), "")
})

// Properties 5 and 6: any edit changes its record only, and can be undone.
func TestPatchProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := backlog(soup.Draw(t, "text"))
		doc, err := Read(f)
		if err != nil || len(doc.Records) == 0 {
			t.Skip()
		}
		w := rapid.SampledFrom(patchOps).Draw(t, "op")
		w.Record = rapid.IntRange(0, len(doc.Records)-1).Draw(t, "record")
		checkPatch(t, f, doc, w)
	})
}

// Properties 7 and 8: nothing changed, so that nothing is written; markers on
// every line are all that is added, and taking them off gives the file back.
func TestUntouchedFileIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkUntouched(t, soup.Draw(t, "text")) })
}

func checkUntouched(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	f := backlog(text)
	s := newState()
	plan, err := Plan(s.base, []coord.SourceFile{f})
	if err != nil || plan.Files[0].State != "" {
		return
	}
	s.apply(t, plan)
	for i := range s.data.Tasks {
		s.data.Tasks[i].Source = f.Path
	}
	s.data.AsOf = s.base.AsOf
	again, err := Plan(s.base, []coord.SourceFile{f})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range AllMarkers {
		u, err := Into(f, again, s.data, m)
		if err != nil {
			return
		}
		out := string(u.Text)
		for _, l := range u.Lines {
			if l.Marked {
				out = strings.Replace(out, " <!-- coord:"+string(l.Task)+" -->", "", 1)
				out = strings.Replace(out, "coord: "+string(l.Task)+"\n", "", 1)
			}
		}
		if out != text || m != MarkersAll && u.Diff != "" {
			t.Fatalf("%s: %q became %q", m, text, u.Text)
		}
	}
}

// FuzzRoundTrip looks for a file that an export changes although nothing
// happened in the service.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range append(seeds, tileSeeds...) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkUntouched(t, string(src)) })
}

// The same of every file that there is.
func TestUntouchedCorpus(t *testing.T) {
	for _, name := range append(corpusFiles(t), realFiles(t)...) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		checkUntouched(t, string(src))
	}
}

// Property 17: no title makes machinery of itself, in an export or in a region.
func TestMarkersOfPeopleAreText(t *testing.T) {
	for _, title := range []string{"a --> b", "a <!-- coord:pay-9 -->", "a <!-- coord:end open -->", "```", "a | b", "coord:pay-9", "<!-- coord:begin open v1 as_of=1 sum=00000000 -->"} {
		s := newState()
		s.addTask(coord.ExportTask{Title: title, Outcome: title + "\n\n" + title, Criteria: []string{title}, Priority: coord.PriorityNormal, Lifecycle: coord.LifecyclePlanned})
		if got := brief(s.plan(t, s.export()...)); got != nil {
			t.Errorf("%q: the export plans %v", title, got)
		}
		text, why := withRegion([]byte("# A\n"), s.data.Tasks, 7)
		p := newPage(text)
		if r := p.openRegions(p.blocks()); why != "" || len(r) != 1 || !r[0].intact || r[0].last != len(p.starts)-1 {
			t.Errorf("%q: %s %+v\n%s", title, why, r, text)
		}
	}
}
