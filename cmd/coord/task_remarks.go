package main

import (
	"io"

	"coord"
)

// writeRemarks prints what was said about a task and what held it up: notes,
// decisions, and all that ever blocked it.
func writeRemarks(w io.Writer, d coord.TaskDetail) {
	var notes, decisions, blocked []string
	for _, n := range d.Notes {
		late := ""
		if n.Late {
			late = "late"
		}
		notes = append(notes, row(day(n.At), n.Author, late, clip(n.Text, 200)))
	}
	for _, x := range d.Decisions {
		answer := ""
		if x.Answer != nil {
			answer = clip(x.Answer.Option, 60) + " (" + string(x.Answer.Actor) + ")"
		}
		decisions = append(decisions, row(string(x.ID), string(x.State), clip(x.Question, 100), answer))
	}
	for _, b := range d.Blocked {
		lifted := "open"
		if b.LiftedAt != nil {
			lifted = "lifted by " + clip(b.LiftedBy, 30) + ": " + clip(b.Reason, 60)
		}
		blocked = append(blocked, row(string(b.ID), string(b.Kind), b.By, clip(b.Text, 100), lifted))
	}
	section(w, "notes", notes)
	section(w, "decisions", decisions)
	section(w, "blockers", blocked)
}
