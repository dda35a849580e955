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
	mark         rune
	markers      []string
	struck       bool
	edge         coord.RecordStatus // a status word in a status position
	priority     coord.Priority
	label        string
	title        string // plain text, at most maxTitle bytes
	rest         string // own text that is not in the title
	text         string // the whole text without box and markers, encoded
}

// maxTitle is the longest title of a task, in bytes.
const maxTitle = 200

var boxPattern = pattern(`^\[([^\]\d])[\x{fe0f}]?\](\*?)(?:[ \t]+|$)`)

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
	m := boxPattern().FindStringSubmatch(o.text)
	if m == nil {
		o.tight = strings.HasPrefix(o.text, "[ ]") || strings.HasPrefix(o.text, "[x]") && !strings.HasPrefix(o.text, "[x](")
		return
	}
	o.boxed = true
	o.mark, _ = utf8.DecodeRuneInString(m[1])
	o.text = strings.TrimSpace(o.text[len(m[0]):])
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
	for word := range strings.SplitSeq(s[i+len(" — "):], ", ") {
		p := priorityOf(word)
		st, rest := leadingStatus(word)
		switch {
		case p != "":
			priority = p
		case st != "" && (strings.TrimSpace(rest) == "" || isCommit(strings.TrimSpace(rest))):
			edge = st
		default:
			return s
		}
	}
	o.priority, o.edge = priority, edge
	return s[:i]
}

// readSigns reads what people write around a title: strikethrough, status
// words and signs, priorities, a bold lead.
func (o *own) readSigns(s string) string {
	s = o.takeStrike(s)
	s = o.takeFront(s)
	s = o.takeRemark(s)
	s = o.takeBrackets(s)
	s = o.takeEndSign(s)
	return o.takeBold(s)
}

// takeStrike reads ~~lead~~ and the words behind it.
func (o *own) takeStrike(s string) string {
	inner, ok := strings.CutPrefix(s, "~~")
	if !ok {
		return s
	}
	struck, after, ok := strings.Cut(inner, "~~")
	if !ok || strings.TrimSpace(struck) == "" {
		return s
	}
	o.struck = true
	o.edge, _ = leadingStatus(strings.TrimLeft(after, " —–-:.*("))
	o.rest = strings.TrimSpace(after)
	return strings.TrimSpace(struck)
}

var frontPriority = pattern(`^(?:\*\*)?[\[(]?(P[0-4]|(?i:urgent|critical|high|medium|low))[\])]?(?:\*\*)?(?::|[ \t]*[—–])?(?:\*\*)?[ \t]+`)

// takeFront reads signs before the title: "✅ …", "P1: …", "[P1] …", "DONE: …".
func (o *own) takeFront(s string) string {
	if m := frontPriority().FindStringSubmatch(s); m != nil && (strings.HasPrefix(m[1], "P") || strings.ContainsAny(m[0], "[(:—")) {
		o.priority = priorityOf(m[1])
		s = strings.TrimSpace(s[len(m[0]):])
	}
	st, rest := leadingStatus(s)
	if st == "" || strings.TrimSpace(rest) == "" {
		return s
	}
	separated := strings.HasPrefix(strings.TrimLeft(rest, "*_ "), ":") || strings.HasPrefix(strings.TrimLeft(rest, " "), "—")
	_, sign := statusSigns()[string([]rune(s)[:1])]
	if !separated && !sign {
		return s
	}
	if o.edge == "" {
		o.edge = st
	}
	if title := strings.TrimLeft(rest, " *_:—\ufe0f"); title != "" {
		return title
	}
	return s
}

// takeRemark reads " — DONE 2026-08-06, see …" and " — P1, after B-3".
func (o *own) takeRemark(s string) string {
	at := 0
	for range 20 {
		i := strings.Index(s[at:], " — ")
		if i < 0 || at+i == 0 {
			return s
		}
		at += i
		remark := s[at+len(" — "):]
		first, others, _ := strings.Cut(remark, ", ")
		if p := priorityOf(first); p != "" {
			o.priority = p
			o.rest = join(o.rest, others)
			return s[:at]
		}
		if st, _ := leadingStatus(remark); st != "" {
			if o.edge == "" {
				o.edge = st
			}
			return s[:at]
		}
		at += len(" — ")
	}
	return s
}

var lastBrackets = pattern(`[ \t]*[(\[]([^()\[\]]{1,60})[)\]]$`)

// takeBrackets reads "(done 2026-08-06)" and "[P1]" at the end, up to three.
func (o *own) takeBrackets(s string) string {
	for range 3 {
		from := max(len(s)-80, 1)
		if from >= len(s) {
			return s
		}
		m := lastBrackets().FindStringSubmatchIndex(s[from:])
		if m == nil {
			return s
		}
		inner := s[from+m[2] : from+m[3]]
		p := priorityOf(inner)
		st, _ := leadingStatus(inner)
		switch {
		case p != "":
			o.priority = p
		case st != "":
			if o.edge == "" {
				o.edge = st
			}
		default:
			return s
		}
		s = strings.TrimRight(s[:from+m[0]], " \t")
	}
	return s
}

// takeEndSign reads a sign at the end: "… ✅".
func (o *own) takeEndSign(s string) string {
	bare := strings.TrimRight(s, " \ufe0f")
	last, n := utf8.DecodeLastRuneInString(bare)
	st := statusSigns()[string(last)]
	if st == "" || n == len(bare) {
		return s
	}
	if o.edge == "" {
		o.edge = st
	}
	return strings.TrimSpace(bare[:len(bare)-n])
}

// takeBold makes a bold beginning the title, unless it is only a label.
func (o *own) takeBold(s string) string {
	inner, ok := strings.CutPrefix(s, "**")
	if !ok {
		return s
	}
	bold, after, ok := strings.Cut(inner, "**")
	bold = strings.TrimSpace(bold)
	if !ok || bold == "" {
		return s
	}
	if p := priorityOf(strings.TrimRight(bold, ":")); p != "" {
		o.priority = p
		return strings.TrimLeft(after, " :—")
	}
	name := strings.TrimRight(bold, ":. ")
	if labelOf(name) == name || len(normal(name)) < 4 {
		return strings.TrimSpace(bold + " " + strings.TrimSpace(after))
	}
	o.rest = join(strings.TrimLeft(strings.TrimSpace(after), ":—. "), o.rest)
	return name
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
