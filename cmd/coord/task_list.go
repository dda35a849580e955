package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// rowBytes bounds a line of a list, with its line break.
const rowBytes = 100

type taskList struct {
	*app
	status, kind, text, cursor string
	all                        bool
}

func newTaskList(a *app) *cobra.Command {
	o := &taskList{app: a}
	c := a.verb("list", "List tasks: the open ones, in the order they are served", cobra.NoArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.status, "status", "", "only tasks of this `STATUS`, such as ready or done")
	f.StringVar(&o.kind, "kind", "", "only tasks of this `KIND`: code, review or integration")
	f.StringVar(&o.text, "text", "", "only tasks with `TEXT` in the title")
	f.StringVar(&o.cursor, "cursor", "", "go on at `CURSOR`, where an earlier page ended")
	f.BoolVar(&o.all, "all", false, "closed tasks too")
	return c
}

func (o *taskList) run(ctx context.Context, _ []string) (output, error) {
	svc, project, err := o.inProject(ctx)
	if err != nil {
		return output{}, err
	}
	page, err := svc.ListTasks(ctx, coord.TaskQuery{
		Project: project, Status: coord.Status(o.status), Kind: coord.Kind(o.kind), Text: o.text, Cursor: o.cursor,
	})
	if err != nil {
		return output{}, err
	}
	rows, cursor := page.Items, page.NextCursor
	if !o.all && o.status == "" {
		rows, cursor = openOnly(rows, cursor)
	}
	return output{kind: "tasks", data: listOf(rows, cursor), text: func(w io.Writer) {
		if len(rows) == 0 {
			fmt.Fprintf(w, "no %stask in %s\n", o.what(), project)
		}
		writeTaskRows(w, rows)
		if cursor != "" {
			fmt.Fprintf(w, "more: %s --cursor %s\n", o.again(), cursor)
		}
	}}, nil
}

// openOnly drops the closed tasks, which come after all open ones: with the
// first of them the list is at its end.
func openOnly(rows []coord.Task, cursor string) ([]coord.Task, string) {
	closed := func(t coord.Task) bool {
		return t.Lifecycle == coord.LifecycleDone || t.Lifecycle == coord.LifecycleCanceled
	}
	if i := slices.IndexFunc(rows, closed); i >= 0 {
		return rows[:i], ""
	}
	return rows, cursor
}

func (o *taskList) what() string {
	if o.all || o.status != "" || o.kind != "" || o.text != "" {
		return "such "
	}
	return "open "
}

// again is the command that was typed, for its next page.
func (o *taskList) again() string {
	cmd := "coord task list"
	for _, f := range []struct{ name, value string }{{"status", o.status}, {"kind", o.kind}, {"text", o.text}, {"project", o.project}} {
		if f.value != "" {
			cmd += fmt.Sprintf(" --%s %s", f.name, shellWord(f.value))
		}
	}
	if o.all {
		cmd += " --all"
	}
	return cmd
}

// writeTaskRows prints a task a line: id, status, what is unusual about it,
// and as much of the title as the line holds.
func writeTaskRows(w io.Writer, tasks []coord.Task) {
	idWidth, statusWidth := 0, 0
	for _, t := range tasks {
		idWidth, statusWidth = max(idWidth, len(t.ID)), max(statusWidth, len(t.Status))
	}
	for _, t := range tasks {
		row := fmt.Sprintf("%-*s  %-*s  ", idWidth, t.ID, statusWidth, t.Status)
		if t.Priority != coord.PriorityNormal {
			row += string(t.Priority) + ": "
		}
		tail := ""
		if t.Owner != nil {
			tail = "  (" + clip(t.Owner.Name, 20) + ")"
		}
		title := clip(t.Title, rowBytes-1-len(row)-len(tail))
		fmt.Fprintln(w, strings.TrimRight(row+title+tail, " "))
	}
}

// shellWord quotes a word for the suggested command when it needs it.
func shellWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'`$&|;<>()*?[]#~!\\") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
