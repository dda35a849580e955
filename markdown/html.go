package markdown

import (
	"bytes"
	"regexp"

	"coord"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// Bounds of what is rendered for the dashboard.
const (
	maxHTMLSource = 64 << 10
	maxHTMLLevels = 32
	maxHTMLColumn = 128
)

var renderer = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

var htmlPolicy = newHTMLPolicy()

// newHTMLPolicy allows text structure and absolute web links, and nothing that
// loads, styles, names or runs anything.
func newHTMLPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?i:https?)://[^/?#]`)).OnElements("a")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// RenderHTML renders other people's Markdown for the dashboard: no raw HTML, no
// images, no styles, links only to absolute http and https addresses. It fails
// with CodeBadRequest when the text is too large or nested too deeply; show it
// as plain text then.
func RenderHTML(src []byte) ([]byte, error) {
	if len(src) > maxHTMLSource {
		return nil, coord.Errorf(coord.CodeBadRequest, "the text has %d bytes; at most %d are rendered", len(src), maxHTMLSource)
	}
	if err := checkNesting(src, maxHTMLColumn, maxHTMLLevels); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := renderer.Convert(src, &b); err != nil {
		return nil, coord.Errorf(coord.CodeInternal, "the text could not be rendered: %w", err)
	}
	return htmlPolicy.SanitizeBytes(b.Bytes()), nil
}
