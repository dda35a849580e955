package markdown

import (
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	march := func(f coord.SourceFile, day int) coord.SourceFile {
		f.At = time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)
		return f
	}
	const receipts = "**B-7 Send receipts by mail.**"
	for _, test := range []struct {
		name  string
		files []coord.SourceFile
		want  []string
	}{
		{"nothing wrong", []coord.SourceFile{backlog("- [ ] " + receipts + "\n- [x] **B-8 Drop it.**\n")}, nil},
		{
			"open in one file and done in another",
			[]coord.SourceFile{backlog("- [ ] " + receipts + "\n"), file("docs/archive.md", coord.AsArchive, "- [x] "+receipts+"\n")},
			[]string{"contradiction: B-7 is open in one place and closed in another @ BACKLOG.md:1 docs/archive.md:1"},
		},
		{
			"a handoff that says something else",
			[]coord.SourceFile{backlog("- [x] " + receipts + "\n"), file("HANDOFF.md", coord.AsHandoff, "## Next steps\n\n- [ ] "+receipts+"\n")},
			[]string{"contradiction: B-7 is open in one place and closed in another @ HANDOFF.md:3 BACKLOG.md:1"},
		},
		{
			"two dates",
			[]coord.SourceFile{backlog("- [x] " + receipts + " — done 2026-03-01\n"), file("docs/archive.md", coord.AsArchive, "- [x] "+receipts+" — done 2026-03-04\n")},
			[]string{"contradiction: B-7 is closed on two dates @ BACKLOG.md:1 docs/archive.md:1"},
		},
		{
			"only on a branch, and merged later",
			[]coord.SourceFile{
				march(file("HANDOFF.md", coord.AsHandoff, "## 2026-03-02\n\nB-7 is only on the branch `work/receipts`, not merged yet.\n"), 2),
				march(file("NEW.md", coord.AsHandoff, "## 2026-03-05\n\nB-7 was merged as 1f2e3d4c.\n"), 5),
			},
			[]string{"contradiction: B-7 is called unmerged in one place and merged in another @ HANDOFF.md:3 NEW.md:3"},
		},
		{
			"merged, and later something new on a branch",
			[]coord.SourceFile{file("HANDOFF.md", coord.AsHandoff, "## 2026-03-02\n\nB-7 was merged as 1f2e3d4c.\n\n## 2026-03-05\n\nB-7 has a fix that is not merged yet.\n")},
			nil,
		},
		{
			"one label, two things",
			[]coord.SourceFile{backlog("- [ ] " + receipts + "\n"), file("OTHER.md", coord.AsBacklog, "- [ ] **B-7 Paint the bicycle shed green.**\n")},
			[]string{"label_reused: B-7 is the label of two different things @ BACKLOG.md:1 OTHER.md:1"},
		},
		{"numbers of two plans", []coord.SourceFile{backlog("- [ ] 1.2 Write it\n"), file("OTHER.md", coord.AsBacklog, "- [ ] 1.2 Paint the shed\n")}, nil},
		{
			"done, with open steps",
			[]coord.SourceFile{backlog("- [x] " + receipts + "\n  - [ ] first\n  - [x] second\n  - [ ] third\n")},
			[]string{"open_children: B-7 is done, but 2 of its steps are open @ BACKLOG.md:1"},
		},
		{
			"open boxes below a heading that says done",
			[]coord.SourceFile{backlog("## Done\n\n- [ ] **B-1 This one.**\n- [x] **B-2 That one.**\n- [ ] **B-3 And this.**\n")},
			[]string{"contradiction: the box is open, but its section says done @ BACKLOG.md:3 BACKLOG.md:5"},
		},
		{
			"47 a marker of nothing here",
			[]coord.SourceFile{backlog("- [ ] " + receipts + " <!-- coord:zoo-7 -->\n")},
			[]string{"marker: the marker zoo-7 names nothing of this project; it is ignored @ BACKLOG.md:1"},
		},
		{
			"a memory index and its files",
			[]coord.SourceFile{
				file("memory/MEMORY.md", coord.AsMemory, "# Memory\n\n- [Clocks](clocks.md)\n- [Gone](gone.md)\n"),
				file("memory/clocks.md", coord.AsMemory, "---\nname: clocks\ntype: lesson\n---\n\nUse the fake clock.\n"),
				file("memory/keys.md", coord.AsMemory, "---\nname: keys\ntype: lesson\n---\n\nKeys rotate every month.\n"),
			},
			[]string{
				"broken_index: memory/MEMORY.md does not list memory/keys.md @ memory/MEMORY.md:0 memory/keys.md:1",
				"broken_index: gone.md: there is no such file @ memory/MEMORY.md:4",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := newState().plan(t, test.files...)
			var got []string
			for _, p := range plan.Problems {
				s := string(p.Kind) + ": " + p.Text + " @"
				for _, side := range p.Sides {
					s += " " + side.Path + ":" + itoa(side.Line)
					if side.Says == "" {
						t.Errorf("a side without words: %+v", p)
					}
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s\nchanges %v", diff, brief(plan))
			}
		})
	}
}

func itoa(n int) string {
	if n == 0 {
		return "0"
	}
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

// Links are followed in the files and, if it came with the request, the list of
// the repository's files. Without the list nothing is said of the others.
func TestLinksOfAnImport(t *testing.T) {
	text := "# Work\n\n## Next steps\n\n- [ ] Read [it](docs/a.md) and [that](../README.md), [gone](docs/b.md), [top](/docs/a.md), [part](#next-steps), [no part](#nothing), " +
		"[mail](mailto:a@b.c), [web](https://x.y/z), [out](../../../etc/passwd), [root](docs/c%20d.md#one), [[notes]], [[nobody]]\n"
	base := func(paths ...string) coord.ImportBase {
		s := newState()
		s.base.Paths = paths
		return s.base
	}
	files := []coord.SourceFile{file("plans/now/BACKLOG.md", coord.AsBacklog, text), file("plans/now/notes.md", coord.AsInstructions, "# Notes\n")}
	for _, test := range []struct {
		name     string
		base     coord.ImportBase
		problems []string
		notes    map[string]int
	}{
		{
			"with the list", base("plans/now/docs/a.md", "docs/a.md", "docs/c d.md", "plans/README.md", "x/nobodys.md"),
			[]string{"unresolved_link: docs/b.md: there is no such file", "unresolved_link: #nothing: there is no heading \"nothing\" in the file", "unresolved_link: nobody: no file has that name"},
			map[string]int{"link_outside": 1, "link_from_root": 1},
		},
		{"without", base(), []string{"unresolved_link: #nothing: there is no heading \"nothing\" in the file"}, map[string]int{"link_outside": 1, "link_not_checked": 6}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, err := Plan(test.base, files)
			if err != nil {
				t.Fatal(err)
			}
			got, notes := map[string]bool{}, map[string]int{}
			for _, k := range kinds(plan) {
				got[k] = true
			}
			for _, d := range plan.Diagnostics {
				if strings.HasPrefix(d.Code, "link_") {
					notes[d.Code] = d.Count
				}
			}
			want := map[string]bool{}
			for _, k := range test.problems {
				want[k] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Labels in running text lead to records; UTF-8 is none.
func TestLinksToLabels(t *testing.T) {
	files := []coord.SourceFile{
		backlog("- [ ] **B-1 Do this.** Like B-2 and B-9, in UTF-8.\n- [ ] **B-2 Do that.**\n"),
		file("O.md", coord.AsBacklog, "- [ ] **C-1 Something.**\n"),
		file("P.md", coord.AsBacklog, "- [ ] **C-1 Something else altogether, of another kind.**\n- [ ] **D-1 See C-1.**\n"),
		file("Q.md", coord.AsBacklog, "- [ ] **E-1 See C-1.**\n"),
	}
	var got []string
	for _, k := range kinds(newState().plan(t, files...)) {
		if strings.Contains(k, "link") {
			got = append(got, k)
		}
	}
	want := []string{"unresolved_link: B-9: no record has that label", "ambiguous_link: C-1: several records have that label"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// There may be more problems than a plan can list; none is dropped silently.
func TestVeryManyProblems(t *testing.T) {
	var b strings.Builder
	for i := range maxProblems + 10 {
		b.WriteString("- [ ] **B-" + itoa(i+1) + " Do it.** — after X-" + itoa(i+1) + "\n")
	}
	plan := newState().plan(t, backlog(b.String()))
	if len(plan.Problems) != maxProblems {
		t.Errorf("%d problems", len(plan.Problems))
	}
	for _, d := range plan.Diagnostics {
		if d.Code == "more_problems" && d.Count >= 10 {
			return
		}
	}
	t.Errorf("nothing says that there are more: %+v", plan.Diagnostics)
}
