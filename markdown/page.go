package markdown

import (
	"bytes"
	"sort"
	"strings"
)

// page is a file prepared for parsing. The view has the length of the file, so
// that offsets agree, but only LF line ends: the parser takes an empty bullet
// before CRLF for a paragraph and does not know a lone CR.
type page struct {
	raw, view []byte
	starts    []int // offset of each line
	body      int   // where Markdown begins, behind BOM and front matter
	front     map[string]string
	endless   bool // front matter was begun and never ended
}

var bom = []byte("\xef\xbb\xbf")

func newPage(raw []byte) *page {
	p := &page{raw: raw, view: lineFeeds(raw)}
	for at := 0; at < len(raw); {
		p.starts = append(p.starts, at)
		end := bytes.IndexByte(p.view[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	if bytes.HasPrefix(raw, bom) {
		p.body = len(bom)
	}
	p.readFront()
	return p
}

// lineFeeds writes CRLF as space and LF, and a lone CR as LF.
func lineFeeds(raw []byte) []byte {
	if bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	view := bytes.Clone(raw)
	for i, c := range view {
		switch {
		case c != '\r':
		case i+1 < len(raw) && raw[i+1] == '\n':
			view[i] = ' '
		default:
			view[i] = '\n'
		}
	}
	return view
}

func (p *page) end(line int) int {
	if line+1 < len(p.starts) {
		return p.starts[line+1]
	}
	return len(p.view)
}

// line returns a line of the view without its line end.
func (p *page) line(n int) string {
	return strings.TrimRight(string(p.view[p.starts[n]:p.end(n)]), "\n")
}

func (p *page) lineOf(offset int) int {
	return max(sort.SearchInts(p.starts, offset+1)-1, 0)
}

func (p *page) blank(n int) bool {
	return len(bytes.TrimSpace(p.view[p.starts[n]:p.end(n)])) == 0
}

const maxFrontLines = 200

var frontKey = pattern(`^([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)

// readFront splits off front matter: a line of three dashes at the very start,
// key lines, and a closing line. Without a key it is a rule, and Markdown.
func (p *page) readFront() {
	if len(p.starts) == 0 || strings.TrimRight(string(p.view[p.body:p.end(0)]), " \t\n") != "---" {
		return
	}
	values := map[string]string{}
	for n := 1; n < len(p.starts) && n <= maxFrontLines; n++ {
		text := strings.TrimRight(p.line(n), " \t")
		if text == "---" || text == "..." {
			if len(values) > 0 {
				p.front, p.body = values, p.end(n)
			}
			return
		}
		if m := frontKey().FindStringSubmatch(text); m != nil {
			values[m[1]] = strings.Trim(strings.TrimSpace(m[2]), `"'`)
		} else if n == 1 && text != "" && text[0] != '#' {
			return
		}
	}
	p.endless = len(values) > 0
}
