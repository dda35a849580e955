package markdown

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// What is read as a link, at most: a file of nothing but brackets is none.
const (
	maxLinks  = 100_000
	maxTarget = 2048 // bytes of one target
	maxOpen   = 256  // brackets open at once
)

// linker finds the links of a file, block by block, in time that is linear in
// its size.
type linker struct {
	*extraction
	definitions map[string]definition // by their normalised names
	out         []Link

	src   string // the text that is read
	base  int    // where it begins in the file
	ticks map[int][]int
	open  []int // brackets
}

type definition struct {
	target string
	span   Span
	used   bool
}

// links are those of the whole file but its code and HTML. A record's own label
// is no link.
func (x *extraction) links(tiles []Tile) []Link {
	l := &linker{extraction: x, definitions: map[string]definition{}}
	for _, b := range x.blocks {
		if b.kind == KindText {
			l.define(b)
		}
	}
	for _, b := range x.blocks {
		switch {
		case b.kind == KindQuote:
			l.read(x.starts[b.first], x.lineEnd(b.last))
		case b.kind == KindItem, b.kind == KindHeading, b.kind == KindText:
			if n := len(b.text); n > 0 {
				l.read(b.at[0], b.at[n-1]+len(b.text[n-1]))
			}
		}
	}
	for _, d := range l.definitions {
		if !d.used {
			l.add(linkKind(d.target), d.target, d.span.From, d.span.To)
		}
	}
	l.assign(tiles)
	return l.out
}

var definitionLine = pattern(`^\[([^\]\\^][^\]\\]{0,300})\]:[ \t]*(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?$`)

// define takes in the link definitions that a paragraph begins with.
func (l *linker) define(b block) {
	for n, line := range b.text {
		if !strings.HasPrefix(line, "[") {
			return
		}
		m := definitionLine().FindStringSubmatch(line)
		if m == nil {
			return
		}
		name := referenceName(m[1])
		if _, ok := l.definitions[name]; !ok {
			l.definitions[name] = definition{target: m[2] + m[3], span: Span{b.at[n], b.at[n] + len(line)}}
		}
	}
}

func referenceName(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func (l *linker) add(kind LinkKind, raw string, from, to int) {
	if len(l.out) < maxLinks && raw != "" {
		l.out = append(l.out, Link{Kind: kind, Raw: valid(raw), Span: Span{from, to}, Record: -1})
	}
}

// assign sorts the links and finds each one's line and record: the innermost
// whose lines hold it.
func (l *linker) assign(tiles []Tile) {
	sort.SliceStable(l.out, func(i, j int) bool { return l.out[i].Span.From < l.out[j].Span.From })
	kept := l.out[:0]
	n := 0
	for _, link := range l.out {
		for n < len(tiles)-1 && tiles[n].To <= link.Span.From {
			n++
		}
		link.Line = l.lineOf(link.Span.From) + 1
		if link.Record = tiles[n].Record; link.Record >= 0 && link.Kind == LinkLabel {
			if r := l.records[link.Record]; r.Label == link.Raw && inside(r.Own, link.Span) {
				continue
			}
		}
		kept = append(kept, link)
	}
	l.out = kept
}

func inside(outer, inner Span) bool { return outer.From <= inner.From && inner.To <= outer.To }

// read finds the links in the text [from, to) of the file.
func (l *linker) read(from, to int) {
	l.src, l.base, l.open = string(l.view[from:to]), from, l.open[:0]
	l.findTicks()
	for i := 0; i < len(l.src); {
		switch c := l.src[i]; {
		case c == '\\':
			i += 2
		case c == '`':
			i = l.code(i)
		case c == '<':
			i = l.angle(i)
		case c == '[':
			i = l.bracket(i)
		case c == ']':
			i = l.closeBracket(i)
		default:
			i = l.word(i)
		}
	}
}

// findTicks lists the runs of backticks by their length.
func (l *linker) findTicks() {
	if l.ticks = nil; !strings.Contains(l.src, "`") {
		return
	}
	l.ticks = map[int][]int{}
	for i := 0; i < len(l.src); {
		n := strings.IndexByte(l.src[i:], '`')
		if n < 0 {
			return
		}
		i += n
		for n = 0; i+n < len(l.src) && l.src[i+n] == '`'; n++ {
		}
		l.ticks[n] = append(l.ticks[n], i)
		i += n
	}
}

// code is a code span: its text may mention a file or a commit.
func (l *linker) code(i int) int {
	run := 0
	for i+run < len(l.src) && l.src[i+run] == '`' {
		run++
	}
	runs := l.ticks[run]
	for len(runs) > 0 && runs[0] <= i {
		runs = runs[1:]
	}
	if l.ticks[run] = runs; len(runs) == 0 {
		return i + run
	}
	end := runs[0]
	text := strings.TrimSpace(l.src[i+run : end])
	switch {
	case isObjectID(text):
		l.add(LinkCommit, text, l.base+i, l.base+end+run)
	case isMention(text):
		l.add(LinkMention, text, l.base+i, l.base+end+run)
	}
	return end + run
}

// angle is an autolink, a comment or a tag; nothing inside those is a link.
func (l *linker) angle(i int) int {
	if strings.HasPrefix(l.src[i:], "<!--") {
		if end := strings.Index(l.src[i+4:], "-->"); end >= 0 {
			return i + 4 + end + 3
		}
		return len(l.src)
	}
	limit := min(i+maxTarget, len(l.src))
	end := strings.IndexAny(l.src[i+1:limit], "<> \n\t")
	if end < 0 || l.src[i+1+end] != '>' {
		return i + 1
	}
	target := l.src[i+1 : i+1+end]
	if isExternal(target) || strings.Contains(target, "@") && !strings.ContainsAny(target, "/\\\"=") {
		l.add(LinkExternal, target, l.base+i, l.base+i+end+2)
	}
	return i + end + 2
}

// bracket opens a link, or reads a whole wiki link.
func (l *linker) bracket(i int) int {
	if strings.HasPrefix(l.src[i:], "[[") {
		limit := min(i+maxTarget, len(l.src))
		end := strings.IndexAny(l.src[i+2:limit], "[]\n")
		if end > 0 && strings.HasPrefix(l.src[i+2+end:], "]]") {
			target, _, _ := strings.Cut(l.src[i+2:i+2+end], "|")
			if target = strings.TrimSpace(strings.TrimSuffix(target, `\`)); target != "" {
				l.add(LinkWiki, target, l.base+i, l.base+i+end+4)
				return i + end + 4
			}
		}
	}
	if len(l.open) < maxOpen {
		l.open = append(l.open, i)
	}
	return i + 1
}

// closeBracket ends the text of a link, if a target or the name of a definition
// follows, or the text is such a name.
func (l *linker) closeBracket(i int) int {
	if len(l.open) == 0 {
		return i + 1
	}
	from := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	start := from
	if from > 0 && l.src[from-1] == '!' {
		start--
	}
	text := l.src[from+1 : i]
	if target, n := inlineTarget(l.src[i+1:]); n > 0 {
		l.add(linkKind(target), target, l.base+start, l.base+i+1+n)
		return i + 1 + n
	}
	if strings.HasPrefix(l.src[i+1:], "[") {
		limit := min(i+2+300, len(l.src))
		if n := strings.IndexAny(l.src[i+2:limit], "[]"); n >= 0 && l.src[i+2+n] == ']' {
			name := l.src[i+2 : i+2+n]
			if name == "" {
				name = text
			}
			if l.refer(name, start, i+3+n) {
				return i + 3 + n
			}
		}
	}
	if !strings.HasPrefix(l.src[i+1:], ":") || from > 0 {
		l.refer(text, start, i+1)
	}
	return i + 1
}

func (l *linker) refer(name string, from, to int) bool {
	if len(name) > 300 || len(l.definitions) == 0 {
		return false
	}
	name = referenceName(name)
	d, ok := l.definitions[name]
	if !ok || d.span.From <= l.base+from && l.base+to <= d.span.To {
		return false
	}
	d.used = true
	l.definitions[name] = d
	l.add(linkKind(d.target), d.target, l.base+from, l.base+to)
	return true
}

// word reads from i to the end of what may be an address, a number, a commit or
// a label.
func (l *linker) word(i int) int {
	r, n := utf8.DecodeRuneInString(l.src[i:])
	if !wordRune(r) || r == '.' || r == '-' {
		return i + n
	}
	end := i
	for end < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[end:])
		if !wordRune(r) {
			break
		}
		end += n
	}
	if strings.HasPrefix(l.src[end:], "://") {
		if target := address(l.src[i:]); target != "" {
			l.add(LinkExternal, target, l.base+i, l.base+i+len(target))
			return i + len(target)
		}
	}
	s := strings.TrimRight(l.src[i:end], ".-/_")
	switch {
	case s == "" || len(s) > 80:
	case strings.IndexByte(s, '#') >= 0 && (i == 0 || l.src[i-1] != '&') && numberForm().MatchString(s):
		l.add(LinkNumber, s, l.base+i, l.base+i+len(s))
	case isObjectID(s):
		l.add(LinkCommit, s, l.base+i, l.base+i+len(s))
	case s[0] >= 'A' && s[0] <= 'Z' && strings.IndexByte(s, '-') > 0 && labelForm().MatchString(s) && !standards().MatchString(s):
		l.add(LinkLabel, s, l.base+i, l.base+i+len(s))
	}
	return end
}
