package store

import (
	"strings"
	"testing"

	"coord"
	"coord/markdown"

	"github.com/google/go-cmp/cmp"
)

// TestImportedKnowledge edits an export of the record: an agent's import
// applies exactly what was edited, as a revision with its reason, and leaves
// alone how far a lesson is trusted; what the service said meanwhile of
// something else stays.
func TestImportedKnowledge(t *testing.T) {
	s := openWith(t, markdown.Plan)
	ctx, svc := t.Context(), s.As(operators)
	for _, c := range []coord.Learn{
		{Text: "the queue holds 512 entries", Kind: coord.KindFact, Tags: []string{"limits"}, Scope: coord.LessonScope{Component: "ledger"}},
		{Text: "a plug-in system", Kind: coord.KindRejected, Reopen: "a second team asks (or a third; soon)"},
	} {
		c.Key, c.Project = newKey(), "pay"
		if _, err := svc.Learn(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := svc.JudgeLesson(ctx, coord.JudgeLesson{Key: newKey(), Project: "pay", Lesson: "L1", Revision: 1, Status: coord.LessonVerified, Note: "counted"}); err != nil {
		t.Fatal(err)
	}
	export := func() string {
		data, err := svc.ExportData(ctx, "pay")
		if err != nil {
			t.Fatal(err)
		}
		return string(markdown.Export(data, coord.ExportRecord))
	}
	record := func(text string) coord.ImportRequest {
		return importOf(coord.SourceFile{Path: "DURABLE-RECORD.md", As: coord.AsRecord, Content: []byte(text)})
	}
	exported := export()
	if p, err := svc.PlanImport(ctx, record(exported)); err != nil || p.Actions() != 0 || p.Counts[coord.ImportUnchanged] != 2 || len(p.Diagnostics) != 0 {
		t.Fatalf("the export plans %v, %+v, %v", p.Counts, p.Diagnostics, err)
	}
	tags := []string{"size"}
	if _, err := svc.EditLesson(ctx, coord.EditLesson{Key: newKey(), Project: "pay", Lesson: "L2", Revision: 1, Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer("## Facts", "## Lessons", "verified; tags: limits; for: component ledger", "disputed; tags: limits, queue; for: path server/**").Replace(exported) +
		"- a wiki\n\n## Rules\n\n- every job has a key\n"
	r := record(edited)
	if got := imports(t, s.As(agents), r); got.Applied[coord.ActionUpdateLesson] != 1 || got.Applied[coord.ActionCreateLesson] != 2 || got.Skipped != 0 {
		t.Fatalf("got %+v", got)
	}
	var have []coord.Lesson
	for _, id := range []coord.LessonID{"L1", "L2", "L3", "L4"} {
		d, err := svc.Lesson(ctx, "pay", id)
		if err != nil {
			t.Fatal(err)
		}
		l := d.Lesson
		have = append(have, coord.Lesson{Kind: l.Kind, Text: l.Text, Tags: l.Tags, Scope: l.Scope, Reopen: l.Reopen, Status: l.Status, Revision: l.Revision})
		if last := d.Revisions[len(d.Revisions)-1]; id == "L1" && last.Reason != "imported from DURABLE-RECORD.md" {
			t.Errorf("the revision says %q", last.Reason)
		}
	}
	want := []coord.Lesson{
		{Kind: coord.KindLesson, Text: "the queue holds 512 entries", Tags: []string{"limits", "queue"}, Scope: coord.LessonScope{Paths: []string{"server/**"}}, Status: coord.LessonVerified, Revision: 2},
		{Kind: coord.KindRejected, Text: "a plug-in system", Tags: tags, Reopen: "a second team asks (or a third; soon)", Status: coord.LessonObserved, Revision: 2},
		{Kind: coord.KindRejected, Text: "a wiki", Reopen: coord.ReopenUnstated, Status: coord.LessonObserved, Revision: 1},
		{Kind: coord.KindProposal, Text: "every job has a key", Status: coord.LessonObserved, Revision: 1},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := onlyText(t, s, "SELECT count(*) FROM rules"); n != "0" {
		t.Errorf("%s rules came from a file", n)
	}
	for name, text := range map[string]string{"the edited file": edited, "the next export": export()} {
		if p, err := svc.PlanImport(ctx, record(text)); err != nil || p.Actions() != 0 {
			t.Errorf("%s plans %d actions, %v", name, p.Actions(), err)
		}
	}
	checkRecord(t, s)
}
