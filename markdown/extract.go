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

	outline  outline
	intro    string       // paragraph directly before a list: "Next:"
	exported map[int]bool // lines in regions of an export
}

func newExtraction(p *page, blocks []block, as coord.SourceRole) *extraction {
	x := &extraction{page: p, blocks: blocks, as: as, exported: map[int]bool{}}
	x.outline = newOutline(p, blocks, as)
	return x
}

func (x *extraction) run() {
	x.noteFile()
	if x.as == coord.AsHandoff {
		x.sections()
	}
	for i := 0; i < len(x.blocks); {
		i = x.block(i)
	}
	if x.as == coord.AsRecord {
		x.proseLessons()
	}
}

// block handles the top-level block i and returns the next one.
func (x *extraction) block(i int) int {
	b := x.blocks[i]
	switch b.kind {
	case KindHeading:
		x.intro = ""
		x.outline.enter(i)
		if h := x.outline.here(); h != nil && h.item {
			x.headingTask(i)
			return h.end
		}
	case KindItem:
		for j := i + 1; j < x.after(i); j++ {
			x.hidden(x.blocks[j])
		}
		x.item(i, nil)
		return x.after(i)
	case KindText:
		x.paragraph(b)
	default:
		x.intro = ""
		x.hidden(b)
	}
	return i + 1
}

// after returns the first block behind an item and everything in it.
func (x *extraction) after(i int) int { return x.blocks[i].end }

// item handles list item i; within names the plain items that it is nested in.
func (x *extraction) item(i int, within []string) {
	b := x.blocks[i]
	o := readOwn(b.text)
	switch {
	case len(b.text) == 0 || o.title == "":
		x.notes.add("empty_item", b.first, "list items without text are no records")
	case x.inRegion(b.first):
	case x.as == coord.AsRecord:
		x.lesson(i, o)
	case o.boxed:
		x.boxed(i, o, within)
	default:
		x.plain(i, o, within)
	}
}

func (x *extraction) boxed(i int, o own, within []string) {
	if x.outline.criteria() {
		x.notes.add("criteria_without_task", x.blocks[i].first, "checkboxes under a heading such as Acceptance belong to no task here")
		return
	}
	if !strings.ContainsRune(" xX", o.mark) {
		x.notes.add("unknown_mark", x.blocks[i].first, "checkboxes with a mark other than space or x are planned, never made ready")
	}
	x.itemTask(i, o, within)
}

func (x *extraction) plain(i int, o own, within []string) {
	if o.tight {
		x.notes.add("box_without_space", x.blocks[i].first, "a checkbox needs a space behind it; these items are plain")
	}
	switch {
	case x.hasBoxes(i):
		within = append(within[:len(within):len(within)], normal(leadOf(o.title)))
		for j := i + 1; j < x.after(i); j++ {
			if x.blocks[j].kind == KindItem && x.blocks[j].parent == i {
				x.item(j, within)
			}
		}
	case len(within) == 0 && x.candidates():
		x.itemTask(i, o, within)
	case len(o.markers) > 0 && o.markers[0] != markNew:
		x.itemTask(i, o, within)
	default:
		x.notes.add("plain_item", x.blocks[i].first, "list items without a checkbox, outside of next steps, are no tasks")
	}
}

// hasBoxes reports a checkbox somewhere below item i.
func (x *extraction) hasBoxes(i int) bool {
	for j := i + 1; j < x.after(i); j++ {
		if b := x.blocks[j]; b.kind == KindItem && len(b.text) > 0 && boxPattern().MatchString(b.text[0]) {
			return true
		}
	}
	return false
}

// candidates reports that plain items here are next steps: the nearest heading
// that says anything, or the line before the list, calls them open.
func (x *extraction) candidates() bool {
	if x.outline.criteria() {
		return false
	}
	if x.intro != "" {
		return sectionStatus(x.intro) == coord.SourceOpen || strings.HasPrefix(normal(x.intro), "next ")
	}
	return x.outline.status() == coord.SourceOpen
}

func (x *extraction) paragraph(b block) {
	last := ""
	for n, line := range b.text {
		switch {
		case numberedLine().MatchString(line) && n > 0:
			x.notes.add("numbered_paragraph", b.first+n, "numbered lines directly under a paragraph are part of it; a blank line would make them items")
		case strings.HasPrefix(line, "|"):
			x.notes.add("table_row", b.first+n, "table rows are kept but not read as records")
		}
		last = line
	}
	x.intro = ""
	if strings.HasSuffix(last, ":") || strings.HasPrefix(strings.ToLower(last), "next ") {
		x.intro = strings.TrimRight(last, ":")
	}
}
