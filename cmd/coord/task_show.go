package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

type taskShow struct{ *app }

func newTaskShow(a *app) *cobra.Command {
	o := &taskShow{app: a}
	return a.verb("show [TASK]", "Show a task with its whole record", cobra.MaximumNArgs(1), o.run)
}

func (o *taskShow) run(ctx context.Context, args []string) (output, error) {
	d, err := o.detail(ctx, args)
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: d, text: func(w io.Writer) { writeTask(w, d) }}, nil
}

// writeTask prints a task: what it is, where it stands, and each list of its
// record that is not empty.
func writeTask(w io.Writer, d coord.TaskDetail) {
	fmt.Fprintf(w, "%s  %s\n", d.ID, coord.OneLine(d.Title))
	field(w, "status", "%s", standing(d.Task))
	field(w, "kind", "%s, priority %s%s", d.Kind, d.Priority, landsOn(d.Task))
	if d.Outcome != "" {
		field(w, "outcome", "%s", coord.OneLine(d.Outcome))
	}
	for i, k := range d.Criteria {
		label := ""
		if i == 0 {
			label = "accept"
		}
		field(w, label, "%d. %s", i+1, coord.OneLine(k))
	}
	writeFacets(w, d.Task)
	for _, b := range d.Blockers {
		writeBlocker(w, b)
	}
	if s := d.Saved; s != nil {
		field(w, "saved", "%s of attempt %d: commit %s tree %s %s", s.Kind, s.Generation, s.Commit.Short(), s.Tree.Short(), s.Ref)
	}
	if l := d.Landed; l != nil {
		field(w, "landed", "%s %s tree %s at %s", l.Target, l.Commit.Short(), l.Tree.Short(), day(l.At))
	}
	writeWork(w, d)
	writeObligations(w, d.Obligations)
	writeJudgement(w, d)
	writeRemarks(w, d)
}

// landsOn is where the work of a task lands, if any does.
func landsOn(t coord.Task) string {
	switch t.Kind {
	case coord.KindObjective:
		return "; its children: coord task list --all --parent " + string(t.ID)
	case coord.KindCode, coord.KindIntegration:
		return ", target " + t.Target
	}
	return ""
}

// writeFacets prints what a task is found, chosen and placed by.
func writeFacets(w io.Writer, t coord.Task) {
	if len(t.DependsOn) > 0 {
		field(w, "after", "%s", joinIDs(t.DependsOn))
	}
	if t.Parent != "" {
		field(w, "part of", "%s", t.Parent)
	}
	for _, f := range []struct {
		label  string
		values []string
	}{{"labels", t.Labels}, {"paths", t.Paths}, {"needs", t.Capabilities}} {
		if len(f.values) > 0 {
			field(w, f.label, "%s", coord.OneLine(strings.Join(f.values, ", ")))
		}
	}
	if t.SourceKey != "" {
		field(w, "source", "%s", coord.OneLine(t.SourceKey))
	}
}

// field prints one labelled line. Values line up.
func field(w io.Writer, label, format string, args ...any) {
	fmt.Fprintf(w, "%-10s%s\n", label, fmt.Sprintf(format, args...))
}

// standing is the status with its reason or its holder.
func standing(t coord.Task) string {
	s := string(t.Status)
	if t.SupersededBy != "" {
		s += " by " + string(t.SupersededBy)
	}
	if len(t.WaitsFor) > 0 {
		s += ", waits for " + someIDs(t.WaitsFor)
	}
	if o := t.Owner; o != nil {
		s += fmt.Sprintf(", held by %s (attempt %d, %s until %s)", coord.OneLine(o.Name), o.Generation, o.Standing, day(o.ExpiresAt))
	}
	return s
}

// section prints a heading and its rows, aligned; nothing without rows. Lines
// that belong to a row, by its number, follow it.
func section(w io.Writer, heading string, rows []string, below ...[]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	var aligned bytes.Buffer
	columns(&aligned, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintf(w, "  %s\n", r)
		}
	})
	for i, line := range slices.Collect(strings.Lines(aligned.String())) {
		io.WriteString(w, line)
		if i < len(below) {
			for _, b := range below[i] {
				fmt.Fprintf(w, "      %s\n", b)
			}
		}
	}
}

// row joins cells for columns; a tab inside one would break the table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = coord.OneLine(c)
	}
	return strings.TrimRight(strings.Join(cells, "\t"), "\t")
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }
