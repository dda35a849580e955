package markdown

import (
	"strings"

	"coord"
)

// lesson makes a lesson of list item i with everything nested in it.
func (x *extraction) lesson(i int, o own) {
	b := x.blocks[i]
	body := x.lines(span{first: b.textLast + 1, last: b.last, column: b.column}, nil)
	gap := "\n"
	if b.textLast+1 < len(x.starts) && x.blank(b.textLast+1) || b.textLast+1 > b.last {
		gap = "\n\n"
	}
	text := lessonText(b.text)
	if body != "" {
		text += gap + body
	}
	r := lessonRecord(o, text)
	r.Shape, r.Marks, r.Section = "item", x.marksOf(b, len(b.text)), x.outline.path(nil)
	x.place(&r, x.ownOf(b), b.first, b.last)
	x.records = append(x.records, r)
}

// fromTail is where an exported lesson comes from, which is the service's to
// know.
var fromTail = pattern(`[ \t]*\(from: [^()]*\)$`)

// lessonText is own text line by line, without box and markers.
func lessonText(lines []string) string {
	text, ids := takeMarkers(strings.Join(lines, "\n"))
	text = strings.TrimLeft(withoutBox(text), " \t")
	first, more, ok := strings.Cut(text, "\n")
	first = strings.TrimRight(first, " \t")
	if len(ids) > 0 {
		first = fromTail().ReplaceAllString(first, "")
	}
	text = decodeLine(first)
	if ok {
		text += "\n" + decodeComments(more)
	}
	return valid(text)
}

func lessonRecord(o own, text string) Record {
	r := Record{Kind: coord.RecordLesson, Label: o.label, Lead: normal(leadOf(o.title)), Full: digest([]byte(normal(o.text)))}
	if len(o.markers) > 0 {
		r.Marker = o.markers[0]
	}
	r.Facets = coord.RecordFacets{Title: o.title, Body: limit(strings.TrimSpace(text), maxLesson)}
	return r
}

// proseLessons makes lessons of headings whose text holds no list.
func (x *extraction) proseLessons() {
	for _, h := range x.outline.heads {
		if h.level < 2 || h.own.title == "" || x.inRegion(x.blocks[h.index].first) {
			continue
		}
		next := h.index + 1
		for next < len(x.blocks) && x.blocks[next].kind != KindHeading && x.blocks[next].kind != KindItem {
			next++
		}
		if next < len(x.blocks) && x.blocks[next].kind == KindItem && x.blocks[next].parent < 0 {
			continue
		}
		last := len(x.starts) - 1
		if next < len(x.blocks) {
			last = x.blocks[next].first - 1
		}
		if body := x.lines(span{first: x.blocks[h.index].last + 1, last: last}, x.apart(x.blocks[h.index].last)); body != "" {
			r := lessonRecord(h.own, h.own.title+"\n\n"+body)
			b := x.blocks[h.index]
			r.Shape, r.Marks = "heading", x.marksOf(b, len(b.text))
			x.place(&r, x.ownOf(b), b.first, last)
			r.Section = parentPath(h.path)
			x.records = append(x.records, r)
		}
	}
}

func parentPath(path string) string {
	i := strings.LastIndex(path, " › ")
	return path[:max(i, 0)]
}
