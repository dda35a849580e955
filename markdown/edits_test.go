package markdown

import (
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func exampleState() *state {
	s := newState()
	s.addTask(coord.ExportTask{Title: "Reject tokens past their expiry", Criteria: []string{"expired token answers 401", "test covers it"}, Priority: coord.PriorityHigh, Lifecycle: coord.LifecycleOpen, Status: coord.StatusReady})
	s.addTask(coord.ExportTask{Title: "Rotate the import key", Outcome: "Keys older than a month are replaced.\n\n- [ ] write the job\n- [ ] run it", Priority: coord.PriorityNormal, Lifecycle: coord.LifecyclePlanned})
	s.addTask(coord.ExportTask{Title: "Count sign-ins per hour", Priority: coord.PriorityLow, Lifecycle: coord.LifecycleDone, Landed: coord.OID(strings.Repeat("c19d02e0", 5))})
	s.addTask(coord.ExportTask{Title: "Drop the old table", Priority: coord.PriorityNormal, Lifecycle: coord.LifecycleCanceled})
	s.addLesson("clock skew: use now(), never time.Now")
	s.addLesson("**Renewal is not authority.** A receipt is history.\n\nRead the lease again.")
	return s
}

// An edit of an exported file plans exactly that edit.
func TestEditsOfAnExport(t *testing.T) {
	const title = "Reject tokens past their expiry"
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"title", title, "Reject expired tokens", []string{"changed_in_source update_task pay-1 [title]"}},
		{"title grows a note", title + " — high", title + " everywhere — high", []string{"changed_in_source update_task pay-1 [title]"}},
		{"criterion changed", "answers 401", "answers 403", []string{"changed_in_source update_task pay-1 [criteria]"}},
		{"criterion added", "  - accept: test covers it", "  - accept: test covers it\n  - accept: logged", []string{"changed_in_source update_task pay-1 [criteria]"}},
		{"criterion removed", "  - accept: test covers it\n", "", []string{"changed_in_source update_task pay-1 [criteria]"}},
		{"priority", " — high <", " — urgent <", []string{"changed_in_source update_task pay-1 [priority]"}},
		{"priority removed", " — high <", " <", []string{"changed_in_source update_task pay-1 [priority]"}},
		{"priority added", "import key <", "import key — low <", []string{"changed_in_source update_task pay-2 [priority]"}},
		{"outcome", "older than a month", "older than a week", []string{"changed_in_source update_task pay-2 [body]"}},
		{"two facets", title + " — high", "Refuse tokens — low", []string{"changed_in_source update_task pay-1 [title priority]"}},
		{"another text altogether", title + " — high", "Paint a shed — high", []string{"conflict none pay-1"}},
		{"box ticked", "- [ ] " + title, "- [x] " + title, []string{"closed_in_source close_task pay-1 done"}},
		{"ticked as rejected", "- [ ] " + title + " — high", "- [x] " + title + " — high, rejected", []string{"closed_in_source close_task pay-1 canceled"}},
		{"box unticked", "- [x] Count", "- [ ] Count", []string{"reopen_requested none pay-3"}},
		{"title of a closed one", "Count sign-ins", "Count logins", []string{"changed_in_source none pay-3"}},
		{"new item", "## Planned\n\n", "## Planned\n\n- [ ] Send a receipt by mail\n", []string{"new create_task  planned"}},
		{"new closed item", "## Done\n\n", "## Done\n\n- [x] Sent a receipt by mail\n", []string{"historical create_task  done"}},
		{"new open item among the done", "## Done\n\n", "## Done\n\n- [ ] Send a receipt by mail\n", []string{"conflict none "}},
		{"item deleted", "- [x] Drop the old table — canceled <!-- coord:pay-4 -->\n", "", []string{"missing_in_source none pay-4"}},
		{"moved to another section", "## Planned", "## Ready", nil},
		{"lines wrapped", "past their expiry — high", "past\n  their expiry — high", nil},
		{"blank lines", "## Planned", "\n\n\n## Planned", nil},
		{"heading renamed", "# Backlog of Payments", "# What is left", nil},
		{"trailing prose", "## Done", "Some remark.\n\n## Done", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := exampleState()
			files := s.export()
			before := string(files[0].Content)
			if strings.Count(before, test.old) != 1 {
				t.Fatalf("%q is not in the export exactly once:\n%s", test.old, before)
			}
			files[0].Content = []byte(strings.Replace(before, test.old, test.new, 1))
			if diff := cmp.Diff(test.want, brief(s.plan(t, files...))); diff != "" {
				t.Errorf("plan (-want +got):\n%s\n%s", diff, files[0].Content)
			}
		})
	}
}

func TestEditsOfExportedKnowledge(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"first line", "never time.Now", "never the wall clock", []string{"changed_in_source update_lesson L1 [body]"}},
		{"later line", "Read the lease again.", "Read the lease once more.", []string{"changed_in_source update_lesson L2 [body]"}},
		{"where it comes from", "(from: verified, pay-1) <!-- coord:L1", "(from: a friend) <!-- coord:L1", nil},
		{"new lesson", "## Lessons\n\n", "## Lessons\n\n- Never push without reading back.\n", []string{"new create_lesson "}},
		{"new section of prose", "## Lessons\n\n", "## Exit codes lie\n\nRead the remote.\n\n## Lessons\n\n", []string{"new create_lesson "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := exampleState()
			files := s.export()
			before := string(files[2].Content)
			if strings.Count(before, test.old) != 1 {
				t.Fatalf("%q is not in the export exactly once:\n%s", test.old, before)
			}
			files[2].Content = []byte(strings.Replace(before, test.old, test.new, 1))
			if diff := cmp.Diff(test.want, brief(s.plan(t, files...))); diff != "" {
				t.Errorf("plan (-want +got):\n%s\n%s", diff, files[2].Content)
			}
		})
	}
}

// What an export of an outcome has a file say is a criterion, or would put into
// one, does not get lost when another line of that task is edited.
func TestEditsOfAnOutcome(t *testing.T) {
	for _, test := range []struct {
		name, outcome, old, new string
		want                    []string
	}{
		{"that lists criteria", "Keys are replaced.\n\nAcceptance:\n\n- none is older than a month\n", "are replaced", "are renewed", []string{"changed_in_source update_task pay-1 [body criteria]"}},
		{"the criteria that it lists", "Keys are replaced.\n\nAcceptance:\n\n- none is older than a month\n", "a month", "a week", []string{"changed_in_source update_task pay-1 [criteria body]"}},
		{"that a parser takes for no part of the item", "-\n\nKeys are replaced.", "are replaced", "are renewed", []string{"changed_in_source update_task pay-1 [body]"}},
		{"beside a criterion", "Keys are replaced.", "are replaced", "are renewed", []string{"changed_in_source update_task pay-1 [body]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState()
			s.addTask(coord.ExportTask{Title: "Rotate the import key", Outcome: test.outcome, Criteria: []string{"a test covers it"}, Priority: coord.PriorityHigh, Lifecycle: coord.LifecyclePlanned})
			files := s.export()[:1]
			if got := brief(s.plan(t, files...)); got != nil {
				t.Fatalf("the export plans %v", got)
			}
			change(t, files, test.old, test.new)
			if diff := cmp.Diff(test.want, brief(s.plan(t, files...))); diff != "" {
				t.Errorf("plan (-want +got):\n%s\n%s", diff, files[0].Content)
			}
			s.apply(t, s.plan(t, files...))
			x := s.task("pay-1")
			said := x.Outcome + "\n" + strings.Join(x.Criteria, "\n")
			for _, want := range []string{test.new, "a test covers it", "older than a"} {
				if strings.Contains(test.outcome+test.new+"a test covers it", want) && strings.Count(said, want) != 1 {
					t.Errorf("%q is not in it once: %q, %q", want, x.Outcome, x.Criteria)
				}
			}
			if got := brief(s.plan(t, files...)); got != nil {
				t.Errorf("a second import plans %v", got)
			}
		})
	}
}

// After an edit is applied, the same file plans nothing and a new export is
// the edited text again.
func TestEditSettles(t *testing.T) {
	s := exampleState()
	files := s.export()
	files[0].Content = []byte(strings.NewReplacer("Reject tokens", "Refuse tokens", "answers 401", "answers 403", "## Planned\n\n", "## Planned\n\n- [ ] Send a receipt — low\n").Replace(string(files[0].Content)))
	s.apply(t, s.plan(t, files...))
	if got := brief(s.plan(t, files...)); got != nil {
		t.Errorf("the second import plans %v", got)
	}
	again := s.export()
	if got := brief(s.plan(t, again...)); got != nil {
		t.Errorf("the next export plans %v", got)
	}
	for _, want := range []string{"- [ ] Refuse tokens past their expiry — high <!-- coord:pay-1 -->\n  - accept: expired token answers 403", "- [ ] Send a receipt — low <!-- coord:pay-5 -->"} {
		if !strings.Contains(string(again[0].Content), want) {
			t.Errorf("the export lacks %q:\n%s", want, again[0].Content)
		}
	}
}

// An older export is judged by what changed since: the service's later edit
// stands, and a line that was left alone never undoes it.
func TestOldExport(t *testing.T) {
	s := exampleState()
	files := s.export()
	s.edit("pay-1", func(task *coord.ImportTask) { task.Title = "Refuse stale tokens" })
	s.edit("pay-2", func(task *coord.ImportTask) { task.Lifecycle = coord.LifecycleDone })
	if got, want := brief(s.plan(t, files...)), []string{"conflict none pay-1", "closed_here none pay-2"}; cmp.Diff(want, got) != "" {
		t.Errorf("plan %v, want %v", got, want)
	}
}

// Over any order of imports, exports, edits and ticks, a closed task stays
// closed and an import that was applied plans no action a second time.
func TestClosedStaysClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newState()
		s.base.Admit = rapid.Bool().Draw(t, "admit")
		text := "# Work\n\n## Next\n\n- [ ] alpha one\n- [ ] **B-2** beta two\n- [x] gamma three\n- [ ] delta four — P1\n\n## Later\n\n- [ ] alpha one\n"
		versions := []string{text}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			closedBefore := map[coord.TaskID]bool{}
			for _, task := range s.base.Tasks {
				closedBefore[task.ID] = closed(task.Lifecycle)
			}
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				text = rapid.SampledFrom(versions).Draw(t, "version")
			case 1:
				text = strings.Replace(text, "[ ]", "[x]", rapid.IntRange(0, 3).Draw(t, "ticks"))
			case 2:
				text = strings.Replace(text, "[x]", "[ ]", rapid.IntRange(0, 3).Draw(t, "unticks"))
			case 3:
				s.data.AsOf = s.base.AsOf
				text = string(Export(s.data, coord.ExportBacklog))
			case 4:
				if len(s.base.Tasks) > 0 {
					s.edit(rapid.SampledFrom(s.base.Tasks).Draw(t, "task").ID, func(task *coord.ImportTask) { task.Lifecycle = coord.LifecycleDone })
				}
				continue
			}
			versions = append(versions, text)
			plan, err := Plan(s.base, []coord.SourceFile{backlog(text)})
			if err != nil {
				t.Fatal(err)
			}
			s.apply(t, plan)
			for _, task := range s.base.Tasks {
				if closedBefore[task.ID] && !closed(task.Lifecycle) {
					t.Fatalf("%s was reopened by\n%s", task.ID, text)
				}
			}
			if len(s.base.Tasks) > 5 {
				t.Fatalf("%d tasks from five items; the last import was\n%s\n%v", len(s.base.Tasks), text, brief(plan))
			}
			again, err := Plan(s.base, []coord.SourceFile{backlog(text)})
			if err != nil || again.Actions() != 0 {
				t.Fatalf("the second import of\n%s\nplans %v (%v)", text, brief(again), err)
			}
		}
	})
}
