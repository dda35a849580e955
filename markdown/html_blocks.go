package markdown

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
)

// htmlWriter writes a syntax tree as HTML. It is safe by construction: tags are
// constants, the only attributes are a list's start and a link's address with
// its constant companions, and everything else passes through escape. A node
// that it does not know leaves nothing.
type htmlWriter struct {
	src   []byte
	out   bytes.Buffer
	plain int  // inside so many images: text only
	link  bool // inside a link that is written
	cell  bool // inside a table, where \| is a bar even in code
}

// block writes a block. What is none is left to inline.
func (w *htmlWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Document:
		w.children(n)
	case *ast.Heading:
		w.element("h"+strconv.Itoa(min(max(n.Level, 1), 6)), n, "\n")
	case *ast.Paragraph:
		w.element("p", n, "\n")
	case *ast.TextBlock:
		w.children(n)
		if n.NextSibling() != nil && n.FirstChild() != nil {
			w.out.WriteByte('\n')
		}
	case *ast.Blockquote:
		w.group("blockquote", n)
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.item(n)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.codeBlock(n)
	case *ast.ThematicBreak:
		w.out.WriteString("<hr>\n")
	case *extended.Table:
		w.table(n)
	default:
		w.inline(n)
	}
}

func (w *htmlWriter) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c)
	}
}

// element writes n's children in a tag, and after behind it.
func (w *htmlWriter) element(tag string, n ast.Node, after string) {
	if w.plain > 0 {
		w.children(n)
		return
	}
	w.out.WriteString("<" + tag + ">")
	w.children(n)
	w.out.WriteString("</" + tag + ">" + after)
}

// group is an element that holds blocks, which begin on lines of their own.
func (w *htmlWriter) group(tag string, n ast.Node) {
	w.out.WriteString("<" + tag + ">\n")
	w.children(n)
	w.out.WriteString("</" + tag + ">\n")
}

func (w *htmlWriter) list(n *ast.List) {
	switch {
	case !n.IsOrdered():
		w.group("ul", n)
	case n.Start == 1:
		w.group("ol", n)
	default:
		w.out.WriteString(`<ol start="` + strconv.Itoa(n.Start) + "\">\n")
		w.children(n)
		w.out.WriteString("</ol>\n")
	}
}

func (w *htmlWriter) item(n *ast.ListItem) {
	w.out.WriteString("<li>")
	if first := n.FirstChild(); first != nil && first.Kind() != ast.KindTextBlock {
		w.out.WriteByte('\n')
	}
	w.children(n)
	w.out.WriteString("</li>\n")
}

func (w *htmlWriter) codeBlock(n ast.Node) {
	w.out.WriteString("<pre><code>")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		w.escape(string(line.Value(w.src)))
	}
	w.out.WriteString("</code></pre>\n")
}

func (w *htmlWriter) table(n *extended.Table) {
	w.cell = true
	defer func() { w.cell = false }()
	w.out.WriteString("<table>\n")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row == n.FirstChild() {
			w.out.WriteString("<thead>\n")
			w.row("th", row)
			w.out.WriteString("</thead>\n")
			continue
		}
		if row.PreviousSibling() == n.FirstChild() {
			w.out.WriteString("<tbody>\n")
		}
		w.row("td", row)
		if row.NextSibling() == nil {
			w.out.WriteString("</tbody>\n")
		}
	}
	w.out.WriteString("</table>\n")
}

func (w *htmlWriter) row(tag string, n ast.Node) {
	w.out.WriteString("<tr>\n")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.element(tag, c, "\n")
	}
	w.out.WriteString("</tr>\n")
}
