package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newNote(a *app) *cobra.Command {
	return a.verb("note TEXT", "add a note to the task that this session works on or lost", cobra.ExactArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.note(ctx, args[0])
	})
}

func (a *app) note(ctx context.Context, text string) (output, error) {
	attempt, err := a.notedAttempt(ctx)
	if err != nil {
		return output{}, err
	}
	cmd := coord.AddNote{Attempt: attempt, Text: text}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, err := a.service(ctx)
	if err != nil {
		return output{}, err
	}
	n, err := svc.AddNote(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "note", data: n, text: func(w io.Writer) {
		late := ""
		if n.Late {
			late = ", late: it changes nothing else"
		}
		fmt.Fprintf(w, "%s noted%s\n", n.Task, late)
	}}, nil
}

// notedAttempt is the attempt of this worktree, over or not, or the one that
// this machine remembers of the task or the session.
func (a *app) notedAttempt(ctx context.Context) (coord.AttemptID, error) {
	b, err := a.binding()
	if err != nil || b.Attempt != "" && (a.task == "" || string(b.Task) == a.task) {
		return b.Attempt, err
	}
	d, err := a.desk(ctx)
	if err != nil {
		return "", err
	}
	all, err := boundHere(d)
	if err != nil {
		return "", err
	}
	var found []coord.AttemptID
	for _, b := range all {
		if b.Session == d.Session && (string(b.Task) == a.task || a.task == "" && !b.Ended) {
			found = append(found, b.Attempt)
		}
	}
	switch {
	case len(found) == 0:
		return "", noneHeld(a.task, "")
	case len(found) > 1 && a.task == "":
		return "", coord.Errorf(coord.CodeAmbiguous, "this session holds several tasks; nothing was done").WithNext("coord note --task " + string(found[0].Task()) + " TEXT")
	}
	return found[len(found)-1], nil
}
