package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"coord"

	"github.com/yuin/goldmark/text"
)

// column is what a table's column holds.
type column int

const (
	colOther    column = iota
	colID              // an identifier that people chose
	colNumber          // a position, which moves
	colTitle           //
	colStatus          //
	colPriority        //
	colAfter           // what it waits for
	colOwner           //
	colProgress        // how far it is: its status, where there is no column for that
)

// grid is a table of a file. Only of one that lists work are the rows kept.
type grid struct {
	block   int
	first   int // line of its header among the lines of its block
	columns []column
	names   []string // the header's cells
	rows    []gridRow
	work    bool // a row states a status that work can have
	ranked  bool // there is no such column, but a known priority
}

type gridRow struct {
	n     int // line among the lines of its block
	cells []Span
}

// grids finds the tables of a file, by the block each is in. A table is the end
// of a paragraph, from a header with as many cells as the delimiter row below
// it (GitHub Flavored Markdown Spec, 4.10).
func (p *page) grids(blocks []block) map[int]*grid {
	out := map[int]*grid{}
	for i, b := range blocks {
		if b.kind == KindText && b.parent < 0 && len(b.text) > 1 {
			if g := p.grid(b); g != nil {
				g.block = i
				out[i] = g
			}
		}
	}
	return out
}

func (p *page) grid(b block) *grid {
	for n := 1; n < len(b.text); n++ {
		if s := b.text[n]; s == "" || s[0] != '|' && s[0] != '-' && s[0] != ':' {
			continue
		}
		count := delimiterCells(segment(b, n), p.view)
		if count == 0 {
			continue
		}
		if header := p.cellsOf(b, n-1, maxTableColumns+1); len(header) == count {
			return p.rows(b, n, header)
		}
	}
	return nil
}

func segment(b block, n int) text.Segment {
	return text.NewSegment(b.at[n], b.at[n]+len(b.text[n]))
}

func (p *page) cellsOf(b block, n, limit int) []Span {
	found := cells(segment(b, n), p.view, limit)
	out := make([]Span, len(found))
	for i, s := range found {
		out[i] = Span{s.Start, s.Stop}
	}
	return out
}

// rows reads the rows below the delimiter row, line n, if the header's meaning
// is that of a list of work.
func (p *page) rows(b block, n int, header []Span) *grid {
	g := &grid{first: n - 1}
	has := map[column]bool{}
	for _, h := range header {
		name := cellText(p.view, h)
		c := vocabulary().columns[normal(plain(name))]
		if plain(name) == "#" {
			c = colNumber
		}
		if has[c] {
			c = colOther // the first of a kind counts
		}
		has[c] = true
		g.columns, g.names = append(g.columns, c), append(g.names, plain(name))
	}
	for i, c := range g.columns {
		if c == colProgress && !has[colStatus] {
			g.columns[i], has[colStatus] = colStatus, true
		}
	}
	named := has[colID] || has[colTitle]
	if !named || !has[colStatus] && !has[colPriority] {
		return g
	}
	for i := n + 1; i < len(b.text); i++ {
		g.rows = append(g.rows, gridRow{i, p.cellsOf(b, i, len(header))})
	}
	p.judge(g)
	return g
}

// cell is the text of a row's cell in the column of a kind.
func (g *grid) cell(src []byte, r gridRow, kind column) (string, Span) {
	for i, c := range g.columns {
		if c == kind && i < len(r.cells) {
			return cellText(src, r.cells[i]), r.cells[i]
		}
	}
	return "", Span{}
}

// cellText is the text of a cell: a bar is written with a backslash there, in
// code too.
func cellText(src []byte, s Span) string {
	return strings.ReplaceAll(string(src[s.From:s.To]), `\|`, "|")
}

// plain is a short text without emphasis, code signs, boxes and link targets.
func plain(s string) string {
	s = strings.Trim(s, " *_`~")
	if strings.HasPrefix(s, "[") {
		if text, _, ok := strings.Cut(s[1:], "]("); ok {
			s = text
		}
	}
	return clean(decodeLine(strings.Trim(s, " *_`~")))
}

// judge decides whether the rows of a table are tasks: at least one of them
// states a status that work can have.
func (p *page) judge(g *grid) {
	for _, r := range g.rows {
		status, span := g.cell(p.view, r, colStatus)
		if span != (Span{}) && (cellStatus(status) != coord.SourceUnknown || cellBox().MatchString(status)) {
			g.work = true
			return
		}
		title, _ := g.cell(p.view, r, colTitle)
		if o := readOwn([]string{title}); o.boxed || o.struck || o.edge != "" {
			g.work = true
			return
		}
		rank, _ := g.cell(p.view, r, colPriority)
		g.ranked = g.ranked || !slices.Contains(g.columns, colStatus) && priorityOf(plain(rank)) != ""
	}
}

// table makes tasks of the rows of a table, or counts them.
func (x *extraction) table(g *grid) {
	b := x.blocks[g.block]
	if !g.work && !(g.ranked && x.outline.status() != "") || x.outline.criteria() || x.as == coord.AsRecord || x.as == coord.AsMemory {
		for n := g.first + 2; n < len(b.text); n++ {
			x.notes.add("table_row", x.lineOf(b.at[n]), "table rows without an id or title and a work status are no records")
		}
		return
	}
	for _, r := range g.rows {
		x.rowTask(g, r)
	}
}

// rowTask makes a task of one row.
func (x *extraction) rowTask(g *grid, r gridRow) {
	b := x.blocks[g.block]
	line := x.lineOf(b.at[r.n])
	o, status := x.readRow(g, r)
	if o.title == "" || len(r.cells) < 2 {
		x.notes.add("table_row", line, "table rows without an id or title and a work status are no records")
		return
	}
	body, after := x.rowBody(g, r)
	t := x.task(o, body, nil, nil)
	t.Shape, t.Marks = "row", x.rowMarks(g, r, status)
	t.Facets.After = merged(t.Facets.After, after)
	x.place(&t, Span{b.at[r.n], b.at[r.n] + len(b.text[r.n])}, line, line)
	t.Section = x.outline.path(nil)
	if t.Facets.Status == coord.SourceUnknown {
		x.notes.add("unknown_status", line, "status words that are not known are reported, never guessed")
	}
	x.records = append(x.records, t)
}

// readRow reads what the cells of a row say as an item's own text would say it.
// status is the column that says how it stands.
func (x *extraction) readRow(g *grid, r gridRow) (o own, status Span) {
	title, _ := g.cell(x.view, r, colTitle)
	title, markers := takeMarkers(title)
	o = readOwn([]string{title})
	id, _ := g.cell(x.view, r, colID)
	id, more := takeMarkers(id)
	markers = append(markers, more...)
	o.name(plain(id))
	for _, c := range r.cells {
		if _, found := takeMarkers(cellText(x.view, c)); len(markers) == 0 {
			markers = found
		}
	}
	o.markers, o.linked = markers, !x.generated(x.lineOf(r.cells[0].From))
	if p, _ := g.cell(x.view, r, colPriority); p != "" {
		if i := strings.IndexAny(p, "(,/"); i > 0 {
			p = p[:i]
		}
		if rank := priorityOf(plain(p)); rank != "" {
			o.priority = rank
		}
	}
	text, status := g.cell(x.view, r, colStatus)
	if status == (Span{}) {
		return o, status
	}
	text, _ = takeMarkers(text)
	if m := cellBox().FindStringSubmatch(text); m != nil {
		o.boxed = true
		o.mark, _ = utf8.DecodeRuneInString(m[1])
		return o, status
	}
	o.cell, o.planned = cellStatus(text), onlyPlanned(text)
	if o.cell == coord.SourceUnknown && passed(text) {
		o.cell = coord.SourceDone
	}
	return o, status
}

// cellBox is a checkbox that fills a cell.
var cellBox = pattern("^`?\\[([^\\]])[\\x{fe0f}]?\\]`?$")

// name puts an id before a title that lacks it.
func (o *own) name(id string) {
	if id == "" {
		return
	}
	switch {
	case o.title == "":
		o.title = id
	case labelOf(id) != "" && !strings.HasPrefix(o.title, id):
		o.title = clean(id + " " + o.title)
	}
	o.text = join(id, o.text)
	if label := labelOf(id); label != "" {
		o.label = label
	} else if len(id) <= 40 && o.label == "" {
		o.label = id
	}
	o.shorten()
}

// rowBody is what the columns say that mean nothing to the reader, by their
// names, and what the row waits for.
func (x *extraction) rowBody(g *grid, r gridRow) (body string, after []string) {
	var lines []string
	for i, span := range r.cells {
		text, _ := takeMarkers(cellText(x.view, span))
		text = clean(decodeLine(text))
		switch c := g.columns[i]; {
		case c == colAfter:
			after = labelsIn(text)
			if text != "" && after == nil && len(strings.Trim(text, "-—–")) > 0 {
				lines = append(lines, g.names[i]+": "+text)
			}
		case (c == colOther || c == colOwner) && text != "":
			lines = append(lines, join(g.names[i]+":", text))
		}
	}
	return strings.Join(lines, "\n"), after
}

// rowMarks is where the signs of a row stand: a box, or the status cell, and
// the end of the last cell.
func (x *extraction) rowMarks(g *grid, r gridRow, status Span) Marks {
	var m Marks
	last := r.cells[len(r.cells)-1]
	m.End = x.endOf(last.From, last.To)
	if status.To = x.endOf(status.From, status.To); status.From == status.To {
		if _, title := g.cell(x.view, r, colTitle); title != (Span{}) {
			m.Box = x.boxAt(title.From, title.To)
		}
		return m
	}
	if s := string(x.view[status.From:status.To]); cellBox().MatchString(s) {
		m.Box = Span{status.From + strings.IndexByte(s, '[') + 1, status.From + strings.LastIndexByte(s, ']')}
		return m
	}
	m.Status = status
	return m
}
