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
	if n := len(b.text); n > 1 && strings.HasSuffix(b.text[n-1], ":") && isCriteria(b.text[n-1]) {
		if title := readOwn(b.text[:n-1]); title.title != "" {
			o, s.criteria = title, true
		}
	}
	body, criteria := x.content(s)
	r := x.task(o, body, criteria)
	r.Shape, r.Line, r.Last = "item", b.first+1, b.last+1
	r.Section = x.outline.path(within)
	x.records = append(x.records, r)
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
	r := x.task(h.own, body, criteria)
	r.Shape, r.Line, r.Last = "heading", b.first+1, last+1
	r.Section = x.outline.path(nil)
	x.records = append(x.records, r)
}

func (x *extraction) task(o own, body string, criteria []string) Record {
	r := Record{Kind: coord.RecordTask, Label: o.label, Lead: normal(leadOf(o.title)), Full: fullDigest(o)}
	if len(o.markers) > 0 {
		r.Marker = o.markers[0]
	}
	r.Facets = coord.RecordFacets{Title: o.title, Body: limit(paragraphs(clean(decodeLine(o.rest)), body), maxBody), Criteria: criteria, Priority: o.priority}
	if r.Facets.Priority == "" && !o.marked() {
		r.Facets.Priority = x.outline.priority()
	}
	r.Facets.Status, r.Disputed = x.resolve(o)
	r.Ready = o.boxed && o.mark == ' ' && r.Facets.Status == coord.SourceOpen && r.Disputed == "" &&
		x.as == coord.AsBacklog && x.banner == "" && x.outline.admits()
	return r
}

// marked reports a marker that names a record.
func (o own) marked() bool { return len(o.markers) > 0 && o.markers[0] != markNew }

// resolve weighs what a task's own signs and its section say. The strongest
// sign gives the status; signs that contradict each other are a dispute.
func (x *extraction) resolve(o own) (status coord.RecordStatus, disputed string) {
	section := x.outline.status()
	switch {
	case !o.boxed && o.struck:
		return struckStatus(o), ""
	case !o.boxed && o.edge != "":
		return o.edge, ""
	case !o.boxed && section != "" && !o.marked():
		return section, ""
	case !o.boxed:
		return coord.SourceOpen, ""
	case strings.ContainsRune("xX✓✔", o.mark):
		if o.edge.Closed() {
			return o.edge, ""
		}
		return coord.SourceDone, ""
	case o.mark != ' ':
		return coord.SourceUnknown, ""
	case o.struck:
		return struckStatus(o), "the box is open, but the text is struck through"
	case o.edge.Closed():
		return o.edge, "the box is open, but the text says " + string(o.edge)
	case o.edge != "" && o.edge != coord.SourceOpen:
		return o.edge, ""
	case section.Closed() && !o.marked():
		return section, "the box is open, but its section says " + string(section)
	case section != "" && !o.marked():
		return section, ""
	}
	return coord.SourceOpen, ""
}

func struckStatus(o own) coord.RecordStatus {
	if o.edge.Closed() {
		return o.edge
	}
	return coord.SourceRejected
}

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
