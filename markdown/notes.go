package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"coord"
)

// notes counts what was passed over, by code.
type notes map[string]*coord.ImportDiagnostic

func (n *notes) add(code string, line int, message string) {
	if *n == nil {
		*n = notes{}
	}
	d := (*n)[code]
	if d == nil {
		d = &coord.ImportDiagnostic{Code: code, Line: line + 1, Message: message}
		(*n)[code] = d
	}
	d.Count++
}

func (n notes) list(path string) []coord.ImportDiagnostic {
	var out []coord.ImportDiagnostic
	for _, d := range n {
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
	itemLike     = pattern(`^[ \t>]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[.{1,4}\][ \t]`)
)

// hidden counts what looks like a checkbox inside code, HTML and quotes.
func (x *extraction) hidden(b block) {
	where := map[Kind]string{KindCode: "code", KindHTML: "HTML", KindQuote: "quotes"}[b.kind]
	if where == "" {
		return
	}
	for n := b.first; n <= b.last && n < len(x.starts); n++ {
		if itemLike().MatchString(x.line(n)) {
			x.notes.add("hidden_in_"+strings.ToLower(strings.TrimSuffix(where, "s")), n, "checkboxes inside "+where+" are no records")
		}
	}
}

var bannerLine = pattern(`(?i)^[\s>*_#-]*this (?:file|document|backlog|list|hand-?off)\b[^.]{0,20}\b(?:is|has been|was)\b[^.]{0,20}\b(?:deprecated|archived|superseded|obsolete|moved|historical|read-only)\b`)

// noteFile records what concerns the file as a whole.
func (x *extraction) noteFile() {
	if x.endless {
		x.notes.add("front_matter", 0, "front matter without a closing line is read as Markdown")
	}
	if !utf8.Valid(x.raw) {
		x.notes.add("invalid_utf8", 0, "bytes that are not UTF-8 are shown as \ufffd; the file itself is kept as it is")
	}
	read := 0
	for n := x.lineOf(x.body); n < len(x.starts) && read < 8; n++ {
		if x.blank(n) {
			continue
		}
		read++
		if line := strings.TrimSpace(x.line(n)); bannerLine().MatchString(line) {
			x.banner = strings.Trim(line, ">*_# ")
			x.notes.add("retired_file", n, "the file says that it is no longer in use; nothing in it becomes work")
			return
		}
	}
}
