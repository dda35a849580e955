package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"coord"
)

// notes counts what was passed over, by code.
type notes struct {
	of    map[string]*coord.ImportDiagnostic
	lines []int // where, from 0, in no order
}

func (n *notes) add(code string, line int, message string) {
	if n.of == nil {
		n.of = map[string]*coord.ImportDiagnostic{}
	}
	d := n.of[code]
	if d == nil {
		d = &coord.ImportDiagnostic{Code: code, Line: line + 1, Message: message}
		n.of[code] = d
	}
	d.Count++
	n.mention(line)
}

// mention accounts for a line that needs no diagnostic.
func (n *notes) mention(line int) { n.lines = append(n.lines, line) }

func (n *notes) list(path string) []coord.ImportDiagnostic {
	var out []coord.ImportDiagnostic
	for _, d := range n.of {
		d.Path = path
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b coord.ImportDiagnostic) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Code, b.Code)
	})
	return out
}

var (
	numberedLine = pattern(`^[0-9]{1,9}[.)][ \t]`)
	itemLike     = pattern(`^(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[.{1,4}\][ \t]`)
)

// hidden counts what looks like an item inside code, HTML and quotes.
func (x *extraction) hidden(b block) {
	where := map[Kind]string{KindCode: "code", KindHTML: "HTML", KindQuote: "quotes"}[b.kind]
	if where == "" {
		return
	}
	for n := b.first; n <= b.last && n < len(x.starts); n++ {
		line := bytes.TrimLeft(x.view[x.start(n):x.lineEnd(n)], " \t>")
		switch sign := listSign(line); {
		case bytes.HasPrefix(line, []byte("|")) && bytes.HasSuffix(bytes.TrimRight(line, " \t"), []byte("|")):
			x.notes.add("hidden_row", n, "rows of tables inside code, HTML and quotes are no records")
		case sign == 0 || isRule(line):
		case itemLike().Match(line):
			x.notes.add("hidden_in_"+strings.ToLower(strings.TrimSuffix(where, "s")), n, "checkboxes inside "+where+" are no records")
		default:
			x.notes.add("hidden_list", n, "list items inside code, HTML and quotes are no records")
		}
	}
}

// sweep counts what looks like an item or a row in the middle of a paragraph
// that is in no record.
func (x *extraction) sweep() {
	known := make([]bool, len(x.starts))
	for _, r := range x.records {
		for n := r.Line - 1; n < r.Last; n++ {
			known[n] = true
		}
	}
	for _, n := range x.notes.lines {
		known[n] = true
	}
	for i, b := range x.blocks {
		for n, text := range b.text {
			line := x.lineOf(b.at[n])
			g := x.grids[i]
			switch {
			case known[line] || g != nil && (n == g.first || n == g.first+1):
			case strings.HasPrefix(text, "|"):
				x.notes.add("table_row", line, "table rows without an id or title and a work status are no records")
			case n > 0 && listSign([]byte(text)) > 0:
				x.notes.add("list_in_paragraph", line, "lines indented as far as text are part of it, whatever they begin with")
			}
		}
	}
}

var bannerLine = pattern(`(?i)^[\s>*_#-]*(?:⚠️?[\s*_]*)?this (?:file|document|backlog|list|hand-?off|page|plan)\b[^.]{0,20}\b(?:is|has been|was|has)\b[^.]{0,20}\b(?:deprecated|archived|superseded|obsolete|moved|historical|read-only|retired|replaced|no longer (?:used|maintained))\b|^[\s>*_#-]*(?:deprecated|archived|superseded|obsolete)[\s*_]*(?:$|[:—!.-])|^[\s>*_#-]*moved to\b`)

// noteFile records what concerns the file as a whole.
func (x *extraction) noteFile() {
	for _, p := range x.frontTrouble {
		x.notes.add("front_matter", p.line, p.message)
	}
	if !utf8.Valid(x.raw) {
		x.notes.add("invalid_utf8", 0, "bytes that are not UTF-8 are shown as \ufffd; the file itself is kept as it is")
	}
	if status, at := x.frontStatus(); at != (Span{}) {
		x.fileSays(status, x.lineOf(at.From), "status: "+string(status))
	}
	read := 0
	for n := x.lineOf(x.body); n < len(x.starts) && read < 8; n++ {
		if x.blank(n) {
			continue
		}
		read++
		if line := strings.TrimSpace(x.line(n)); bannerLine().MatchString(line) {
			x.retire(n, strings.Trim(line, ">*_# "))
			return
		}
	}
	if x.work() {
		x.statusOfFile()
	}
}

// statusOfFile looks for a status line among the fields above the first section
// and the first item.
func (x *extraction) statusOfFile() {
	for _, b := range x.blocks {
		if b.kind == KindItem || b.kind == KindHeading && b.level > 1 {
			return
		}
		if b.kind != KindText && b.kind != KindQuote || !fieldLine().MatchString(strings.Trim(x.line(b.first), "> \t")) {
			continue
		}
		for n := b.first; n <= b.last; n++ {
			line := strings.Trim(x.line(n), "> \t")
			if kind, value, _ := field(line); kind == colStatus {
				x.fileSays(cellStatus(value), n, strings.Trim(line, "*_"))
			}
		}
	}
}

// fileSays takes in a status of the whole file. One that retires it makes
// everything in it history; any other that is not open keeps it from being
// ready.
func (x *extraction) fileSays(s coord.RecordStatus, line int, text string) {
	switch {
	case s == coord.SourceConsumed || s == coord.SourceSuperseded || s == coord.SourceRejected:
		x.file = s
		if x.frontValue(frontIDs) == "" {
			x.retire(line, text)
		}
	case s != "" && s != coord.SourceUnknown && !opens(s):
		x.file = s
	}
}

var bannerTarget = pattern("\\]\\(([^)\\s]+)\\)|`([^`]+\\.[a-z]{2,8})`|([\\w./-]+\\.(?:md|markdown|txt))")

func (x *extraction) retire(line int, text string) {
	x.banner = text
	x.notes.add("retired_file", line, "the file says that it is no longer in use; nothing in it becomes work")
	if m := bannerTarget().FindStringSubmatch(text); m != nil {
		x.notes.add("redirect", line, "the file points to "+clean(m[1]+m[2]+m[3])+", which is read only if it is imported too")
	}
}
