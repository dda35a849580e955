package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/markdown"
	"coord/servicetest"
)

// stepping is a store that applies imports two changes at a time, at a path
// that it can be opened at again.
func stepping(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Now: servicetest.NewClock().Now, Plan: markdown.Plan, Step: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it may be closed already
	return s
}

func manyItems(n int) coord.SourceFile {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- [ ] Item number %d of the list\n", i)
	}
	return coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(b.String())}
}

// begun applies the first step of a plan and no more.
func begun(t *testing.T, s *Store, c coord.Caller, r coord.ImportRequest) coord.ApplyImport {
	t.Helper()
	p, err := s.As(c).PlanImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	apply := applying(r, p)
	a := &applier{service: s.As(c).(*service), c: apply, plan: p, digests: digestsOf(r.Files)}
	a.i = intent[coord.ImportResult]{operation: "apply_import", key: apply.Key, ids: []string{"pay"}, command: apply}
	a.work, _ = p.Effective()
	dying, cancel := context.WithCancel(t.Context())
	_, err = a.inSteps(dying, 2, func(*tx) error { cancel(); return nil })
	if coord.CodeOf(err) != coord.CodeUnavailable && err == nil {
		t.Fatalf("the import was not interrupted: %v", err)
	}
	return apply
}

// TestImportGoesOn kills the server after the first step of an import. Nothing
// counts as imported then; another caller goes on under a key of its own, and
// the answer covers every step.
func TestImportGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coord.db")
	s := stepping(t, path)
	project(t, s, "pay")
	r := importOf(manyItems(7))
	first := begun(t, s, agents, r)
	if got, err := s.As(agents).Sources(t.Context(), "pay"); err != nil || len(got.Files) != 0 {
		t.Errorf("half imported: %+v, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = stepping(t, path)
	again := first
	again.Key = newKey()
	got, err := s.As(operators).ApplyImport(t.Context(), again)
	if err != nil || got.Done != 7 || got.Total != 7 || got.Applied[coord.ActionCreateTask] != 7 || len(got.Tasks) != 7 || len(got.Outdated) != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	replayed, err := s.As(operators).ApplyImport(t.Context(), again)
	if err != nil || toJSON(replayed) != toJSON(got) {
		t.Errorf("the replay: %+v, %v", replayed, err)
	}
	was, err := s.As(agents).ApplyImport(t.Context(), first)
	if !was.Replayed || was.Done != 7 || err != nil {
		t.Errorf("the first caller, when all is done: %+v, %v", was, err)
	}
	if p, err := s.As(agents).PlanImport(t.Context(), r); err != nil || p.Actions() != 0 {
		t.Errorf("the same file plans %d actions, %v", p.Actions(), err)
	}
	if have := onlyText(t, s, "SELECT (SELECT count(*) FROM tasks) || ' ' || (SELECT count(*) FROM imports) || ' ' || (SELECT count(*) FROM source_files)"); have != "7 1 1" {
		t.Errorf("tasks, imports, files: %s", have)
	}
	checkRecord(t, s)
}

// TestImportGoesOnWithItsOwnFilesOnly: the plan is bound to the bytes.
func TestImportGoesOnWithItsOwnFilesOnly(t *testing.T) {
	s := stepping(t, filepath.Join(t.TempDir(), "coord.db"))
	project(t, s, "pay")
	c := begun(t, s, agents, importOf(manyItems(7)))
	c.Key, c.Files = newKey(), []coord.SourceFile{manyItems(6)}
	if _, err := s.As(agents).ApplyImport(t.Context(), c); coord.CodeOf(err) != coord.CodePlanStale {
		t.Errorf("other bytes: %v", err)
	}
}

// TestImportLeavesOutWhatMoved changes tasks between two steps: what the later
// steps were planned on is looked at again.
func TestImportLeavesOutWhatMoved(t *testing.T) {
	s := stepping(t, filepath.Join(t.TempDir(), "coord.db"))
	project(t, s, "pay")
	imports(t, s.As(operators), importOf(manyItems(6)))
	file := manyItems(6)
	file.Content = []byte(strings.ReplaceAll(string(file.Content), "of the list", "of the list (P1)"))
	c := begun(t, s, operators, importOf(file))
	if _, err := s.As(operators).CancelTask(t.Context(), coord.CancelTask{Key: newKey(), Task: "pay-5", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	title := "Another title"
	if _, err := s.As(operators).EditTask(t.Context(), coord.EditTask{Key: newKey(), Task: "pay-6", Revision: 1, Title: &title, Reason: "because"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.As(operators).ApplyImport(t.Context(), c)
	if err != nil || got.Applied[coord.ActionUpdateTask] != 4 || len(got.Outdated) != 2 || got.Outdated[0].Task != "pay-5" || got.Outdated[1].Task != "pay-6" {
		t.Fatalf("got %+v, %v", got, err)
	}
	for id, want := range map[coord.TaskID]coord.Lifecycle{"pay-5": coord.LifecycleCanceled, "pay-6": coord.LifecyclePlanned} {
		if x, err := s.As(operators).Task(t.Context(), id); err != nil || x.Lifecycle != want || x.Priority != coord.PriorityNormal {
			t.Errorf("%s: %s, %s, %v", id, x.Lifecycle, x.Priority, err)
		}
	}
	p, err := s.As(operators).PlanImport(t.Context(), importOf(file))
	if err != nil || p.Counts[coord.ImportMerged] != 1 || p.Counts[coord.ImportClosedHere] != 1 {
		t.Errorf("the next import: %v, %v", p.Counts, err)
	}
	checkRecord(t, s)
}

// TestImportOfOneFileTwiceAtOnce: one caller applies the plan, the other is
// told; nothing is recorded twice.
func TestImportOfOneFileTwiceAtOnce(t *testing.T) {
	for _, items := range []int{2, 9} { // at once, and in steps
		s := stepping(t, filepath.Join(t.TempDir(), "coord.db"))
		project(t, s, "pay")
		r := importOf(manyItems(items))
		p, err := s.As(agents).PlanImport(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 4)
		replayed := errors.New("replayed")
		for range cap(done) {
			go func() {
				out, err := s.As(agents).ApplyImport(t.Context(), applying(r, p))
				if err == nil && out.Replayed {
					err = replayed
				}
				done <- err
			}()
		}
		applied := 0
		for range cap(done) {
			if err := <-done; err == nil {
				applied++
			} else if err != replayed && coord.CodeOf(err) != coord.CodePlanStale {
				t.Error(err)
			}
		}
		if have := onlyText(t, s, "SELECT count(*) FROM tasks"); applied != 1 || have != fmt.Sprint(items) {
			t.Errorf("%d items: applied %d times, %s tasks", items, applied, have)
		}
		checkRecord(t, s)
	}
}

// TestImportByAnAgent leaves out what only an operator may do, and the operator
// does exactly that.
func TestImportByAnAgent(t *testing.T) {
	s := openWith(t, markdown.Plan)
	text := "- [ ] **B-1** Refuse old tokens\n- [ ] **B-2** Log who asked\n"
	file := func(text string) coord.ImportRequest {
		return importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(text)})
	}
	imports(t, s.As(agents), file(text))
	r := file(strings.Replace(text, "[ ]", "[x]", 1) + "- [ ] **B-3** Send a receipt\n")
	p, err := s.As(agents).PlanImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.As(agents).ApplyImport(t.Context(), applying(r, p))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.As(operators).ApplyImport(t.Context(), applying(r, p)); coord.CodeOf(err) != coord.CodePlanStale {
		t.Errorf("what the agent left is no operator's answer: %+v, %v", again, err)
	}
	if got.Skipped != 1 || got.Applied[coord.ActionCloseTask] != 0 || got.Applied[coord.ActionCreateTask] != 1 || got.Done != got.Total {
		t.Errorf("the agent: %+v", got)
	}
	got = imports(t, s.As(operators), r)
	if got.Applied[coord.ActionCloseTask] != 1 || len(got.Tasks) != 1 {
		t.Errorf("the operator: %+v", got)
	}
	checkRecord(t, s)
}

// An export says why a task was canceled.
func TestExportOfACanceledTask(t *testing.T) {
	s := openWith(t, markdown.Plan)
	imports(t, s.As(agents), importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte("- [ ] Refuse old tokens\n")}))
	if _, err := s.As(operators).CancelTask(t.Context(), coord.CancelTask{Key: newKey(), Task: "pay-1", Reason: "not wanted"}); err != nil {
		t.Fatal(err)
	}
	data, err := s.As(agents).ExportData(t.Context(), "pay")
	if err != nil || len(data.Tasks) != 1 || data.Tasks[0].Reason != "not wanted" {
		t.Errorf("got %+v, %v", data.Tasks, err)
	}
}

// TestImportLinks: what a file waits for becomes links, across steps too; a
// second import plans nothing, and a cycle is a problem and no failure.
func TestImportLinks(t *testing.T) {
	s := stepping(t, filepath.Join(t.TempDir(), "coord.db"))
	project(t, s, "pay")
	var b strings.Builder
	for i, after := range []string{"B-6", "B-1", "B-2, B-9", "", "", "B-7", "B-3"} {
		fmt.Fprintf(&b, "- [ ] **B-%d Do the thing number %d**", i+1, i+1)
		if after != "" {
			b.WriteString(" — after " + after)
		}
		b.WriteString("\n")
	}
	r := importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(b.String())})
	r.Admit = true
	got := imports(t, s.As(operators), r)
	if got.Applied[coord.ActionCreateTask] != 7 || len(got.Outdated) != 0 {
		t.Fatalf("got %+v", got)
	}
	ready := onlyText(t, s, "SELECT group_concat(source_title) FROM (SELECT substr(title, 1, 3) AS source_title FROM tasks WHERE lifecycle = 'open' ORDER BY number)")
	links := onlyText(t, s, "SELECT group_concat(substr(a.title, 1, 3) || '>' || substr(b.title, 1, 3)) FROM (SELECT * FROM dependencies ORDER BY task, depends_on) d JOIN tasks a ON a.id = d.task JOIN tasks b ON b.id = d.depends_on")
	if strings.Count(links, ">") != 4 || strings.Contains(links, "B-7>B-3") || strings.Contains(ready, "B-3") {
		t.Errorf("links %s, open %s", links, ready)
	}
	sources, err := s.As(agents).Sources(t.Context(), "pay")
	if err != nil || len(sources.Problems) != 2 || sources.Problems[0].Kind != coord.ProblemDependency || sources.Problems[1].Kind != coord.ProblemCycle {
		t.Errorf("problems %+v, %v", sources.Problems, err)
	}
	if p, err := s.As(agents).PlanImport(t.Context(), r); err != nil || p.Actions() != 0 {
		t.Errorf("again: %d actions, %v", p.Actions(), err)
	}
	checkRecord(t, s)
}

// TestImportOfAStaleFile: what is older than the last import is reported, does
// not count as imported, and is as stale the next time; its problems and those
// of the version that counts stay apart.
func TestImportOfAStaleFile(t *testing.T) {
	s := openWith(t, markdown.Plan)
	file := func(text string) coord.SourceFile {
		return coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(text)}
	}
	old, latest := file("- [ ] **B-1 Refuse old tokens.**\n"), file("- [x] **B-1 Refuse old tokens.**\n- [ ] **B-2 Log who asked.** — after B-9\n")
	imports(t, s.As(operators), importOf(old))
	imports(t, s.As(operators), importOf(latest))
	want, err := s.As(agents).Sources(t.Context(), "pay")
	if err != nil || len(want.Problems) != 1 || want.Problems[0].Kind != coord.ProblemDependency {
		t.Fatalf("%+v, %v", want, err)
	}
	for i := range 2 {
		beside := coord.SourceFile{Path: "MORE.md", As: coord.AsBacklog, Content: fmt.Appendf(nil, "- [ ] **C-%d Something of its own, by number %d.**\n", i, i)}
		r := importOf(old, beside)
		p, err := s.As(operators).PlanImport(t.Context(), r)
		if err != nil || p.Files[0].State != coord.ImportStaleSource {
			t.Fatalf("%+v, %v", p.Files, err)
		}
		imports(t, s.As(operators), r)
		got, err := s.As(agents).Sources(t.Context(), "pay")
		if err != nil || got.Files[0] != want.Files[0] || toJSON(got.Problems) != toJSON(want.Problems) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if x, err := s.As(agents).Task(t.Context(), "pay-1"); err != nil || x.Lifecycle != coord.LifecycleDone {
		t.Errorf("pay-1 is %s, %v", x.Lifecycle, err)
	}
	imports(t, s.As(operators), importOf(file("- [x] **B-1 Refuse old tokens.**\n- [ ] **B-2 Log who asked.**\n")))
	if got, err := s.As(agents).Sources(t.Context(), "pay"); err != nil || len(got.Problems) != 0 {
		t.Errorf("a problem that was mended stays: %+v, %v", got.Problems, err)
	}
	checkRecord(t, s)
}
