package markdown

import (
	"strings"

	"coord"
)

// What front matter calls an id and a title, in the order in which they count.
var (
	frontIDs    = []string{"id", "key", "label", "task_id", "task-id", "ticket"}
	frontTitles = []string{"title", "name", "summary", "task"}
)

func (p *page) frontValue(keys []string) string {
	for _, k := range keys {
		if v := clean(p.front[k]); v != "" {
			return v
		}
	}
	return ""
}

// frontStatus is the status that front matter states and where it stands.
func (p *page) frontStatus() (coord.RecordStatus, Span) {
	for k, at := range p.frontAt {
		if vocabulary().fields[normal(k)] == colStatus {
			return cellStatus(p.front[k]), at
		}
	}
	return "", Span{}
}

// document makes a record of a file whose front matter has an id or a title and
// a known status. Checkboxes in it are its steps; it reports false if the file
// holds tasks with labels of their own, which are records then.
func (x *extraction) document() (whole bool) {
	status, at := x.frontStatus()
	o := own{title: x.frontValue(frontTitles), label: x.frontValue(frontIDs), cell: status}
	if status == "" || o.title == "" && o.label == "" {
		return false
	}
	if status == coord.SourceUnknown {
		x.notes.add("unknown_status", x.lineOf(at.From), "status words that are not known are reported, never guessed")
	}
	whole = !x.labelled()
	x.frontOwn(&o)
	end := len(x.blocks)
	if !whole {
		end = x.firstTask()
	}
	s := span{to: end, parent: -1, first: x.lineOf(min(x.body, max(len(x.raw)-1, 0))), last: len(x.starts) - 1}
	if x.body >= len(x.raw) {
		s.first = len(x.starts)
	}
	if end < len(x.blocks) {
		s.last = x.blocks[end].first - 1
	}
	file := x.file
	x.file = ""
	body, criteria := x.content(s)
	r := x.task(o, body, criteria, nil)
	r.Shape = "file"
	x.file = file
	last := len(x.starts) - 1
	x.place(&r, x.frontSpan(), 0, last)
	r.Marks.Status = at
	x.records = append(x.records, r)
	return whole
}

// frontOwn completes what front matter says about the task: its title, from the
// first heading if it has none, its marker, priority, and what it waits for.
func (x *extraction) frontOwn(o *own) {
	for _, h := range x.outline.heads {
		if o.title == "" && h.level == 1 {
			o.title = h.own.title
		}
	}
	switch {
	case o.title == "":
		o.title = o.label
	case labelOf(o.label) != "" && !strings.HasPrefix(o.title, o.label):
		o.title = o.label + " " + o.title
	}
	if o.label = strings.Trim(o.label, "[]()"); len(o.label) > 40 {
		o.label = ""
	}
	o.text = o.title
	o.shorten()
	for k, v := range x.front {
		switch vocabulary().fields[normal(k)] {
		case colPriority:
			o.priority = priorityOf(v)
		case colAfter:
			o.after = merged(o.after, labelsIn(v))
		}
	}
	if id := x.front["coord"]; frontMarker().MatchString(id) {
		o.markers, o.linked = []string{id}, true
	}
}

var frontMarker = pattern(`^[a-z][a-z0-9]*-[0-9]+$`)

// frontSpan is the front matter with the lines that enclose it.
func (x *extraction) frontSpan() Span {
	from, to := 0, x.body
	if strings.HasPrefix(string(x.raw[:min(len(x.raw), len(bom))]), string(bom)) {
		from = len(bom)
	}
	for to > from && (x.view[to-1] == '\n' || x.view[to-1] == ' ') {
		to--
	}
	return Span{from, to}
}

// labelled reports tasks with labels or markers of their own.
func (x *extraction) labelled() bool {
	for i, b := range x.blocks {
		if b.kind == KindItem && b.parent < 0 && len(b.text) > 0 && hasBox(b.text[0]) {
			if o := readOwn(b.text); o.label != "" || len(o.markers) > 0 {
				return true
			}
		}
		if g := x.grids[i]; g != nil && g.work {
			return true
		}
	}
	for _, h := range x.outline.heads {
		if h.item && (h.own.label != "" || len(h.own.markers) > 0) {
			return true
		}
	}
	return false
}

// firstTask is the first block that may hold a task.
func (x *extraction) firstTask() int {
	for i, b := range x.blocks {
		if b.kind == KindItem || x.grids[i] != nil || b.kind == KindHeading && b.level > 1 {
			return i
		}
	}
	return len(x.blocks)
}
