package markdown

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func file(path string, as coord.SourceRole, text string) coord.SourceFile {
	return coord.SourceFile{Path: path, As: as, Content: []byte(text)}
}

const known = "# Work\n\n## Next\n\n- [ ] **B-1 Rotate the signing key.** Every month.\n- [ ] **B-2 Count sign-ins per hour.**\n- [x] **B-3 Drop the old table.**\n"

// TestEveryState has one import for each state that a record can be in. Ahead
// of it known was imported: B-1 is pay-1, B-2 pay-2, B-3 pay-3 and done.
func TestEveryState(t *testing.T) {
	change := func(old, new string) []coord.SourceFile {
		return []coord.SourceFile{backlog(strings.Replace(known, old, new, 1))}
	}
	closeHere := func(s *state) { s.edit("pay-1", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleDone }) }
	retitle := func(s *state) {
		s.edit("pay-1", func(x *coord.ImportTask) { x.Title = "B-1 Rotate the signing keys" })
	}
	for state, test := range map[coord.ImportState]struct {
		here  func(*state)
		files []coord.SourceFile
		want  []string // its changes of that state
	}{
		coord.ImportNew:             {nil, change("## Next\n\n", "## Next\n\n- [ ] **B-9 Send receipts by mail.**\n"), []string{"new create_task  planned"}},
		coord.ImportHistorical:      {nil, change("## Next\n\n", "## Next\n\n- [x] **B-9 Send receipts by mail.**\n"), []string{"historical create_task  done"}},
		coord.ImportUnchanged:       {nil, change("", ""), []string{"unchanged none pay-1", "unchanged none pay-2", "unchanged none pay-3"}},
		coord.ImportChangedInSource: {nil, change("Every month.", "Every week."), []string{"changed_in_source update_task pay-1 [body]"}},
		coord.ImportChangedHere:     {retitle, change("", ""), []string{"changed_here none pay-1"}},
		coord.ImportConverged:       {closeHere, change("[ ] **B-1", "[x] **B-1"), []string{"converged none pay-1"}},
		coord.ImportMerged:          {retitle, change("Every month.", "Every week."), []string{"merged update_task pay-1 [body]"}},
		coord.ImportConflict:        {retitle, change("Rotate the signing key", "Rotate the signing key twice"), []string{"conflict none pay-1"}},
		coord.ImportClosedHere:      {closeHere, change("", ""), []string{"closed_here none pay-1"}},
		coord.ImportClosedInSource:  {nil, change("[ ] **B-1", "[x] **B-1"), []string{"closed_in_source close_task pay-1 done"}},
		coord.ImportReopenRequested: {nil, change("[x] **B-3", "[ ] **B-3"), []string{"reopen_requested none pay-3"}},
		coord.ImportMissing:         {nil, change("- [ ] **B-2 Count sign-ins per hour.**\n", ""), []string{"missing_in_source none pay-2"}},
		coord.ImportMoved: {
			nil, append(change("- [ ] **B-2 Count sign-ins per hour.**\n", ""), file("LATER.md", coord.AsBacklog, "- [ ] **B-2 Count sign-ins per hour.**\n")),
			[]string{"moved none pay-2"},
		},
		coord.ImportRenamed:       {nil, change("Count sign-ins per hour", "Count all sign-ins per hour"), []string{"renamed update_task pay-2 [title]"}},
		coord.ImportDuplicate:     {nil, append(change("", ""), file("HANDOFF.md", coord.AsHandoff, "## Next steps\n\n- **B-2 Count sign-ins per hour.**\n")), []string{"duplicate none "}},
		coord.ImportProbableMatch: {nil, change("B-2 Count sign-ins per hour", "B-2 Paint the bicycle shed"), []string{"probable_match none "}},
		coord.ImportStaleSource:   {nil, []coord.SourceFile{{Path: "BACKLOG.md", As: coord.AsBacklog, Order: coord.OrderOlder, Content: []byte("- [ ] **B-1 Rotate**\n")}}, []string{"stale_source none ", "stale_source none "}},
		coord.ImportUnreadable:    {nil, []coord.SourceFile{backlog(strings.Repeat("> ", 500) + "a\n")}, []string{"unreadable none "}},
	} {
		t.Run(string(state), func(t *testing.T) {
			s := imported(t, known)
			if test.here != nil {
				test.here(s)
			}
			plan := s.plan(t, test.files...)
			var got []string
			for i, c := range plan.Changes {
				if c.State != state {
					continue
				}
				one := coord.ImportPlan{Changes: plan.Changes[i : i+1]}
				if state == coord.ImportUnchanged {
					got = append(got, "unchanged none "+string(c.Task))
				}
				got = append(got, brief(one)...)
			}
			if state == coord.ImportMoved {
				got = slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "moved") })
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s\nall: %v", diff, brief(plan))
			}
			settles(t, s, test.files)
		})
	}
}

// settles is property 10: after a plan was applied, the same files plan nothing,
// and no closed task was opened.
func settles(t *testing.T, s *state, files []coord.SourceFile) {
	t.Helper()
	before := slices.Clone(s.base.Tasks)
	s.apply(t, s.plan(t, files...))
	if again := s.plan(t, files...); again.Actions() != 0 {
		t.Errorf("a second import plans %v", brief(again))
	}
	for i, x := range before {
		if x.Lifecycle.Closed() && !s.base.Tasks[i].Lifecycle.Closed() {
			t.Errorf("%s was opened", x.ID)
		}
	}
}

// A version that a clone knows to be older or diverged is read and reported,
// whatever it says; one that the history contains is not stale, even if the
// same bytes were imported before.
func TestOrderOfVersions(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	later := strings.Replace(known, "[ ] **B-1", "[x] **B-1", 1)
	other := known + "- [ ] **B-8 Something of another branch.**\n"
	for _, test := range []struct {
		name  string
		order coord.SourceOrder
		text  string
		at    time.Time
		stale bool
	}{
		{"older, never seen", coord.OrderOlder, other, day(9), true},
		{"25 from a diverged branch", coord.OrderDiverged, other, day(9), true},
		{"newer", coord.OrderNewer, other, day(1), false},
		{"reverted on purpose", coord.OrderNewer, known, day(9), false},
		{"seen before, no history", coord.OrderUnknown, known, day(9), true},
		{"written before the last one, no history", coord.OrderUnknown, other, day(2), true},
		{"written after the last one, no history", coord.OrderUnknown, other, day(4), false},
		{"no date and no history", coord.OrderUnknown, other, time.Time{}, false},
		{"the last one again", coord.OrderOlder, later, day(3), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState()
			for i, text := range []string{known, later} {
				f := backlog(text)
				f.At = day(i + 2)
				s.apply(t, s.plan(t, f))
			}
			f := backlog(test.text)
			f.Order, f.At = test.order, test.at
			plan := s.plan(t, f)
			if got := plan.Files[0].State == coord.ImportStaleSource; got != test.stale {
				t.Fatalf("stale: %v, changes %v", got, brief(plan))
			}
			if test.stale && (plan.Actions() != 0 || plan.Counts[coord.ImportStaleSource] != len(plan.Changes) || len(plan.Changes) < 4) {
				t.Errorf("a stale file plans %v", brief(plan))
			}
			s.apply(t, plan)
			if x := s.task("pay-1"); !x.Lifecycle.Closed() {
				t.Errorf("pay-1 is %s", x.Lifecycle)
			}
		})
	}
}

// Nothing that any evidence calls closed becomes work.
func TestEvidenceOfTheEnd(t *testing.T) {
	const item = "- [ ] **B-7 Send receipts by mail.**\n"
	archive := file("docs/BACKLOG-archive.md", coord.AsArchive, "# Archive\n\n- [x] **B-7 Send receipts by mail.** In March.\n")
	old := file("OLD.md", coord.AsBacklog, "- [x] **B-7 Send receipts by mail.**\n")
	old.Order = coord.OrderOlder
	imports := func(files ...coord.SourceFile) func(testing.TB, *state) {
		return func(t testing.TB, s *state) { s.apply(t, s.plan(t, files...)) }
	}
	for _, test := range []struct {
		name  string
		first func(testing.TB, *state)
		files []coord.SourceFile
		want  string // of the item in BACKLOG.md
	}{
		{"none", nil, []coord.SourceFile{backlog(item)}, "new create_task  open"},
		{"an archive in the same import", nil, []coord.SourceFile{backlog(item), archive}, "conflict none "},
		{"an archive that was imported before", imports(archive), []coord.SourceFile{backlog(item)}, "reopen_requested none pay-1"},
		{"an archive that was imported before and comes again", imports(archive), []coord.SourceFile{backlog(item), archive}, "conflict none "},
		{"an open item of an archive", nil, []coord.SourceFile{backlog(item), file("a/archive.md", coord.AsArchive, "- [ ] **B-7 Send receipts by mail.**\n")}, "conflict none "},
		{"a stale file", imports(file("OLD.md", coord.AsBacklog, "nothing\n")), []coord.SourceFile{backlog(item), old}, "new create_task  planned"},
		{"declared to be new", nil, []coord.SourceFile{backlog(strings.Replace(item, "\n", " <!-- coord:new -->\n", 1)), archive}, "new create_task  planned"},
		{"the same under another label", nil, []coord.SourceFile{backlog(item), file("O.md", coord.AsBacklog, "- [x] **C-3 Send receipts by mail.**\n")}, "new create_task  planned"},
		{"a section of the same file", nil, []coord.SourceFile{backlog("## Next\n\n" + item + "\n## Done\n\n" + strings.Replace(item, "[ ]", "[x]", 1))}, "new create_task  planned"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState()
			s.base.Admit = true
			if test.first != nil {
				test.first(t, s)
			}
			plan := s.plan(t, test.files...)
			for i, c := range plan.Changes {
				if c.Path == "BACKLOG.md" && c.State != coord.ImportHistorical {
					if got := brief(coord.ImportPlan{Changes: plan.Changes[i : i+1]}); len(got) != 1 || got[0] != test.want {
						t.Errorf("%v, want %q; all %v", got, test.want, brief(plan))
					}
				}
			}
			settles(t, s, test.files)
		})
	}
}

// F18: a plan file is imported again after half of it was done and reworded.
// Done stays done, what was reworded is matched or asked about, and nothing is
// there twice.
func TestFieldCase18_AReworkedPlanFile(t *testing.T) {
	s := newState()
	first := "# Plan\n\n- [ ] T-1 Set up the schema\n- [ ] T-2 Write the importer\n- [ ] T-3 Show the report\n- [ ] T-4 Write the manual\n"
	s.apply(t, s.plan(t, backlog(first)))
	for _, id := range []coord.TaskID{"pay-1", "pay-2"} {
		s.edit(id, func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleDone })
	}
	second := "# Plan\n\n- [x] T-1 Set up the schema\n- [ ] T-2 Write the importer for CSV\n- [ ] T-3 Show the weekly report\n- [ ] T-4 Migrate the customers\n- [ ] T-5 Write the manual\n"
	plan := s.plan(t, backlog(second))
	want := []string{
		"converged none pay-1", "closed_here none pay-2", "renamed update_task pay-3 [title]", "probable_match none ", "new create_task  planned", "missing_in_source none pay-4",
	}
	got := brief(plan)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	settles(t, s, []coord.SourceFile{backlog(second)})
	if len(s.base.Tasks) != 5 {
		t.Errorf("%d tasks", len(s.base.Tasks))
	}
}

// F19: what is applied is the plan object that was shown. A plan made of
// anything else has another digest, by which a store refuses it.
func TestFieldCase19_OnePlanObject(t *testing.T) {
	s := imported(t, known)
	text := known + "- [ ] **B-9 Send receipts by mail.**\n"
	shown := s.plan(t, backlog(text))
	for name, other := range map[string]func(*state){
		"a task edited":  func(s *state) { s.edit("pay-1", func(x *coord.ImportTask) { x.Title = "B-1 Turn it" }) },
		"a task closed":  func(s *state) { s.edit("pay-1", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleDone }) },
		"a task started": func(s *state) { s.task("pay-2").Revision++ },
		"other bytes":    func(*state) { text += "\n- [ ] **B-10 One more.**\n" },
	} {
		x := imported(t, known)
		x.base.AsOf = s.base.AsOf
		keep := text
		other(x)
		x.base.AsOf = shown.AsOf
		if again := x.plan(t, backlog(text)); again.Digest == shown.Digest {
			t.Errorf("%s: the same digest", name)
		}
		text = keep
	}
	if again := s.plan(t, backlog(text)); again.Digest != shown.Digest {
		t.Error("the same state gives another digest")
	}
}
