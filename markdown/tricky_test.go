package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// seen is a record in one line: status, ready or not, label, title.
func seen(r Record) string {
	s := fmt.Sprintf("%s %q", r.Facets.Status, r.Facets.Title)
	if r.Ready {
		s = "ready " + s
	}
	if r.Disputed != "" {
		s = "disputed " + s
	}
	if r.Label != "" {
		s += " " + r.Label
	}
	return s
}

func readAs(t testing.TB, as coord.SourceRole, text string) Document {
	t.Helper()
	doc, err := Read(coord.SourceFile{Path: "F.md", As: as, Content: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func codes(doc Document) []string {
	var out []string
	for _, d := range doc.Diagnostics {
		out = append(out, fmt.Sprintf("%s %d", d.Code, d.Count))
	}
	return out
}

// The rows are numbered as in the design's table of tricky inputs; what the
// planner and the patches do with such input is in their tests, by the same
// numbers.
func TestTrickyInputs(t *testing.T) {
	for _, test := range []struct {
		row, text string
		want      []string
		notes     []string
	}{
		{"1 in a fence", "```\n- [ ] a\n```\n", nil, []string{"hidden_in_code 1"}},
		{"2 in a comment", "<!--\n- [ ] a\n-->\n", nil, []string{"hidden_in_html 1"}},
		{"2 in details", "<details>\n- [ ] a\n</details>\n", nil, []string{"hidden_in_html 1"}},
		{"2 in a quote", "> - [ ] a\n> - b\n", nil, []string{"hidden_in_quote 1", "hidden_list 1"}},
		{"3 link", "- [x](http://u) text\n", nil, []string{"plain_item 1"}},
		{"4 no space", "- [ ]text\n", nil, []string{"box_without_space 1", "plain_item 1"}},
		{"5 empty", "- [x] \n- [ ]\n", nil, []string{"empty_item 2"}},
		{"6 other marks", "- [~] alpha\n- [S] beta\n- [⏳] gamma\n- [-] delta\n- [>] epsilon\n", []string{`unknown "alpha"`, `unknown "beta"`, `unknown "gamma"`, `unknown "delta"`, `unknown "epsilon"`}, []string{"unknown_mark 5"}},
		{"6 marks of one meaning", "- [/] alpha\n- [<] beta\n- [✓] gamma\n", []string{`active "alpha"`, `parked "beta"`, `done "gamma"`}, nil},
		{"6 marks by a legend", "- [ ] todo\n- [~] in progress\n- [-] cancelled\n\n# Work\n\n- [~] alpha\n- [-] beta\n", []string{`active "alpha"`, `rejected "beta"`}, []string{"legend 3"}},
		{"6 marks by a line", "Legend: `[~]` = partial, `[>]` = later\n\n- [~] alpha\n- [>] beta\n- [-] gamma\n", []string{`partial "alpha"`, `parked "beta"`, `unknown "gamma"`}, []string{"legend 1", "unknown_mark 1"}},
		{"7 optional", "- [ ]* 1.2 Write tests\n- [*] 1.3 Write more\n", []string{`ready open "1.2 Write tests" 1.2`, `unknown "1.3 Write more" 1.3`}, []string{"optional_item 1", "unknown_mark 1"}},
		{"8 struck", "- [ ] ~~old~~ — obsolete\n", []string{`disputed rejected "old"`}, nil},
		{"9 answered", "- [x] ~~Ask?~~ **Resolved**: yes\n", []string{`done "Ask?"`}, nil},
		{"11 single tildes", "- [ ] takes 3~5 days, then 7~9\n", []string{`ready open "takes 3~5 days, then 7~9"`}, nil},
		{"13 numbers in a paragraph", "Next:\n2. a\n3. b\n", nil, []string{"numbered_paragraph 2"}},
		{"14 numbered items", "Next:\n\n2. first thing\n3. second thing\n", []string{`open "first thing"`, `open "second thing"`}, nil},
		{"26 tabs", "- [ ] a task\n\t- [ ] a step\n", []string{`ready open "a task"`}, nil},
		{"28 empty bullet before the text", "*\n  [ ] a\n", []string{`ready open "a"`}, nil},
		{"29 byte order mark and heading", "\ufeff# Later\n\n- [ ] a\n", []string{`parked "a"`}, nil},
		{"29 byte order mark and front matter", "\ufeff---\nid: 1\nstatus: Done\n---\n", []string{`done "1" 1`}, nil},
		{"30 front matter", "---\nid: 1\nstatus: Done\n---\n- [ ] a step\n", []string{`done "1" 1`}, nil},
		{"30 front matter over labelled tasks", "---\nid: M1\ntitle: Milestone\nstatus: in progress\n---\n\n- [ ] B-2 a\n", []string{`active "M1 Milestone" M1`, `ready open "B-2 a" B-2`}, nil},
		{"30 front matter that is done over open tasks", "---\nid: M1\nstatus: done\n---\n\n- [ ] B-2 a\n", []string{`done "M1" M1`, `disputed done "B-2 a" B-2`}, nil},
		{"30 front matter without a status", "---\nid: 1\n---\n- [ ] a\n", []string{`ready open "a"`}, nil},
		{"32 endless front matter", "---\nid: 1\n\n- [ ] a\n", []string{`ready open "a"`}, []string{"front_matter 1"}},
		{"32 keys given twice", "---\nid: 1\nstatus: done\nstatus: open\n---\n- [ ] a\n", []string{`ready open "a"`}, []string{"front_matter 1"}},
		{"32 tabs in front matter", "---\ntags:\n\t- x\n---\n- [ ] a\n", []string{`ready open "a"`}, []string{"front_matter 1"}},
		{"33 other encoding", "- [ ] caf\xe9\n", []string{"ready open \"caf\ufffd\""}, []string{"invalid_utf8 1"}},
		{"35 bars in cells", "| ID | Task | Status |\n|---|---|---|\n| B-1 | run `x\\|y` now | open |\n| B-2 | x \\\\| y | done |\n", []string{"ready open \"B-1 run `x|y` now\" B-1", `done "B-2 x | y" B-2`}, nil},
		{"36 text below a table", "| id | status |\n|---|---|\n| 1 | open |\nand so on\n", []string{`ready open "1" 1`}, []string{"table_row 1"}},
		{"36 a table of something else", "| Year | Status |\n|---|---|\n| 2025 | open |\n", nil, []string{"table_row 1"}},
		{"36 rows without a table", "| 1 | open |\n| 2 | open |\n", nil, []string{"table_row 2"}},
		{"37 no status of work", "| ID | Task | Status |\n|---|---|---|\n| 1 | a | success |\n| 2 | b | 100 % |\n", nil, []string{"table_row 2"}},
		{"37 one row without", "| ID | Task | Status |\n|---|---|---|\n| B-1 | a | open |\n| B-2 | b | 100 % |\n| B-3 | c | |\n", []string{`ready open "B-1 a" B-1`, `unknown "B-2 b" B-2`, `unknown "B-3 c" B-3`}, []string{"unknown_status 2"}},
		{"39 partial", "- [ ] pilot — mostly closed\n- [ ] half (partially)\n- [ ] core — done (pilot)\n- [ ] rest — MOSTLY CLOSED\n- [ ] more (3/5 done)\n", []string{`partial "pilot"`, `partial "half"`, `partial "core"`, `partial "rest"`, `partial "more"`}, nil},
		{"39 counted", "- [ ] rows — 515 DONE\n", []string{`disputed unknown "rows"`}, nil},
		{"39 partial in a cell", "| Task | Status |\n|---|---|\n| a | done (scoped) |\n| b | Mostly closed |\n", []string{`partial "a"`, `partial "b"`}, nil},
		{"41 definition of done", "## Definition of Done\n\n- [ ] tests pass\n", nil, []string{"criteria_without_task 1"}},
		{"42 legend", "- [ ] Open\n- [x] Done\n- [ ] Real\n", []string{`ready open "Open"`, `done "Done"`, `ready open "Real"`}, nil},
		{"42 legend of marks", "- [ ] Open\n- [x] Done / merged\n\nText.\n\n- [ ] a\n", []string{`ready open "a"`}, []string{"legend 2"}},
		{"42 legend of signs", "- ✅ Done\n- 🚧 In progress\n", nil, []string{"legend 2"}},
		{"43 wrapped", "- [ ] one\n  two\nthree\n\n  more\n", []string{`ready open "one two three"`}, nil},
		{"44 nested list and fence", "- [ ] a\n  - [ ] b\n\n  ```\n  - [ ] c\n  ```\n- [ ] d\n", []string{`ready open "a"`, `ready open "d"`}, []string{"hidden_in_code 1"}},
		{"45 closed heading", "## B-1 Title ##\n", []string{`open "B-1 Title" B-1`}, nil},
		{"47 marker in code", "- [ ] a `<!-- coord:pay-1 -->` b\n", []string{"ready open \"a `<!-- coord:pay-1 -->` b\""}, nil},
		{"48 typed marker", "- [ ] a \\<!-- coord:pay-1 --> b\n", []string{`ready open "a <!-- coord:pay-1 --> b"`}, nil},
		{"52 retired file", "# B\n\n> **This file has been deprecated**, see ../BACKLOG.md\n\n- [ ] a\n", []string{`open "a"`}, []string{"redirect 1", "retired_file 1"}},
		{"52 retired by front matter", "---\nstatus: archived\n---\n\n- [ ] a\n", []string{`disputed consumed "a"`}, []string{"retired_file 1"}},
		{"52 moved", "Moved to [the backlog](docs/BACKLOG.md).\n\n- [ ] a\n", []string{`open "a"`}, []string{"redirect 1", "retired_file 1"}},
		{"53 open among the declined", "## Declined\n\n- [ ] a\n", []string{`disputed rejected "a"`}, nil},
		{"53 open row among the declined", "## Declined\n\n| Task | Status |\n|---|---|\n| a | open |\n", []string{`disputed rejected "a"`}, nil},
		{"55 prose full of words", "- [ ] a task that is done when blocked, closed, deferred and rejected ones are fixed\n", []string{`ready open "a task that is done when blocked, closed, deferred and rejected ones are fixed"`}, nil},
		{"41 numbered section", "## 5. Definition of Done\n\n- [ ] tests pass\n", nil, []string{"criteria_without_task 1"}},
		{"41 checklist", "# QA Checklist — release 2\n\n- [ ] it plays\n", nil, []string{"criteria_without_task 1"}},
		{"41 line in bold before the list", "**Acceptance Criteria**:\n\n- [ ] it plays\n", nil, []string{"criteria_without_task 1"}},
		{"41 tasks with steps", "## Task 1: Move the data\n\nText.\n\n- [ ] **Step 1: Write it**\n- [ ] **Step 2: Run it**\n\n## Task 2: Show it\n\n- [ ] **Step 1: Write it**\n", []string{`open "Task 1: Move the data"`, `open "Task 2: Show it"`}, nil},
		{"41 what says that it is passed", "- [ ] Pass: no errors\n- [ ] Consider raising it\n", []string{`open "Pass: no errors"`, `open "Consider raising it"`}, nil},
		{"41 steps of nothing", "- [ ] Step 1: write it\n", []string{`open "Step 1: write it"`}, nil},
		{"57 empty", "", nil, nil},
		{"57 white space", " \n\n\t\n", nil, nil},

		{"section behind a priority", "## P2 — NICE TO HAVE (wow)\n\n- [ ] a\n", []string{`parked "a"`}, nil},
		{"section of two names", "## Roadmap / next steps — 7 bundles\n\n- a\n", []string{`open "a"`}, nil},
		{"numbered section", "## 六、下一步计划（待实现）\n\n- a\n", []string{`open "a"`}, nil},
		{"list below a line below a heading", "## Next steps\n\nBy priority:\n\n1. a\n", []string{`open "a"`}, nil},
		{"list below a later line", "## Next steps\n\n- a\n\nFiles:\n\n- b\n", []string{`open "a"`}, []string{"plain_item 1"}},
		{"lessons in a backlog", "## Lessons learned\n\n### L-1: look twice\n\nText.\n", nil, nil},
		{"item with a status below", "1. `W1_BOOT`\n   - status: in_progress\n   - objective: a\n2. `W2_BUNDLE`\n   - objective: b\n", []string{"active \"`W1_BOOT`\""}, []string{"plain_item 2"}},
		{"heading with a priority below", "## Test the models\npriority: 2\nlabels: a, b\n\nText.\n", []string{`open "Test the models"`}, nil},
		{"heading with a status behind its text", "### O-1: It is lost\n\nText.\n\n**Status:** Under investigation.\n", []string{`active "O-1: It is lost" O-1`}, nil},
		{"label before a sign", "### B8 ✅ FIXED (GH 55) — quotes are read\n\nText.\n", []string{`done "B8 quotes are read" B8`}, nil},
		{"label before a sign of something else", "### B8 ✅ SEEN — quotes are read\n\nText.\n", []string{`open "B8 ✅ SEEN — quotes are read" B8`}, nil},
		{"two hyphens", "## Next\n\n- **Submission** -- Deferred until spring\n", []string{`parked "Submission"`}, nil},
		{"blocked below", "- [ ] a\n  - files: `a.go`\n  - **BLOCKED:** needs a decision\n- [ ] b\n  - deps: blocked on the next version\n", []string{`blocked "a"`, `blocked "b"`}, nil},
		{"active section of a file that is done", "# Tools\n\n**Status:** ✅ DONE\n\n## In progress\n\n- [ ] a\n", []string{`active "a"`}, []string{"status_line 1"}},
		{"progress beside a status", "| ID | Progress | Status |\n|---|---|---|\n| 7 | 0% | not started |\n", []string{`ready open "7" 7`}, nil},
		{"progress alone", "| Task | Progress |\n|---|---|\n| a | done |\n", []string{`done "a"`}, nil},
		{"passed among the work", "| ID | Task | Status |\n|---|---|---|\n| A-1 | a | passed (12 tests) |\n| A-2 | b | pending |\n", []string{`done "A-1 a" A-1`, `ready open "A-2 b" A-2`}, nil},
		{"only planned", "| Phase | Task | Status |\n|---|---|---|\n| 1 | a | Planned |\n| 2 | b | todo |\n", []string{`open "a"`, `ready open "b"`}, nil},
		{"done in words", "- [ ] a thing — DONE 2026-08-06, see x\n", []string{`disputed done "a thing"`}, nil},
		{"ticked with words", "- [x] a thing — ❌ rejected: no\n", []string{`rejected "a thing"`}, nil},
		{"ticked and open", "- [x] a thing (open)\n- [x] b thing — done (pilot)\n", []string{`disputed done "a thing"`, `disputed partial "b thing"`}, nil},
		{"parked", "- [ ] a thing (deferred)\n- [ ] b thing — blocked by B-3\n", []string{`parked "a thing"`, `blocked "b thing"`}, nil},
		{"parked section", "## Later\n\n- [ ] a\n", []string{`parked "a"`}, nil},
		{"section above", "## Parked\n\n### Next steps\n\n- [ ] a\n", []string{`open "a"`}, nil},
		{"group that is done", "- Done\n  - [ ] a\n- Next\n  - [ ] b\n", []string{`open "a"`, `ready open "b"`}, nil},
		{"line before the list", "Blocked:\n\n- [ ] a\n", []string{`open "a"`}, nil},
		{"remark further in", "- [ ] a thing — see notes — done\n- [ ] b thing. DONE in 4be10aa\n- [ ] c ✅ thing\n", []string{`disputed done "a thing — see notes"`, `open "b thing. DONE in 4be10aa"`, `open "c ✅ thing"`}, nil},
		{"negation", "- [ ] a thing (not done)\n- [ ] b thing — isn't fixed\n- [ ] 测试（未完成）\n", []string{`ready open "a thing"`, `ready open "b thing"`, `ready open "测试"`}, nil},
		{"closed-source", "- [ ] Replace it (closed-source)\n", []string{`ready open "Replace it (closed-source)"`}, nil},
		{"status line", "- [ ] a thing\n  Status: in review\n- b\n  - [ ] c\n    - **Status**: done\n\n## D-1 e\n\n**Status:** blocked by B-2\n", []string{`active "a thing"`, `disputed done "c"`, `blocked "D-1 e" D-1`}, nil},
		{"status line of nothing", "# B\n\n## Intro\n\nText.\n\nStatus: done\n\n- [ ] a\n", []string{`ready open "a"`}, []string{"status_line 1"}},
		{"file that says it is done", "# B\n\n**Status:** complete\n\n- [ ] a\n", []string{`disputed done "a"`}, []string{"status_line 1"}},
		{"paragraphs", "**B-12** Rotate the key — open\n\nB-13: Count sign-ins\nStatus: done\n\nB-14 is done.\n\nText — done\n", []string{`open "B-12 Rotate the key" B-12`, `done "B-13: Count sign-ins" B-13`}, nil},
		{"labels", "- [ ] **B-12** Rotate\n- [ ] API-B280: Trim\n- [ ] At 180 s stop\n- [ ] #7 Fix\n- [ ] P1 now\n", []string{
			`ready open "B-12 Rotate" B-12`, `ready open "API-B280: Trim" API-B280`, `ready open "At 180 s stop"`, `ready open "#7 Fix" #7`, `ready open "now"`,
		}, nil},
		{"bold lead", "- [ ] **Rotate the key** — P1, after B-3. Long text.\n", []string{`ready open "Rotate the key"`}, nil},
		{"nested groups", "- Phase one\n  - [ ] a\n  - [x] b\n", []string{`ready open "a"`, `done "b"`}, nil},
		{"headings as items", "## B-1 Write it\n\nHow.\n\n### Acceptance\n\n- it runs\n\n## B-2 Break it (done)\n\n## Notes\n\ntext\n", []string{`open "B-1 Write it" B-1`, `done "B-2 Break it" B-2`}, nil},
		{"heading that holds tasks", "## M1 First milestone\n\n- [ ] a\n", []string{`ready open "a"`}, nil},
		{"several languages", "## 已完成\n\n- [x] 测试\n\n## Erledigt\n\n- [ ] b\n", []string{`done "测试"`, `disputed done "b"`}, nil},
		{"table in German", "| Nr | Aufgabe | Stand | Abhängig von |\n|---|---|---|---|\n| 1 | Schlüssel tauschen | offen | B-2 |\n| 2 | Tabelle löschen | erledigt | – |\n", []string{`ready open "Schlüssel tauschen"`, `done "Tabelle löschen"`}, nil},
		{"table in Japanese", "| 番号 | タスク | 状態 |\n|---|---|---|\n| 1 | 鍵 | 対応中 |\n| 2 | 表 | 完了 |\n", []string{`active "鍵"`, `done "表"`}, nil},
		{"boxes in a table", "| | Task | Done |\n|---|---|---|\n| | a | [ ] |\n| | b | [x] |\n", []string{`ready open "a"`, `done "b"`}, nil},
		{"signs in a table", "| Task | Status |\n|---|---|\n| a | 🔴 Open |\n| b | ✅ |\n| c | 🚧 WIP |\n", []string{`ready open "a"`, `done "b"`, `active "c"`}, nil},
	} {
		t.Run(test.row, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				src := strings.ReplaceAll(test.text, "\n", end)
				doc := readAs(t, coord.AsBacklog, src)
				checkSpans(t, []byte(src), doc)
				var got []string
				for _, r := range doc.Records {
					got = append(got, seen(r))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("records with %q (-want +got):\n%s", end, diff)
				}
				if diff := cmp.Diff(test.notes, codes(doc)); diff != "" {
					t.Errorf("notes with %q (-want +got):\n%s", end, diff)
				}
			}
		})
	}
}

// Where the rows above are more than how a record reads.
func TestTrickyPlaces(t *testing.T) {
	t.Run("3 a link is a link", func(t *testing.T) {
		src := "- [x](http://u) text\n"
		if diff := cmp.Diff([]string{`1 external http://u from "[x](http://u)"`}, linksOf(src, readAs(t, coord.AsBacklog, src))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("13 numbers in a paragraph are said with their line", func(t *testing.T) {
		d := readAs(t, coord.AsBacklog, "# A\n\nNext:\n2. a\n3. b\n").Diagnostics
		if len(d) != 1 || d[0].Code != "numbered_paragraph" || d[0].Line != 4 || d[0].Count != 2 {
			t.Errorf("%+v", d)
		}
	})
	for _, test := range []struct{ row, text, own, whole, body string }{
		{"43 wrapped, lazy and continued", "- [ ] one\n  two\nthree\n\n  more\n\n- [ ] b\n", "- [ ] one\n  two\nthree", "- [ ] one\n  two\nthree\n\n  more\n", "more"},
		{"44 nested list and fence", "- [ ] a\n  - [ ] b\n\n  ```\n  - [ ] c\n  ```\n- [ ] d\n", "- [ ] a", "- [ ] a\n  - [ ] b\n\n  ```\n  - [ ] c\n  ```\n", "- [ ] b\n\n```\n- [ ] c\n```"},
	} {
		t.Run(test.row, func(t *testing.T) {
			r := readAs(t, coord.AsBacklog, test.text).Records[0]
			got := []string{test.text[r.Own.From:r.Own.To], test.text[r.Whole.From:r.Whole.To], r.Facets.Body}
			if diff := cmp.Diff([]string{test.own, test.whole, test.body}, got); diff != "" {
				t.Errorf("own text, lines, body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContent(t *testing.T) {
	doc := readAs(t, coord.AsBacklog, `- [ ] **Rotate the key** — P1, after B-3
  Acceptance criteria:
  - a new key is used
    within a minute
  - [ ] the old one is refused

  Some words.

  - [x] first step
  - Accept: `+"`x`"+` holds
`)
	want := coord.RecordFacets{
		Title: "Rotate the key", Priority: coord.PriorityHigh, After: []string{"B-3"}, Status: coord.SourceOpen,
		Criteria: []string{"a new key is used within a minute", "the old one is refused", "`x` holds"},
		Body:     "after B-3\n\nSome words.\n\n- [x] first step",
	}
	if diff := cmp.Diff(want, doc.Records[0].Facets); diff != "" {
		t.Error(diff)
	}
}

// Too deep or too large is refused before the parser could stall on it.
func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"58 deep list":  strings.Repeat("- ", 4000) + "a",
		"quotes":        strings.Repeat(">", 64<<10),
		"deep indent":   strings.Repeat(" ", 300) + "- a",
		"tabs":          strings.Repeat("\t", 80) + "- a",
		"lone CR lines": "a\r" + strings.Repeat("> ", 100) + "b",
		"large":         strings.Repeat("a", maxBytes+1),
		"many lines":    strings.Repeat("\n", maxLines+1),
		"many lone CRs": strings.Repeat("\r", maxLines+1),
		"many records":  strings.Repeat("- [ ] a\n", maxRecords+1),
	} {
		if _, err := Read(backlog(text)); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
		plan, err := Plan(coord.ImportBase{Project: "pay"}, []coord.SourceFile{backlog(text), {Path: "B.md", As: coord.AsBacklog, Content: []byte("- [ ] a\n")}})
		if err != nil || plan.Counts[coord.ImportUnreadable] != 1 || plan.Counts[coord.ImportNew] != 1 {
			t.Errorf("%s: %v %v", name, plan.Counts, err)
		}
	}
	if _, err := Read(backlog(strings.Repeat("- ", 100) + "-\n" + strings.Repeat(" ", 400) + "text\n")); err != nil {
		t.Errorf("a rule and an indented line: %v", err)
	}
}
