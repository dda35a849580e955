package store

import (
	"testing"

	"coord"
	"coord/markdown"
)

// A link made or taken away here after an export was written stays as it is when
// that export, or a region of one, comes back untouched.
func TestImportOfAnExportLeavesLaterLinks(t *testing.T) {
	s := openWith(t, markdown.Plan)
	op := s.As(operators)
	imports(t, op, importOf(coord.SourceFile{Path: "PLAN.md", As: coord.AsBacklog, Content: []byte("- [ ] Refuse old tokens\n- [ ] Log who asked\n- [ ] Write a README\n")}))
	link := func(task, after coord.TaskID, remove bool) {
		t.Helper()
		if _, err := op.LinkTask(t.Context(), coord.LinkTask{Key: newKey(), Task: task, After: after, Remove: remove, Reason: "it builds on that"}); err != nil {
			t.Fatal(err)
		}
	}
	link("pay-1", "pay-3", false)
	data, err := op.ExportData(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	link("pay-1", "pay-2", false)
	link("pay-1", "pay-3", true)
	back := importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: markdown.Export(data, coord.ExportBacklog)})
	p, err := op.PlanImport(t.Context(), back)
	if err != nil || p.Actions() != 0 {
		t.Errorf("%v, %d actions: %+v", err, p.Actions(), p.Changes)
	}
}
