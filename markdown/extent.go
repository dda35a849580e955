package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// extent returns the first and last line of a block, closing lines included
// that the syntax tree does not hold.
func (w *walker) extent(n ast.Node) (first, last int) {
	first, last = -1, -1
	if pos := n.Pos(); pos >= 0 {
		first = w.lineOf(w.body + pos)
		last = first
	}
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		from := w.lineOf(w.body + lines.At(0).Start)
		to := w.lineOf(w.body + max(lines.At(lines.Len()-1).Stop-1, lines.At(0).Start))
		if first < 0 || from < first {
			first = from
		}
		last = max(last, to)
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() != ast.TypeBlock {
			continue
		}
		from, to := w.extent(c)
		if first < 0 || from < first {
			first = from
		}
		last = max(last, to)
	}
	first, last = max(first, 0), max(last, 0)
	return first, w.closing(n, first, last)
}

var quoteOnly = pattern(`^[ \t]*>[ \t>]*$`)

func (w *walker) closing(n ast.Node, first, last int) int {
	next := ""
	if last+1 < len(w.starts) {
		next = w.line(last + 1)
	}
	inner := strings.TrimLeft(next, " \t>")
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		if strings.HasPrefix(inner, "```") || strings.HasPrefix(inner, "~~~") {
			return last + 1
		}
	case *ast.HTMLBlock:
		if n.HasClosure() {
			return max(last, w.lineOf(w.body+n.ClosureLine.Start))
		}
	case *ast.Heading:
		if n.Lines().Len() > 0 && inner != "" && strings.Trim(inner, "=- \t") == "" && !w.hashed(n) {
			return last + 1
		}
	case *ast.Blockquote:
		for last+1 < len(w.starts) && quoteOnly().MatchString(w.line(last+1)) {
			last++
		}
	}
	return last
}

// hashed reports a heading written with number signs.
func (w *walker) hashed(n *ast.Heading) bool {
	at := w.body + n.Lines().At(0).Start
	return bytes.IndexByte(w.view[w.starts[w.lineOf(at)]:at], '#') >= 0
}

// separate ends every block before the next one that is not in it: a closing
// line that was only guessed may be the first line of what follows.
func (w *walker) separate() {
	for i := range w.out {
		b := &w.out[i]
		next := i + 1
		if b.kind == KindItem {
			next = b.end
		}
		if next < len(w.out) && w.out[next].first <= b.last {
			b.last = max(w.out[next].first-1, b.first)
			b.textLast = min(b.textLast, b.last)
		}
	}
}
