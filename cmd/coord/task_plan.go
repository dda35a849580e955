package main

import (
	"context"
	"fmt"
	"io"

	"coord"
)

// planned is the service for a verb that changes the plan, which people use
// as well as agents, with the task that it names.
func (a *app) planned(ctx context.Context, ref string) (coord.Service, coord.TaskID, error) {
	svc, err := a.either(ctx, false)
	if err != nil {
		return nil, "", err
	}
	id, err := a.taskNamed(ctx, svc, ref)
	return svc, id, err
}

// changedTask is what a verb that changed a task ends with.
func changedTask(t coord.Task, err error) (output, error) {
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: t, text: func(w io.Writer) { writeTaskLine(w, t) }}, nil
}

// writeTaskLine says in a line where a task stands.
func writeTaskLine(w io.Writer, t coord.Task) {
	fmt.Fprintf(w, "%s %s", t.ID, t.Status)
	if t.SupersededBy != "" {
		fmt.Fprintf(w, " by %s", t.SupersededBy)
	}
	if len(t.WaitsFor) > 0 {
		fmt.Fprintf(w, ", waits for %s", someIDs(t.WaitsFor))
	}
	if t.Parent != "" {
		fmt.Fprintf(w, ", part of %s", t.Parent)
	}
	fmt.Fprintln(w)
}

// someIDs names the first few of many.
func someIDs(ids []coord.TaskID) string {
	const few = 5
	if len(ids) <= few {
		return joinIDs(ids)
	}
	return fmt.Sprintf("%s and %d more", joinIDs(ids[:few]), len(ids)-few)
}
