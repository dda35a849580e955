package markdown

import (
	"cmp"
	"strings"

	"coord"
)

var (
	regionBegin = pattern(`^<!-- coord:begin ([a-z][a-z0-9]*-[0-9]+) sum=([0-9a-f]{8}) -->$`)
	regionEnd   = pattern(`^<!-- coord:end ([a-z][a-z0-9]*-[0-9]+) -->$`)
)

// sections makes a note of every section of a handoff: the text below a
// heading of the first or second level, or a dated one. What lies before the first heading is
// a note named after the file's place, without a title of its own.
func (x *extraction) sections() {
	x.regions()
	var cuts []head
	for _, h := range x.outline.heads {
		if (h.level <= 2 || hasDate(h.own.text)) && !x.inRegion(x.blocks[h.index].first) {
			cuts = append(cuts, h)
		}
	}
	first := x.lineOf(x.body)
	if p := x.body; p >= len(x.raw) {
		return
	}
	end := len(x.starts)
	if len(cuts) > 0 {
		end = x.blocks[cuts[0].index].first
	}
	notes := len(x.records)
	x.note(Record{Shape: "file", Line: first + 1, Lead: "handoff", Facets: coord.RecordFacets{Title: "Handoff"}}, Span{}, first, end)
	for n, h := range cuts {
		end = len(x.starts)
		if n+1 < len(cuts) {
			end = x.blocks[cuts[n+1].index].first
		}
		b := x.blocks[h.index]
		r := Record{Shape: "section", Line: b.first + 1, Section: h.path, Lead: cmp.Or(normal(h.own.title), clean(h.own.title)), Marks: x.marksOf(b, len(b.text))}
		r.Facets.Title = h.own.title
		x.note(r, x.ownOf(b), b.last+1, end)
	}
	x.inherit(x.records[notes:], cuts)
}

// hasDate reports a heading that begins or ends with a date: a note of its own,
// however deep it stands.
func hasDate(title string) bool {
	at := datePattern().FindStringIndex(title)
	return at != nil && (len(normal(title[:at[0]])) == 0 || len(normal(title[at[1]:])) == 0)
}

// note completes a handoff note with the lines [first, end) that are in no
// region. A section without text is none.
func (x *extraction) note(r Record, own Span, first, end int) {
	skip := map[int]bool{}
	for n := first; n < end; n++ {
		if x.inRegion(n) {
			skip[n] = true
		}
	}
	body := x.lines(span{first: first, last: end - 1}, skip)
	if body == "" {
		return
	}
	r.Kind = coord.RecordHandoff
	x.place(&r, own, r.Line-1, end-1)
	r.Facets.Body = limit(body, maxNote)
	r.Full = digest([]byte(normal(body)))
	x.records = append(x.records, r)
}

// region is what an export wrote between two comments.
type region struct{ first, last int }

// regions finds the regions of an export. One whose checksum does not hold was
// edited: it is a note like any other.
func (x *extraction) regions() {
	for i, b := range x.blocks {
		m := regionBegin().FindStringSubmatch(strings.TrimSpace(x.line(b.first)))
		if m == nil || b.kind != KindHTML || b.parent >= 0 {
			continue
		}
		for _, e := range x.blocks[i+1:] {
			if e.kind != KindHTML || e.parent >= 0 {
				continue
			}
			end := regionEnd().FindStringSubmatch(strings.TrimSpace(x.line(e.first)))
			if end != nil && end[1] == m[1] {
				x.region(m[1], m[2], region{b.first, e.first})
			}
			break
		}
	}
}

func (x *extraction) region(id, sum string, at region) {
	skipLines(x.exported, at.first, at.last)
	body := x.lines(span{first: at.first + 1, last: at.last - 1}, nil)
	r := Record{
		Kind: coord.RecordHandoff, Shape: "region", Marker: id,
		Lead: normal(id), Full: digest([]byte(normal(body))), Intact: regionSum(body) == sum,
	}
	x.place(&r, Span{x.starts[at.first], x.lineEnd(at.first)}, at.first, at.last)
	r.Facets = coord.RecordFacets{Title: "Note on " + id, Body: limit(body, maxNote)}
	r.Handoff = readFacts(r.Facets.Title, body).facts()
	x.records = append(x.records, r)
}

// regionSum is the checksum of a region's text as lines reads it.
func regionSum(body string) string { return digest([]byte(body))[:8] }

func (x *extraction) inRegion(line int) bool { return x.exported[line] }
