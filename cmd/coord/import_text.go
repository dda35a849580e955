package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"coord"
)

// planRows bounds how many changes a preview lists.
const planRows = 60

// writePlan prints a preview: the counts, what needs a person, what would
// change, and the command that applies it.
func writePlan(w io.Writer, p coord.ImportPlan, apply string) {
	for _, f := range p.Files {
		field(w, "read", "%s as %s: %s, %s", f.Path, f.As, plural(f.Lines, "line"), plural(f.Records, "record"))
	}
	field(w, "found", "%s", countsText(p.Counts))
	for _, d := range p.Diagnostics {
		field(w, "note", "%s: %s%s", at(d.Path, d.Line), clip(d.Message, 160), times(d.Count))
	}
	rows := 0
	list := func(label string, include func(coord.ImportChange) bool) {
		for _, c := range p.Changes {
			if !include(c) {
				continue
			}
			if rows++; rows <= planRows {
				writeChange(w, label, c)
			}
		}
	}
	list("decide", func(c coord.ImportChange) bool { return c.Needs != "" })
	list("change", func(c coord.ImportChange) bool { return c.Needs == "" && c.Action != coord.ActionNone })
	if rows > planRows {
		field(w, "", "… %d more: coord import --json", rows-planRows)
	}
	if p.Actions() == 0 {
		field(w, "nothing", "to apply: what the files say is recorded here")
		return
	}
	field(w, "next", "%s", apply)
}

func writeChange(w io.Writer, label string, c coord.ImportChange) {
	said := fmt.Sprintf("%s  %s  %s", at(c.Path, c.Line), verbOf(c), clip(c.Title, 100))
	if c.Was != "" {
		said += "  (here: " + clip(c.Was, 60) + ")"
	}
	if c.Needs != "" {
		said += "  needs a person: " + clip(c.Needs, 160)
	}
	field(w, label, "%s", said)
}

// verbOf says what applying a change does, or for one that does nothing why
// it is listed.
func verbOf(c coord.ImportChange) string {
	what := words(string(c.Action))
	if c.Action == coord.ActionNone {
		what = words(string(c.State))
	}
	switch {
	case c.Task != "":
		return what + " " + string(c.Task) + facetsText(c)
	case c.Lesson != "":
		return what + " " + string(c.Lesson)
	}
	return what
}

// facetsText is what of a task an update sets.
func facetsText(c coord.ImportChange) string {
	if len(c.Facets) == 0 {
		return ""
	}
	said := strings.Join(c.Facets, ", ")
	return " (" + strings.Replace(said, coord.FacetLifecycle, "admitted", 1) + ")"
}

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

func at(path string, line int) string {
	if line == 0 {
		return coord.OneLine(path)
	}
	return fmt.Sprintf("%s:%d", coord.OneLine(path), line)
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

// countsText lists counts, largest first.
func countsText[K ~string](counts map[K]int) string {
	var keys []K
	for k, n := range counts {
		if n > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b K) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], words(string(k))))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func writeImported(w io.Writer, r coord.ImportResult) {
	field(w, "applied", "%s", countsText(r.Applied))
	if len(r.Tasks) > 0 {
		field(w, "tasks", "%s", clip(joinIDs(r.Tasks), 400))
	}
	if len(r.Lessons) > 0 {
		field(w, "lessons", "%d", len(r.Lessons))
	}
	if r.Skipped > 0 {
		field(w, "skipped", "%s for an operator to decide", plural(r.Skipped, "change"))
	}
}
