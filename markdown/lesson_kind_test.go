package markdown

import (
	"slices"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// In a person's file the section says what its items are, in any language; what
// reads as a rule is a proposal.
func TestKindsOfAPersonsFile(t *testing.T) {
	src := "# Durable record\n\n- Plain\n- **Rule:** no retry without a key\n\n## Facts (2026)\n\n- F1\n\n### More\n\n- F2 (tags: size; for: path a/**)\n- F3 (for everybody)\n\n" +
		"## Decisions\n\n- D1\n\n## Rejected approaches\n\n- R1. Revisit when a second team asks. Soon.\n- R2\n\n## Verworfen\n\n- R3, wieder ansehen, wenn es drei sind\n\n" +
		"## Regeln\n\n- P1\n\n## Other\n\nRejected ideas:\n\n- R4\n\n### Why it is so\n\nBecause.\n\n## 事実\n\n- F4\n"
	type kinded struct {
		Title, Body, Reopen string
		Kind                coord.LessonKind
		Tags                []string
		Paths               []string
	}
	var got []kinded
	for _, r := range readAs(t, coord.AsRecord, src).Records {
		got = append(got, kinded{"", r.Facets.Body, r.Facets.Reopen, r.Facets.Kind, r.Facets.Tags, r.Facets.Scope.Paths})
	}
	want := []kinded{
		{Body: "Plain"},
		{Body: "**Rule:** no retry without a key", Kind: coord.KindProposal},
		{Body: "F1", Kind: coord.KindFact},
		{Body: "F2", Kind: coord.KindFact, Tags: []string{"size"}, Paths: []string{"a/**"}},
		{Body: "F3 (for everybody)", Kind: coord.KindFact},
		{Body: "D1", Kind: coord.KindFact},
		{Body: "R1. Revisit when a second team asks. Soon.", Kind: coord.KindRejected, Reopen: "a second team asks"},
		{Body: "R2", Kind: coord.KindRejected},
		{Body: "R3, wieder ansehen, wenn es drei sind", Kind: coord.KindRejected, Reopen: "es drei sind"},
		{Body: "P1", Kind: coord.KindProposal},
		{Body: "R4", Kind: coord.KindRejected},
		{Body: "F4", Kind: coord.KindFact},
		{Body: "Why it is so\n\nBecause."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a person's file says of kinds is applied, a second import plans nothing,
// what the service says besides stays, and an edit is just that edit.
func TestKindsAreCompared(t *testing.T) {
	file := func(text string) coord.SourceFile {
		return coord.SourceFile{Path: "LESSONS.md", As: coord.AsRecord, Content: []byte(text)}
	}
	first := "# Record\n\n## Facts\n\n- The queue holds 512 entries\n\n## Rejected approaches\n\n- A plug-in system\n"
	s := newState()
	s.apply(t, s.plan(t, file(first)))
	if l := s.base.Lessons[1]; l.Kind != coord.KindRejected || l.Reopen != coord.ReopenUnstated || s.base.Lessons[0].Kind != coord.KindFact {
		t.Fatalf("%+v", s.base.Lessons)
	}
	if plan := s.plan(t, file(first)); plan.Actions() != 0 || brief(plan) != nil {
		t.Fatalf("again: %v", brief(plan))
	}
	s.base.AsOf++
	s.base.Lessons[0].Tags, s.base.Lessons[0].Edited = []string{"limits"}, s.base.AsOf
	s.base.Lessons[1].Reopen, s.base.Lessons[1].Edited = "a second team asks", s.base.AsOf
	if plan := s.plan(t, file(first)); plan.Actions() != 0 {
		t.Errorf("tags that the file does not speak of: %v", brief(plan))
	}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"moved", "# Record\n\n## Lessons\n\n- The queue holds 512 entries\n\n## Rejected approaches\n\n- A plug-in system\n", []string{"changed_in_source update_lesson L1 [kind]"}},
		{"its first brackets", "# Record\n\n## Facts\n\n- The queue holds 512 entries (tags: size)\n\n## Rejected approaches\n\n- A plug-in system\n", []string{"conflict none L1"}},
		{"the same brackets", "# Record\n\n## Facts\n\n- The queue holds 512 entries (tags: limits)\n\n## Rejected approaches\n\n- A plug-in system\n", []string{"converged none L1"}},
		{"no section", "# Record\n\n- The queue holds 512 entries\n- A plug-in system\n", []string{"moved none L1", "moved none L2"}},
		{"a rule", "# Record\n\n## Rules\n\n- The queue holds 512 entries\n\n## Rejected approaches\n\n- A plug-in system\n", []string{"changed_in_source update_lesson L1 [kind]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, brief(s.plan(t, file(test.text)))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// An export of another project comes in as knowledge of its own: the markers
// mean nothing here, and what the brackets say is kept.
func TestRecordOfAnotherProject(t *testing.T) {
	s := newState()
	text := "---\ncoord: record\nproject: web\nas_of: 7\n---\n\n- A wiki (from: observed, web-3; tags: size; reopen when: there are ten of us) <!-- coord:L1 -->\n\n## Facts\n\n" +
		"- Tea is hot (from: observed; for: task web-9) <!-- coord:L2 -->\n- Ice is cold (from: observed; reopen when: it melts; tags: ice) <!-- coord:L3 -->\n"
	f := coord.SourceFile{Path: "DURABLE-RECORD.md", As: coord.AsRecord, Content: []byte(text)}
	plan := s.plan(t, f)
	if diff := cmp.Diff([]string{"new create_lesson ", "conflict none ", "new create_lesson "}, brief(plan)); diff != "" {
		t.Fatal(diff)
	}
	s.apply(t, plan)
	var got []coord.ImportLesson
	for _, l := range s.base.Lessons {
		got = append(got, coord.ImportLesson{Text: l.Text, Kind: l.Kind, Tags: l.Tags, Reopen: l.Reopen})
	}
	want := []coord.ImportLesson{
		{Text: "A wiki", Kind: coord.KindRejected, Tags: []string{"size"}, Reopen: "there are ten of us"},
		{Text: "Ice is cold", Kind: coord.KindFact, Tags: []string{"ice"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := s.plan(t, f); again.Actions() != 0 {
		t.Errorf("again: %v", brief(again))
	}
}

// Both sides changed a lesson: what only the file changed is taken, what both
// did is asked about, and found again until it is settled.
func TestLessonsChangedOnBothSides(t *testing.T) {
	s := recordState()
	files := s.export()
	change(t, files, "holds 512 entries (from: observed, pay-3; tags: limits, queue", "holds 9 entries (from: observed, pay-3; tags: limits")
	first := s.export()
	change(t, first, "holds 512 entries", "holds  512 entries")
	s.apply(t, s.plan(t, first...))
	s.base.AsOf++
	l := &s.base.Lessons[2]
	l.Text, l.Edited = "The queue holds 8 entries", s.base.AsOf
	for range 2 {
		plan := s.plan(t, files...)
		if got := brief(plan); len(got) != 1 || got[0] != "conflict update_lesson L3 [tags]" && got[0] != "conflict none L3" {
			t.Fatalf("plan %v", got)
		}
		s.apply(t, plan)
	}
	if l.Text != "The queue holds 8 entries" {
		t.Errorf("%+v", l)
	}
}

// What is written into brackets comes back, and no text is taken for some.
func TestBracketsSurviveExport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := knowledge.Draw(t, "knowledge")
		in := writeBrackets(l)
		text, m := cutBrackets(encodeLesson("text ( "+l.Text)+" ("+in+") more", true)
		scope := l.Scope
		scope.Version, scope.Environment, scope.Paths = clean(scope.Version), clean(scope.Environment), nil
		for _, p := range l.Scope.Paths {
			if p = clean(p); p != "" {
				scope.Paths = append(scope.Paths, p)
			}
		}
		switch {
		case in == "":
		case !m.There || m.Odd || m.Nowhere || !slices.Equal(l.Tags, m.Tags) || !m.Scope.Equal(scope) || m.Reopen != clean(l.Reopen):
			t.Errorf("%q reads %+v, of %+v", in, m, l)
		case clean(decodeLine(text)) != clean("text ( "+l.Text+" more"):
			t.Errorf("the text is %q", text)
		}
		if _, m := cutBrackets(encodeLesson(l.Text), false); m.There && m.Service != "" {
			t.Errorf("%q has brackets of an export", l.Text)
		}
	})
}
