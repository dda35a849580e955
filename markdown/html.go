package markdown

import (
	"bytes"
	"sync"

	"coord"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of what is rendered for the dashboard.
const (
	maxHTMLSource = 64 << 10
	maxHTMLLevels = 32
	maxHTMLColumn = 128
)

// htmlParser knows no raw HTML: what looks like a tag is text, so nothing that
// was written is left out.
var htmlParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(strikes{}, 500),
		),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
	)
})

// RenderHTML renders other people's Markdown for the dashboard. It writes the
// elements of htmlWriter and no others: text structure, and links to absolute
// http and https addresses. Raw HTML is text, an image is its description, and
// there are no styles, names or addresses that a page loads. It fails with
// CodeBadRequest when the text is too large or nested too deeply; show it as
// plain text then.
func RenderHTML(src []byte) ([]byte, error) {
	if len(src) > maxHTMLSource {
		return nil, coord.Errorf(coord.CodeBadRequest, "the text has %d bytes; at most %d are rendered", len(src), maxHTMLSource)
	}
	if err := checkNesting(src, maxHTMLColumn, maxHTMLLevels); err != nil {
		return nil, err
	}
	w := htmlWriter{src: bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))}
	w.block(htmlParser().Parse(text.NewReader(w.src)))
	return w.out.Bytes(), nil
}
