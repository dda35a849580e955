package markdown

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// prove reads the file as the ways that are tried now would leave it. It
// returns the wishes that it does not say, and reports false if something else
// changed that none of them encloses.
func (p *patching) prove() (wrong []*try, blamed bool) {
	edits := p.edits()
	if collide(edits) {
		return nil, false
	}
	f := p.file
	f.Content = applied(p.file.Content, edits)
	p.proved += len(f.Content)
	after, err := Read(f)
	if err != nil || len(after.Records) != len(p.doc.Records) || !p.sameTiles(after, f.Content, edits) {
		return nil, len(edits) == 0
	}
	p.breaks = slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return !strings.Contains(e.Text, "\n") })
	of := map[int]*try{}
	for _, t := range p.tries {
		of[t.wish.Record] = t
	}
	bad := map[*try]bool{}
	for i := range p.doc.Records {
		if p.sameRecord(i, of[i], after.Records[i], edits) {
			continue
		}
		found := false
		for _, t := range p.tries {
			if t.at < len(t.ways) && (t.wish.Record == i || p.encloses(i, inOrder(slices.Clone(t.way().edits)), nil)) {
				bad[t], found = true, true
			}
		}
		if !found {
			return nil, false
		}
	}
	for _, t := range p.tries {
		if bad[t] {
			wrong = append(wrong, t)
		}
	}
	return wrong, true
}

// collide reports edits that overlap, or that begin at one place.
func collide(edits []Edit) bool {
	for i := 1; i < len(edits); i++ {
		if edits[i].From < edits[i-1].To || edits[i].From == edits[i-1].From {
			return true
		}
	}
	return false
}

// sameTiles reports that the tiles stand where they stood, and that each
// without an edit has its bytes.
func (p *patching) sameTiles(after Document, text []byte, edits []Edit) bool {
	if len(after.Tiles) != len(p.doc.Tiles) {
		return false
	}
	shift, n := 0, 0
	for i, was := range p.doc.Tiles {
		is := after.Tiles[i]
		from, touched := was.From+shift, false
		for ; n < len(edits) && edits[n].From < was.To; n++ {
			shift += len(edits[n].Text) - (edits[n].To - edits[n].From)
			touched = true
		}
		if n < len(edits) && edits[n].From == was.To && was.To == len(p.file.Content) { // at the end of a file without a last line end
			shift += len(edits[n].Text)
			touched = true
			n++
		}
		if is.Kind != was.Kind || is.Record != was.Record || is.From != from || is.To != was.To+shift {
			return false
		}
		if !touched && !bytes.Equal(text[is.From:is.To], p.file.Content[was.From:was.To]) {
			return false
		}
	}
	return true
}

// sameRecord reports that record i reads as it did, or as its wish says. What
// belongs to a record beside its own text holds the records nested in it.
func (p *patching) sameRecord(i int, t *try, is Record, edits []Edit) bool {
	was := p.doc.Records[i]
	var mine []Edit
	shift := p.linesBefore(was.Whole.From)
	was.Line, was.Last = was.Line+shift, was.Last+p.linesBefore(was.Whole.To)
	if t != nil && t.at < len(t.ways) {
		if t.way().marked {
			was.Marker = t.wish.Marker
		}
		if said, ok := p.inBody(i, t, is); ok {
			was.Facets.Body, was.Full = said, is.Full
		}
		if t.wish.Status != "" {
			was.Facets.Status, was.Disputed, was.Ready = t.wish.Status, "", is.Ready
			if is.Ready {
				return false
			}
		}
		mine = t.way().edits
	}
	if p.encloses(i, edits, mine) {
		was.Facets.Body, was.Full = is.Facets.Body, is.Full
	}
	return bare(was).equal(bare(is))
}

// bare is a record without its place among the bytes of the file.
func bare(r Record) Record {
	r.Own, r.Whole, r.Marks = Span{}, Span{}, Marks{}
	return r
}

func (r Record) equal(o Record) bool { return reflect.DeepEqual(r, o) }

// inBody is the body of record i with the status changed that stands in it: a
// line such as "Status: open" is part of the text too.
func (p *patching) inBody(i int, t *try, is Record) (body string, ok bool) {
	was := p.doc.Records[i]
	if was.Shape == "row" || was.Shape == "file" || was.Marks.Status == (Span{}) || t.wish.Status == "" {
		return "", false
	}
	old, text := p.text(was.Marks.Status), was.Facets.Body
	for _, e := range t.way().edits {
		for at := 0; e.Span == was.Marks.Status; at++ {
			n := strings.Index(text[at:], old)
			if n < 0 {
				break
			}
			at += n
			if body = text[:at] + e.Text + text[at+len(old):]; body == is.Facets.Body {
				return body, true
			}
		}
	}
	return "", false
}

// encloses reports that one of the edits, which are in order, is in record i and
// is none of mine.
func (p *patching) encloses(i int, edits, mine []Edit) bool {
	whole := p.doc.Records[i].Whole
	n, _ := slices.BinarySearchFunc(edits, whole.From, func(e Edit, at int) int { return cmp.Compare(e.From, at) })
	for ; n < len(edits) && edits[n].To <= whole.To; n++ {
		if !slices.ContainsFunc(mine, func(e Edit) bool { return e.Span == edits[n].Span }) {
			return true
		}
	}
	return false
}

// linesBefore is how many lines the edits add before a place.
func (p *patching) linesBefore(at int) int {
	n := 0
	for _, e := range p.breaks {
		if e.From < at {
			n += strings.Count(e.Text, "\n")
		}
	}
	return n
}
