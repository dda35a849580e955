package markdown

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"coord"
)

// Brackets is what stands in brackets behind the text of an exported lesson:
// what to know of it beside its text, part by part.
type Brackets struct {
	There   bool   // without them nothing is said of what they hold
	Service string // where the lesson comes from and what became of it: not a file's to say
	Tags    []string
	Scope   coord.LessonScope
	Reopen  string
	Odd     bool // a part is none of these
	Nowhere bool // where it applies cannot be read
}

// The parts. What the service knows has no sign of its own but
// "from: ", and the words that an export writes.
const (
	partFrom   = "from:"
	partTags   = "tags:"
	partScope  = "for:"
	partReopen = "reopen when:"
)

var (
	partsOfFile    = []string{partTags, partScope, partReopen}
	partsOfService = []string{partFrom, "until ", "superseded by ", "became rule "}
)

// maxRemarked is the longest line that is looked through for brackets.
const maxRemarked = 64 << 10

// cutBrackets takes the brackets off a lesson's first line. A line with a marker
// may have it anywhere, and unknown parts in it are passed over. Without one
// the brackets have to end the line and hold known parts only: people put many
// things in brackets.
func cutBrackets(s string, marked bool) (text string, r Brackets) {
	if len(s) > maxRemarked {
		return s, r
	}
	groups := bracketed(s)
	for i := len(groups) - 1; i >= 0 && marked; i-- {
		if in := s[groups[i].From+1 : groups[i].To-1]; strings.HasPrefix(in, partFrom) {
			return join(strings.TrimRight(s[:groups[i].From], " \t"), strings.TrimLeft(s[groups[i].To:], " \t")), readBrackets(in)
		}
	}
	if len(groups) == 0 || groups[len(groups)-1].To != len(s) {
		return s, r
	}
	last := groups[len(groups)-1]
	text, in := strings.TrimRight(s[:last.From], " \t"), s[last.From+1:last.To-1]
	if r = readBrackets(in); r.Odd || r.Nowhere || text == "" || !marked && (r.Service != "" || r.says(text) != nil) {
		return s, Brackets{}
	}
	return text, r
}

// says checks them as the service would, with the text that it is about.
func (r Brackets) says(text string) error {
	c := coord.Learn{Text: text, Reopen: r.Reopen, Scope: r.Scope, Tags: r.Tags}
	if r.Reopen != "" {
		c.Kind = coord.KindRejected
	}
	return c.Validate()
}

// bracketed are the round brackets of a line that begin like these, in the
// order in which they end. Those in code and behind a backslash are text.
func bracketed(s string) []Span {
	if !strings.HasSuffix(s, ")") && !strings.Contains(s, "("+partFrom) {
		return nil
	}
	var out []Span
	var open []int
	for i := 0; i < len(s); i += unit(s, i) {
		switch s[i] {
		case '(':
			open = append(open, i)
		case ')':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if beginsBrackets(s[from+1:]) {
				out = append(out, Span{from, i + 1})
			}
		}
	}
	return out
}

func beginsBrackets(s string) bool {
	return strings.HasPrefix(s, partFrom) || slices.ContainsFunc(partsOfFile, func(p string) bool { return strings.HasPrefix(s, p) })
}

// unit is the length of what counts as one sign at s[i]: an escape, an entity
// that decodeLine knows, a code span with all it holds, or a byte.
func unit(s string, i int) int {
	if s[i] == '&' {
		for _, entity := range []string{"&lt;", "&gt;", "&amp;"} {
			if strings.HasPrefix(s[i:], entity) {
				return len(entity)
			}
		}
	}
	switch {
	case s[i] == '\\' && i+1 < len(s):
		return 2
	case s[i] == '`':
		end, run := codeSpan(s, i)
		return max(end-i, run)
	}
	return 1
}

func readBrackets(s string) Brackets {
	r := Brackets{There: true}
	for _, part := range splitAt(s, ";") {
		part = strings.TrimSpace(part)
		ours := slices.ContainsFunc(partsOfService, func(p string) bool { return strings.HasPrefix(part, p) })
		tags, isTags := strings.CutPrefix(part, partTags)
		scope, isScope := strings.CutPrefix(part, partScope)
		reopen, isReopen := strings.CutPrefix(part, partReopen)
		switch {
		case part == "":
		case ours:
			r.Service += "; " + clean(decodeLine(part))
		case isTags:
			r.Tags = append(r.Tags, readTags(tags)...)
		case isScope:
			r.Nowhere = r.Nowhere || !readScope(&r.Scope, scope)
		case isReopen:
			r.Reopen = join(r.Reopen, clean(decodeLine(reopen)))
		default:
			r.Odd = true
		}
	}
	r.Service = strings.TrimPrefix(r.Service, "; ")
	r.Tags = coord.Canonical(r.Tags)
	return r
}

// splitAt splits at a separator that is not escaped and not in code.
func splitAt(s, sep string) []string {
	var out []string
	from := 0
	for i := 0; i < len(s); i += unit(s, i) {
		if i >= from && strings.HasPrefix(s[i:], sep) {
			out = append(out, s[from:i])
			from = i + len(sep)
		}
	}
	return append(out, s[from:])
}

func readTags(s string) []string {
	var out []string
	for tag := range strings.SplitSeq(s, ",") {
		if tag = strings.ToLower(strings.TrimPrefix(clean(decodeLine(tag)), "#")); tag != "" {
			out = append(out, tag)
		}
	}
	return out
}

// readScope reads "component x, path y". It reports false for anything else.
func readScope(s *coord.LessonScope, text string) bool {
	for _, part := range splitAt(text, ", ") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		value = clean(decodeLine(value))
		switch {
		case name == "" && value == "":
		case value == "":
			return false
		case name == "task":
			s.Task = coord.TaskID(value)
		case name == "component":
			s.Component = value
		case name == "version":
			s.Version = value
		case name == "environment":
			s.Environment = value
		case name == "path":
			s.Paths = append(s.Paths, value)
		default:
			return false
		}
	}
	return true
}

// writeBrackets is what stands in them; empty if there is nothing to say.
func writeBrackets(l coord.ExportLesson) string {
	ours := serviceParts(l)
	parts := []string{encodePart(ours[0])}
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, label+" "+text)
		}
	}
	add(partTags, strings.Join(l.Tags, ", "))
	add(partScope, scopeText(l.Scope))
	add(partReopen, encodePart(l.Reopen))
	for _, part := range ours[1:] {
		parts = append(parts, encodePart(part))
	}
	if l.Source == "" && len(parts) == 1 {
		return ""
	}
	return strings.Join(parts, "; ")
}

// serviceParts are the parts that only the service writes.
func serviceParts(l coord.ExportLesson) []string {
	parts := []string{partFrom + " " + clean(cmp.Or(l.Source, "here"))}
	if l.ExpiresAt != nil {
		parts = append(parts, "until "+l.ExpiresAt.UTC().Format(time.DateOnly))
	}
	if l.SupersededBy != "" {
		parts = append(parts, "superseded by "+string(l.SupersededBy))
	}
	if l.Rule != nil {
		parts = append(parts, "became rule "+clean(l.Rule.Name))
	}
	return parts
}

func scopeText(s coord.LessonScope) string {
	named := [][2]string{{"task ", string(s.Task)}, {"component ", s.Component}, {"version ", s.Version}, {"environment ", s.Environment}}
	for _, p := range s.Paths {
		named = append(named, [2]string{"path ", p})
	}
	var parts []string
	for _, p := range named {
		if value := encodeListed(p[1]); value != "" {
			parts = append(parts, p[0]+value)
		}
	}
	return strings.Join(parts, ", ")
}

// encodePart writes a text as a part of brackets, or in one: nothing in it ends
// the part or the brackets, or begins code. decodeLine gives it back.
func encodePart(s string) string {
	s = clean(s)
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte("`();", s[i]) >= 0 {
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		b.WriteString(encodeByte(s, i))
	}
	return b.String()
}

// encodeListed is encodePart for what is listed with commas.
func encodeListed(s string) string {
	s = encodePart(s)
	if strings.HasSuffix(s, ",") {
		s = s[:len(s)-1] + `\,`
	}
	return strings.ReplaceAll(s, ", ", `\, `)
}
