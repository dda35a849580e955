package markdown

import (
	"testing"

	"coord"
)

var seeds = []string{
	"", "\n", "- [ ] a\n", "\ufeff---\nid: 1\n---\n# A\n\n- [x] b <!-- coord:pay-1 -->\n", "- a\n\t- b\n\t\t- [ ] c\n", "*\r\n  foo\r- x\r\n",
	"# A\n\nA\n===\n\n```\nx\n", "<!--\n- [ ] a\n-->\n> - [ ] q\n\n| a |\n|---|\n| b |\n", "- [ ] ~~a~~ — done\n  - accept: b\n\n  c\n",
	"<!-- coord:begin pay-1 sum=00000000 -->\nx\n<!-- coord:end pay-1 -->\n", "1. [ ] `a` \\<b\n2) c\n[x]: y\n",
	"- [ ] \n  accept:\n", "- [ ] a\n  Accept:\n  - b\n",
}

// FuzzExtract looks for input that panics, gives records out of range or text
// that the service would refuse, or plans something on a second import.
func FuzzExtract(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), byte(i))
	}
	roles := []coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord}
	f.Fuzz(func(t *testing.T, src []byte, role byte) {
		file := coord.SourceFile{Path: "F.md", As: roles[int(role)%len(roles)], Content: src}
		doc, err := Read(file)
		if err != nil {
			return
		}
		for _, r := range doc.Records {
			if r.Line < 1 || r.Last < r.Line || r.Last > doc.Lines {
				t.Fatalf("lines %d to %d of %d", r.Line, r.Last, doc.Lines)
			}
			checkStorable(t, r)
		}
		s := newState()
		s.apply(t, s.plan(t, file))
		if again := s.plan(t, file); again.Actions() != 0 {
			t.Fatalf("the second import plans %v", brief(again))
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
