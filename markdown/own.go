package markdown

import (
	"strings"
	"unicode/utf8"

	"coord"
)

// own is what a record's own text says: the text behind a list sign or of a
// heading, as one line.
type own struct {
	boxed, tight bool // a checkbox; a box without the space that makes it one
	optional     bool // a star behind the box says so
	mark         rune
	markers      []string
	linked       bool // its markers only say which record it is: the rest is a person's
	struck       bool
	edge         coord.RecordStatus // a status word in a status position
	cell         coord.RecordStatus // what a status cell or a status line says
	planned      bool               // a status cell or line says no more than that it is planned
	counted      bool               // it counts what is done
	doubtful     bool               // a remark in it says something other than open
	after        []string           // labels of what it waits for
	priority     coord.Priority
	label        string
	title        string // plain text, at most maxTitle bytes
	rest         string // own text that is not in the title
	text         string // the whole text without box and markers, encoded
}

// maxTitle is the longest title of a task, in bytes.
const maxTitle = 200

// readOwn reads own text. A marked text comes from an export or was linked by
// a person: its title is taken as it is, up to a last dash with what an export
// writes behind it.
func readOwn(lines []string) own {
	var o own
	o.text, o.markers = takeMarkers(strings.TrimSpace(strings.Join(lines, " ")))
	o.readBox()
	s := o.text
	if len(o.markers) > 0 && o.markers[0] != markNew {
		s = o.takeTail(s)
	} else {
		s = o.readSigns(s)
	}
	o.title = clean(decodeLine(s))
	o.label = labelOf(o.title)
	o.shorten()
	return o
}

func (o *own) readBox() {
	mark, n := box(o.text)
	if n == 0 {
		o.tight = strings.HasPrefix(o.text, "[ ]") || strings.HasPrefix(o.text, "[x]") && !strings.HasPrefix(o.text, "[x](")
		return
	}
	o.boxed, o.optional = true, strings.Contains(o.text[:n], "]*")
	o.mark, _ = utf8.DecodeRuneInString(mark)
	o.text = strings.TrimSpace(o.text[n:])
}

// takeTail cuts " — high, in review" off the end: only if every word of it is
// known.
func (o *own) takeTail(s string) string {
	i := strings.LastIndex(s, " — ")
	if i <= 0 {
		return s
	}
	var priority coord.Priority
	var edge coord.RecordStatus
	var after []string
	for word := range strings.SplitSeq(s[i+len(" — "):], ", ") {
		p := edgePriority(word)
		st, rest := leadingStatus(word)
		switch {
		case p != "":
			priority = p
		case st != "" && (strings.TrimSpace(rest) == "" || isCommit(strings.TrimSpace(rest))):
			edge = st
		case waitsOnly(word), len(after) > 0 && referenceForm().MatchString(word):
			after = append(after, labelsIn(word)...)
		default:
			return s
		}
	}
	o.priority, o.edge, o.after = priority, edge, merged(nil, after)
	return s[:i]
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// shorten moves what a title has no room for into the rest.
func (o *own) shorten() {
	if len(o.title) <= maxTitle {
		return
	}
	cut := clauseEnd(o.title)
	if cut == 0 || cut > maxTitle {
		cut = strings.LastIndexByte(o.title[:maxTitle], ' ')
	}
	if cut < maxTitle/8 {
		for cut = maxTitle; !utf8.RuneStart(o.title[cut]); cut-- {
		}
	}
	o.rest = join(strings.TrimLeft(o.title[cut:], " :.—"), o.rest)
	o.title = strings.TrimRight(o.title[:cut], " :.—(")
}

// clean makes text storable on one line: valid, without NUL, single spaces.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
	return strings.Join(strings.Fields(s), " ")
}
