package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// block is one block of the file, in lines from 0. Quotes are not opened.
type block struct {
	kind        Kind
	first, last int
	level       int      // of a heading
	parent      int      // index of the item it is in, -1 for none
	end         int      // of an item: the block behind it and all it holds
	text        []string // own text, line by line: headings, items, paragraphs
	textLast    int      // last line of an item's own text
	column      int      // where an item's content begins
}

// blockParser finds blocks only: what is inside a line is read by this package,
// in time that is linear whatever the line holds. Link definitions stay
// paragraphs, since taking a MiB of them apart keeps the parser busy for half a
// minute.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

func (p *page) blocks() []block {
	root := blockParser().Parse(text.NewReader(p.view[p.body:]))
	w := walker{page: p}
	w.children(root, -1)
	return w.out
}

type walker struct {
	*page
	out []block
}

// children walks the blocks inside n and returns the last line any of them
// reaches, or -1.
func (w *walker) children(n ast.Node, parent int) int {
	last := -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		last = max(last, w.walk(c, parent))
	}
	return last
}

func (w *walker) walk(n ast.Node, parent int) int {
	switch n := n.(type) {
	case *ast.List:
		return w.children(n, parent)
	case *ast.ListItem:
		return w.item(n, parent)
	}
	b := block{kind: kindOf(n), parent: parent}
	b.first, b.last = w.extent(n)
	if b.kind == KindHeading {
		b.level = n.(*ast.Heading).Level
	}
	if b.kind == KindHeading || b.kind == KindText {
		b.text = w.ownText(n)
	}
	w.out = append(w.out, b)
	return b.last
}

func kindOf(n ast.Node) Kind {
	switch n.(type) {
	case *ast.Heading:
		return KindHeading
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return KindCode
	case *ast.HTMLBlock:
		return KindHTML
	case *ast.Blockquote:
		return KindQuote
	}
	return KindText
}

func (w *walker) item(n *ast.ListItem, parent int) int {
	index := len(w.out)
	first := w.itemLine(n)
	b := block{kind: KindItem, first: first, last: first, textLast: first, parent: parent}
	own := n.FirstChild()
	if own != nil && hasText(own) {
		_, b.textLast = w.extent(own)
		b.text = w.ownText(own)
		b.column = w.columnOf(own)
		b.last = b.textLast
	} else {
		own = nil
	}
	w.out = append(w.out, b)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != own {
			w.out[index].last = max(w.out[index].last, w.walk(c, index))
		}
	}
	w.out[index].end = len(w.out)
	return w.out[index].last
}

func hasText(n ast.Node) bool {
	switch n.(type) {
	case *ast.TextBlock, *ast.Paragraph, *ast.Heading:
		return n.Lines() != nil && n.Lines().Len() > 0
	}
	return false
}

var itemSign = pattern(`(?:^|[ \t>])(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)`)

// itemLine finds the line an item begins on. After a tab the parser's position
// is some bytes late, which can be the next line.
func (w *walker) itemLine(n *ast.ListItem) int {
	line := w.lineOf(w.body + max(n.Pos(), 0))
	if c := n.FirstChild(); c != nil {
		first, _ := w.extent(c)
		line = min(line, first)
	}
	if line > 0 && !itemSign().MatchString(w.line(line)) && itemSign().MatchString(w.line(line-1)) {
		line--
	}
	return line
}

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

func (w *walker) ownText(n ast.Node) []string {
	lines := n.Lines()
	if lines == nil {
		return nil
	}
	out := make([]string, 0, lines.Len())
	for i := range lines.Len() {
		s := lines.At(i)
		out = append(out, string(bytes.TrimSpace(w.view[w.body+s.Start:w.body+s.Stop])))
	}
	return out
}

func (w *walker) columnOf(n ast.Node) int {
	at := w.body + n.Lines().At(0).Start
	column := 0
	for _, c := range w.view[w.starts[w.lineOf(at)]:at] {
		if c == '\t' {
			column += 4 - column%4
		} else {
			column++
		}
	}
	return column
}
