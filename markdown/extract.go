package markdown

import (
	"strings"

	"coord"
)

// markNew is the marker by which a person says that a line which looks like a
// known record is a new one.
const markNew = "new"

// extraction finds the records of one file.
type extraction struct {
	*page
	blocks  []block
	as      coord.SourceRole
	records []Record
	notes   notes
	banner  string
	file    coord.RecordStatus // what the file says about itself, if not that it is open

	outline  outline
	dialect  dialect
	grids    map[int]*grid
	intro    string       // paragraph directly before a list: "Next:"
	topmost  bool         // it is directly below a heading
	exported map[int]bool // lines in regions of an export
	regionAt map[int]openRegion
}

func newExtraction(p *page, blocks []block, as coord.SourceRole) *extraction {
	x := &extraction{page: p, blocks: blocks, as: as, exported: map[int]bool{}}
	x.takeRegions()
	x.dialect = readDialect(blocks)
	x.grids = p.grids(blocks)
	x.outline = newOutline(x)
	return x
}

// work reports a role whose headings are tasks, besides its items and rows.
func (x *extraction) work() bool {
	return x.as == coord.AsBacklog || x.as == coord.AsArchive || x.as == coord.AsBacklogMD
}

// knowledge reports a role whose items are lessons.
func (x *extraction) knowledge() bool { return x.as == coord.AsRecord || x.as == coord.AsMemory }

func (x *extraction) run() {
	x.noteFile()
	switch {
	case x.as == coord.AsInstructions:
		x.instructions()
		return
	case x.as == coord.AsMemory && x.memory(), x.work() && x.document():
		for _, b := range x.blocks {
			x.hidden(b)
		}
		return
	case x.as == coord.AsHandoff:
		x.sections()
	}
	for i := 0; i < len(x.blocks); {
		i = x.block(i)
	}
	if x.knowledge() {
		x.proseLessons()
	}
	x.sweep()
}

// block handles the top-level block i and returns the next one.
func (x *extraction) block(i int) int {
	b := x.blocks[i]
	switch b.kind {
	case KindHeading:
		return x.heading(i)
	case KindItem:
		for j := i + 1; j < x.after(i); j++ {
			x.hidden(x.blocks[j])
		}
		if x.dialect.legends[b.list] {
			x.notes.add("legend", b.first, "lists that say what marks mean are no records")
		} else {
			x.item(i, nil)
		}
		return x.after(i)
	case KindText:
		x.paragraph(i)
	default:
		x.intro = ""
		x.hidden(b)
	}
	return i + 1
}

func (x *extraction) heading(i int) int {
	x.intro = ""
	x.outline.enter(i)
	h := x.outline.here()
	switch {
	case h.item:
		x.headingTask(i)
		return h.end
	case h.holds && x.work() && h.level > 1 && (h.own.boxed || h.own.edge != "" || h.own.cell != "") && h.status == "":
		x.notes.add("status_heading", x.blocks[i].first, "headings that state a status and hold tasks are no tasks themselves")
	}
	return i + 1
}

// after returns the first block behind an item and everything in it.
func (x *extraction) after(i int) int { return x.blocks[i].end }

// item handles list item i; within names the plain items that it is nested in.
func (x *extraction) item(i int, within []string) {
	b := x.blocks[i]
	o := x.own(b, b.text)
	switch {
	case x.inRegion(b.first):
	case len(b.text) == 0 || o.title == "":
		x.empty(i, within)
	case x.as == coord.AsMemory && isIndexLine(b.text[0]):
		x.notes.add("index_line", b.first, "lines of an index lead to other files and are no lessons")
		x.children(i, within)
	case x.knowledge():
		x.lesson(i, o)
	case o.boxed:
		x.boxed(i, o, within)
	default:
		x.plain(i, o, within)
	}
}

// empty is an item without text of its own: what is nested in it counts.
func (x *extraction) empty(i int, within []string) {
	if x.notes.mention(x.blocks[i].first); !x.children(i, within) {
		x.notes.add("empty_item", x.blocks[i].first, "list items without text are no records")
	}
}

// children handles the items directly in item i.
func (x *extraction) children(i int, within []string) (any bool) {
	for j := i + 1; j < x.after(i); j++ {
		if x.blocks[j].kind == KindItem && x.blocks[j].parent == i {
			x.item(j, within)
			any = true
		}
	}
	return any
}

func (x *extraction) boxed(i int, o own, within []string) {
	if x.outline.criteria() || isCriteria(x.intro) {
		x.notes.add("criteria_without_task", x.blocks[i].first, "checkboxes under a heading such as Acceptance belong to no task here")
		return
	}
	if x.dialect.mark(o.mark) == coord.SourceUnknown {
		x.notes.add("unknown_mark", x.blocks[i].first, "checkboxes with a mark other than space or x are planned, never made ready; a legend in the file may say what they mean")
	}
	if o.optional {
		x.notes.add("optional_item", x.blocks[i].first, "tasks with a star behind their box are optional where they were written; here they are tasks like others")
	}
	x.itemTask(i, o, within)
}

func (x *extraction) plain(i int, o own, within []string) {
	b := x.blocks[i]
	if o.tight {
		x.notes.add("box_without_space", b.first, "a checkbox needs a space behind it; these items are plain")
	}
	switch {
	case x.hasBoxes(i):
		x.notes.mention(b.first)
		within = append(within[:len(within):len(within)], normal(leadOf(o.title)))
		x.children(i, within)
	case len(within) == 0 && (x.candidates() || x.work() && x.stated(i, o)), o.named(), x.as == coord.AsArchive && (o.label != "" || o.edge.Closed() || o.struck):
		x.itemTask(i, o, within)
	default:
		for j := i; j < x.after(i); j++ {
			if x.blocks[j].kind == KindItem {
				x.notes.add("plain_item", x.blocks[j].first, "list items without a checkbox, outside of next steps, are no tasks")
			}
		}
	}
	x.numbered(b)
}

// stated reports a status among the fields directly below item i.
func (x *extraction) stated(i int, o own) bool {
	return x.fieldsBelow(&o, i+1, x.after(i), i) != (Span{})
}

// hasBoxes reports a checkbox somewhere below item i.
func (x *extraction) hasBoxes(i int) bool {
	for j := i + 1; j < x.after(i); j++ {
		if b := x.blocks[j]; b.kind == KindItem && len(b.text) > 0 && hasBox(b.text[0]) {
			return true
		}
	}
	return false
}

// candidates reports that plain items here are next steps: the nearest heading
// that says anything, or the line before the list, calls them open.
func (x *extraction) candidates() bool {
	if x.outline.criteria() || isCriteria(x.intro) {
		return false
	}
	if x.intro != "" && !(x.topmost && sectionStatus(x.intro) == "") {
		return opens(sectionStatus(x.intro)) || strings.HasPrefix(normal(x.intro), "next ")
	}
	return opens(x.outline.status())
}

func opens(s coord.RecordStatus) bool { return s == coord.SourceOpen || s == coord.SourceActive }

func (x *extraction) paragraph(i int) {
	b := x.blocks[i]
	end := len(b.text)
	if g := x.grids[i]; g != nil {
		end = g.first
		x.table(g)
	}
	x.numbered(b)
	x.intro = ""
	if x.dialect.blocks[i] {
		x.notes.add("legend", b.first, "lists that say what marks mean are no records")
		return
	}
	if len(b.text) == 0 || end < len(b.text) {
		return
	}
	last := b.text[len(b.text)-1]
	if x.work() && x.paragraphTask(b) {
		return
	}
	x.statusLines(b)
	if strings.HasSuffix(last, ":") || strings.HasSuffix(last, "：") || strings.HasPrefix(strings.ToLower(last), "next ") {
		x.intro = strings.TrimRight(strings.Trim(last, "*_"), ":：")
		x.topmost = i > 0 && x.blocks[i-1].kind == KindHeading || i > 1 && x.blocks[i-1].kind == KindBlank && x.blocks[i-2].kind == KindHeading
	}
}

// numbered counts numbered lines that are part of a paragraph.
func (x *extraction) numbered(b block) {
	for n, line := range b.text {
		if n > 0 && line != "" && line[0] >= '0' && line[0] <= '9' && numberedLine().MatchString(line) {
			x.notes.add("numbered_paragraph", x.lineOf(b.at[n]), "numbered lines directly under a paragraph are part of it; a blank line would make them items")
		}
	}
}

// statusLines counts lines such as "Status: done" that belong to no task.
func (x *extraction) statusLines(b block) {
	for n, line := range b.text {
		if kind, value, _ := field(line); kind == colStatus && cellStatus(value) != coord.SourceUnknown {
			x.notes.add("status_line", x.lineOf(b.at[n]), "lines that state a status and belong to no task change nothing")
		}
	}
}
