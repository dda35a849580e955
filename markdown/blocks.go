package markdown

import (
	"bytes"
	"sync"
	"unicode"

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
	list        int      // of an item: the number of its list, from 1
	text        []string // own text, line by line: headings, items, paragraphs
	at          []int    // where each line of text begins
	sign        int      // where an item's or a heading's first sign stands
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
	w := walker{page: p, signLine: -1}
	w.children(root, -1)
	w.separate()
	return w.out
}

type walker struct {
	*page
	out   []block
	lists int

	signLine, signEnd int // where the last sign ended: an item may begin inside another's line
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
		w.lists++
		return w.list(n, parent, w.lists)
	}
	b := block{kind: kindOf(n), parent: parent}
	b.first, b.last = w.extent(n)
	b.sign = max(w.start(b.first), w.body)
	if h, ok := n.(*ast.Heading); ok {
		b.level = h.Level
		w.heading(h, &b)
	} else if b.kind == KindText {
		b.text, b.at = w.ownText(n)
	}
	w.out = append(w.out, b)
	return b.last
}

func (w *walker) list(n ast.Node, parent, number int) int {
	last := -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if item, ok := c.(*ast.ListItem); ok {
			last = max(last, w.item(item, parent, number))
		}
	}
	return last
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

func (w *walker) item(n *ast.ListItem, parent, list int) int {
	index := len(w.out)
	first, sign := w.itemSign(n)
	b := block{kind: KindItem, first: first, last: first, textLast: first, parent: parent, list: list, sign: sign}
	own := n.FirstChild()
	if own != nil && hasText(own) {
		_, b.textLast = w.extent(own)
		if h, ok := own.(*ast.Heading); ok {
			w.heading(h, &b)
			b.sign = sign
		} else {
			b.text, b.at = w.ownText(own)
		}
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

// itemSign finds the line an item begins on and where its sign stands. After a
// tab the parser's position is some bytes late, which can be the next line.
func (w *walker) itemSign(n *ast.ListItem) (line, sign int) {
	line = w.lineOf(w.body + max(n.Pos(), 0))
	if c := n.FirstChild(); c != nil {
		first, _ := w.extent(c)
		line = min(line, first)
	}
	for _, l := range []int{line, line - 1} {
		if l >= 0 {
			if at, ok := w.nextSign(l); ok {
				return l, at
			}
		}
	}
	return line, max(w.start(line), w.body)
}

// nextSign is the first list sign of a line that no item before this one has.
func (w *walker) nextSign(line int) (at int, ok bool) {
	at = max(w.start(line), w.body)
	if line == w.signLine {
		at = max(at, w.signEnd)
	}
	end := w.lineEnd(line)
	for at < end && (w.view[at] == ' ' || w.view[at] == '\t') {
		at++
	}
	n := listSign(w.view[at:max(end, at)])
	if n == 0 {
		return 0, false
	}
	w.signLine, w.signEnd = line, at+n
	return at, true
}

// ownText is the text of a block, line by line and trimmed, and where each line
// begins.
func (w *walker) ownText(n ast.Node) (lines []string, at []int) {
	segments := n.Lines()
	if segments == nil {
		return nil, nil
	}
	lines, at = make([]string, 0, segments.Len()), make([]int, 0, segments.Len())
	for i := range segments.Len() {
		s := segments.At(i)
		line := w.view[w.body+s.Start : w.body+s.Stop]
		text := bytes.TrimLeftFunc(line, unicode.IsSpace)
		at = append(at, w.body+s.Start+len(line)-len(text))
		lines = append(lines, string(bytes.TrimRightFunc(text, unicode.IsSpace)))
	}
	return lines, at
}

// heading fills in the text of a heading and where its sign stands. After a tab
// the parser's position is some bytes off, but the line is right.
func (w *walker) heading(h *ast.Heading, b *block) {
	b.text, b.at = w.ownText(h)
	if len(b.text) == 0 {
		return
	}
	line := w.lineOf(b.at[0])
	from, end := max(w.start(line), w.body), w.lineEnd(line)
	if !w.hashed(h) {
		b.sign = b.at[0]
		return
	}
	b.sign = from + max(bytes.IndexByte(w.view[from:end], '#'), 0)
	text := bytes.TrimLeft(w.view[b.sign:end], "#")
	text = bytes.TrimRightFunc(text, unicode.IsSpace)
	if bare := bytes.TrimRight(text, "#"); len(bare) < len(text) && (len(bare) == 0 || bare[len(bare)-1] == ' ' || bare[len(bare)-1] == '\t') {
		text = bytes.TrimRightFunc(bare, unicode.IsSpace)
	}
	stop := b.sign + len(w.view[b.sign:end]) - len(bytes.TrimLeft(w.view[b.sign:end], "#")) + len(text)
	text = bytes.TrimLeftFunc(text, unicode.IsSpace)
	b.text, b.at = []string{string(text)}, []int{stop - len(text)}
}

func (w *walker) columnOf(n ast.Node) int {
	at := min(w.body+n.Lines().At(0).Start, len(w.view))
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
