package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"coord"
)

// Edit replaces the bytes of a span by a text.
type Edit struct {
	Span
	Text string
}

// Wish is what a record of a file is to say from now on: how it stands, and
// which task it is. What is empty stays as it is.
type Wish struct {
	Record int                // in the document
	Status coord.RecordStatus // done, rejected, superseded or parked
	Note   string             // said with the status: a date, a reason
	Marker string             // pay-42
}

// Refusal is a wish that no edit fulfils without changing something else.
type Refusal struct {
	Wish  int
	Why   string
	Paste string // how the line could read, for a person to judge
}

// Patch is what fulfils the wishes for a file. Everything outside of its edits
// is as it was, and a parser finds the records that it found before, except
// that those of the wishes say what was wished.
type Patch struct {
	Text    []byte // the whole file
	Edits   []Edit // of the file as it was, in order
	Marked  []bool // for each wish, whether a marker was added
	Refused []Refusal
}

// MakePatch finds the smallest edits that fulfil the wishes, and proves them by
// reading the result. The record of a wish is an index into the records that
// Read finds; no record has two wishes.
func MakePatch(f coord.SourceFile, wishes []Wish) (Patch, error) {
	doc, err := Read(f)
	if err != nil {
		return Patch{}, err
	}
	p := patching{file: f, doc: doc}
	p.ticked = p.tick()
	var all []*try
	for _, w := range wishes {
		all = append(all, &try{wish: w, ways: p.ways(w)})
	}
	p.inParts(all)
	return p.patch(), nil
}

type patching struct {
	file  coord.SourceFile
	doc   Document
	tries []*try

	breaks []Edit // those of the edits that are tried that add lines
	ticked string // the sign of a ticked box
	proved int    // bytes that were read for proofs
}

// try is one wish with the ways to fulfil it, the best first.
type try struct {
	wish Wish
	ways []way
	at   int // the way that is tried; all were, when it is len(ways)
}

// way is one way to fulfil a wish: the edits, and whether they add the marker.
type way struct {
	edits  []Edit
	marked bool
}

func (t *try) way() way {
	if t.at >= len(t.ways) {
		return way{}
	}
	return t.ways[t.at]
}

// together tries all wishes at once; whatever reads wrong tries its next way.
// It reports false if something is wrong that no wish is to blame for.
func (p *patching) together() bool {
	for {
		wrong, blamed := p.prove()
		if !blamed {
			return false
		}
		if len(wrong) == 0 {
			return true
		}
		for _, t := range wrong {
			t.at++
		}
	}
}

// maxProved is how much text is read to find the wishes that do not go together
// with others. What is left then is refused.
const maxProved = 256 << 20

// inParts adds wishes: all of them at once, or each half in turn if they do not
// go together, and a single one in the first way that can be proved.
func (p *patching) inParts(add []*try) {
	before := make([]int, len(p.tries))
	for i, t := range p.tries {
		before[i] = t.at
	}
	n := len(p.tries)
	p.tries = append(p.tries, add...)
	if p.proved < maxProved && p.together() {
		return
	}
	p.tries = p.tries[:n]
	for i, t := range p.tries {
		t.at = before[i]
	}
	for _, t := range add {
		t.at = 0
	}
	if len(add) > 1 && p.proved < maxProved {
		p.inParts(add[:len(add)/2])
		p.inParts(add[len(add)/2:])
		return
	}
	p.tries = append(p.tries, add...)
	for _, t := range add {
		p.settle(t)
	}
}

// settle takes the first way of the last wish that can be proved.
func (p *patching) settle(t *try) {
	for t.at = 0; t.at < len(t.ways) && p.proved < maxProved; t.at++ {
		if wrong, blamed := p.prove(); blamed && len(wrong) == 0 {
			return
		}
	}
	t.at = len(t.ways)
}

// edits are those of the ways that are tried now, in order.
func (p *patching) edits() []Edit {
	var out []Edit
	for _, t := range p.tries {
		out = append(out, t.way().edits...)
	}
	return inOrder(out)
}

func inOrder(edits []Edit) []Edit {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	return edits
}

func (p *patching) patch() Patch {
	out := Patch{Edits: p.edits()}
	out.Text = applied(p.file.Content, out.Edits)
	for i, t := range p.tries {
		out.Marked = append(out.Marked, t.way().marked)
		if t.at < len(t.ways) {
			continue
		}
		r := Refusal{Wish: i, Why: "nothing on the line can be changed so that only this is said"}
		if len(t.ways) > 0 {
			r.Paste = p.pasted(t)
		}
		out.Refused = append(out.Refused, r)
	}
	return out
}

// pasted is the first line of a record as the best way would have it.
func (p *patching) pasted(t *try) string {
	edits, text := inOrder(slices.Clone(t.ways[0].edits)), p.file.Content
	from := bytes.LastIndexByte(text[:edits[0].From], '\n') + 1
	line, _, _ := bytes.Cut(text[from:], []byte("\n"))
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return e.To > from+len(line) })
	for i := range edits {
		edits[i].Span = Span{edits[i].From - from, edits[i].To - from}
	}
	return valid(strings.TrimSpace(string(applied(line, edits))))
}

// applied is src with the edits, which are in order and do not overlap.
func applied(src []byte, edits []Edit) []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(src[at:e.From])
		b.WriteString(e.Text)
		at = e.To
	}
	b.Write(src[at:])
	return b.Bytes()
}

// Undo is the file as it was before the patch.
func (p Patch) Undo(src []byte) []byte { return applied(p.Text, inverse(src, p.Edits)) }

// inverse are the edits that turn the result of edits back into src.
func inverse(src []byte, edits []Edit) []Edit {
	out := make([]Edit, len(edits))
	shift := 0
	for i, e := range edits {
		from := e.From + shift
		out[i] = Edit{Span{from, from + len(e.Text)}, string(src[e.From:e.To])}
		shift += len(e.Text) - (e.To - e.From)
	}
	return out
}
