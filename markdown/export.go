package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"coord"
)

// frontName is how an exported document names itself in its front matter.
var frontName = map[coord.ExportFile]string{
	coord.ExportBacklog: "backlog",
	coord.ExportHandoff: "handoff",
	coord.ExportRecord:  "record",
}

// Export writes one document: stable order, one blank line between blocks, LF.
// Text of people never becomes structure in it. Equal data gives equal bytes;
// an unknown document gives none.
func Export(data coord.ExportData, which coord.ExportFile) []byte {
	var b bytes.Buffer
	switch which {
	default:
		return nil
	case coord.ExportBacklog:
		writeBacklog(&b, data)
	case coord.ExportHandoff:
		writeHandoff(&b, data)
	case coord.ExportRecord:
		writeRecord(&b, data)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

func writeFront(b *bytes.Buffer, data coord.ExportData, which coord.ExportFile, title string) {
	writeFrontMatter(b, data, which)
	fmt.Fprintf(b, "\n# %s of %s\n", title, nameOf(data))
}

func writeFrontMatter(b *bytes.Buffer, data coord.ExportData, which coord.ExportFile) {
	fmt.Fprintf(b, "---\ncoord: %s\nproject: %s\nas_of: %d\ntime: %s\n---\n", frontName[which], data.Project, int64(data.AsOf), stamp(data.Time))
}

// nameOf is the project's display name, or its key.
func nameOf(data coord.ExportData) string {
	return encodeTitle(cmp.Or(data.Name, string(data.Project)))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// backlogSections are the parts of the backlog, in the order they are read.
var backlogSections = []struct {
	title string
	holds func(coord.ExportTask) bool
}{
	{"In progress", func(t coord.ExportTask) bool {
		return t.Lifecycle == coord.LifecycleOpen && t.Status != coord.StatusReady && t.Status != coord.StatusBlocked && t.Status != ""
	}},
	{"Ready", func(t coord.ExportTask) bool {
		return t.Lifecycle == coord.LifecycleOpen && (t.Status == coord.StatusReady || t.Status == "")
	}},
	{"Blocked", func(t coord.ExportTask) bool {
		return t.Lifecycle == coord.LifecycleOpen && t.Status == coord.StatusBlocked
	}},
	{"Planned", func(t coord.ExportTask) bool { return t.Lifecycle == coord.LifecyclePlanned }},
	{"Done", func(t coord.ExportTask) bool { return t.Lifecycle == coord.LifecycleDone }},
	{"Canceled", func(t coord.ExportTask) bool {
		return t.Lifecycle == coord.LifecycleCanceled || t.Lifecycle == coord.LifecycleSuperseded
	}},
}

func writeBacklog(b *bytes.Buffer, data coord.ExportData) {
	writeFront(b, data, coord.ExportBacklog, "Backlog")
	tasks := backlogOrder(data.Tasks)
	for _, s := range backlogSections {
		open := false
		for _, t := range tasks {
			if !s.holds(t) {
				continue
			}
			if !open {
				if !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
					b.WriteString("\n")
				}
				fmt.Fprintf(b, "## %s\n\n", s.title)
				open = true
			}
			writeTask(b, t)
		}
	}
}

// backlogOrder sorts open work by priority, and all of it by number.
func backlogOrder(tasks []coord.ExportTask) []coord.ExportTask {
	tasks = slices.Clone(tasks)
	slices.SortFunc(tasks, func(x, y coord.ExportTask) int {
		if !x.Lifecycle.Closed() && !y.Lifecycle.Closed() {
			if n := cmp.Compare(x.Priority.Rank(), y.Priority.Rank()); n != 0 {
				return n
			}
		}
		return cmp.Or(cmp.Compare(number(x.ID), number(y.ID)), cmp.Compare(x.ID, y.ID))
	})
	return tasks
}

func number(id coord.TaskID) int64 {
	_, n, err := id.Split()
	if err != nil {
		return 0
	}
	return n
}

// progress is how a status reads behind a title; what the section says already
// is left out.
var progress = map[coord.Status]string{
	coord.StatusInProgress:         "in progress",
	coord.StatusWaitingReview:      "waiting for review",
	coord.StatusWaitingIntegration: "waiting for integration",
	coord.StatusIntegrating:        "integrating",
	coord.StatusValidating:         "validating",
	coord.StatusRecoveryRequired:   "needs recovery",
}

// writeTask writes one item: box, title, what to know at a glance, marker;
// then criteria and outcome, indented so that they stay inside the item
// whatever they hold. An outcome that has to be code comes first: behind a
// criterion it would be part of that.
func writeTask(b *bytes.Buffer, t coord.ExportTask) {
	box := " "
	if t.Lifecycle.Closed() {
		box = "x"
	}
	fmt.Fprintf(b, "- [%s] %s <!-- coord:%s -->\n", box, titleAndTail(t), t.ID)
	code := !staysInside(bodyText(t.Outcome))
	if code {
		writeBody(b, t.Outcome)
	}
	for _, c := range t.Criteria {
		if c = encodeTitle(clean(c)); c != "" {
			fmt.Fprintf(b, "  - accept: %s\n", c)
		}
	}
	if !code {
		writeBody(b, t.Outcome)
	}
}

// titleAndTail appends priority and progress. A title whose own end reads like
// that gets its priority spelled out, so that only the last dash counts.
func titleAndTail(t coord.ExportTask) string {
	title := encodeTitle(t.Title)
	var tail []string
	if t.Priority != coord.PriorityNormal && t.Priority != "" {
		tail = append(tail, string(t.Priority))
	}
	if len(t.After) > 0 && !t.Lifecycle.Closed() {
		tail = append(tail, waitsFor(t.After))
	}
	if word := progress[t.Status]; word != "" && !t.Lifecycle.Closed() {
		tail = append(tail, word)
	}
	switch {
	case t.Landed != "":
		tail = append(tail, "landed "+t.Landed.Short())
	case t.Lifecycle == coord.LifecycleCanceled, t.Lifecycle == coord.LifecycleSuperseded:
		tail = append(tail, string(t.Lifecycle))
	}
	if len(tail) == 0 && new(own).takeTail(title) != title {
		tail = []string{string(coord.PriorityNormal)}
	}
	if len(tail) == 0 {
		return title
	}
	return title + " — " + strings.Join(tail, ", ")
}

// waitsFor is what a task waits for, in one part of a tail.
func waitsFor(ids []coord.TaskID) string {
	ids = slices.SortedFunc(slices.Values(ids), byNumber)
	text := "after"
	for i, id := range ids {
		if i > 0 {
			text += " and"
		}
		text += " " + string(id)
	}
	return text
}

// encodeTitle writes a title as one line that begins no block, no checkbox and
// no emphasis.
func encodeTitle(title string) string {
	title = encodeLine(clean(title))
	if title != "" && strings.IndexByte("#<>-+*_[=|~:", title[0]) >= 0 {
		return `\` + title
	}
	if n := listSign([]byte(title)); n > 0 {
		return title[:n-1] + `\` + title[n-1:]
	}
	return title
}

func bodyText(text string) string {
	return encodeComments(strings.Trim(lines(valid(text)), " \t\n"))
}

// writeBody writes a text of several lines behind an item's first line.
func writeBody(b *bytes.Buffer, text string) {
	if text = bodyText(text); text == "" {
		return
	}
	indent := "  "
	if !staysInside(text) {
		indent = "      " // as code
	}
	b.WriteString("\n")
	writeLines(b, indent, text)
	b.WriteString("\n")
}

// staysInside reports that a parser sees one item whatever text is indented
// into it. A parser's own mistakes are the only known way out: after an empty
// nested item, for one, the next block may leave the list.
func staysInside(text string) bool {
	var b bytes.Buffer
	b.WriteString("- a\n\n")
	writeLines(&b, "  ", text)
	p := newPage(b.Bytes())
	blocks := p.blocks()
	return len(blocks) > 0 && blocks[0].end == len(blocks)
}

// writeLines writes every line of text behind prefix.
func writeLines(b *bytes.Buffer, prefix, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight(prefix+line, " \t") + "\n")
	}
}

// lines ends every line with LF.
func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
