package markdown

import (
	"slices"
	"strings"
)

// memory makes one lesson of a memory file: front matter with a name and a
// description or a type, and the text below it. The rest of the front matter
// stays in the lesson, as where it comes from. It reports false for other files
// of the role: an index, or a list of lessons.
func (x *extraction) memory() bool {
	name, about := clean(x.front["name"]), clean(x.front["description"])
	if name == "" || about == "" && x.front["type"] == "" {
		return false
	}
	first, last := x.lineOf(min(x.body, max(len(x.raw)-1, 0))), len(x.starts)-1
	body := ""
	if x.body < len(x.raw) {
		body = x.lines(span{first: first, last: last}, nil)
	}
	title := about
	if title == "" {
		title = name
	}
	o := own{title: title, text: title + " " + body}
	o.shorten()
	from := x.provenance(name)
	text := paragraphs(limit(paragraphs(title, body), maxLesson-len(from)-2), from)
	r := lessonRecord(o, text)
	r.describe(lessonKindOf(x.front["type"]), Brackets{})
	r.Shape, r.Lead, r.Full = "file", normal(name), digest([]byte(normal(o.text)))
	x.place(&r, x.frontSpan(), 0, last)
	x.records = append(x.records, r)
	return true
}

// provenance is the front matter of a memory on one line, the name first.
func (x *extraction) provenance(name string) string {
	keys := make([]string, 0, len(x.front))
	for k, v := range x.front {
		if k != "name" && k != "description" && clean(v) != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	s := "(memory: " + name
	for _, k := range keys {
		s += "; " + k + ": " + clean(x.front[k])
	}
	const most = 400
	return valid(s[:runeStart(s, most)] + ")")
}

var indexLine = pattern(`^(?:\[[^\]]+\]\([^)\s]+\.(?i:md|markdown)(?:#[^)]*)?\)|\[\[[^\]]+\]\])`)

// isIndexLine reports an item that begins with a link to another file.
func isIndexLine(s string) bool { return indexLine().MatchString(strings.TrimLeft(s, "*_ ")) }

// instructions counts what would be work in another role: in a file for agents
// to read nothing becomes a record.
func (x *extraction) instructions() {
	for _, b := range x.blocks {
		if b.kind == KindItem && len(b.text) > 0 && hasBox(b.text[0]) {
			x.notes.add("instruction_box", b.first, "checkboxes in a file of instructions are no tasks")
		}
		x.hidden(b)
	}
}
