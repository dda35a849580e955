package markdown

import (
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func titles(doc Document) []string {
	var out []string
	for _, r := range doc.Records {
		s := seen(r)
		if r.Kind != coord.RecordTask {
			s = string(r.Kind) + s
		}
		out = append(out, s)
	}
	return out
}

// A memory file is one lesson; what its front matter says besides the name and
// the description stays in the text, as where it comes from.
func TestMemoryFile(t *testing.T) {
	src := "---\nname: no-retry\ndescription: Never retry a payment without its key\ntype: feedback\nnode: b7\n---\n\nIt was charged twice.\n\n- once in May\n- [ ] once in June\n"
	doc := readAs(t, coord.AsMemory, src)
	if len(doc.Records) != 1 {
		t.Fatalf("%v", titles(doc))
	}
	r := doc.Records[0]
	want := "Never retry a payment without its key\n\nIt was charged twice.\n\n- once in May\n- [ ] once in June\n\n(memory: no-retry; node: b7; type: feedback)"
	if r.Facets.Body != want || r.Kind != coord.RecordLesson || r.Shape != "file" || r.Line != 1 || r.Last != doc.Lines {
		t.Errorf("%+v", r)
	}
	long := strings.Replace(src, "It was", strings.Repeat("It was ", 500), 1)
	if body := readAs(t, coord.AsMemory, long).Records[0].Facets.Body; len(body) > maxLesson || !strings.HasSuffix(body, "(memory: no-retry; node: b7; type: feedback)") {
		t.Errorf("%d bytes: …%s", len(body), body[len(body)-100:])
	}
}

// The index of a memory leads to its files: its lines are links, no lessons.
func TestMemoryIndex(t *testing.T) {
	src := "# Memory\n\n- [No retry](no-retry.md) — keys\n- [[clock]] the fake one\n- Fixtures are built by code\n\n## Why\n\nBecause.\n"
	doc := readAs(t, coord.AsMemory, src)
	if diff := cmp.Diff([]string{`lesson "Fixtures are built by code"`, `lesson "Why"`}, titles(doc)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`3 path no-retry.md from "[No retry](no-retry.md)"`, `4 wiki clock from "[[clock]]"`}, linksOf(src, doc)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"index_line 2"}, codes(doc)); diff != "" {
		t.Error(diff)
	}
}

// Whatever an archive says, nothing in it is work; what it closed in some other
// way than by being there keeps that.
func TestArchiveIsHistory(t *testing.T) {
	doc := readAs(t, coord.AsArchive, "# Old\n\n- [ ] a\n- [x] b\n- [x] c — rejected: no\n- [~] d\n- B-5 e\n- f\n\n## Next\n\n- g\n\n| Task | Status |\n|---|---|\n| h | open |\n| i | superseded by B-1 |\n\n## B-9 j\n\nText.\n")
	want := []string{
		`consumed "a"`, `done "b"`, `rejected "c"`, `consumed "d"`, `consumed "B-5 e" B-5`, `consumed "g"`, `consumed "h"`, `superseded "i"`, `consumed "B-9 j" B-9`,
	}
	if diff := cmp.Diff(want, titles(doc)); diff != "" {
		t.Error(diff)
	}
}

func TestInstructionsAreNoRecords(t *testing.T) {
	src := "# Agents\n\n- [ ] a\n- [x] see [b](c.md)\n\n| ID | Status |\n|---|---|\n| B-1 | open |\n"
	doc := readAs(t, coord.AsInstructions, src)
	if len(doc.Records) != 0 || len(doc.Links) != 2 {
		t.Errorf("%v, links %v", titles(doc), linksOf(src, doc))
	}
	if diff := cmp.Diff([]string{"instruction_box 2"}, codes(doc)); diff != "" {
		t.Error(diff)
	}
}

// The sections of a handoff are notes, down to the dated ones; what to do next
// is planned, and never ready.
func TestHandoffs(t *testing.T) {
	src := "Intro.\n\n# Handoff\n\n## Sessions\n\n### 2026-10-02 evening\n\nDone.\n\n#### Next steps\n\n- Write it\n- [ ] Test it\n\n### 2026-10-01\n\n#### 2026-10-01 morning\n\nBegun.\n\n## Work\n\n| ID | Task | Status |\n|---|---|---|\n| B-1 | Break it | open |\n"
	doc := readAs(t, coord.AsHandoff, src)
	want := []string{
		`handoff "Handoff"`, `handoff "2026-10-02 evening"`, `handoff "2026-10-01 morning"`, `handoff "Work"`,
		`open "Write it"`, `open "Test it"`, `open "B-1 Break it" B-1`,
	}
	if diff := cmp.Diff(want, titles(doc)); diff != "" {
		t.Error(diff)
	}
	if p := doc.Records[4].Parent; p != 1 {
		t.Errorf("the first step is in record %d", p)
	}
}

// Every language's words are read in every status position.
func TestStatusWords(t *testing.T) {
	for _, l := range languages {
		for _, p := range l.status {
			for word := range strings.SplitSeq(p.list, ", ") {
				if normal(word) != word {
					t.Errorf("%q is not in its normal form", word)
				}
				want := statusOf(word)
				if got := cellStatus(word); got != want || want == "" {
					t.Errorf("a cell with %q is %s, want %s", word, got, want)
				}
				doc := readAs(t, coord.AsBacklog, "- a thing — "+word+"\n\n## Next\n\n- b thing — "+word+" 2026-10-02\n")
				if got := doc.Records; len(got) != 1 || got[0].Facets.Title != "b thing" || got[0].Facets.Status != want {
					t.Errorf("an item that ends with %q: %v, want %s", word, titles(doc), want)
				}
			}
		}
	}
}

// What two languages mean by one word is one thing: the tables are looked up
// together.
func TestLanguagesAgree(t *testing.T) {
	of := map[string]coord.RecordStatus{}
	for _, l := range languages {
		for _, p := range l.status {
			for word := range strings.SplitSeq(p.list, ", ") {
				if was, ok := of[word]; ok && was != p.status {
					t.Errorf("%q is %s and %s", word, was, p.status)
				}
				of[word] = p.status
			}
		}
	}
}

// What a record waits for is kept as it is written.
func TestAfter(t *testing.T) {
	for text, want := range map[string][]string{
		"- [ ] a — P1, after B-3 and B-2. Text":                                              {"B-2", "B-3"},
		"- [ ] a (blocked by #7, pay-42)":                                                    {"#7", "pay-42"},
		"- [ ] a, depends on [B-3](x.md) & `T1.2`":                                           {"B-3", "T1.2"},
		"- [ ] a after all, B-3 is done":                                                     nil,
		"- [ ] a\n  Depends on: B-9":                                                         {"B-9"},
		"- [ ] a\n  - depends on: B-9":                                                       {"B-9"},
		"- [ ] a, hängt ab von B-3 und B-4":                                                  {"B-3", "B-4"},
		"- [ ] a, after pay-2 <!-- coord:pay-1 -->":                                          {"pay-2"},
		"- [ ] a — after pay-2 <!-- coord:pay-1 -->":                                         {"pay-2"},
		"- [ ] a — low, after pay-2, pay-3, in review <!-- coord:pay-1 -->":                  {"pay-2", "pay-3"},
		"- [ ] thereafter B-3":                                                               nil,
		"- [ ] wait for 12 days after 2026-10-02":                                            nil,
		"| ID | Task | Status | Depends |\n|---|---|---|---|\n| B-1 | a | open | B-3, B-2 |": {"B-2", "B-3"},
	} {
		doc := readAs(t, coord.AsBacklog, text+"\n")
		if len(doc.Records) != 1 {
			t.Errorf("%q: %v", text, titles(doc))
			continue
		}
		if diff := cmp.Diff(want, doc.Records[0].Facets.After); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Where the marks of rows and of status lines stand.
func TestStatusMarks(t *testing.T) {
	for _, test := range []struct{ text, status, box, end string }{
		{"| ID | Task | Status |\n|---|---|---|\n| B-1 | a | open |\n", "open", "", " |\n"},
		{"| ID | Status | Task |\n|---|---|---|\n| B-1 | **in progress** | a <!-- coord:pay-1 --> |\n", "**in progress**", "", " <!--"},
		{"Status | Task\n---|---\ndone (pilot) | a\n", "done (pilot)", "", "\n"},
		{"| Task | Status |\n|---|---|\n| a | open <!-- coord:pay-1 --> |\n", "open", "", " <!--"},
		{"| Task | Done |\n|---|---|\n| a | [x] |\n", "", "x", " |\n"},
		{"## D-1 e ##\n\n**Status:** blocked by B-2  \n", "blocked by B-2", "", " ##"},
		{"- [ ] a\n  Status: in review\n", "in review", " ", "\n  Status"},
		{"- [ ] a\n  - **Status**: open <!-- b -->\n", "open", " ", "\n  -"},
		{"---\nid: B-1\nstatus: 'In progress' # now\n---\n", "In progress", "", ""},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			src := strings.ReplaceAll(test.text, "\n", end)
			doc := readAs(t, coord.AsBacklog, src)
			if len(doc.Records) != 1 {
				t.Errorf("%q: %v", src, titles(doc))
				continue
			}
			m := doc.Records[0].Marks
			if got := src[m.Status.From:m.Status.To]; got != test.status {
				t.Errorf("%q: the status is at %q", src, got)
			}
			if got := src[m.Box.From:m.Box.To]; got != test.box {
				t.Errorf("%q: the box is at %q", src, got)
			}
			if test.end == "" && m.End != 0 || !strings.HasPrefix(src[m.End:], strings.ReplaceAll(test.end, "\n", end)) {
				t.Errorf("%q: a remark goes before %q", src, src[m.End:])
			}
		}
	}
}
