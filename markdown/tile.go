package markdown

import (
	"cmp"
	"slices"
)

// place says where a record is: its lines, from 0, and its own text.
func (x *extraction) place(r *Record, own Span, first, last int) {
	last = min(max(last, first), len(x.starts)-1)
	r.Line, r.Last = first+1, last+1
	r.Own = own
	r.Whole = Span{x.starts[first], x.end(last)}
}

// ownOf is the own text of an item or heading with its sign and, of a heading,
// what closes it.
func (x *extraction) ownOf(b block) Span {
	to := b.sign
	if n := len(b.text); n > 0 {
		to = b.at[n-1] + len(b.text[n-1])
	}
	if b.kind == KindHeading {
		last := x.lineEnd(b.last)
		for last > to && (x.view[last-1] == ' ' || x.view[last-1] == '\t') {
			last--
		}
		to = max(to, last)
	}
	return Span{b.sign, to}
}

// nest finds the record that each record is in: of those whose lines hold it,
// the smallest.
func nest(records []Record) (outermost []int) {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ra, rb := records[a].Whole, records[b].Whole
		return cmp.Or(cmp.Compare(ra.From, rb.From), cmp.Compare(rb.To, ra.To))
	})
	var open []int
	for _, i := range order {
		for len(open) > 0 && records[open[len(open)-1]].Whole.To < records[i].Whole.To {
			open = open[:len(open)-1]
		}
		records[i].Parent = -1
		if len(open) > 0 {
			records[i].Parent = open[len(open)-1]
		}
		open = append(open, i)
	}
	return order
}

// tiles divides the file: a tile for each block, for front matter, and for the
// blank lines between them. A record that begins or ends in between divides
// them further.
func (x *extraction) tiles(order []int) []Tile {
	kinds := x.lineKinds()
	records := make([]int32, len(x.starts))
	for n := range records {
		records[n] = -1
	}
	for _, i := range order {
		r := x.records[i]
		for n := r.Line - 1; n < r.Last; n++ {
			records[n] = int32(i)
		}
	}
	var out []Tile
	for n := range x.starts {
		if n > 0 && kinds[n] == kinds[n-1] && records[n] == records[n-1] {
			out[len(out)-1].To = x.end(n)
			continue
		}
		out = append(out, Tile{Span{x.starts[n], x.end(n)}, x.kindOfLine(kinds[n]), int(records[n])})
	}
	return out
}

const (
	lineBlank = -1
	lineFront = -2
)

// lineKinds is for each line the block it is in, the innermost, or what else it
// is.
func (x *extraction) lineKinds() []int32 {
	kinds := make([]int32, len(x.starts))
	for n := range kinds {
		kinds[n] = lineBlank
	}
	for n := 0; n < len(kinds) && x.front != nil && x.end(n) <= x.body; n++ {
		kinds[n] = lineFront
	}
	for i, b := range x.blocks {
		last := b.last
		if b.kind == KindItem {
			last = b.textLast
		}
		for n := b.first; n <= last && n < len(kinds); n++ {
			kinds[n] = int32(i)
		}
	}
	return kinds
}

func (x *extraction) kindOfLine(kind int32) Kind {
	switch kind {
	case lineBlank:
		return KindBlank
	case lineFront:
		return KindFront
	}
	return x.blocks[kind].kind
}
