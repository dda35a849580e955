package store

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coord"
	"coord/markdown"
	"coord/servicetest"
)

func openWith(t *testing.T, plan coord.Planner) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "coord.db"), Now: servicetest.NewClock().Now, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // reads only after this point
	project(t, s, "pay")
	return s
}

var operators = coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"}

func importOf(files ...coord.SourceFile) coord.ImportRequest {
	return coord.ImportRequest{Project: "pay", Files: files}
}

// imports plans and applies.
func imports(t *testing.T, svc coord.Service, r coord.ImportRequest) coord.ImportResult {
	t.Helper()
	p, err := svc.PlanImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := svc.ApplyImport(t.Context(), applying(r, p))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func onlyText(t *testing.T, s *Store, query string) (have string) {
	t.Helper()
	if err := s.writer.conn.QueryRowContext(t.Context(), query).Scan(&have); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return have
}

// applying is the command that applies what was planned.
func applying(r coord.ImportRequest, p coord.ImportPlan) coord.ApplyImport {
	return coord.ApplyImport{Key: newKey(), Project: r.Project, Files: r.Files, Admit: r.Admit, Paths: r.Paths, AsOf: p.AsOf, Digest: p.Digest}
}

// TestImportOfAnExport runs the real planner: what is exported and comes back
// untouched plans nothing, also after work went on.
func TestImportOfAnExport(t *testing.T) {
	s := openWith(t, markdown.Plan)
	alpha := session(t, s, agents, "alpha")
	r := importOf(
		coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte("# Backlog\n\n- [ ] Refuse old tokens\n- [ ] Log who asked\n- [x] Write a README\n")},
		coord.SourceFile{Path: "DURABLE-RECORD.md", As: coord.AsRecord, Content: []byte("# Record\n\n- Token tests need the fake clock.\n")},
	)
	r.Admit = true
	got := imports(t, s.As(operators), r)
	if got.Applied[coord.ActionCreateTask] != 3 || got.Applied[coord.ActionCreateLesson] != 1 {
		t.Errorf("applied %+v", got)
	}
	if _, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"}); err != nil {
		t.Error(err)
	}
	data, err := alpha.ExportData(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	back := importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: markdown.Export(data, coord.ExportBacklog)},
		coord.SourceFile{Path: "DURABLE-RECORD.md", As: coord.AsRecord, Content: markdown.Export(data, coord.ExportRecord)})
	p, err := alpha.PlanImport(t.Context(), back)
	if err != nil || p.Actions() != 0 {
		t.Errorf("an untouched export plans %d actions, %v: %+v", p.Actions(), err, p.Changes)
	}
	again, err := alpha.ExportData(t.Context(), "pay")
	if err != nil || toJSON(again) != toJSON(data) {
		t.Errorf("two exports of one state differ: %v", err)
	}
	checkRecord(t, s)
}

// seededPlan returns the same changes every time.
func seededPlan(changes ...coord.ImportChange) coord.Planner {
	return func(base coord.ImportBase, files []coord.SourceFile) (coord.ImportPlan, error) {
		p := coord.ImportPlan{Project: base.Project, AsOf: base.AsOf, Changes: changes}
		for path, sum := range digestsOf(files) {
			p.Files = append(p.Files, coord.ImportFile{Path: path, As: coord.AsBacklog, Digest: sum})
		}
		slices.SortFunc(p.Files, func(a, b coord.ImportFile) int { return strings.Compare(a.Path, b.Path) })
		return p.Sealed(), nil
	}
}

func TestImportExecutesEveryAction(t *testing.T) {
	anchor := func(key string) *coord.ImportAnchor { return &coord.ImportAnchor{Key: key, Kind: coord.RecordTask} }
	s := openWith(t, seededPlan(
		coord.ImportChange{Action: coord.ActionUpdateTask, Key: "a", Path: "B.md", Task: "pay-1", Title: "better", Body: "not taken", Priority: coord.PriorityHigh, Facets: []string{"title", "priority"}, Anchor: anchor("a")},
		coord.ImportChange{Action: coord.ActionCloseTask, Path: "B.md", Task: "pay-2", Lifecycle: coord.LifecycleDone},
		coord.ImportChange{Action: coord.ActionCreateTask, Key: "c", Path: "B.md", Title: "old", Lifecycle: coord.LifecycleDone, Replaces: "a", Anchor: anchor("c")},
		coord.ImportChange{Action: coord.ActionCreateLesson, Path: "R.md", Body: "learnt"},
		coord.ImportChange{Action: coord.ActionUpdateLesson, Path: "R.md", Lesson: "L1", Body: "better learnt"},
		coord.ImportChange{Action: coord.ActionRecordHandoff, Key: "h", Path: "H.md", Title: "Yesterday", Body: "tired"},
		coord.ImportChange{Action: coord.ActionCreateTask, Path: "B.md", Title: "unclear", Needs: "a person has to say"},
	))
	svc := s.As(operators)
	first := newTask(t, svc, "pay")
	newTask(t, svc, "pay")
	waits, err := svc.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "waits", DependsOn: []coord.TaskID{"pay-2"}})
	if err != nil {
		t.Fatal(err)
	}
	r := importOf(coord.SourceFile{Path: "B.md", As: coord.AsBacklog, Content: []byte("x")}, coord.SourceFile{Path: "C.md", As: coord.AsBacklog, Content: []byte("x")})
	p, err := svc.PlanImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := svc.ApplyImport(t.Context(), applying(r, p))
	if err != nil {
		t.Fatal(err)
	}
	if got.Skipped != 0 || len(got.Applied) != 6 || got.Done != 7 || got.Total != 7 || !slices.Equal(got.Tasks, []coord.TaskID{"pay-4", "pay-1", "pay-2", "pay-5"}) || !slices.Equal(got.Lessons, []coord.LessonID{"L1", "L1"}) {
		t.Errorf("got %+v", got)
	}
	one, err := svc.Task(t.Context(), first)
	if err != nil || one.Title != "better" || one.Outcome != "" || one.Priority != coord.PriorityHigh || one.Revision != 2 || one.Digest != coord.Digest(one.Kind, one.Title, "", nil) {
		t.Errorf("updated: %+v, %v", one.Task, err)
	}
	if w, err := svc.Task(t.Context(), waits.ID); err != nil || w.Status != coord.StatusReady {
		t.Errorf("the dependent is %s, %v", w.Status, err)
	}
	for query, want := range map[string]string{
		"SELECT group_concat(key || json_extract(anchor, '$.task')) FROM (SELECT * FROM anchors ORDER BY key)": "apay-1,cpay-4", // a was stored by this plan again
		"SELECT text FROM lessons":                                               "better learnt",
		"SELECT title || body FROM handoffs":                                     "Yesterdaytired",
		"SELECT count(*) FROM source_bytes":                                      "1",
		"SELECT count(DISTINCT seen_seq) FROM source_files":                      "1",
		"SELECT kind FROM events ORDER BY seq DESC LIMIT 1":                      string(coord.EventImportApplied),
		"SELECT max(seq) = (SELECT max(seen_seq) FROM source_files) FROM events": "1",
	} {
		var have string
		if err := s.writer.conn.QueryRowContext(t.Context(), query).Scan(&have); err != nil || have != want {
			t.Errorf("%s: %q, %v", query, have, err)
		}
	}
	checkRecord(t, s)
}

// TestImportPlansAgainWhenTheProjectMoves changes the project between the
// plan and the writer's turn, once and then every time.
func TestImportPlansAgainWhenTheProjectMoves(t *testing.T) {
	for _, c := range []struct {
		moves int
		want  coord.Code
	}{{1, ""}, {100, coord.CodePlanStale}} {
		var s *Store
		moves := 0
		plan := linePlan
		s = openWith(t, func(base coord.ImportBase, files []coord.SourceFile) (coord.ImportPlan, error) {
			if moves > 0 {
				moves--
				newTask(t, s.As(agents), "pay")
			}
			return plan(base, files)
		})
		r := importOf(coord.SourceFile{Path: "B.md", As: coord.AsBacklog, Content: []byte("- [ ] one\n")})
		p, err := s.As(agents).PlanImport(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		moves = c.moves
		got, err := s.As(agents).ApplyImport(context.Background(), applying(r, p))
		if coord.CodeOf(err) != c.want || c.want == "" && len(got.Tasks) != 1 {
			t.Errorf("%d moves: %+v, %v", c.moves, got, err)
		}
	}
}

// TestImportIsAllOrNothing has the last change of a plan fail.
func TestImportIsAllOrNothing(t *testing.T) {
	s := openWith(t, seededPlan(
		coord.ImportChange{Action: coord.ActionCreateTask, Path: "B.md", Title: "first"},
		coord.ImportChange{Action: coord.ActionCloseTask, Path: "B.md", Task: "pay-1", Lifecycle: coord.LifecycleDone},
	))
	alpha := session(t, s, agents, "alpha")
	newTask(t, alpha, "pay")
	if _, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"}); err != nil {
		t.Fatal(err)
	}
	r := importOf(coord.SourceFile{Path: "B.md", As: coord.AsBacklog, Content: []byte("x")})
	p, err := alpha.PlanImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.As(operators).ApplyImport(t.Context(), applying(r, p)); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("closing work under way: %v", err)
	}
	page, err := alpha.ListTasks(t.Context(), coord.TaskQuery{Project: "pay"})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("%d tasks, %v", len(page.Items), err)
	}
	checkRecord(t, s)
}

// TestImportOfRecordsThatChangedPlaces has two anchors take each other's key.
func TestImportOfRecordsThatChangedPlaces(t *testing.T) {
	anchored := func(key, replaces string, task coord.TaskID) coord.ImportChange {
		return coord.ImportChange{Action: coord.ActionNone, Key: key, Path: "B.md", Replaces: replaces, Anchor: &coord.ImportAnchor{Key: key, Kind: coord.RecordTask, Task: task}}
	}
	plan := seededPlan(anchored("a", "", "pay-1"), anchored("b", "", "pay-2"))
	s := openWith(t, func(base coord.ImportBase, files []coord.SourceFile) (coord.ImportPlan, error) {
		return plan(base, files)
	})
	svc := s.As(agents)
	for _, step := range []struct {
		plan coord.Planner
		want string
	}{
		{plan, "a pay-1,b pay-2"},
		{seededPlan(anchored("b", "a", "pay-1"), anchored("a", "b", "pay-2")), "a pay-2,b pay-1"},
		{seededPlan(anchored("a", "a", "pay-2"), anchored("c", "b", "pay-1")), "a pay-2,c pay-1"},
	} {
		plan = step.plan
		r := importOf(coord.SourceFile{Path: "B.md", As: coord.AsBacklog, Content: []byte("x")})
		p, err := svc.PlanImport(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := svc.ApplyImport(t.Context(), applying(r, p)); err != nil {
			t.Fatal(err)
		}
		var have string
		err = s.writer.conn.QueryRowContext(t.Context(), "SELECT group_concat(key || ' ' || (anchor ->> '$.task'), ',') FROM (SELECT * FROM anchors ORDER BY key)").Scan(&have)
		if err != nil || have != step.want {
			t.Errorf("anchors %q, %v; want %q", have, err, step.want)
		}
	}
}

func TestImportIsToldInProperPlurals(t *testing.T) {
	s := openWith(t, linePlan)
	for text, want := range map[string]string{
		"- [ ] one\n":              "agents imported 1 file: 1 task, 0 lessons",
		"- [ ] two\n- [ ] three\n": "agents imported 1 file: 2 tasks, 0 lessons",
	} {
		r := importOf(coord.SourceFile{Path: "B.md", As: coord.AsBacklog, Content: []byte(text)})
		p, err := s.As(agents).PlanImport(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.As(agents).ApplyImport(t.Context(), applying(r, p)); err != nil {
			t.Fatal(err)
		}
		var have string
		if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT text FROM events ORDER BY seq DESC LIMIT 1").Scan(&have); err != nil || have != want {
			t.Errorf("got %q, %v; want %q", have, err, want)
		}
	}
}

// TestImportAdmitsWithoutEditing: a planned task becomes claimable, and its
// text counts as it did, so that no later import takes it for changed here.
func TestImportAdmitsWithoutEditing(t *testing.T) {
	s := openWith(t, markdown.Plan)
	alpha := session(t, s, agents, "alpha")
	r := importOf(coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte("- [ ] Refuse old tokens\n")})
	apply := func() {
		t.Helper()
		imports(t, s.As(operators), r)
	}
	apply()
	before, err := alpha.Task(t.Context(), "pay-1")
	if err != nil || before.Status != coord.StatusPlanned {
		t.Fatalf("got %s, %v", before.Status, err)
	}
	r.Admit = true
	apply()
	after, err := alpha.Task(t.Context(), "pay-1")
	if err != nil || after.Status != coord.StatusReady || after.ReadySince == nil || after.Revision != before.Revision || after.Digest != before.Digest {
		t.Errorf("got %+v, %v", after.Task, err)
	}
	if c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"}); err != nil || c.Task.ID != "pay-1" {
		t.Errorf("claimed %s, %v", c.Task.ID, err)
	}
	checkRecord(t, s)
}
