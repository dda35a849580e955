package markdown

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"coord"
)

// The region of a hand-written file in which an export lists the open tasks
// that were recorded here and stand in no file. Its checksum is that of what is
// between the two comments, whatever their line ends are.
var (
	openBegin = pattern(`^<!-- coord:begin open v1 as_of=([0-9]{1,18}) sum=([0-9a-f]{8}) -->$`)
	openEnd   = pattern(`^<!-- coord:end open -->$`)
	openSign  = pattern(`(?m)^[ \t]*<!-- coord:(?:begin|end) open\b`)
)

// openRegion is such a region: from the line of its first comment to that of
// its last one, from 0. One that is not intact was edited by a person: its lines
// are source like any other.
type openRegion struct {
	first, last int
	asOf        coord.Seq
	intact      bool
}

// openRegions finds the regions of a file.
func (p *page) openRegions(blocks []block) []openRegion {
	var out []openRegion
	for i, b := range blocks {
		m := openBegin().FindStringSubmatch(strings.TrimSpace(p.line(b.first)))
		if m == nil || b.kind != KindHTML || b.parent >= 0 || b.last != b.first {
			continue
		}
		for _, e := range blocks[i+1:] {
			line := strings.TrimSpace(p.line(e.first))
			if e.kind != KindHTML || e.parent >= 0 || !strings.HasPrefix(line, "<!-- coord:") {
				continue
			}
			if openEnd().MatchString(line) && e.last == e.first {
				at, _ := strconv.ParseInt(m[1], 10, 64)
				out = append(out, openRegion{b.first, e.first, coord.Seq(at), regionSum(p.inside(b.first, e.first)) == m[2]})
			}
			break
		}
	}
	return out
}

// regionLines are the lines of a file's regions, and those of the intact ones.
func (p *page) regionLines() (all, intact map[int]bool) {
	all, intact = map[int]bool{}, map[int]bool{}
	for _, r := range p.openRegions(p.blocks()) {
		skipLines(all, r.first, r.last)
		if r.intact {
			skipLines(intact, r.first, r.last)
		}
	}
	return all, intact
}

// inside is the text between two lines.
func (p *page) inside(first, last int) string {
	x := extraction{page: p}
	return x.lines(span{first: first + 1, last: last - 1}, nil)
}

// withRegion brings the region of a file up to date with the tasks, or adds one
// at its end. It says why not, if what a person did there would be lost.
func withRegion(text []byte, tasks []coord.ExportTask, asOf coord.Seq) (out []byte, why string) {
	p := newPage(text)
	regions := p.openRegions(p.blocks())
	var body bytes.Buffer
	for _, t := range tasks {
		t.Status = "" // what moves by the hour is no reason to change a file
		writeTask(&body, t)
	}
	inside := append(bytes.TrimRight(body.Bytes(), "\n"), '\n')
	switch {
	case len(regions) > 1:
		return text, "the file has several regions of an export; remove the comments of all but one"
	case len(regions) == 0 && openSign().Match(text):
		return text, "one of the two comments of the region was changed or is in the wrong place; remove them both"
	case len(regions) == 0 && len(tasks) == 0:
		return text, ""
	case len(regions) == 0:
		return p.appended(p.region(inside, asOf)), ""
	}
	r := regions[0]
	is := p.inside(r.first, r.last)
	switch {
	case is == regionText(inside) && r.intact:
		return text, ""
	case is != regionText(inside) && !r.intact:
		return text, fmt.Sprintf("the region from line %d on was edited, so it is source and stays as it is; import it, then remove its two comments to keep its lines as your own", r.first+1)
	}
	from, to := p.starts[r.first], p.lineEnd(r.last)
	if text[to-1] == '\r' {
		to--
	}
	return bytes.Join([][]byte{text[:from], p.region(inside, asOf), text[to:]}, nil), ""
}

// region is a whole region without its last line end, as the file ends lines.
func (p *page) region(inside []byte, asOf coord.Seq) []byte {
	text := fmt.Sprintf("<!-- coord:begin open v1 as_of=%d sum=%s -->\n%s<!-- coord:end open -->", int64(asOf), regionSum(regionText(inside)), bytes.TrimLeft(inside, "\n"))
	return []byte(strings.ReplaceAll(text, "\n", p.eol()))
}

// eol is how the first line of a file ends.
func (p *page) eol() string {
	if i := bytes.IndexAny(p.raw, "\r\n"); i >= 0 && p.raw[i] == '\r' && i+1 < len(p.raw) && p.raw[i+1] == '\n' {
		return "\r\n"
	}
	return "\n"
}

// appended is the file with a region behind a blank line at its end. A file
// without a last line end stays so.
func (p *page) appended(region []byte) []byte {
	text, eol := bytes.Clone(p.raw), p.eol()
	n := len(p.starts)
	ended := n > 0 && p.view[len(p.view)-1] == '\n'
	if n > 0 && !ended {
		text = append(text, eol...)
	}
	if n > 0 && !p.blank(n-1) {
		text = append(text, eol...)
	}
	text = append(text, region...)
	if ended || n == 0 {
		text = append(text, eol...)
	}
	return text
}

// exportedFile reports a file that an export wrote as a whole.
func (p *page) exportedFile() bool {
	for _, name := range frontName {
		if p.front["coord"] == name {
			return true
		}
	}
	return false
}
