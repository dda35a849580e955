package markdown

import (
	"strings"
	"unicode/utf8"

	"coord"
)

// resolve weighs what a task's own signs and its place say. The strongest sign
// gives the status: the box, then strikethrough, a status cell or line, a word
// at the edge of the title, the section. Signs of its own that contradict each
// other are a dispute, and so is an open sign where its section is closed.
func (x *extraction) resolve(o own) (status coord.RecordStatus, disputed string) {
	status, disputed = x.ownSigns(o)
	section := x.outline.status()
	switch {
	case o.marked():
		section = ""
	case x.file.Closed() && (section == "" || section == coord.SourceOpen):
		section = x.file
	}
	switch {
	case status == "" && section != "":
		status = section
	case status == "":
		status = coord.SourceOpen
	case !opens(status) || section == "" || disputed != "":
	case section.Closed():
		status, disputed = section, "it is open, but its section says "+string(section)
		if o.boxed {
			disputed = "the box is open, but its section says " + string(section)
		}
	case status == coord.SourceOpen:
		status = section
	}
	if x.as == coord.AsArchive {
		if !status.Closed() {
			status = coord.SourceConsumed
		}
		return status, ""
	}
	return status, disputed
}

// ownSigns is what the task itself says; empty if it says nothing.
func (x *extraction) ownSigns(o own) (status coord.RecordStatus, disputed string) {
	words := o.cell
	if words == "" || words == coord.SourceOpen && o.edge != "" {
		words = o.edge
	}
	if o.cell != "" && o.edge != "" && o.cell.Closed() != o.edge.Closed() {
		return o.cell, "its status says " + string(o.cell) + ", but its text says " + string(o.edge)
	}
	switch {
	case o.counted && (!o.boxed || x.dialect.mark(o.mark) != coord.SourceDone):
		return coord.SourceUnknown, "it counts what is done, and does not say whether it is"
	case !o.boxed && o.struck:
		if words == coord.SourceOpen && o.cell != "" {
			return struckStatus(o), "its status says open, but the text is struck through"
		}
		return struckStatus(o), ""
	case !o.boxed:
		return words, ""
	}
	return x.boxSigns(o, words)
}

// boxSigns weighs a checkbox against the words beside it.
func (x *extraction) boxSigns(o own, words coord.RecordStatus) (status coord.RecordStatus, disputed string) {
	box := x.dialect.mark(o.mark)
	switch {
	case box == coord.SourceDone && (words == "" || words.Closed()):
		if words != "" {
			return words, ""
		}
		return box, ""
	case box == coord.SourceDone && words == coord.SourcePartial:
		return words, "the box is ticked, but the text says partial"
	case box == coord.SourceDone && words == coord.SourceOpen:
		return box, "the box is ticked, but the text says open"
	case box == coord.SourceDone:
		return box, "" // a remark from before it was ticked
	case o.struck && (box == coord.SourceOpen || box == coord.SourceActive):
		return struckStatus(o), "the box is open, but the text is struck through"
	case box == coord.SourceUnknown:
		return box, ""
	case box == coord.SourceOpen && words.Closed():
		return words, "the box is open, but the text says " + string(words)
	case box == coord.SourceOpen && words != "":
		return words, ""
	case words.Closed() && !box.Closed():
		return words, "the box says " + string(box) + ", but the text says " + string(words)
	}
	return box, ""
}

func struckStatus(o own) coord.RecordStatus {
	for _, s := range []coord.RecordStatus{o.edge, o.cell} {
		if s.Closed() {
			return s
		}
	}
	return coord.SourceRejected
}

// plainlyOpen reports that nothing of any strength speaks against making a task
// ready: not its own signs, nor remarks anywhere in its text, nor any section
// or group above it, nor the file.
func (x *extraction) plainlyOpen(r Record, o own, within []string) bool {
	says := o.boxed && o.mark == ' ' || o.cell == coord.SourceOpen
	if !says || o.planned || r.Facets.Status != coord.SourceOpen || r.Disputed != "" || o.doubtful {
		return false
	}
	for _, w := range within {
		if s := sectionStatus(w); s != "" && s != coord.SourceOpen {
			return false
		}
	}
	if s := sectionStatus(x.intro); s != "" && s != coord.SourceOpen {
		return false
	}
	if x.as != coord.AsBacklog || x.banner != "" || x.file != "" || !x.outline.admits() {
		return false
	}
	return o.marked() || !isStep(o.title) && !heldBack(o.text, r.Facets.Body)
}

// doubts reports a remark in a text, behind a dash, a bracket or the end of a
// sentence, that says something other than open. It is too weak to be a status.
func doubts(s string) bool {
	s = s[:runeStart(s, 4096)]
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r < 0x80 && !strings.ContainsRune("([*.:;", r) {
			continue
		}
		said := statusSigns()[string(r)]
		rest := s[i:]
		switch {
		case strings.ContainsRune("—–([*", r):
			said, _ = leadingWords(strings.TrimLeft(rest, " *_~(["))
			if bold, ok := strings.CutPrefix(rest, "*"); ok && said == "" {
				said = boldStatus(bold)
			}
		case strings.ContainsRune(".:;", r) && len(rest) > 1 && rest[0] == ' ' && (rest[1] < 'a' || rest[1] > 'z'):
			said, _ = leadingWords(strings.TrimLeft(rest, " *_~"))
		}
		if said != "" && said != coord.SourceOpen {
			return true
		}
	}
	return false
}

// boldStatus reads a status that is all there is between two pairs of stars.
func boldStatus(s string) coord.RecordStatus {
	if end := strings.Index(s[:runeStart(s, 40)], "**"); end > 0 && mayBeStatus(s[:end]) {
		return statusOf(normal(s[:end]))
	}
	return ""
}

// countedDone reads "3/5 done" and "515 DONE": the first is done in part, the
// second counts, and says nothing about the whole.
func countedDone(s string) (partial, counted bool) {
	m := countPattern().FindStringSubmatch(s)
	if m == nil || statusOf(normal(m[3])) != coord.SourceDone {
		return false, false
	}
	return m[2] != "" && m[1] != m[2], m[2] == "" || m[1] == m[2]
}

var countPattern = pattern(`^[ *_(]*([0-9]{1,6})(?:[ ]?(?:/|of|von|de|из)[ ]?([0-9]{1,6}))?[ ]*%?[ ]+(\pL+)`)
