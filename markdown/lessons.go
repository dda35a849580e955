package markdown

import (
	"slices"
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
	text, m := lessonText(b.text, o.named())
	if m.There {
		bare := readOwn([]string{encodeTitle(text)})
		bare.boxed, bare.markers, bare.linked = o.boxed, o.markers, o.linked
		o = bare
	}
	if body != "" {
		text += gap + body
	}
	if m.Odd || m.Nowhere {
		x.notes.add("brackets", b.first, "in the brackets behind a lesson only from, tags, for (task, component, version, environment, path) and reopen when are read; other parts are passed over")
	}
	r := lessonRecord(o, text)
	r.describe(x.kind(), m)
	r.Shape, r.Marks, r.Section = "item", x.marksOf(b, len(b.text)), x.outline.path(nil)
	x.place(&r, x.ownOf(b), b.first, b.last)
	x.records = append(x.records, r)
}

// lessonText is own text line by line, without box, markers and brackets. What a
// marker ends was one line before somebody wrapped it.
func lessonText(lines []string, marked bool) (text string, m Brackets) {
	text, _ = takeMarkers(strings.Join(lines, "\n"))
	if at := slices.IndexFunc(lines, hasMarker); marked && at > 0 {
		text = strings.Replace(text, "\n", " ", at)
	}
	text = strings.TrimLeft(withoutBox(text), " \t")
	first, more, ok := strings.Cut(text, "\n")
	first, m = cutBrackets(strings.TrimRight(first, " \t"), marked)
	text = decodeLine(first)
	if ok {
		text += "\n" + decodeComments(more)
	}
	return valid(text), m
}

func hasMarker(line string) bool {
	_, ids := takeMarkers(line)
	return len(ids) > 0
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
		x.outline.enter(h.index)
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
			r.describe(x.outline.kind(), Brackets{})
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
