package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxTableColumns bounds what one row can ask of all others.
const maxTableColumns = 64

// tables reads tables (GitHub Flavored Markdown Spec, 4.10) without their
// alignment, which the dashboard's policy leaves out. Missing cells are not
// filled in: a wide header over many short rows would become a hundred million
// of them.
type tables struct{}

// Transform makes the end of a paragraph a table where a delimiter row follows
// a row of as many cells.
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := p.Lines()
	for i := 1; i < lines.Len(); i++ {
		n := delimiterCells(lines.At(i), reader.Source())
		if n == 0 {
			continue
		}
		header := cells(lines.At(i-1), reader.Source(), maxTableColumns+1)
		if len(header) != n {
			continue
		}
		table := extended.NewTable()
		table.AppendChild(table, extended.NewTableHeader(newRow(header)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, newRow(cells(lines.At(j), reader.Source(), n)))
		}
		p.Parent().InsertAfter(p.Parent(), p, table)
		shorten(p, i-1)
		return
	}
}

// shorten leaves the first n lines of a paragraph, and nothing of it with none.
func shorten(p *ast.Paragraph, n int) {
	p.Lines().SetSliced(0, n)
	if n == 0 {
		p.Parent().RemoveChild(p.Parent(), p)
		return
	}
	last := p.Lines().At(n - 1)
	last.Stop-- // its line end
	p.Lines().Set(n-1, last)
}

func newRow(cells []text.Segment) *extended.TableRow {
	row := extended.NewTableRow(nil)
	for _, s := range cells {
		cell := extended.NewTableCell()
		cell.Lines().Append(s)
		row.AppendChild(row, cell)
	}
	return row
}

// cells splits a row at its bars, those at its edges and those behind a
// backslash excepted, into at most limit cells.
func cells(row text.Segment, src []byte, limit int) []text.Segment {
	row = row.TrimLeftSpace(src)
	row = row.TrimRightSpace(src)
	line := row.Value(src)
	start, end := 0, len(line)
	if start < end && line[start] == '|' {
		start++
	}
	if start < end && line[end-1] == '|' && (end < 2 || line[end-2] != '\\') {
		end--
	}
	var out []text.Segment
	for at := start; at <= end && len(out) < limit; at++ {
		if at == end || line[at] == '|' && (at == 0 || line[at-1] != '\\') {
			s := text.NewSegment(row.Start+start, row.Start+at)
			s = s.TrimLeftSpace(src)
			out = append(out, s.TrimRightSpace(src))
			start = at + 1
		}
	}
	return out
}

// delimiterCells counts the cells of a delimiter row such as |---|:-:|. It is 0
// for any other line, and for one without a bar or colon, which is an underline.
func delimiterCells(row text.Segment, src []byte) int {
	if line := row.Value(src); len(bytes.Trim(line, "|:- \t\n")) > 0 || !bytes.ContainsAny(line, "|:") {
		return 0
	}
	all := cells(row, src, maxTableColumns+1)
	for _, c := range all {
		dashes := bytes.TrimSuffix(bytes.TrimPrefix(c.Value(src), []byte(":")), []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return 0
		}
	}
	if len(all) > maxTableColumns {
		return 0
	}
	return len(all)
}
