package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// rowBytes bounds a line of a list, with its line break.
const rowBytes = 100

type taskList struct {
	*app
	status, kind, label, parent, owner, text, cursor string
	all                                              bool
}

func newTaskList(a *app) *cobra.Command {
	o := &taskList{app: a}
	c := a.verb("list", "List tasks: the open ones, in the order they are served", cobra.NoArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.status, "status", "", "only tasks of this `STATUS`, such as ready or done")
	f.StringVar(&o.kind, "kind", "", "only tasks of this `KIND`: code, general, objective, review or integration")
	f.StringVar(&o.label, "label", "", "only tasks with this `LABEL`")
	f.StringVar(&o.parent, "parent", "", "only children of this `OBJECTIVE`")
	f.StringVar(&o.owner, "owner", "", "only tasks that the session of this `NAME` holds")
	f.StringVar(&o.text, "text", "", "only tasks with `TEXT` in the title")
	f.StringVar(&o.cursor, "cursor", "", "go on at `CURSOR`, where an earlier page ended")
	f.BoolVar(&o.all, "all", false, "closed tasks too")
	return c
}

func (o *taskList) run(ctx context.Context, _ []string) (output, error) {
	if err := o.check(); err != nil {
		return output{}, err
	}
	svc, project, err := o.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	q := coord.TaskQuery{
		Project: project, Status: coord.Status(o.status), Kind: coord.Kind(o.kind), Label: o.label, Owner: o.owner, Text: o.text, Cursor: o.cursor,
	}
	if o.parent != "" {
		if q.Parent, err = o.taskNamed(ctx, svc, o.parent); err != nil {
			return output{}, err
		}
	}
	page, err := svc.ListTasks(ctx, q)
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

// check refuses words that no task has.
func (o *taskList) check() error {
	if o.status != "" && !slices.Contains(statuses, coord.Status(o.status)) {
		return coord.Errorf(coord.CodeBadRequest, "%q is no status; a task is %s", o.status, joinWords(statuses))
	}
	kinds := []coord.Kind{coord.KindCode, coord.KindGeneral, coord.KindObjective, coord.KindReview, coord.KindIntegration}
	if o.kind != "" && !slices.Contains(kinds, coord.Kind(o.kind)) {
		return coord.Errorf(coord.CodeBadRequest, "%q is no kind; a task is of the kind %s", o.kind, joinWords(kinds))
	}
	return nil
}

// joinWords lists the choices there are: "a, b or c".
func joinWords[T ~string](words []T) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// openOnly drops the closed tasks, which come after all open ones: with the
// first of them the list is at its end.
func openOnly(rows []coord.Task, cursor string) ([]coord.Task, string) {
	if i := slices.IndexFunc(rows, func(t coord.Task) bool { return t.Lifecycle.Closed() }); i >= 0 {
		return rows[:i], ""
	}
	return rows, cursor
}

func (o *taskList) what() string {
	switch {
	case o.status+o.kind+o.label+o.parent+o.owner+o.text != "":
		return "such "
	case o.all:
		return ""
	}
	return "open "
}

// again is the command that was typed, for its next page.
func (o *taskList) again() string {
	cmd := "coord task list"
	for _, f := range []struct{ name, value string }{{"status", o.status}, {"kind", o.kind}, {"label", o.label}, {"parent", o.parent}, {"owner", o.owner}, {"text", o.text}, {"project", o.project}} {
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
		if t.Kind == coord.KindObjective || t.Kind == coord.KindGeneral {
			row += string(t.Kind) + ": "
		}
		tail := ""
		if t.Owner != nil {
			tail = "  (" + clip(t.Owner.Name, 20) + ")"
		}
		title := clip(t.Title, rowBytes-1-len(row)-len(tail))
		fmt.Fprintln(w, strings.TrimRight(row+title+tail, " "))
	}
}

// shellWord quotes a word for the suggested command when it needs it. Single
// quotes mean nothing to cmd, so on Windows they are for words that no double
// ones keep as they are.
func shellWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'`$&|;<>()*?[]#~!\\") {
		return s
	}
	if filepath.Separator == '\\' && !strings.ContainsAny(s, "\"$`") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
