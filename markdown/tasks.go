package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"coord"
)

// itemTask makes a task of list item i.
func (x *extraction) itemTask(i int, o own, within []string) {
	b := x.blocks[i]
	s := span{from: i + 1, to: x.after(i), parent: i, first: b.textLast + 1, last: b.last, column: b.column}
	title := len(b.text)
	if n := title - 1; n > 0 && strings.HasSuffix(b.text[n], ":") && isCriteria(b.text[n]) {
		if before := x.own(b, b.text[:n]); before.title != "" {
			o, s.criteria, title = before, true, n
		}
	}
	o, title, status := x.withFields(i, o, title)
	body, criteria := x.content(s)
	r := x.task(o, body, criteria, within)
	r.Shape, r.Marks, r.Number = "item", x.marksOf(b, title), listNumber(x.view[b.sign:])
	r.Marks.Status = status
	x.place(&r, x.ownOf(b), b.first, b.last)
	r.Section = x.outline.path(within)
	x.records = append(x.records, r)
}

// listNumber is the number of an item's sign, or "" for a bullet.
func listNumber(sign []byte) string {
	n := 0
	for n < len(sign) && '0' <= sign[n] && sign[n] <= '9' {
		n++
	}
	return string(sign[:n])
}

// paragraphTask makes a task of a paragraph that is written like one: it begins
// with a label and states a status.
func (x *extraction) paragraphTask(b block) bool {
	o := readOwn(b.text)
	title := len(b.text)
	if n, fields, _ := x.ownFields(b, b.text); n < title {
		if o = readOwn(b.text[:n]); o.title != "" {
			o.adopt(fields)
			title = n
		}
	}
	if o.label == "" || o.edge == "" && o.cell == "" || o.title == o.label || x.outline.criteria() {
		return false
	}
	r := x.task(o, "", nil, nil)
	r.Shape, r.Marks, r.Section = "paragraph", x.marksOf(b, title), x.outline.path(nil)
	_, _, r.Marks.Status = x.ownFields(b, b.text)
	x.place(&r, Span{b.at[0], b.at[len(b.at)-1] + len(b.text[len(b.at)-1])}, b.first, b.last)
	x.records = append(x.records, r)
	return true
}

// withFields adds what the fields of item i say: those at the end of its own
// text, which end its title, and those directly below it.
func (x *extraction) withFields(i int, o own, title int) (own, int, Span) {
	b := x.blocks[i]
	if o.marked() {
		return o, title, Span{}
	}
	n, fields, status := x.ownFields(b, b.text[:title])
	if before := o; n < title {
		if before = x.own(b, b.text[:n]); before.title != "" {
			o, title = before, n
			o.adopt(fields)
		} else {
			status = Span{}
		}
	}
	if below := x.fieldsBelow(&o, i+1, x.after(i), i); status == (Span{}) {
		status = below
	}
	return o, title, status
}

// headingTask makes a task of the heading that was just entered.
func (x *extraction) headingTask(i int) {
	h := x.outline.here()
	b := x.blocks[i]
	last := len(x.starts) - 1
	if h.end < len(x.blocks) {
		last = x.blocks[h.end].first - 1
	}
	for j := i + 1; j < h.end; j++ {
		x.hidden(x.blocks[j])
	}
	body, criteria := x.content(span{from: i + 1, to: h.end, parent: -1, first: b.last + 1, last: last})
	x.outline.stack = x.outline.stack[:len(x.outline.stack)-1]
	r := x.task(h.own, body, criteria, nil)
	r.Shape, r.Marks = "heading", x.marksOf(b, len(b.text))
	r.Marks.Status = h.field
	x.place(&r, x.ownOf(b), b.first, last)
	r.Section = x.outline.path(nil)
	x.records = append(x.records, r)
}

func (x *extraction) task(o own, body string, criteria, within []string) Record {
	r := Record{Kind: coord.RecordTask, Label: o.label, Lead: normal(leadOf(o.title)), Full: fullDigest(o)}
	if len(o.markers) > 0 {
		r.Marker = o.markers[0]
	}
	r.Facets = coord.RecordFacets{Title: o.title, Body: limit(paragraphs(clean(decodeLine(o.rest)), body), maxBody), Criteria: criteria, Priority: o.priority}
	if r.Facets.Priority == "" && !o.marked() {
		r.Facets.Priority = x.outline.priority()
	}
	if !o.marked() {
		o.doubtful = doubts(o.text)
		o.waitsFor(o.text)
	}
	r.Facets.Status, r.Disputed = x.resolve(o)
	r.Facets.After = o.after
	r.Ready = x.plainlyOpen(r, o, within)
	return r
}

// marked reports a text that an export wrote: its marker names a record.
func (o own) marked() bool { return o.named() && !o.linked }

// fullDigest covers the normalised own text without status words; text that
// has no letter or digit stands for itself.
func fullDigest(o own) string {
	text := normal(o.title + " " + decodeLine(o.rest))
	if text == "" {
		text = o.text
	}
	return digest([]byte(text))
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
