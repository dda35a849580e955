package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coord"
)

// entries says what the records of a foreign file are, one line each.
func entries(doc Document) []string {
	var out []string
	for _, r := range doc.Records {
		s := fmt.Sprintf("%s %s %q", r.Label, r.Facets.Status, r.Facets.Title)
		if r.Facets.Priority != "" {
			s += " " + string(r.Facets.Priority)
		}
		if len(r.Facets.After) > 0 {
			s += " after " + strings.Join(r.Facets.After, " ")
		}
		if r.Ready {
			s += " ready"
		}
		if r.Disputed != "" {
			s += " disputed"
		}
		out = append(out, s)
	}
	return out
}

func foreignFile(t *testing.T, as coord.SourceRole, path string) (Document, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "foreign", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Read(coord.SourceFile{Path: path, As: as, Content: text})
	if err != nil {
		t.Fatal(err)
	}
	joined := ""
	for _, tile := range doc.Tiles {
		joined += string(text[tile.From:tile.To])
	}
	if joined != string(text) {
		t.Error("the tiles are not the file")
	}
	return doc, text
}

func TestBeads(t *testing.T) {
	doc, _ := foreignFile(t, coord.AsBeads, "issues.jsonl")
	want := []string{
		`px-a1 open "Reject tokens past their expiry" urgent after px-b2 ready`,
		`px-b2 active "Clock that tests can set" high`,
		`px-c3 done "Read the key from a file" normal`,
		`px-d4 rejected "Cache every token" low`,
		`px-e5 parked "Rotate keys by themselves" low after px-a1`,
		`px-f6 unknown "Talk to the auditors" normal`,
		`bd:px-7 open "Numbered as older versions do" after bd:px-8 ready`,
		`bd:px-8 open "The other one" ready`,
	}
	if diff := cmp.Diff(want, entries(doc)); diff != "" {
		t.Error(diff)
	}
	body := "Tokens are accepted for ever.\n\nDesign: Compare with the clock that is injected.\n\n(beads px-a1; bug; part of px-e9; labels: auth, security; see gh-9)"
	if r := doc.Records[0]; r.Facets.Body != body || r.Line != 1 || r.Last != 1 {
		t.Errorf("line %d to %d, body %q", r.Line, r.Last, r.Facets.Body)
	}
	if diff := cmp.Diff([]string{"expired token answers 401", "a test covers it"}, doc.Records[0].Facets.Criteria); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"twice 1", "deleted 2", "unknown_status 1", "no_work 2", "unreadable_line 1", "unused_field 2"}, counted(doc)); diff != "" {
		t.Error(diff)
	}
}

func counted(doc Document) []string {
	var out []string
	for _, d := range doc.Diagnostics {
		out = append(out, fmt.Sprintf("%s %d", d.Code, d.Count))
	}
	return out
}

func TestTaskMaster(t *testing.T) {
	doc, text := foreignFile(t, coord.AsTaskMaster, "tasks.json")
	want := []string{
		`1 done "Set up the repository" high`,
		`2 open "Parser" high after 1 2.1 2.2 ready`,
		`2.1 done "Grammar" after 1`,
		`2.2 open "Errors" after 1 2.1 ready`,
		`3 rejected "Plugin system" low after 2`,
		`next:1 open "Streaming" normal after next:2 ready`,
		`next:2 parked "Back pressure"`,
	}
	if diff := cmp.Diff(want, entries(doc)); diff != "" {
		t.Error(diff)
	}
	for i, r := range doc.Records {
		if own := text[r.Own.From:r.Own.To]; own[0] != '{' || own[len(own)-1] != '}' || !strings.Contains(string(own), strings.Fields(r.Facets.Title)[0]) {
			t.Errorf("%s stands at %q", r.Label, own)
		}
		if up := r.Parent; up >= 0 && (up >= i || doc.Records[up].Label != "2") {
			t.Errorf("%s is part of %d", r.Label, up)
		}
	}
	if got := doc.Records[1].Facets.Body; got != "Reads the language.\n\nBy hand, no generator.\n\nTest strategy: Golden files.\n\n(task-master 2)" {
		t.Errorf("body %q", got)
	}
	if diff := cmp.Diff([]string{"errors name the line", "no panic"}, doc.Records[3].Facets.Criteria); diff != "" {
		t.Error(diff)
	}
	older, err := Read(coord.SourceFile{Path: "tasks.json", As: coord.AsTaskMaster, Content: []byte(`{"tasks":[{"id":"1","title":"a","status":"pending","dependencies":["2"]}]}`)})
	if err != nil || len(older.Records) != 1 || older.Records[0].Label != "1" {
		t.Errorf("%v %v", entries(older), err)
	}
}

func TestBacklogMD(t *testing.T) {
	for path, want := range map[string]string{
		"backlog/tasks/task-7.01 - Core.md":       `TASK-7.01 open "Core: Reject tokens past their expiry, and say in the answer which clock was asked, so that skew is seen" normal after TASK-3 TASK-4 ready`,
		"backlog/completed/task-3 - Clock.md":     `TASK-3 done "Clock that tests can set"`,
		"backlog/drafts/task-9 - Idea.md":         `TASK-9 parked "Perhaps: rotate"`,
		"backlog/archive/tasks/task-2 - Cache.md": `TASK-2 consumed "Cache every token" low`,
	} {
		doc, _ := foreignFile(t, coord.AsBacklogMD, path)
		if diff := cmp.Diff([]string{want}, entries(doc)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	doc, _ := foreignFile(t, coord.AsBacklogMD, "backlog/tasks/task-7.01 - Core.md")
	r := doc.Records[0]
	if diff := cmp.Diff([]string{"Expired token answers 401", "A test covers it", "Linter passes"}, r.Facets.Criteria); diff != "" {
		t.Error(diff)
	}
	if want := "Tokens are accepted for ever.\n\n\n## Implementation Plan\n\n1. Compare\n2. Answer\n\n(backlog-md TASK-7.01; labels: core, auth; part of TASK-7)"; r.Facets.Body != want {
		t.Errorf("body %q", r.Facets.Body)
	}
	if diff := cmp.Diff([]string{"unused_field 1"}, counted(doc)); diff != "" {
		t.Error(diff)
	}
	none, err := Read(coord.SourceFile{Path: "backlog/tasks/readme.md", As: coord.AsBacklogMD, Content: []byte("# Read me\n\n- [ ] no task\n")})
	if err != nil || len(none.Records) != 0 {
		t.Errorf("%v %v", entries(none), err)
	}
}

// A file that is not what it is called is refused as a whole, and so is one
// that a merge left unsettled.
func TestForeignRefused(t *testing.T) {
	for _, test := range []struct {
		as   coord.SourceRole
		text string
	}{
		{coord.AsBeads, "# Backlog\n\n- [ ] a\n"},
		{coord.AsBeads, "{\"id\":\"a\",\"title\":\"b\"}\n<<<<<<< x\n=======\n>>>>>>> y\n"},
		{coord.AsTaskMaster, `{"master":{"tasks":[`},
		{coord.AsTaskMaster, `{"version":1}`},
		{coord.AsTaskMaster, `[]`},
	} {
		if doc, err := Read(coord.SourceFile{Path: "x", As: test.as, Content: []byte(test.text)}); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q as %s: %v, %v", test.text, test.as, err, entries(doc))
		}
	}
	for _, as := range []coord.SourceRole{coord.AsBeads, coord.AsBacklogMD} {
		if doc, err := Read(coord.SourceFile{Path: "x", As: as}); err != nil || len(doc.Records) != 0 {
			t.Errorf("empty as %s: %v, %v", as, err, entries(doc))
		}
	}
}

// The id keeps a task itself whatever its title and its file are called.
func TestForeignIdentity(t *testing.T) {
	const first = `{"id":"px-a1","title":"Reject old tokens","status":"open","priority":1}` + "\n"
	base, _ := importedAs(t, coord.AsBeads, ".beads/beads.jsonl", first)
	second := strings.Replace(first, "Reject old tokens", "Refuse what has expired", 1) + `{"id":"px-b2","title":"Other","status":"open"}` + "\n"
	plan, err := Plan(base, []coord.SourceFile{{Path: ".beads/issues.jsonl", As: coord.AsBeads, Content: []byte(second)}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range plan.Changes {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.State, c.Action, c.Task, strings.Join(c.Facets, " ")))
	}
	if diff := cmp.Diff([]string{"changed_in_source update_task pay-1 title", "new create_task  "}, got); diff != "" {
		t.Error(diff)
	}
}

// importedAs is the state of a project after the file was imported into an empty
// one.
func importedAs(t *testing.T, as coord.SourceRole, path, text string) (coord.ImportBase, coord.ImportPlan) {
	t.Helper()
	base := coord.ImportBase{Project: "pay", AsOf: 1}
	plan, err := Plan(base, []coord.SourceFile{{Path: path, As: as, Content: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range plan.Changes {
		if c.Action != coord.ActionCreateTask {
			continue
		}
		id := coord.TaskID(fmt.Sprintf("pay-%d", i+1))
		base.Tasks = append(base.Tasks, coord.ImportTask{ID: id, Title: c.Title, Outcome: c.Body, Criteria: c.Criteria, Priority: c.Priority, Lifecycle: c.Lifecycle, Created: 2, Edited: 2})
		a := *c.Anchor
		a.Task = id
		base.Records = append(base.Records, a)
	}
	return base, plan
}

// Whatever a file holds, reading it ends, and its records lie in it.
func FuzzForeign(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","title":"b","dependencies":[{"depends_on_id":"a"}]}`, `{"master":{"tasks":[{"id":1,"title":"a","subtasks":[{"id":1,"title":"b"}]}]}}`,
		"---\nid: T-1\ntitle: >-\n  a\n  b\nlabels:\n  - x\ndependencies: [a, 'b'\n---\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 c\n",
		"\xef\xbb\xbf{\"id\":1,\"title\":[]}\r\n\r\n{", "---\nid:\n---", `[[[[{"tasks":[[]]}`, "{\"tasks\":[1,null,{\"id\":{}}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, as := range []coord.SourceRole{coord.AsBeads, coord.AsTaskMaster, coord.AsBacklogMD} {
			doc, err := Read(coord.SourceFile{Path: "backlog/drafts/x.md", As: as, Content: text})
			if err != nil {
				continue
			}
			for _, r := range doc.Records {
				if r.Own.From < 0 || r.Own.To > len(text) || r.Own.From >= r.Own.To || r.Line < 1 || r.Last < r.Line || r.Label == "" || r.Facets.Title == "" {
					t.Errorf("%s: %+v", as, r)
				}
			}
			at := 0
			for _, tile := range doc.Tiles {
				if tile.From != at {
					t.Errorf("%s: a tile at %d, not %d", as, tile.From, at)
				}
				at = tile.To
			}
			if at != len(text) {
				t.Errorf("%s: tiles end at %d of %d", as, at, len(text))
			}
		}
	})
}
