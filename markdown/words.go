package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"coord"
)

// normal reduces text to what identity rests on: lower-case letters and
// digits, single spaces, no dates. Ways to write one character, such as é of
// one or two code points, a wide digit or a ligature, are one (NFKC, Unicode
// Standard Annex #15).
func normal(s string) string {
	s = norm.NFKC.String(s)
	var b strings.Builder
	b.Grow(len(s))
	space, word := false, false
	for i := 0; i < len(s); {
		c := s[i]
		if c >= '0' && c <= '9' && !word && isDate(s[i:]) {
			space = true
			i += len("2006-01-02")
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		word = c < utf8.RuneSelf && wordByte(c)
		if c < utf8.RuneSelf && (!word || c == '_') || c >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// isDate reports a date such as 2006-01-02 at the start of s.
func isDate(s string) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' || len(s) > 10 && wordByte(s[10]) {
		return false
	}
	return strings.Trim(s[:4]+s[5:7]+s[8:10], "0123456789") == ""
}

var datePattern = pattern(`\b\d{4}-\d{2}-\d{2}\b`)

// edgePriority reads a text at the edge of a title that is nothing but a
// priority. There only a few words are one: a title may end with "(media)".
func edgePriority(s string) coord.Priority {
	p := priorityOf(s)
	if p == "" {
		return ""
	}
	switch n := normal(s); n {
	case "p0", "p1", "p2", "p3", "p4", "urgent", "critical", "high", "normal", "medium", "low":
		return p
	default:
		if strings.Contains(n, "priority") {
			return p
		}
	}
	return ""
}

// priorityOf reads a cell or a field that is nothing but a priority, in any of
// the languages.
func priorityOf(s string) coord.Priority {
	if len(s) > 40 {
		return ""
	}
	s = strings.TrimSuffix(strings.TrimPrefix(normal(s), "priority "), " priority")
	return vocabulary().priority[s]
}

// sectionNumber is a section's place among its siblings.
var sectionNumber = pattern(`^[^\pL\pN]*(?:\d{1,3}[.)]\s+|[一二三四五六七八九十]+、\s*)`)

// sectionTitle cuts what surrounds a section's name: a number, a date, a count,
// a remark. Of "P2 — Nice to have" the name is what follows the priority.
func sectionTitle(title string) string {
	title = title[len(sectionNumber().FindString(title)):]
	for {
		name, rest := title, ""
		for _, sep := range []string{" — ", " – ", " - ", ": ", " (", "：", "（"} {
			if i := strings.Index(name, sep); i > 0 {
				name, rest = name[:i], title[i+len(sep):]
			}
		}
		if rest == "" || edgePriority(name) == "" {
			return normal(name)
		}
		title = rest
	}
}

// sectionNames are the names that a heading gives its section: "Roadmap / next
// steps" are two.
func sectionNames(title string) []string {
	names := []string{sectionTitle(title)}
	if strings.Contains(title, " / ") {
		for part := range strings.SplitSeq(title, " / ") {
			names = append(names, sectionTitle(part))
		}
	}
	return names
}

// sectionStatus reads a heading as the name of a section; empty if it is none.
func sectionStatus(title string) coord.RecordStatus {
	for _, name := range sectionNames(title) {
		if s := statusOf(name); s != "" {
			return s
		}
		if s := vocabulary().sections[name]; s != "" {
			return s
		}
	}
	return ""
}

func isCriteria(title string) bool {
	name := sectionTitle(strings.TrimRight(title, ": ："))
	return vocabulary().criteria[name] || strings.HasSuffix(name, " checklist")
}

// leadingStatus reads the words that s begins with, up to four of them, if they
// stand for themselves: followed by nothing, by punctuation, by a figure or by
// a word that introduces where and when.
func leadingStatus(s string) (status coord.RecordStatus, rest string) {
	s = strings.TrimLeft(s, " *_~")
	for sign, st := range statusSigns() {
		if after, ok := strings.CutPrefix(s, sign); ok {
			after = strings.TrimLeft(after, "\ufe0f *_~")
			if inner, rest := leadingWords(after); inner != "" {
				return inner, rest
			}
			return st, after
		}
	}
	return leadingWords(s)
}

func leadingWords(s string) (status coord.RecordStatus, rest string) {
	ends := wordEnds(s[:runeStart(s, 80)], 4)
	if len(ends) == 0 || !mayBeStatus(s[:ends[0]]) {
		return "", s
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if st := statusOf(normal(s[:ends[i]])); st != "" && standsAlone(s[ends[i]:]) {
			if st == coord.SourceDone && limited(s[ends[i]:]) {
				st = coord.SourcePartial
			}
			return st, s[ends[i]:]
		}
	}
	return "", s
}

func wordEnds(s string, limit int) []int {
	var ends []int
	inWord := false
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\''
		if inWord && !letter {
			if ends = append(ends, i); len(ends) == limit {
				return ends
			}
		}
		if !letter && r != ' ' && r != '-' && r != '’' {
			return ends
		}
		inWord = letter
	}
	if inWord {
		ends = append(ends, len(s))
	}
	return ends
}

// mayBeStatus reports that a status may begin with a word. Negations of some
// languages are written in one with what they negate.
func mayBeStatus(word string) bool {
	w := vocabulary()
	first, _, _ := strings.Cut(normal(word), " ")
	if w.firsts[first] {
		return true
	}
	r, n := utf8.DecodeRuneInString(first)
	return n > 1 && w.negated[r]
}

// limited reports that what follows "done" takes a part of it back.
func limited(rest string) bool {
	words := strings.Fields(normal(rest[:runeStart(rest, 60)]))
	w := vocabulary()
	return len(words) > 0 && w.limits[words[0]] || len(words) > 1 && w.limits[words[0]+" "+words[1]]
}

// runeStart is the greatest place of at most n in s where no rune is cut.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

func standsAlone(rest string) bool {
	rest = strings.TrimLeft(rest, " *_~\ufe0f")
	if rest == "" {
		return true
	}
	r := []rune(rest[:min(len(rest), 4)])[0]
	if !unicode.IsLetter(r) {
		return r != '-'
	}
	first, _, _ := strings.Cut(normal(rest[:min(len(rest), 40)]), " ")
	return vocabulary().introducers[first] || isCommit(first)
}

func isCommit(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// onlyPlanned reports a status that calls something planned: open, but nobody
// said that it may begin.
func onlyPlanned(s string) bool { return vocabulary().plans[firstWords(s)] }

// passed reports a result, such as "passed (12 tests)", in a status cell.
func passed(s string) bool { return vocabulary().results[firstWords(s)] }

// firstWords is what stands before any bracket or punctuation, normalised.
func firstWords(s string) string {
	s = strings.Trim(s, " *_`")
	if i := strings.IndexAny(s, "([,;.:—–（"); i > 0 {
		s = s[:i]
	}
	return normal(s)
}
