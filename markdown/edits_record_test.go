package markdown

import (
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// recordState is a project with knowledge of every kind.
func recordState() *state {
	s := exampleState()
	s.edit("pay-2", func(t *coord.ImportTask) { t.After = []coord.TaskID{"pay-1"} })
	for _, l := range []coord.ExportLesson{
		{Text: "The queue holds 512 entries", Kind: coord.KindFact, Tags: []string{"limits", "queue"}, Scope: coord.LessonScope{Component: "ledger", Paths: []string{"server/**"}}},
		{Text: "A plug-in system: three weeks, no user", Kind: coord.KindRejected, Reopen: "a second team asks (or a third; soon)"},
		{Text: "Every job has a key", Kind: coord.KindProposal},
		{Text: "Poll, then wait", Kind: coord.KindLesson, Status: coord.LessonSuperseded, SupersededBy: "L1", Source: "superseded"},
		{Text: "Jobs are numbered", Kind: coord.KindProposal, Rule: &coord.LessonRule{Name: "jobs"}},
	} {
		l.Source, l.Status = "observed, pay-3", coord.LessonObserved
		if l.SupersededBy != "" {
			l.Source, l.Status = "superseded", coord.LessonSuperseded
		}
		s.learn(l)
	}
	s.data.AsOf = s.base.AsOf
	return s
}

// edit is one change that a person makes to an export.
type edit struct {
	name, old, new string
	want           []string // as brief says it
	again          string   // what the next export has; new when empty
}

const (
	factLine = "- The queue holds 512 entries (from: observed, pay-3; tags: limits, queue; for: component ledger, path server/**) <!-- coord:L3 -->\n"
	planLine = "- A plug-in system: three weeks, no user (from: observed, pay-3; reopen when: a second team asks \\(or a third\\; soon\\)) <!-- coord:L4 -->\n"
)

var tenKinds = []edit{
	{name: "task title", old: "Rotate the import key", new: "Rotate the export key", want: []string{"changed_in_source update_task pay-2 [title]"}},
	{name: "criteria", old: "answers 401", new: "answers 403", want: []string{"changed_in_source update_task pay-1 [criteria]"}},
	{name: "priority", old: " — high <", new: " — urgent <", want: []string{"changed_in_source update_task pay-1 [priority]"}},
	{name: "checkbox", old: "- [ ] Rotate", new: "- [x] Rotate", want: []string{"closed_in_source close_task pay-2 done"}},
	{name: "order", old: "## Lessons\n\n- clock skew: use now(), never time.Now (from: verified, pay-1) <!-- coord:L1 -->\n", new: "## Lessons\n\n"},
	{name: "new item", old: "## Planned\n\n", new: "## Planned\n\n- [ ] Send a receipt by mail\n", want: []string{"new create_task  planned"}, again: "- [ ] Send a receipt by mail <!-- coord:pay-5 -->\n"},
	{name: "deleted item", old: "- [x] Drop the old table — canceled <!-- coord:pay-4 -->\n", want: []string{"missing_in_source none pay-4"}, again: "Drop the old table"},
	{name: "lesson text", old: "holds 512 entries", new: "holds 1024 entries", want: []string{"changed_in_source update_lesson L3 [body]"}},
	{name: "lesson in another section", old: "## Facts\n\n" + factLine, new: factLine, want: []string{"changed_in_source update_lesson L3 [kind]"}},
	{name: "tags", old: "limits, queue;", new: "limits;", want: []string{"changed_in_source update_lesson L3 [tags]"}},
	{name: "dependency", old: ", after pay-1", new: "", want: []string{"changed_in_source update_task pay-2 [after]"}, again: "- [ ] Rotate the import key <!-- coord:pay-2 -->"},
}

// Every kind of edit to an export plans exactly that edit; when it is applied,
// the edited files plan nothing any more, and the next export has the edit.
func TestTenKindsOfEdit(t *testing.T) {
	for _, test := range tenKinds {
		t.Run(test.name, func(t *testing.T) {
			s := recordState()
			files := s.export()
			switch test.name {
			case "order":
				line := strings.TrimPrefix(test.old, "## Lessons\n\n")
				change(t, files, test.old, test.new)
				change(t, files, "Read the lease again.\n\n", "Read the lease again.\n\n"+line)
			case "dependency":
				change(t, files, " — after pay-1", "")
			default:
				change(t, files, test.old, test.new)
			}
			plan := s.plan(t, files...)
			if diff := cmp.Diff(test.want, brief(plan)); diff != "" {
				t.Fatalf("plan (-want +got):\n%s\n%s", diff, files[2].Content)
			}
			if again := s.plan(t, files...); again.Digest != plan.Digest {
				t.Error("the same plan has two digests")
			}
			s.apply(t, plan)
			if again := s.plan(t, files...); again.Actions() != 0 {
				t.Errorf("the edited files plan %v", brief(again))
			}
			s.data.AsOf = s.base.AsOf
			next := s.export()
			if want := test.again + test.new; want != "" && test.again == "" && !holds(next, test.new) || test.again != "" && !holds(next, test.again) {
				t.Errorf("the next export lacks %q:\n%s\n%s", want, next[0].Content, next[2].Content)
			}
			if got := brief(s.plan(t, next...)); got != nil {
				t.Errorf("the next export plans %v", got)
			}
		})
	}
}

// change makes one edit in whichever file has the text.
func change(t *testing.T, files []coord.SourceFile, old, with string) {
	t.Helper()
	n := 0
	for i := range files {
		n += strings.Count(string(files[i].Content), old)
		files[i].Content = []byte(strings.Replace(string(files[i].Content), old, with, 1))
	}
	if n != 1 {
		t.Fatalf("%q is in the export %d times:\n%s\n%s", old, n, files[0].Content, files[2].Content)
	}
}

func holds(files []coord.SourceFile, text string) bool {
	for _, f := range files {
		if strings.Contains(string(f.Content), text) {
			return true
		}
	}
	return false
}

// What a person writes into the brackets behind a lesson, and where the line
// stands, plans that; what is the service's, or cannot be, is not applied and
// said.
func TestEditsOfARecord(t *testing.T) {
	const update = "changed_in_source update_lesson "
	for _, test := range []struct {
		name, old, new string
		want           []string
		says           string // in a need or a diagnostic
	}{
		{"a tag more", "limits, queue", "Limits, #queue, new", []string{update + "L3 [tags]"}, ""},
		{"tags in another order", "limits, queue", "queue, limits", nil, ""},
		{"no tags", " tags: limits, queue;", "", []string{update + "L3 [tags]"}, ""},
		{"an empty list of tags", " tags: limits, queue;", " tags:;", []string{update + "L3 [tags]"}, ""},
		{"first tags", "A plug-in system: three weeks, no user (from: observed, pay-3", "A plug-in system: three weeks, no user (from: observed, pay-3; tags: size", []string{update + "L4 [tags]"}, ""},
		{"scope", "component ledger, path server/**", "environment ci, path server/**, path a (b); c", []string{update + "L3 [scope]"}, "brackets"},
		{"scope of a task", "component ledger", "task pay-1", []string{update + "L3 [scope]"}, ""},
		{"scope of no task", "component ledger", "task pay-99", []string{"conflict none L3"}, "there is no task pay-99"},
		{"everywhere", "; for: component ledger, path server/**", "", []string{update + "L3 [scope]"}, ""},
		{"nowhere", "component ledger", "everybody", nil, "brackets"},
		{"a bad tag", "limits, queue", "limits, a b", []string{"conflict none L3"}, `tag "a b"`},
		{"reopening condition", `a second team asks \(or a third\; soon\)`, "three teams ask (at once)", []string{update + "L4 [reopen]"}, ""},
		{"no reopening condition", `; reopen when: a second team asks \(or a third\; soon\)`, "", []string{"conflict none L4"}, "says when to look at it again"},
		{"a condition for a fact", "; tags: limits", "; reopen when: it grows; tags: limits", nil, "reopen_when"},
		{"fact to rejected, when", "## Facts\n\n- The queue holds 512 entries (", "## Verworfene Ansätze\n\n- The queue holds 512 entries (reopen when: it grows; ", []string{update + "L3 [kind reopen]"}, ""},
		{"fact to rejected", "## Facts", "## Rejected", []string{"conflict none L3"}, "says when to look at it again"},
		{"rejected to fact", "\n## Rejected approaches\n\n", "", []string{update + "L4 [kind reopen]"}, "reopen_when"},
		{"a German section", "## Facts", "## Erkenntnisse", []string{update + "L3 [kind]"}, ""},
		{"a section of another name", "## Facts", "## Things", nil, ""},
		{"text, kind and tags", "## Facts\n\n- The queue holds 512 entries (from: observed, pay-3; tags: limits, queue", "## Rules\n\n- The queue holds 9 entries (tags: limits", []string{update + "L3 [body kind tags]"}, ""},
		{"where it comes from", "(from: verified, pay-1) <!-- coord:L1", "(from: a friend) <!-- coord:L1", nil, "provenance"},
		{"trust", "(from: observed, pay-3; tags", "(from: verified, pay-3; tags", nil, "provenance"},
		{"what became of it", "; became rule jobs", "", nil, "provenance"},
		{"all brackets", " (from: observed, pay-3; tags: limits, queue; for: component ledger, path server/**)", "", nil, ""},
		{"text behind the brackets", `path server/**) <`, `path server/**) since May <`, []string{update + "L3 [body]"}, ""},
		{"wrapped", "The queue holds 512 entries (from: observed, pay-3;", "The queue holds\n  512 entries (from: observed,\n  pay-3;", nil, ""},
		{"superseded", "Poll, then wait", "Poll and wait", []string{"changed_in_source none L6"}, "L6 is superseded"},
		{"a rule", "Jobs are numbered", "Jobs have numbers", []string{"changed_in_source none L7"}, "coord rule set jobs"},
		{"new fact", "## Facts\n\n", "## Facts\n\n- The day has 24 hours (tags: time; for: path clock/**)\n", []string{"new create_lesson "}, ""},
		{"new rejected approach", "## Rejected approaches\n\n", "## Rejected approaches\n\n- A wiki. Look again when there are ten of us.\n", []string{"new create_lesson "}, ""},
		{"new proposal", "## Rule proposals\n\n", "## Rule proposals\n\n- No retry without a key\n", []string{"new create_lesson "}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := recordState()
			files := s.export()
			change(t, files, test.old, test.new)
			plan := s.plan(t, files...)
			if diff := cmp.Diff(test.want, brief(plan)); diff != "" {
				t.Fatalf("plan (-want +got):\n%s\n%s", diff, files[2].Content)
			}
			said := ""
			for _, c := range plan.Changes {
				said += c.Needs
			}
			for _, d := range plan.Diagnostics {
				said += d.Code
			}
			if test.says != "" && test.says != "brackets" && !strings.Contains(said, test.says) || test.says == "" && said != "" {
				t.Errorf("says %q, want %q", said, test.says)
			}
			s.apply(t, plan)
			s.data.AsOf = s.base.AsOf
			if again := s.plan(t, files...); plan.Actions() > 0 && again.Actions() != 0 {
				t.Errorf("the edited files plan %v", brief(again))
			}
			if got := brief(s.plan(t, s.export()...)); got != nil {
				t.Errorf("the next export plans %v", got)
			}
		})
	}
}
