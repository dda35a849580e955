package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// madeLinks are the links that a plan would make, by title.
func madeLinks(plan coord.ImportPlan) []string {
	titles := map[string]string{}
	for _, c := range plan.Changes {
		titles[c.Key] = strings.Fields(c.Title)[0]
	}
	var out []string
	for _, c := range plan.Changes {
		name := strings.Fields(c.Title)[0]
		for _, id := range c.After {
			out = append(out, name+" after "+string(id))
		}
		for _, k := range c.AfterKeys {
			out = append(out, name+" after "+titles[k])
		}
		for _, id := range c.NotAfter {
			out = append(out, name+" not after "+string(id))
		}
	}
	return out
}

func kinds(plan coord.ImportPlan) []string {
	var out []string
	for _, p := range plan.Problems {
		out = append(out, string(p.Kind)+": "+p.Text)
	}
	return out
}

func waitingFor(t *testing.T, pairs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, p := range pairs {
		label, after, _ := strings.Cut(p, ">")
		fmt.Fprintf(&b, "- [ ] **%s Do the thing called %s.**", label, label)
		if after != "" {
			fmt.Fprintf(&b, " — after %s", after)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What is waited for gets its number first: in the text below, B-2 is pay-1 and
// B-1 is pay-2.
func TestWhatATaskWaitsFor(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []coord.SourceFile
		links []string
		wants []string // kinds of problem
		open  int      // how many become ready
	}{
		{"a record of the plan", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-2", "B-2"))}, []string{"B-1 after B-2"}, nil, 2},
		{"of another file", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-2")), file("O.md", coord.AsBacklog, waitingFor(t, "B-2"))}, []string{"B-1 after B-2"}, nil, 2},
		{"the nearest of several", []coord.SourceFile{backlog("## One\n\n" + waitingFor(t, "T-1>T-2", "T-2") + "\n## Two\n\n- [ ] **T-2 Another thing of that label.**\n")}, []string{"T-1 after T-2"}, []string{"label_reused"}, 3},
		{"nothing", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-9"))}, nil, []string{"unresolved_dependency"}, 0},
		{"several", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-2")), file("O.md", coord.AsBacklog, waitingFor(t, "B-2")), file("P.md", coord.AsBacklog, "- [ ] **B-2 Do the thing called B-2 later.**\n")}, nil, []string{"unresolved_dependency"}, 2},
		{"what was given up", []coord.SourceFile{backlog("- [ ] **B-1 Do the thing.** — after B-2\n- [x] **B-2 Do that.** — ❌ rejected\n")}, nil, []string{"unresolved_dependency"}, 0},
		{"what is done", []coord.SourceFile{backlog("- [ ] **B-1 Do the thing.** — after B-2\n- [x] **B-2 Do that.**\n")}, []string{"B-1 after B-2"}, nil, 1},
		{"itself", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-1"))}, nil, []string{"dependency_cycle"}, 0},
		{"a ring", []coord.SourceFile{backlog(waitingFor(t, "B-1>B-2", "B-2>B-3", "B-3>B-1"))}, []string{"B-1 after B-2", "B-2 after B-3"}, []string{"dependency_cycle"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState()
			s.base.Admit = true
			plan := s.plan(t, test.files...)
			if diff := cmp.Diff(test.links, madeLinks(plan)); diff != "" {
				t.Errorf("links:\n%s", diff)
			}
			var got []string
			open := 0
			for _, p := range plan.Problems {
				got = append(got, string(p.Kind))
			}
			for _, c := range plan.Changes {
				if c.Admits() {
					open++
				}
			}
			if diff := cmp.Diff(test.wants, got); diff != "" || open != test.open {
				t.Errorf("%d ready, want %d; problems %v\n%s", open, test.open, kinds(plan), diff)
			}
			settles(t, s, test.files)
		})
	}
}

// What a task waits for is compared three-way: a link made or taken away here
// stays as it is, and one that the file drops goes only with an operator.
func TestLinksThreeWay(t *testing.T) {
	text := waitingFor(t, "B-1>B-2", "B-2", "B-3")
	for _, test := range []struct {
		name  string
		here  func(*coord.ImportTask)
		text  string
		links []string
		want  []string
	}{
		{"nothing new", nil, text, nil, nil},
		{"one more", nil, waitingFor(t, "B-1>B-2, B-3", "B-2", "B-3"), []string{"B-1 after pay-3"}, []string{"changed_in_source update_task pay-2 [body after]"}},
		{"dropped in the file", nil, waitingFor(t, "B-1", "B-2", "B-3"), []string{"B-1 not after pay-1"}, []string{"changed_in_source update_task pay-2 [body after]"}},
		{"another one instead", nil, waitingFor(t, "B-1>B-3", "B-2", "B-3"), []string{"B-1 after pay-3", "B-1 not after pay-1"}, []string{"changed_in_source update_task pay-2 [body after]"}},
		{"taken away here", func(x *coord.ImportTask) { x.After = nil }, text, nil, nil},
		{"added on both sides", func(x *coord.ImportTask) { x.After = append(x.After, "pay-3") }, waitingFor(t, "B-1>B-2, B-3", "B-2", "B-3"), nil, []string{"changed_in_source update_task pay-2 [body]"}},
		{"by its id", nil, waitingFor(t, "B-1>pay-1", "B-2", "B-3"), nil, []string{"changed_in_source update_task pay-2 [body]"}},
		{"added beside one made here", func(x *coord.ImportTask) { x.Title = "B-1 Do another thing called B-1" }, waitingFor(t, "B-1>B-2, B-3", "B-2", "B-3"), []string{"B-1 after pay-3"}, []string{"merged update_task pay-2 [body after]"}},
		{"a ring with what is known", nil, waitingFor(t, "B-1>B-2", "B-2>B-1", "B-3"), nil, []string{"changed_in_source update_task pay-1 [body]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := imported(t, text)
			if !slices.Equal(s.task("pay-2").After, []coord.TaskID{"pay-1"}) {
				t.Fatalf("the first import made %v", s.task("pay-2").After)
			}
			if test.here != nil {
				s.edit("pay-2", test.here)
			}
			plan := s.plan(t, backlog(test.text))
			if diff := cmp.Diff(test.links, madeLinks(plan)); diff != "" {
				t.Errorf("links:\n%s", diff)
			}
			if diff := cmp.Diff(test.want, brief(plan)); diff != "" {
				t.Error(diff)
			}
			for _, c := range plan.Changes {
				if len(c.NotAfter) > 0 && !c.ForOperator() {
					t.Errorf("an agent may take away %v", c.NotAfter)
				}
			}
			settles(t, s, []coord.SourceFile{backlog(test.text)})
		})
	}
}

// What an export says of a task's dependencies is compared with those that it
// had then: what was linked or unlinked here since stays, and an edit counts,
// however often the same file is edited.
func TestLinksOfAnExport(t *testing.T) {
	after := func(ids ...coord.TaskID) func(*coord.ImportTask) {
		return func(x *coord.ImportTask) { x.After = ids }
	}
	for _, test := range []struct {
		name         string
		first, since func(*coord.ImportTask)
		edits        []string // of what pay-1 waits for in the file, imported one after another
		links        []string // of the last import
		want         []string
		waits        []coord.TaskID // in the end
	}{
		{"linked here", after(), after("pay-2"), []string{""}, nil, nil, []coord.TaskID{"pay-2"}},
		{"unlinked here", after("pay-2"), after(), []string{", after pay-2"}, nil, nil, nil},
		{"another one here", after("pay-2"), after("pay-3"), []string{", after pay-2"}, nil, nil, []coord.TaskID{"pay-3"}},
		{"added in the file", after(), after(), []string{", after pay-2"}, []string{"Reject after pay-2"}, []string{"changed_in_source update_task pay-1 [after]"}, []coord.TaskID{"pay-2"}},
		{"dropped in the file", after("pay-2"), after("pay-2"), []string{""}, []string{"Reject not after pay-2"}, []string{"changed_in_source update_task pay-1 [after]"}, nil},
		{"one here and one in the file", after(), after("pay-3"), []string{", after pay-2"}, []string{"Reject after pay-2"}, []string{"changed_in_source update_task pay-1 [after]"}, []coord.TaskID{"pay-3", "pay-2"}},
		{"added and dropped in the file", after(), after("pay-3"), []string{", after pay-2", ""}, []string{"Reject not after pay-2"}, []string{"changed_in_source update_task pay-1 [after]"}, []coord.TaskID{"pay-3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState()
			for _, title := range []string{"Reject tokens past their expiry", "Rotate the import key", "Count sign-ins per hour"} {
				s.addTask(coord.ExportTask{Title: title, Priority: coord.PriorityHigh, Lifecycle: coord.LifecycleOpen})
			}
			s.edit("pay-1", test.first)
			s.data.AsOf = s.base.AsOf
			exported := s.export()[0]
			s.edit("pay-1", test.since)
			var plan coord.ImportPlan
			for _, says := range test.edits {
				line := regexp.MustCompile(`expiry — high[^<]* <`)
				exported.Content = line.ReplaceAll(exported.Content, []byte("expiry — high"+says+" <"))
				plan = s.plan(t, exported)
				s.apply(t, plan)
				if again := s.plan(t, exported); again.Actions() > 0 {
					t.Errorf("a second import plans %v", brief(again))
				}
			}
			if diff := cmp.Diff(test.links, madeLinks(plan)); diff != "" {
				t.Errorf("links:\n%s", diff)
			}
			if diff := cmp.Diff(test.want, brief(plan)); diff != "" {
				t.Error(diff)
			}
			if got := s.task("pay-1").After; !slices.Equal(got, test.waits) {
				t.Errorf("it waits for %v, want %v", got, test.waits)
			}
		})
	}
}

// A dependency that leads nowhere is tried again by the next import.
func TestAnUnresolvedLinkIsTriedAgain(t *testing.T) {
	s := imported(t, waitingFor(t, "B-1>B-2"))
	plan := s.plan(t, backlog(waitingFor(t, "B-1>B-2", "B-2")))
	if diff := cmp.Diff([]string{"B-1 after B-2"}, madeLinks(plan)); diff != "" || len(plan.Problems) != 0 {
		t.Errorf("%s%v", diff, plan.Problems)
	}
}

// The links of any plan can be made in any state: there is never a cycle, also
// with what tasks wait for already.
func TestLinksNeverMakeACycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newState()
		draw := func(step string) string {
			var b strings.Builder
			for i := range 6 {
				fmt.Fprintf(&b, "- [ ] **B-%d Do the thing number %d.**", i, i)
				if on := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 2).Draw(t, fmt.Sprintf("%s %d", step, i)); len(on) > 0 {
					b.WriteString(" — after")
					for n, o := range on {
						fmt.Fprintf(&b, "%s B-%d", strings.Repeat(",", min(n, 1)), o)
					}
				}
				b.WriteString("\n")
			}
			return b.String()
		}
		for n := range 3 {
			text := draw(fmt.Sprint("import ", n))
			plan, err := Plan(s.base, []coord.SourceFile{backlog(text)})
			if err != nil {
				t.Fatal(err)
			}
			s.apply(t, plan) // which fails on a cycle
			plan, err = Plan(s.base, []coord.SourceFile{backlog(text)})
			if err != nil {
				t.Fatal(err)
			}
			s.apply(t, plan) // a link that was free of a ring only without another one, which went first
			if again, err := Plan(s.base, []coord.SourceFile{backlog(text)}); err != nil || again.Actions() != 0 {
				t.Fatalf("%s\nplans %v again", text, brief(again))
			}
		}
	})
}

func TestRings(t *testing.T) {
	next := map[coord.TaskID][]coord.TaskID{"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {}, "f": {"g"}, "g": {"f", "a"}, "h": {"h"}}
	ring := rings(next)
	if ring["a"] == 0 || ring["a"] != ring["b"] || ring["b"] != ring["c"] || ring["d"]+ring["e"]+ring["h"] != 0 || ring["f"] == 0 || ring["f"] != ring["g"] || ring["f"] == ring["a"] {
		t.Errorf("rings %v", ring)
	}
}
