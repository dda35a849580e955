package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

func (w *htmlWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n)
	case *ast.CodeSpan:
		w.code(n)
	case *ast.Emphasis:
		tag := "em"
		if n.Level == 2 {
			tag = "strong"
		}
		w.element(tag, n, "")
	case *extended.Strikethrough:
		w.element("del", n, "")
	case *ast.Image:
		w.plain++
		w.children(n)
		w.plain--
	case *ast.Link:
		w.linked(util.URLEscape(n.Destination, true), func() { w.children(n) })
	case *ast.AutoLink:
		label := func() { w.escape(string(n.Label(w.src))) }
		w.linked(util.URLEscape(n.URL(w.src), false), label)
	}
}

func (w *htmlWriter) text(n *ast.Text) {
	value := n.Segment.Value(w.src)
	if n.IsRaw() {
		w.escape(string(value))
		return
	}
	w.escape(decoded(value))
	switch {
	case n.HardLineBreak() && w.plain == 0:
		w.out.WriteString("<br>\n")
	case n.HardLineBreak() || n.SoftLineBreak():
		w.out.WriteByte('\n')
	}
}

// code writes a code span, whose line ends are spaces.
func (w *htmlWriter) code(n *ast.CodeSpan) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.src))
		}
	}
	s := strings.ReplaceAll(b.String(), "\n", " ")
	if w.cell {
		s = strings.ReplaceAll(s, `\|`, "|")
	}
	if w.plain > 0 {
		w.escape(s)
		return
	}
	w.out.WriteString("<code>")
	w.escape(s)
	w.out.WriteString("</code>")
}

// linked writes content as a link when its address may be one here, else as
// text. There is no link in a link.
func (w *htmlWriter) linked(address []byte, content func()) {
	href, ok := webAddress(string(address))
	if !ok || w.link || w.plain > 0 {
		content()
		return
	}
	w.out.WriteString(`<a href="`)
	w.escape(href)
	w.out.WriteString(`" rel="nofollow noreferrer noopener" target="_blank">`)
	w.link = true
	content()
	w.link = false
	w.out.WriteString("</a>")
}

// webAddress accepts absolute http and https URLs with a host, and returns
// them as net/url writes them.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", false
	}
	return u.String(), true
}

var htmlEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\r", "&#13;", "\x00", "\ufffd",
)

// escape writes text, or the value of an attribute in double quotes.
func (w *htmlWriter) escape(s string) {
	_, _ = htmlEscapes.WriteString(&w.out, valid(s)) // a bytes.Buffer takes everything
}

// decoded resolves backslash escapes and character references in one pass, so
// that what an escape leaves is not read again.
func decoded(b []byte) string {
	var out bytes.Buffer
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			i++
			out.WriteByte(b[i])
		case b[i] == '&':
			n := referenceLen(b[i:])
			out.Write(util.ResolveEntityNames(util.ResolveNumericReferences(b[i : i+n])))
			i += n - 1
		default:
			out.WriteByte(b[i])
		}
	}
	return out.String()
}

// longestReference is that of the longest name, CounterClockwiseContourIntegral.
const longestReference = len("&CounterClockwiseContourIntegral;")

// referenceLen is the length of what looks like a character reference at the
// ampersand that b begins with, 1 when nothing does.
func referenceLen(b []byte) int {
	for i := 1; i < len(b) && i < longestReference; i++ {
		switch c := b[i]; {
		case c == ';':
			return i + 1
		case !util.IsAlphaNumeric(c) && (c != '#' || i > 1):
			return 1
		}
	}
	return 1
}
