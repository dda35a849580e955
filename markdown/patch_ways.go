package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"coord"
)

// ways are the ways to fulfil a wish, the best first: a sign that the record
// has is changed before words are added, and a marker that would change how the
// line reads is left out.
func (p *patching) ways(w Wish) []way {
	r := p.doc.Records[w.Record]
	mark, can := p.markerEdit(r, w.Marker)
	if w.Status == "" {
		if !can {
			return nil
		}
		return []way{{[]Edit{mark}, true}}
	}
	var out []way
	for _, edits := range p.signs(r, w) {
		if can {
			out = append(out, way{withMarker(edits, mark), true})
		}
		out = append(out, way{edits, false})
	}
	return out
}

// withMarker adds a marker to edits, behind a remark that goes to the same
// place.
func withMarker(edits []Edit, mark Edit) []Edit {
	out := slices.Clone(edits)
	for i, e := range out {
		if e.Span == mark.Span {
			out[i].Text += mark.Text
			return out
		}
	}
	return append(out, mark)
}

// signs are the edits of a record's own signs that say a status.
func (p *patching) signs(r Record, w Wish) [][]Edit {
	var all []Edit
	boxed, stated := r.Marks.Box != (Span{}), r.Marks.Status != (Span{})
	if boxed && w.Status != coord.SourceParked {
		all = append(all, Edit{r.Marks.Box, p.ticked})
	}
	if stated {
		all = append(all, Edit{r.Marks.Status, p.word(r, w.Status)})
	}
	var out [][]Edit
	if len(all) > 0 && (stated || w.Status == coord.SourceDone) {
		out = append(out, all)
	}
	if boxed && r.Shape == "row" {
		cell := Span{r.Marks.Box.From - 1, r.Marks.Box.To + 1}
		out = append(out, []Edit{{cell, remarkWord(w.Status)}})
	}
	if r.Marks.End > 0 && r.Shape != "row" && r.Shape != "file" {
		for _, note := range []string{w.Note, ""} {
			out = append(out, append(slices.Clone(all), Edit{Span{r.Marks.End, r.Marks.End}, remark(w.Status, note)}))
			if w.Note == "" {
				break
			}
		}
	}
	return out
}

// remark is what is added behind a text.
func remark(s coord.RecordStatus, note string) string {
	text := " — " + remarkWord(s)
	note = encodeLine(clean(note))
	switch {
	case note == "":
	case s == coord.SourceRejected:
		text += ": " + note
	default:
		text += " " + note
	}
	return text
}

func remarkWord(s coord.RecordStatus) string {
	switch s {
	case coord.SourceDone:
		return "✅ done"
	case coord.SourceRejected:
		return "❌ rejected"
	case coord.SourceSuperseded:
		return "❌ superseded"
	}
	return "⏸ deferred"
}

// tick is the sign of a ticked box, as the file writes it.
func (p *patching) tick() string {
	for _, r := range p.doc.Records {
		if r.Marks.Box != (Span{}) && r.Facets.Status == coord.SourceDone {
			switch sign := string(p.file.Content[r.Marks.Box.From:r.Marks.Box.To]); sign {
			case "x", "X", "✓", "✔":
				return sign
			}
		}
	}
	return "x"
}

// word is how a status cell or line says a status: as another one of the file
// says it, or else in the language and the letters of what stands there.
func (p *patching) word(r Record, s coord.RecordStatus) string {
	old := p.text(r.Marks.Status)
	for _, o := range p.doc.Records {
		if o.Facets.Status != s || o.Shape != r.Shape || o.Marks.Status == (Span{}) {
			continue
		}
		if word := p.text(o.Marks.Status); len(word) <= 24 && !strings.ContainsAny(word, "0123456789#~[(<\\|") && cellStatus(word) == s {
			return word
		}
	}
	inner := strings.Trim(old, "*_`")
	i := strings.Index(old, inner)
	return old[:i] + spelled(inner, s) + old[i+len(inner):]
}

func (p *patching) text(s Span) string { return string(p.file.Content[s.From:s.To]) }

// spelled is a status in the language and the letters of another one.
func spelled(old string, s coord.RecordStatus) string {
	sign, word := "", old
	for mark := range statusSigns() {
		if rest, ok := strings.CutPrefix(old, mark); ok {
			sign, _, _ = strings.Cut(remarkWord(s), " ")
			word = strings.TrimLeft(rest, "\ufe0f ")
			if word == "" {
				return sign
			}
			sign += " "
		}
	}
	said := inLanguage(word, s)
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, word)
	switch {
	case len(letters) > 1 && letters == strings.ToUpper(letters) && letters != strings.ToLower(letters):
		said = strings.ToUpper(said)
	case letters != "" && unicode.IsUpper([]rune(letters)[0]):
		r := []rune(said)
		said = string(unicode.ToUpper(r[0])) + string(r[1:])
	}
	return sign + said
}

// inLanguage is the first word that a language has for a status: of the language
// that the old word is in.
func inLanguage(old string, s coord.RecordStatus) string {
	for _, l := range languages {
		known, said := false, ""
		for _, p := range l.status {
			known = known || slices.Contains(strings.Split(p.list, ", "), normal(old))
			if p.status == s && said == "" {
				said, _, _ = strings.Cut(p.list, ", ")
			}
		}
		if known && said != "" {
			return said
		}
	}
	_, word, _ := strings.Cut(remarkWord(s), " ")
	return word
}

// markerEdit adds a marker to a record that has none.
func (p *patching) markerEdit(r Record, id string) (e Edit, can bool) {
	switch {
	case id == "" || r.Marker != "":
		return Edit{}, false
	case r.Shape == "file":
		return p.frontMarker(r, id)
	case r.Marks.End == 0:
		return Edit{}, false
	}
	return Edit{Span{r.Marks.End, r.Marks.End}, " <!-- coord:" + id + " -->"}, true
}

// frontMarker adds the marker to front matter, as its last key.
func (p *patching) frontMarker(r Record, id string) (e Edit, can bool) {
	src := p.file.Content
	last := bytes.LastIndexByte(src[:r.Own.To], '\n')
	if last < 0 {
		return Edit{}, false
	}
	eol := "\n"
	if last > 0 && src[last-1] == '\r' {
		eol = "\r\n"
	}
	return Edit{Span{last + 1, last + 1}, "coord: " + id + eol}, true
}
