package markdown

import (
	"strconv"
	"strings"

	"coord"
)

// head is one top-level heading and what it says about the lines below it.
type head struct {
	index, end int // its block; the block behind its section
	level      int
	own        own
	status     coord.RecordStatus
	criteria   bool
	priority   coord.Priority
	kind       coord.LessonKind // of the lessons below it
	item       bool             // the heading is itself a task
	holds      bool             // it holds tasks of its own
	fielded    bool             // lines below it state a priority or what it waits for
	held       bool             // the text below it says that something comes first
	field      Span             // the status of a line below it
	path       string
}

// outline is the headings of a file; stack holds those that the reader is
// inside of.
type outline struct {
	heads []head
	at    map[int]int // block → head
	stack []int
}

func newOutline(x *extraction) outline {
	o := outline{at: map[int]int{}}
	for i, b := range x.blocks {
		if b.kind == KindHeading && b.parent < 0 {
			h := newHead(i, b, x.own(b, b.text))
			was := h.own
			h.field = x.fieldsBelow(&h.own, i+1, len(x.blocks), -1)
			h.fielded = h.own.priority != was.priority || len(h.own.after) > len(was.after)
			h.held = heldBack("", x.preamble(i)) || ofChecks(strings.Join(b.text, " "))
			o.at[i] = len(o.heads)
			o.heads = append(o.heads, h)
		}
	}
	holds := o.close(x)
	o.name()
	for i := range o.heads {
		h := &o.heads[i]
		h.item = x.work() && h.task() && !holds[i] && !o.aside(i)
		h.holds = holds[i]
	}
	return o
}

func newHead(i int, b block, o own) head {
	h := head{index: i, level: b.level, own: o}
	title := strings.Join(b.text, " ")
	h.criteria = isCriteria(title)
	if !h.criteria {
		h.status = sectionStatus(title)
	}
	h.priority, h.kind = edgePriority(title), lessonKindOf(title)
	return h
}

// task reports that the heading reads as a task rather than as the name of a
// section: it has a checkbox, a label, or a status at its edge.
func (h head) task() bool {
	if h.level < 2 || h.status != "" || h.criteria || h.priority != "" || h.own.title == "" {
		return false
	}
	return h.own.boxed || h.own.label != "" || h.own.edge != "" || h.own.cell != "" || len(h.own.markers) > 0 || h.fielded || matches(taskTitle, h.own.title)
}

// aside reports a heading below one of criteria or of lessons: no task.
func (o *outline) aside(n int) bool {
	for level := o.heads[n].level; n >= 0; n-- {
		if h := o.heads[n]; h.level < level {
			if level = h.level; h.criteria || h.kind == coord.KindLesson {
				return true
			}
		}
	}
	return false
}

// close finds where each section ends and which sections hold tasks of their
// own, checkboxes or headings.
func (o *outline) close(x *extraction) (holds []bool) {
	blocks := x.blocks
	holds = make([]bool, len(o.heads))
	var open []int
	intro := ""
	for i, b := range blocks {
		switch {
		case b.kind == KindHeading:
			intro = ""
		case b.kind == KindText && b.parent < 0 && len(b.text) > 0:
			intro = b.text[len(b.text)-1]
		}
		if n, ok := o.at[i]; ok {
			for len(open) > 0 && o.heads[open[len(open)-1]].level >= b.level {
				o.heads[open[len(open)-1]].end = i
				open = open[:len(open)-1]
			}
			if o.heads[n].task() {
				mark(holds, open)
			}
			open = append(open, n)
		}
		at, region := x.regionAt[b.first]
		if region && at.first == b.first {
			open = o.cut(open, i)
		}
		boxed := !region && b.kind == KindItem && len(b.text) > 0 && hasBox(b.text[0]) && !isStep(withoutBox(b.text[0])) && !isCriteria(intro)
		if g := x.grids[i]; g != nil && g.work {
			boxed = true
		}
		if boxed && len(open) > 0 && !o.heads[open[len(open)-1]].criteria {
			mark(holds, open)
		}
	}
	for _, n := range open {
		o.heads[n].end = len(blocks)
	}
	return holds
}

func mark(holds []bool, open []int) {
	for _, n := range open {
		holds[n] = true
	}
}

// name gives each section its path; equal siblings get an ordinal.
func (o *outline) name() {
	seen := map[string]int{}
	for i := range o.heads {
		h := &o.heads[i]
		o.enter(h.index)
		parent := ""
		if len(o.stack) > 1 {
			parent = o.heads[o.stack[len(o.stack)-2]].path + " › "
		}
		h.path = parent + sectionKey(h.own.text)
		seen[h.path]++
		if n := seen[h.path]; n > 1 {
			h.path += " #" + strconv.Itoa(n)
		}
	}
	o.stack = nil
}

// sectionKey normalises a heading but keeps dates, which tell sections apart.
func sectionKey(title string) string { return bounded(normal(strings.ReplaceAll(title, "-", ""))) }

func (o *outline) enter(block int) {
	n := o.at[block]
	for len(o.stack) > 0 && o.heads[o.stack[len(o.stack)-1]].level >= o.heads[n].level {
		o.stack = o.stack[:len(o.stack)-1]
	}
	o.stack = append(o.stack, n)
}

// here is the innermost section, nil before the first heading.
func (o *outline) here() *head {
	if len(o.stack) == 0 {
		return nil
	}
	return &o.heads[o.stack[len(o.stack)-1]]
}

// status is what the nearest heading that says anything says.
func (o *outline) status() coord.RecordStatus {
	for i := len(o.stack) - 1; i >= 0; i-- {
		if s := o.heads[o.stack[i]].status; s != "" {
			return s
		}
	}
	return ""
}

// admits reports that no heading above says closed, blocked or parked.
func (o *outline) admits() bool {
	for _, n := range o.stack {
		if s := o.heads[n].status; s != "" && s != coord.SourceOpen || o.heads[n].held {
			return false
		}
	}
	return true
}

func (o *outline) criteria() bool {
	for _, n := range o.stack {
		if o.heads[n].criteria {
			return true
		}
	}
	return false
}

func (o *outline) priority() coord.Priority {
	for i := len(o.stack) - 1; i >= 0; i-- {
		if p := o.heads[o.stack[i]].priority; p != "" {
			return p
		}
	}
	return ""
}

func (o *outline) path(within []string) string {
	path := ""
	if h := o.here(); h != nil {
		path = h.path
	}
	for _, w := range within {
		path += " › " + w
	}
	return bounded(path)
}

// bounded keeps a place short however long the headings above it are.
func bounded(path string) string {
	const most = 300
	if len(path) <= most {
		return path
	}
	return strings.ToValidUTF8(path[:most-20], "") + " " + digest([]byte(path))[:16]
}
