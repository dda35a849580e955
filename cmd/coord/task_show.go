package main

import (
	"context"
	"fmt"
	"io"
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
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	var id coord.TaskID
	if len(args) == 1 {
		id, err = o.taskNamed(ctx, svc, args[0])
	} else {
		id, err = o.workingTask()
	}
	if err != nil {
		return output{}, err
	}
	d, err := svc.Task(ctx, id)
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
	field(w, "kind", "%s, priority %s, target %s", d.Kind, d.Priority, d.Target)
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
	if len(d.DependsOn) > 0 {
		field(w, "after", "%s", joinIDs(d.DependsOn))
	}
	if b := d.Blocker; b != nil {
		field(w, "blocked", "%s; lifted by: %s", coord.OneLine(b.Text), coord.OneLine(b.Reopen))
	}
	if s := d.Saved; s != nil {
		field(w, "saved", "%s of attempt %d: commit %s tree %s %s", s.Kind, s.Generation, s.Commit.Short(), s.Tree.Short(), s.Ref)
	}
	if l := d.Landed; l != nil {
		field(w, "landed", "%s %s tree %s at %s", l.Target, l.Commit.Short(), l.Tree.Short(), day(l.At))
	}
	writeWork(w, d)
	writeJudgement(w, d)
}

// field prints one labelled line. Values line up.
func field(w io.Writer, label, format string, args ...any) {
	fmt.Fprintf(w, "%-10s%s\n", label, fmt.Sprintf(format, args...))
}

// standing is the status with its reason or its holder.
func standing(t coord.Task) string {
	s := string(t.Status)
	if len(t.WaitsFor) > 0 {
		s += ", waits for " + joinIDs(t.WaitsFor)
	}
	if o := t.Owner; o != nil {
		s += fmt.Sprintf(", held by %s (attempt %d, %s until %s)", coord.OneLine(o.Name), o.Generation, o.Standing, day(o.ExpiresAt))
	}
	return s
}

// section prints a heading and its rows, aligned; nothing without rows.
func section(w io.Writer, heading string, rows []string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	columns(w, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintf(w, "  %s\n", r)
		}
	})
}

// row joins cells for columns; a tab inside one would break the table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = coord.OneLine(c)
	}
	return strings.TrimRight(strings.Join(cells, "\t"), "\t")
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }
