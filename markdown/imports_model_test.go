package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"coord"

	"pgregory.net/rapid"
)

// history is a repository with one line of commits and a branch off it. Every
// commit has all files; the items are told apart by their labels.
type history struct {
	commits []commit
}

type commit struct {
	parent int // -1 for the first
	files  map[string]string
}

// contains reports that commit b is a or one that a was made from.
func (h history) contains(a, b int) bool {
	for ; a >= 0; a = h.commits[a].parent {
		if a == b {
			return true
		}
	}
	return false
}

var modelTitles = []string{"Rotate the signing key", "Rotate the signing keys", "Count sign-ins per hour", "Paint the bicycle shed", "Send receipts by mail"}

// item is one line of a file in the model.
type item struct {
	label, title, box, after string
}

func (i item) String() string {
	s := fmt.Sprintf("- [%s] **%s %s.**", i.box, i.label, i.title)
	if i.label == "" {
		s = fmt.Sprintf("- [%s] %s", i.box, i.title)
	}
	if i.after != "" {
		s += " — after " + i.after
	}
	return s + "\n"
}

var modelItems = rapid.Custom(func(t *rapid.T) item {
	return item{
		label: rapid.SampledFrom([]string{"B-1", "B-2", "B-3", "B-4", ""}).Draw(t, "label"),
		title: rapid.SampledFrom(modelTitles).Draw(t, "title"),
		box:   rapid.SampledFrom([]string{" ", " ", "x", "~"}).Draw(t, "box"),
		after: rapid.SampledFrom([]string{"", "", "", "B-1", "B-3, B-4", "B-9"}).Draw(t, "after"),
	}
})

func drawFile(t *rapid.T, name string) string {
	var b strings.Builder
	b.WriteString("# " + name + "\n")
	for _, section := range []string{"Next", "Later", "Done"} {
		items := rapid.SliceOfN(modelItems, 0, 3).Draw(t, section)
		if len(items) > 0 {
			b.WriteString("\n## " + section + "\n\n")
		}
		for _, i := range items {
			b.WriteString(i.String())
		}
	}
	return b.String()
}

// edited is a small change of a text: a tick, an untick, a line gone, two lines
// in another order, a line twice, another title.
func edited(t *rapid.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	var items []int
	for i, l := range lines {
		if strings.HasPrefix(l, "- ") {
			items = append(items, i)
		}
	}
	if len(items) == 0 {
		return drawFile(t, "Work")
	}
	at := rapid.SampledFrom(items).Draw(t, "line")
	switch rapid.IntRange(0, 6).Draw(t, "edit") {
	case 0:
		lines[at] = strings.Replace(lines[at], "[ ]", "[x]", 1)
	case 1:
		lines[at] = strings.Replace(lines[at], "[x]", "[ ]", 1)
	case 2:
		lines = slices.Delete(lines, at, at+1)
	case 3:
		other := rapid.SampledFrom(items).Draw(t, "other")
		lines[at], lines[other] = lines[other], lines[at]
	case 4:
		lines = slices.Insert(lines, at, lines[at])
	case 5:
		lines[at] = strings.Replace(lines[at], rapid.SampledFrom(modelTitles).Draw(t, "old"), rapid.SampledFrom(modelTitles).Draw(t, "new"), 1)
	case 6:
		lines[at] = modelItems.Draw(t, "item").String()
	}
	return strings.Join(lines, "")
}

func drawHistory(t *rapid.T) history {
	h := history{commits: []commit{{parent: -1, files: map[string]string{"BACKLOG.md": drawFile(t, "Work"), "docs/archive.md": drawFile(t, "Archive")}}}}
	for n := range rapid.IntRange(1, 5).Draw(t, "commits") {
		parent := n // mostly the last one; sometimes a branch
		if rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
			parent = rapid.IntRange(0, n).Draw(t, "parent")
		}
		files := map[string]string{}
		for path, text := range h.commits[parent].files {
			files[path] = text
		}
		path := rapid.SampledFrom([]string{"BACKLOG.md", "BACKLOG.md", "docs/archive.md"}).Draw(t, "file")
		files[path] = edited(t, files[path])
		h.commits = append(h.commits, commit{parent: parent, files: files})
	}
	return h
}

// TestAnyOrderOfImports is property 11: over any sequence of imports, of older,
// diverged and unordered versions, of archives, renames and duplicates, with
// changes in the service between them, no closed task becomes open, no record
// goes back to an earlier version, nothing becomes ready that anything in the
// import or before it calls closed, and what was applied is not applied again.
func TestAnyOrderOfImports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		m := importModel{state: newState(), at: map[string]int{}}
		m.base.Admit = rapid.Bool().Draw(t, "admit")
		for range rapid.IntRange(2, 7).Draw(t, "steps") {
			if len(m.base.Tasks) > 0 && rapid.IntRange(0, 3).Draw(t, "step") == 0 {
				m.change(t)
				continue
			}
			n := rapid.IntRange(0, len(h.commits)-1).Draw(t, "commit")
			m.imports(t, h, n)
		}
	})
}

type importModel struct {
	*state
	at map[string]int // commit that each path was imported at last
}

func (m *importModel) change(t *rapid.T) {
	id := rapid.SampledFrom(m.base.Tasks).Draw(t, "task").ID
	how := rapid.IntRange(0, 3).Draw(t, "change")
	m.edit(id, func(x *coord.ImportTask) {
		if x.Lifecycle.Closed() {
			return
		}
		switch how {
		case 0:
			x.Lifecycle = coord.LifecycleDone
		case 1:
			x.Lifecycle = coord.LifecycleSuperseded
		case 2:
			x.Title = "B-1 " + rapid.SampledFrom(modelTitles).Draw(t, "title")
		case 3:
			x.Busy = !x.Busy
		}
		x.Revision++
	})
}

func (m *importModel) imports(t *rapid.T, h history, n int) {
	var files []coord.SourceFile
	stale := map[string]bool{}
	for _, path := range []string{"BACKLOG.md", "docs/archive.md"} {
		if rapid.IntRange(0, 3).Draw(t, "leave out "+path) == 0 {
			continue
		}
		f := coord.SourceFile{Path: path, As: coord.AsBacklog, Content: []byte(h.commits[n].files[path])}
		if path != "BACKLOG.md" {
			f.As = coord.AsArchive
		}
		if last, ok := m.at[path]; ok && h.commits[last].files[path] != h.commits[n].files[path] && !h.contains(n, last) {
			f.Order, stale[path] = coord.OrderDiverged, true
			if h.contains(last, n) {
				f.Order = coord.OrderOlder
			}
		} else if ok && rapid.Bool().Draw(t, "ordered") {
			f.Order = coord.OrderNewer
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return
	}
	before := slices.Clone(m.base.Tasks)
	anchors := map[string]coord.ImportAnchor{}
	for _, a := range m.base.Records {
		anchors[a.Key] = a
	}
	plan, err := Plan(m.base, files)
	if err != nil {
		t.Fatal(err)
	}
	m.admitsNothingClosed(t, plan, files)
	m.apply(t, plan)
	for _, f := range plan.Files {
		if stale[f.Path] != (f.State == coord.ImportStaleSource) && f.State != "" && stale[f.Path] {
			t.Fatalf("%s is %q", f.Path, f.State)
		}
		if f.State == "" {
			m.at[f.Path] = n
		}
	}
	for i, x := range before {
		if now := m.base.Tasks[i]; x.Lifecycle.Closed() && (now.Lifecycle != x.Lifecycle || now.Title != x.Title || now.Edited != x.Edited) {
			t.Fatalf("%s was %s %q and is %s %q\n%s", x.ID, x.Lifecycle, x.Title, now.Lifecycle, now.Title, shownFiles(files))
		}
	}
	for _, a := range m.base.Records {
		if stale[a.Path] && anchors[a.Key].Full != a.Full {
			t.Fatalf("a stale %s changed what is remembered of %s", a.Path, a.Lead)
		}
	}
	again, err := Plan(m.base, files)
	if err != nil {
		t.Fatal(err)
	}
	m.apply(t, again) // a link may have waited for another one to go
	if again, err = Plan(m.base, files); err != nil || again.Actions() != 0 {
		t.Fatalf("a third import plans %v\n%s", brief(again), shownFiles(files))
	}
}

// admitsNothingClosed is property 14, looked at from outside: a title with its
// label that an import makes ready is closed nowhere in the import, and no task
// of that title is closed.
func (m *importModel) admitsNothingClosed(t *rapid.T, plan coord.ImportPlan, files []coord.SourceFile) {
	over := map[string]string{}
	for _, f := range files {
		section := ""
		for line := range strings.Lines(string(f.Content)) {
			if s, ok := strings.CutPrefix(line, "## "); ok {
				section = strings.TrimSpace(s)
			}
			box, title, ok := strings.Cut(line, "] ")
			if ok && (f.As == coord.AsArchive || strings.HasSuffix(box, "x") || section == "Done" && strings.HasSuffix(box, " ")) {
				over[bareTitle(title)] = f.Path
			}
		}
	}
	for _, x := range m.base.Tasks {
		if x.Lifecycle.Closed() {
			over[bareTitle(x.Title)] = string(x.ID)
		}
	}
	for _, c := range plan.Changes {
		if where := over[bareTitle(c.Title)]; c.Admits() && where != "" {
			t.Fatalf("%q of %s becomes ready, but is closed in %s\n%s", c.Title, c.Path, where, shownFiles(files))
		}
	}
}

func bareTitle(s string) string {
	s, _, _ = strings.Cut(s, " — ")
	return strings.Trim(strings.TrimSpace(s), "*.")
}

func shownFiles(files []coord.SourceFile) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s as %s, %q:\n%s\n", f.Path, f.As, f.Order, f.Content)
	}
	return b.String()
}
