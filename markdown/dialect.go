package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"coord"
)

// dialect is what one file says its marks mean. Some marks mean one thing to
// one tool and its opposite to another ([-], [~], [>]): only a legend in the
// file itself settles that, and without one they mean nothing.
type dialect struct {
	marks   map[rune]coord.RecordStatus
	legends map[int]bool // numbers of the lists that are legends
	blocks  map[int]bool // paragraphs that are
}

// sureMarks mean one thing wherever they are used.
var sureMarks = map[rune]coord.RecordStatus{
	' ': coord.SourceOpen, 'x': coord.SourceDone, 'X': coord.SourceDone, '✓': coord.SourceDone, '✔': coord.SourceDone,
	'/': coord.SourceActive, '<': coord.SourceParked,
}

// mark reads the sign in a checkbox.
func (d dialect) mark(r rune) coord.RecordStatus {
	if s := sureMarks[r]; s != "" && (r == ' ' || s == coord.SourceDone || d.marks[r] == "") {
		return s
	}
	if s := d.marks[r]; s != "" {
		return s
	}
	return coord.SourceUnknown
}

// readDialect looks for legends: lists of at least two different marks whose
// texts are status words, and paragraphs of the same.
func readDialect(blocks []block) dialect {
	d := dialect{legends: map[int]bool{}, blocks: map[int]bool{}}
	for i := 0; i < len(blocks); {
		b := blocks[i]
		if b.kind == KindText && b.parent < 0 && len(b.text) <= 4 {
			d.paragraph(i, strings.Join(b.text, " "))
		}
		if b.kind != KindItem || b.parent >= 0 {
			i++
			continue
		}
		from := i
		for i < len(blocks) && blocks[i].kind == KindItem && blocks[i].list == b.list {
			i = blocks[i].end
		}
		d.list(blocks[from:i], b.list)
	}
	return d
}

// list takes in a list of the first level if it is a legend.
func (d *dialect) list(items []block, number int) {
	if len(items) < 2 || len(items) > 12 {
		return
	}
	marks, signs := map[rune]coord.RecordStatus{}, map[rune]bool{}
	for _, b := range items {
		if b.kind != KindItem || len(b.text) != 1 || len(b.text[0]) > 80 {
			return
		}
		mark, boxed, status := legendLine(b.text[0])
		if status == "" {
			return
		}
		signs[mark] = true
		if boxed {
			marks[mark] = status
		}
	}
	if len(signs) != len(items) {
		return
	}
	d.legends[number] = true
	d.learn(marks)
}

// legendLine is a mark, or a sign, and the status word behind it.
func legendLine(s string) (mark rune, boxed bool, status coord.RecordStatus) {
	rest := ""
	if sign, n := box(strings.ReplaceAll(s, "`", "")); n > 0 {
		mark, _ = utf8.DecodeRuneInString(sign)
		boxed, rest = true, strings.ReplaceAll(s, "`", "")[n:]
	} else {
		r, n := utf8.DecodeRuneInString(s)
		if n < 2 || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return 0, false, ""
		}
		mark, rest = r, s[n:]
	}
	rest = strings.TrimLeft(rest, " =:—–-\ufe0f*_")
	if i := strings.IndexAny(rest, ",/(;="); i > 0 {
		rest = rest[:i]
	}
	return mark, boxed, statusOf(normal(rest))
}

var legendPart = pattern("`?\\[([^\\]\\d])\\]`?[ \\t]*[=:–—-]*[ \\t]*\\**([\\pL' ]{2,30})")

func (d *dialect) paragraph(i int, s string) {
	if len(s) > 500 || strings.Count(s, "[") < 2 {
		return
	}
	marks := map[rune]coord.RecordStatus{}
	for _, m := range legendPart().FindAllStringSubmatch(s, 12) {
		if status := statusOf(normal(m[2])); status != "" {
			mark, _ := utf8.DecodeRuneInString(m[1])
			marks[mark] = status
		}
	}
	if len(marks) >= 2 {
		d.blocks[i] = true
		d.learn(marks)
	}
}

// learn keeps what a legend says; two legends that disagree say nothing.
func (d *dialect) learn(marks map[rune]coord.RecordStatus) {
	if d.marks == nil {
		d.marks = map[rune]coord.RecordStatus{}
	}
	for mark, status := range marks {
		if was, ok := d.marks[mark]; ok && was != status {
			status = coord.SourceUnknown
		}
		d.marks[mark] = status
	}
}

// cellStatus reads the cell of a status column, or what stands behind
// "Status:". Unknown words are unknown, never guessed.
func cellStatus(s string) coord.RecordStatus {
	s = strings.Trim(s, " *_`")
	if inner, ok := strings.CutPrefix(s, "~~"); ok {
		_, after, closed := strings.Cut(inner, "~~")
		if s = strings.TrimLeft(after, " —–-:→>"); closed && s == "" {
			return coord.SourceUnknown
		}
	}
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && statusSigns()[string(r)] == ""
	})
	if status, _ := leadingStatus(strings.ReplaceAll(s, "_", " ")); status != "" {
		return status
	}
	if newWords[normal(s)] {
		return coord.SourceOpen
	}
	return coord.SourceUnknown
}

// newWords say how something stands only where nothing else is said: a title
// may end with "(new)".
var newWords = map[string]bool{"new": true, "neu": true, "nuevo": true, "nueva": true, "nouveau": true, "новое": true, "新": true, "新規": true, "新建": true, "신규": true}
