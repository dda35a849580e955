package markdown

import (
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The durable record has its kinds in sections, and what to know of each beside
// its text.
func TestDurableRecord(t *testing.T) {
	until := time.Date(2027, 1, 2, 3, 0, 0, 0, time.UTC)
	s := newState()
	for _, l := range []coord.ExportLesson{
		{Text: "Use now(), never time.Now", Source: "verified, pay-1", Tags: []string{"clock", "tests"}, Scope: coord.LessonScope{Component: "ledger", Paths: []string{"server/**"}, Environment: "ci"}},
		{Text: "A plug-in system: three weeks, no user", Source: "observed", Kind: coord.KindRejected, Reopen: "a second team asks (or a third; soon)"},
		{Text: "The queue holds 512 entries", Source: "verified", Kind: coord.KindFact, ExpiresAt: &until},
		{Text: "Every job has a key", Source: "observed", Kind: coord.KindProposal, Rule: &coord.LessonRule{Name: "jobs"}},
		{Text: "Poll, then wait", Source: "superseded", Kind: coord.KindLesson, SupersededBy: "L1"},
	} {
		s.learn(l)
	}
	want := `
## Lessons

- Use now(), never time.Now (from: verified, pay-1; tags: clock, tests; for: component ledger, environment ci, path server/**) <!-- coord:L1 -->
- Poll, then wait (from: superseded; superseded by L1) <!-- coord:L5 -->

## Facts

- The queue holds 512 entries (from: verified; until 2027-01-02) <!-- coord:L3 -->

## Rejected approaches

- A plug-in system: three weeks, no user (from: observed; reopen when: a second team asks \(or a third\; soon\)) <!-- coord:L2 -->

## Rule proposals

- Every job has a key (from: observed; became rule jobs) <!-- coord:L4 -->
`
	got := string(Export(s.data, coord.ExportRecord))
	if _, body, _ := strings.Cut(got, "# Durable record of Payments\n"); body != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, body))
	}
	if plan := s.plan(t, s.export()...); plan.Actions() != 0 || plan.Counts[coord.ImportUnchanged] != 5 {
		t.Errorf("the export plans %v", brief(plan))
	}
}

// What a task waits for is in the export, and an edit of it plans exactly that.
func TestExportedDependencies(t *testing.T) {
	s := newState()
	for _, title := range []string{"one", "two", "three"} {
		s.addTask(coord.ExportTask{Title: title, Priority: coord.PriorityHigh, Lifecycle: coord.LifecyclePlanned})
	}
	s.edit("pay-3", func(t *coord.ImportTask) { t.After = []coord.TaskID{"pay-1", "pay-2"} })
	s.data.AsOf = s.base.AsOf
	files := s.export()
	text := string(files[0].Content)
	line := "- [ ] three — high, after pay-1 and pay-2 <!-- coord:pay-3 -->\n"
	if !strings.Contains(text, line) {
		t.Fatalf("the export lacks %q:\n%s", line, text)
	}
	if got := brief(s.plan(t, files...)); got != nil {
		t.Errorf("the export plans %v", got)
	}
	for _, test := range []struct {
		name, old, new string
		after, not     []coord.TaskID
	}{
		{"one less", " and pay-2", "", nil, []coord.TaskID{"pay-2"}},
		{"none", ", after pay-1 and pay-2", "", nil, []coord.TaskID{"pay-1", "pay-2"}},
		{"one more", "two — high", "two — high, after pay-1", []coord.TaskID{"pay-1"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			files[0].Content = []byte(strings.Replace(text, test.old, test.new, 1))
			var changes []coord.ImportChange
			for _, c := range s.plan(t, files...).Changes {
				if c.State != coord.ImportUnchanged {
					changes = append(changes, c)
				}
			}
			if len(changes) != 1 || cmp.Diff(test.after, changes[0].After)+cmp.Diff(test.not, changes[0].NotAfter) != "" || cmp.Diff([]string{coord.FacetAfter}, changes[0].Facets) != "" {
				t.Errorf("plans %+v", changes)
			}
		})
	}
}

// A task that another one stands for is closed in the export too.
func TestExportedSupersession(t *testing.T) {
	s := newState()
	s.addTask(coord.ExportTask{Title: "one", Priority: coord.PriorityHigh, Lifecycle: coord.LifecycleSuperseded, SupersededBy: "pay-2"})
	s.base.Tasks[0].Closed = 1
	if text := string(Export(s.data, coord.ExportBacklog)); !strings.Contains(text, "- [x] one — high, superseded <!-- coord:pay-1 -->") {
		t.Error(text)
	}
	if got := brief(s.plan(t, s.export()...)); got != nil {
		t.Errorf("the export plans %v", got)
	}
}

// The default templates write what Export writes, whatever the project holds.
func TestDefaultTemplates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := states.Draw(t, "state")
		for _, which := range coord.ExportFiles {
			got, err := Render(s.data, which, DefaultTemplates[which])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(Export(s.data, which)), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", which, diff)
			}
		}
	})
}

// A template that loses something is refused, and the sentence says what.
func TestTemplates(t *testing.T) {
	s := exampleState()
	for _, test := range []struct{ name, text, want string }{
		{"another order and words", "{{.Front}}\nWhat {{.Name}} has to do, as of {{.Time}}.\n\n{{range .Items}}{{.Text}}\n{{end}}", ""},
		{"a task less", "{{.Front}}\n{{range .Items}}{{if ne .ID \"pay-3\"}}{{.Text}}\n{{end}}{{end}}", "pay-3 would be missing in source"},
		{"titles only", "{{.Front}}\n{{range .Items}}- {{.ID}}\n{{end}}", "pay-1 would be missing in source"},
		{"items of its own", "{{.Front}}\n- [ ] read this\n\n{{range .Items}}{{.Text}}\n{{end}}", `"read this" in line 8 would be new`},
		{"no front matter", "{{range .Items}}{{.Text}}\n{{end}}", "front matter"},
		{"in quotes", "{{.Front}}\n{{range .Items}}> {{.Text}}\n{{end}}", "would be"},
		{"not a template", "{{.Front", "cannot be read"},
		{"an unknown field", "{{.Nothing}}", "does not work"},
		{"without end", "{{define \"x\"}}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{{end}}{{range 10000000}}{{template \"x\"}}{{end}}", "more than 64 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Render(s.data, coord.ExportBacklog, test.text)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
