package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"pgregory.net/rapid"
)

// FuzzMatch imports one text, then another one as a later version of the same
// file. Whatever they say: each record has one change, no task has two, the
// same arguments give the same plan, nothing closed is opened, and what was
// applied is not applied again.
func FuzzMatch(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), []byte(seeds[(i+1)%len(seeds)]), byte(i))
		f.Add([]byte(s), []byte(strings.Replace(s, "[ ]", "[x]", 1)), byte(i))
	}
	f.Add([]byte("- [ ] **B-1 a b c.**\n- [ ] **B-1 a b c.**\n"), []byte("- [x] **B-1 a b c.** — after B-1\n"), byte(0))
	f.Add([]byte("- [ ] x <!-- coord:new -->\n- [ ] x\n"), []byte("- [ ] x <!-- coord:pay-1 -->\n- [ ] x <!-- coord:pay-1 -->\n"), byte(0))
	roles := []coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord, coord.AsArchive, coord.AsMemory}
	f.Fuzz(func(t *testing.T, before, after []byte, role byte) {
		as := roles[int(role)%len(roles)]
		s := newState()
		s.base.Admit = true
		s.apply(t, s.plan(t, coord.SourceFile{Path: "F.md", As: as, Content: before}))
		next := coord.SourceFile{Path: "F.md", As: as, Content: after, Order: coord.OrderNewer}
		plan := s.plan(t, next)
		if again := s.plan(t, next); again.Digest != plan.Digest {
			t.Fatal("two plans of one state differ")
		}
		checkChanges(t, plan)
		over := map[coord.TaskID]coord.Lifecycle{}
		for _, x := range s.base.Tasks {
			if x.Lifecycle.Closed() {
				over[x.ID] = x.Lifecycle
			}
		}
		s.apply(t, plan)
		for id, l := range over {
			if s.task(id).Lifecycle != l {
				t.Fatalf("%s was %s and is %s", id, l, s.task(id).Lifecycle)
			}
		}
		s.apply(t, s.plan(t, next)) // a link may have waited for another one to go
		if again := s.plan(t, next); again.Actions() != 0 {
			t.Fatalf("a third import plans %v", brief(again))
		}
	})
}

func checkChanges(t *testing.T, plan coord.ImportPlan) {
	tasks, keys, lines := map[coord.TaskID]bool{}, map[string]bool{}, 0
	for _, c := range plan.Changes {
		if c.Line > 0 {
			lines++
		}
		if c.Action != coord.ActionNone && c.Task != "" {
			if tasks[c.Task] {
				t.Fatalf("%s is changed twice", c.Task)
			}
			tasks[c.Task] = true
		}
		if c.Anchor != nil {
			if keys[c.Anchor.Key] || c.Anchor.Key != c.Key {
				t.Fatalf("the key %s is taken twice, or is not its anchor's", c.Key)
			}
			keys[c.Key] = true
		}
	}
	for _, f := range plan.Files {
		if f.State == "" && lines != f.Records {
			t.Fatalf("%d records and %d changes", f.Records, lines)
		}
	}
}

// identities are the tasks of the lines of a plan, by title.
func identities(plan coord.ImportPlan) map[string]coord.TaskID {
	out := map[string]coord.TaskID{}
	for _, c := range plan.Changes {
		if c.State != coord.ImportMissing {
			out[c.Title] = c.Task
		}
	}
	return out
}

// Property 12: lines that come, go and move around an item, other numbers and
// another heading level leave every item what it is.
func TestUnrelatedLinesLeaveIdentitiesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "items")
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("%d. [ ] The %s thing to do", i+1, []string{"first", "second", "third", "fourth", "fifth", "sixth"}[i]))
		}
		text := "## Work\n\n" + strings.Join(lines, "\n") + "\n"
		s := newState()
		first, err := Plan(s.base, []coord.SourceFile{backlog(text)})
		if err != nil {
			t.Fatal(err)
		}
		s.apply(t, first)
		want := map[string]coord.TaskID{}
		for i := range n {
			want[s.base.Tasks[i].Title] = s.base.Tasks[i].ID
		}
		perm := rapid.Permutation(lines).Draw(t, "order")
		var b strings.Builder
		b.WriteString(strings.Repeat("\n", rapid.IntRange(0, 3).Draw(t, "blank")) + "Some words.\n\n" + strings.Repeat("#", rapid.IntRange(1, 4).Draw(t, "level")) + " Work\n\n")
		for i, l := range perm {
			_, item, _ := strings.Cut(l, " ")
			if rapid.Bool().Draw(t, "extra") {
				fmt.Fprintf(&b, "- [ ] Something new, by the number of %d\n", i)
			}
			fmt.Fprintf(&b, "%d. %s\n", rapid.IntRange(1, 99).Draw(t, "number"), item)
		}
		plan, err := Plan(s.base, []coord.SourceFile{backlog(b.String())})
		if err != nil {
			t.Fatal(err)
		}
		got := identities(plan)
		for title, id := range want {
			if got[title] != id {
				t.Fatalf("%q was %s and is %q\n%s", title, id, got[title], b.String())
			}
		}
	})
}

// Property 13: two items of one label in two sections that change places are
// never taken for each other.
func TestItemsThatSwapAreNotCrossed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.Permutation([]string{"Write the importer", "Paint the bicycle shed", "Count sign-ins per hour"}).Draw(t, "titles")
		label := rapid.SampledFrom([]string{"B-1 ", "1.2 ", ""}).Draw(t, "label")
		text := func(a, b string) string {
			return "## One\n\n- [ ] **" + label + a + ".**\n\n## Two\n\n- [ ] **" + label + b + ".**\n"
		}
		s := newState()
		first, err := Plan(s.base, []coord.SourceFile{backlog(text(titles[0], titles[1]))})
		if err != nil {
			t.Fatal(err)
		}
		s.apply(t, first)
		plan, err := Plan(s.base, []coord.SourceFile{backlog(text(titles[1], titles[0]))})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range plan.Changes {
			if c.Task != "" && s.task(c.Task).Title != c.Title {
				t.Fatalf("%q was taken for %q", c.Title, s.task(c.Task).Title)
			}
		}
	})
}

// Equals that only their status tells apart keep it when they change places.
func TestEqualsThatSwap(t *testing.T) {
	s := imported(t, "## Next\n\n- [ ] Write a test\n- [x] Write a test\n")
	plan := s.plan(t, backlog("## Next\n\n- [x] Write a test\n- [ ] Write a test\n"))
	if got := brief(plan); got != nil {
		t.Errorf("plans %v", got)
	}
}
