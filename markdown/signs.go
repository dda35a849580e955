package markdown

import (
	"strings"
	"unicode/utf8"

	"coord"
)

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
	if m := frontPriority().FindStringSubmatch(s[:runeStart(s, 40)]); m != nil && (strings.HasPrefix(m[1], "P") || strings.ContainsAny(m[0], "[(:—")) {
		o.priority = edgePriority(m[1])
		s = strings.TrimSpace(s[len(m[0]):])
	}
	if label := labelOf(s); label != "" && strings.HasPrefix(s, label) {
		return o.takeSigned(s, label)
	}
	st, rest := leadingStatus(s)
	if st == "" || strings.TrimSpace(rest) == "" {
		return s
	}
	separated := strings.HasPrefix(strings.TrimLeft(rest, "*_ "), ":") || strings.HasPrefix(rest, "：") || strings.HasPrefix(strings.TrimLeft(rest, " "), "—")
	_, sign := statusSigns()[string([]rune(s)[:1])]
	if !separated && !sign {
		return s
	}
	if o.edge == "" {
		o.edge = st
	}
	if title := strings.TrimLeft(rest, " *_:：—\ufe0f"); title != "" {
		return title
	}
	return s
}

// takeSigned reads a sign with its word behind a label: "B-8 ✅ FIXED — …". A
// sign before some other word says nothing of how the task stands.
func (o *own) takeSigned(s, label string) string {
	behind := strings.TrimLeft(s[len(label):], " :.)]")
	r, n := utf8.DecodeRuneInString(behind)
	if statusSigns()[string(r)] == "" {
		return s
	}
	st, rest := leadingWords(strings.TrimLeft(behind[n:], "\ufe0f *_"))
	if _, title, ok := strings.Cut(rest, " — "); st != "" && ok && o.edge == "" {
		o.edge = st
		return label + " " + title
	}
	return s
}

// takeRemark reads " — DONE 2026-08-06, see …" and " — P1, after B-3".
func (o *own) takeRemark(s string) string {
	at := 0
	for range 20 {
		i, n := dash(s[at:])
		if i < 0 || at+i == 0 {
			return s
		}
		at += i
		remark := s[at+n:]
		first, others, _ := strings.Cut(remark, ", ")
		if p := edgePriority(first); p != "" {
			o.priority = p
			if st, _ := leadingStatus(others); st != "" {
				o.remark(st)
			}
			o.waitsFor(others)
			o.rest = join(o.rest, others)
			return s[:at]
		}
		if st, _ := leadingStatus(remark); st != "" {
			o.remark(st)
			o.waitsFor(remark)
			return s[:at]
		}
		if o.counts(remark) || startsWaiting(remark) {
			o.waitsFor(remark)
			o.rest = join(o.rest, remark)
			return s[:at]
		}
		at += n
	}
	return s
}

// dash is where the first dash between words stands, and its length; -1 if
// there is none.
func dash(s string) (at, n int) {
	at = -1
	for _, d := range []string{" — ", " – ", " - ", " -- ", "——"} {
		if i := strings.Index(s, d); i >= 0 && (at < 0 || i < at) {
			at, n = i, len(d)
			s = s[:i+n]
		}
	}
	return at, n
}

var lastBrackets = pattern(`[ \t]*[(\[（]([^()\[\]（）]{1,60})[)\]）]$`)

// takeBrackets reads "(done 2026-08-06)" and "[P1]" at the end, up to three.
func (o *own) takeBrackets(s string) string {
	for range 3 {
		from := max(len(s)-80, 1)
		if from >= len(s) || s[len(s)-1] != ')' && s[len(s)-1] != ']' && !strings.HasSuffix(s, "）") {
			return s
		}
		m := lastBrackets().FindStringSubmatchIndex(s[from:])
		if m == nil {
			return s
		}
		inner := s[from+m[2] : from+m[3]]
		p := edgePriority(inner)
		st, _ := leadingStatus(inner)
		switch {
		case p != "":
			o.priority = p
		case st != "":
			o.remark(st)
			o.waitsFor(inner)
		case o.counts(inner):
		case startsWaiting(inner):
			o.waitsFor(inner)
			o.rest = join(inner, o.rest)
		default:
			return s
		}
		s = strings.TrimRight(s[:from+m[0]], " \t")
	}
	return s
}

// remark takes in a status; the first one stands.
func (o *own) remark(s coord.RecordStatus) {
	if o.edge == "" {
		o.edge = s
	}
}

// counts takes in "3/5 done" and "515 DONE".
func (o *own) counts(s string) bool {
	partial, counted := countedDone(s)
	if partial {
		o.remark(coord.SourcePartial)
	}
	o.counted = o.counted || counted
	return partial || counted
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
	if p := edgePriority(strings.TrimRight(bold, ":")); p != "" {
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
