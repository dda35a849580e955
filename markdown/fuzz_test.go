package markdown

import (
	"strings"
	"testing"

	"coord"
)

var seeds = []string{
	"", "\n", "- [ ] a\n", "\ufeff---\nid: 1\n---\n# A\n\n- [x] b <!-- coord:pay-1 -->\n", "- a\n\t- b\n\t\t- [ ] c\n", "*\r\n  foo\r- x\r\n",
	"# A\n\nA\n===\n\n```\nx\n", "<!--\n- [ ] a\n-->\n> - [ ] q\n\n| a |\n|---|\n| b |\n", "- [ ] ~~a~~ — done\n  - accept: b\n\n  c\n",
	"<!-- coord:begin pay-1 sum=00000000 -->\nx\n<!-- coord:end pay-1 -->\n", "1. [ ] `a` \\<b\n2) c\n[x]: y\n",
	"- [ ] \n  accept:\n", "a\n\v", "\v- [ ] a\n\f\n- \v\n", "- [ ] a\n  Accept:\n  - b\n",
}

// FuzzExtract looks for input that panics, gives records out of range or text
// that the service would refuse, or plans something on a second import.
func FuzzExtract(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), byte(i))
	}
	f.Fuzz(func(t *testing.T, src []byte, role byte) {
		file := coord.SourceFile{Path: "F.md", As: markdownRoles[int(role)%len(markdownRoles)], Content: src}
		doc, err := Read(file)
		if err != nil {
			return
		}
		checkSpans(t, src, doc)
		for _, r := range doc.Records {
			checkStorable(t, r)
			if r.Ready && r.Facets.Status != coord.SourceOpen {
				t.Fatalf("line %d is ready and %s", r.Line, r.Facets.Status)
			}
		}
		s := newState()
		s.apply(t, s.plan(t, file))
		if again := s.plan(t, file); again.Actions() != 0 {
			t.Fatalf("the second import plans %v", brief(again))
		}
	})
}

// FuzzTile looks for input whose tiles are not its bytes, or whose spans are out
// of place.
func FuzzTile(f *testing.F) {
	for i, s := range append(seeds, tileSeeds...) {
		f.Add([]byte(s), byte(i))
	}
	f.Fuzz(func(t *testing.T, src []byte, role byte) {
		doc, err := Read(coord.SourceFile{Path: "F.md", As: markdownRoles[int(role)%len(markdownRoles)], Content: src})
		if err == nil {
			checkSpans(t, src, doc)
		}
	})
}

var tileSeeds = []string{
	"| ID | Task | Status |\n|---|---|---|\n| B-1 | a `b\\|c` | open |\n| B-2 | | done <!-- coord:pay-1 --> |\nd\n",
	"-\t- [ ] a\r\n\t- # b #\r\n> c\n>\n---\nd\n===\n", "- ```\n  a\n```\nb\n```\n", "## B-1 a\n**Status:** done\n\n- [ ] b\n  Status: open\n",
	"[a](b \"c\") ![d](e)\n[f]: g\n\n[f] [[h|i]] #1 B-2 `j.md` <k:l> https://m.n/(o).\n", "- [ ] todo\n- [~] later\n\n- [~] a\n",
}

// FuzzMarker looks for text in which a marker is read that an export would not
// have written there, and for one that gets lost behind text.
func FuzzMarker(f *testing.F) {
	for _, s := range []string{"a", "a `b", "a <!-- b", "a -->", "<!-- coord:pay-1 -->", "`<!-- coord:pay-1 -->`", "a \\", "[ ]", "~~a~~", "a — high", "[a](b", "|", "#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		title = clean(title)
		if title == "" || len(title) > maxTitle {
			return
		}
		doc, err := Read(backlog("- [ ] " + encodeTitle(title) + " <!-- coord:pay-7 -->\n"))
		if err != nil || len(doc.Records) != 1 {
			t.Fatalf("%q: %d records, %v", title, len(doc.Records), err)
		}
		r := doc.Records[0]
		if r.Marker != "pay-7" {
			t.Fatalf("%q: marker %q", title, r.Marker)
		}
		src := "- [ ] " + encodeTitle(title) + " <!-- coord:pay-7 -->\n"
		if !strings.HasPrefix(src[r.Marks.End:], " <!-- coord:pay-7 -->") {
			t.Fatalf("%q: a remark would go before %q", title, src[r.Marks.End:])
		}
	})
}

// FuzzFrontMatter looks for front matter that is taken for text, or text for
// front matter: behind it the same records are found as without it.
func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"id: 1", "id: 1\nstatus: done", "a: b\na: c", "\tx", "x:\n  - y", "# c", "a: 'b'", "a: b # c", "---", "...", "\ufeff", "status: archived"} {
		f.Add(s)
	}
	const body = "- [ ] B-1 a\n"
	f.Fuzz(func(t *testing.T, front string) {
		if strings.ContainsAny(front, "\r") {
			return
		}
		src := "---\nkey: v\n" + front + "\n---\n" + body
		doc, err := Read(backlog(src))
		if err != nil {
			return
		}
		checkSpans(t, []byte(src), doc)
		ends := strings.Contains("\n"+front+"\n", "\n---") || strings.Contains("\n"+front, "\n...") || strings.Count(front, "\n") > 150
		if last := doc.Records; !ends && (len(last) == 0 || last[len(last)-1].Label != "B-1") {
			t.Fatalf("%q: %d records", front, len(doc.Records))
		}
	})
}

func checkStorable(t *testing.T, r Record) {
	var err error
	switch r.Kind {
	case coord.RecordTask:
		err = coord.CreateTask{Title: r.Facets.Title, Outcome: r.Facets.Body, Criteria: r.Facets.Criteria, Priority: r.Facets.Priority}.Validate()
	case coord.RecordLesson:
		err = coord.Learn{Text: r.Facets.Body}.Validate()
	}
	if err != nil {
		t.Fatalf("line %d: %v", r.Line, err)
	}
}
