package main

import (
	"io"

	"coord"
)

// writeNotices counts and names what is as it is, and stays so.
func (p *preview) writeNotices(w io.Writer) {
	for _, n := range []struct {
		state coord.ImportState
		label string
		what  string
	}{
		{coord.ImportClosedHere, "behind", "closed here, and open in the file, which does not reopen it"},
		{coord.ImportChangedHere, "behind", "changed here; an export brings it to the file"},
		{coord.ImportMissing, "gone", "no longer in the file, and as it was here"},
	} {
		rows := 0
		for _, c := range p.Changes {
			if c.State != n.state || c.Needs != "" || c.Action != coord.ActionNone {
				continue
			}
			if rows++; rows <= noticeRows {
				field(w, n.label, "%s  %s%s  %s: %s", at(c.Path, c.Line), c.Task, c.Lesson, clip(c.Title, 80), n.what)
			}
		}
		if rows > noticeRows {
			field(w, "", "… %d more: %s --json", rows-noticeRows, p.again)
		}
	}
	if n := p.Counts[coord.ImportHistorical]; n > 0 {
		field(w, "history", "%s: kept as such, and never offered as work", plural(n, "closed record"))
	}
}

func (p *preview) writeProblems(w io.Writer) {
	for n, q := range p.Problems {
		if n == problemRows {
			field(w, "", "… %d more: %s --json", len(p.Problems)-n, p.again)
			break
		}
		writeProblem(w, q)
	}
}

// writeProblem says what is wrong, and every side of it.
func writeProblem(w io.Writer, q coord.ImportProblem) {
	field(w, "problem", "%s", clip(q.Text, 200))
	for n, s := range q.Sides {
		if n == sideRows {
			field(w, "", "  … %s more", plural(len(q.Sides)-n, "place"))
			break
		}
		said := "  " + at(s.Path, s.Line)
		if s.Revision != "" {
			said += " @ " + coord.OID(s.Revision).Short()
		}
		if !s.At.IsZero() {
			said += " " + s.At.UTC().Format("2006-01-02")
		}
		if s.Says != "" {
			said += "  " + clip(s.Says, 120)
		}
		field(w, "", "%s", said)
	}
}

func (p *preview) writePassed(w io.Writer) {
	for n, d := range p.Diagnostics {
		if n == passedRows {
			field(w, "", "… %d more: %s --json", len(p.Diagnostics)-n, p.again)
			break
		}
		field(w, "passed", "%s  %s%s", at(d.Path, d.Line), clip(d.Message, 160), times(d.Count))
	}
}
