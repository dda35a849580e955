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
	raw, view    []byte
	starts       []int // offset of each line
	body         int   // where Markdown begins, behind BOM and front matter
	front        map[string]string
	frontAt      map[string]Span // where each value stands
	frontTrouble []trouble
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

// lineEnd is where a line ends, without its line end.
func (p *page) lineEnd(n int) int {
	end := p.end(n)
	if end > p.starts[n] && p.view[end-1] == '\n' {
		end--
	}
	return end
}

// start is where the text of a line begins, behind a byte order mark.
func (p *page) start(n int) int {
	if n == 0 && bytes.HasPrefix(p.raw, bom) {
		return len(bom)
	}
	return p.starts[n]
}

// line returns a line of the view without its line end.
func (p *page) line(n int) string {
	return string(p.view[p.start(n):p.lineEnd(n)])
}

func (p *page) lineOf(offset int) int {
	return max(sort.SearchInts(p.starts, offset+1)-1, 0)
}

func (p *page) blank(n int) bool {
	return len(bytes.TrimSpace(p.view[p.start(n):p.end(n)])) == 0
}

const maxFrontLines = 200

var frontKey = pattern(`^([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)

// trouble is something wrong with a line of front matter.
type trouble struct {
	line    int
	message string
}

// readFront splits off front matter: a line of three dashes at the very start,
// key lines, and a closing line. Without a key it is a rule, and Markdown.
func (p *page) readFront() {
	if len(p.starts) == 0 || strings.TrimRight(string(p.view[p.body:p.end(0)]), " \t\n") != "---" {
		return
	}
	p.frontAt = map[string]Span{}
	values, twice := map[string]string{}, map[string]bool{}
	for n := 1; n < len(p.starts) && n <= maxFrontLines; n++ {
		line := p.line(n)
		text := strings.TrimRight(line, " \t")
		if text == "---" || text == "..." {
			if len(values) == 0 {
				p.frontTrouble = nil
				return
			}
			for k := range twice {
				delete(values, k)
				delete(p.frontAt, k)
			}
			p.front, p.body = values, p.end(n)
			return
		}
		m := frontKey().FindStringSubmatchIndex(text)
		switch {
		case m != nil:
			p.frontLine(n, text, m, values, twice)
		case n == 1 && text != "" && text[0] != '#':
			return
		case strings.HasPrefix(text, "\t"):
			p.frontTrouble = append(p.frontTrouble, trouble{n, "front matter cannot be indented with tabs; such lines are passed over"})
		}
	}
	if p.frontAt, p.frontTrouble = nil, nil; len(values) > 0 {
		p.frontTrouble = []trouble{{0, "front matter without a closing line is read as Markdown"}}
	}
}

// frontLine takes in a key. A key given twice means nothing.
func (p *page) frontLine(n int, text string, m []int, values map[string]string, twice map[string]bool) {
	key := text[m[2]:m[3]]
	if _, ok := values[key]; ok {
		twice[key] = true
		p.frontTrouble = append(p.frontTrouble, trouble{n, "a key that stands in front matter twice means nothing"})
	}
	values[key] = ""
	if m[4] < 0 || m[4] == m[5] {
		return
	}
	from, to := m[4], m[5]
	value := text[from:to]
	if quote := strings.IndexByte(value[1:], value[0]); quote >= 0 && (value[0] == '"' || value[0] == '\'') {
		from, to = from+1, from+1+quote
	} else if i := strings.Index(value, " #"); i >= 0 {
		to = from + i
	}
	value = strings.TrimSpace(text[from:to])
	from += strings.Index(text[from:], value)
	if values[key] = value; value != "" {
		p.frontAt[key] = Span{p.starts[n] + from, p.starts[n] + from + len(value)}
	}
}
