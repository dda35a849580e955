package markdown

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what a record keeps; the service takes no more.
const (
	maxBody      = 16 << 10
	maxLesson    = 2000
	maxNote      = 64 << 10
	maxCriteria  = 50
	maxCriterion = 2000
)

// span is the content of a record below its own text.
type span struct {
	from, to    int  // blocks
	parent      int  // of its direct blocks
	first, last int  // lines
	column      int  // where its content begins
	criteria    bool // the line before it asks for criteria
}

var acceptPrefix = pattern(`(?i)^(?:\*\*|__)?(?:accept|acceptance|criterion)(?:\*\*|__)?:(?:\*\*|__)?[ \t]+`)

// content returns the body and the criteria of a record. Criteria are nested
// items that begin with "accept:", and the items below an item, a line or a
// heading such as "Acceptance:"; everything else is body, as it is written.
func (x *extraction) content(s span) (body string, criteria []string) {
	skip := x.apart(s.first - 1)
	below := s.criteria // direct items belong to a line or heading that asks for criteria
	for j := s.from; j < s.to; j++ {
		b := x.blocks[j]
		text := strings.Join(b.text, " ")
		switch {
		case skip[b.first]:
		case b.kind == KindItem && len(criteria) < maxCriteria && (acceptPrefix().MatchString(text) || below && b.parent == s.parent):
			if c := x.criterion(j); c != "" && len(c) <= maxCriterion {
				criteria = append(criteria, c)
				skipLines(skip, b.first, b.last)
			}
			j = x.after(j) - 1
		case b.kind == KindItem && strings.HasSuffix(text, ":") && isCriteria(text):
			criteria = append(criteria, x.nested(j, skip, maxCriteria-len(criteria))...)
			j = x.after(j) - 1
		case b.parent == s.parent && b.kind != KindItem:
			below = b.kind == KindHeading && isCriteria(text) || b.kind == KindText && strings.HasSuffix(text, ":") && isCriteria(text)
			if below {
				skipLines(skip, b.first, b.last)
			}
		}
	}
	return x.lines(s, skip), criteria
}

// criterion is the text of item j with everything nested in it, on one line.
func (x *extraction) criterion(j int) string {
	text := strings.Join(x.blocks[j].text, " ")
	for k := j + 1; k < x.after(j) && len(text) <= maxCriterion; k++ {
		text += " " + strings.Join(x.blocks[k].text, " ")
	}
	text = acceptPrefix().ReplaceAllString(text, "")
	return clean(decodeLine(withoutBox(text)))
}

func (x *extraction) nested(j int, skip map[int]bool, room int) []string {
	var out []string
	for k := j + 1; k < x.after(j) && len(out) < room; k++ {
		if x.blocks[k].kind == KindItem && x.blocks[k].parent == j {
			if c := x.criterion(k); c != "" && len(c) <= maxCriterion {
				out = append(out, c)
				skipLines(skip, x.blocks[k].first, x.blocks[k].last)
			}
		}
	}
	if len(out) > 0 {
		skipLines(skip, x.blocks[j].first, x.blocks[j].textLast)
	}
	return out
}

func skipLines(skip map[int]bool, first, last int) {
	for n := first; n <= last; n++ {
		skip[n] = true
	}
}

// lines returns the lines of a span without those to skip, without the
// indentation that the record's sign demands, and without blank edges.
func (x *extraction) lines(s span, skip map[int]bool) string {
	var b strings.Builder
	blank := 0
	for n := s.first; n <= s.last && n < len(x.starts); n++ {
		switch {
		case skip[n]:
			continue
		case x.blank(n):
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat("\n", min(blank, 2)+1))
		}
		blank = 0
		b.WriteString(strings.TrimRight(dedent(x.line(n), s.column), " \t"))
	}
	return valid(decodeComments(b.String()))
}

// dedent removes up to so many columns of leading white space.
func dedent(line string, columns int) string {
	at, i := 0, 0
	for i < len(line) && at < columns {
		switch line[i] {
		case ' ':
			at++
		case '\t':
			at += 4 - at%4
		default:
			return line[i:]
		}
		i++
	}
	return strings.Repeat(" ", max(at-columns, 0)) + line[i:]
}

func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// limit cuts a text that the service would refuse, and says so in it. The
// source file still holds the whole of it.
func limit(s string, bytes int) string {
	const more = "\n\n[cut: the source holds more]"
	if len(s) <= bytes {
		return s
	}
	cut := bytes - len(more)
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " \t\n") + more
}
