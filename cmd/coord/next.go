package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// nextBytes bounds what next prints.
const nextBytes = 1500

type next struct {
	*app
	person bool
}

func newNext(a *app) *cobra.Command {
	o := &next{app: a}
	c := a.verb("next", "Say what to do now, and why other work is not for you; claims nothing", cobra.NoArgs, o.run)
	c.Flags().BoolVar(&o.person, "person", false, "what waits for the person signed in here")
	return c
}

func (o *next) run(ctx context.Context, _ []string) (output, error) {
	svc, project, err := o.eitherInProject(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	n, err := svc.Next(ctx, project)
	if err != nil {
		return output{}, err
	}
	out := output{kind: "next", data: n, text: func(w io.Writer) { writeNext(w, n) }}
	if n.Activity == coord.ActivityNone {
		out.err = idle(svc, project)
	}
	return out, nil
}

// idle is the normal stop of an agent with nothing to do, or of a person whom
// nothing waits for.
func idle(svc coord.Service, project coord.ProjectKey) error {
	if isPerson(svc) {
		return coord.Errorf(coord.CodeNothingEligible, "nothing in %s waits for a person now", project).WithNext("coord board")
	}
	return coord.Errorf(coord.CodeNothingEligible, "nothing in %s is for this session now", project).WithNext("coord wait", "coord board")
}

func isPerson(svc coord.Service) bool {
	_, ok := svc.(signedIn)
	return ok
}

// writeNext prints the one thing to do and, as far as there is room, why
// other tasks are passed over.
func writeNext(w io.Writer, n coord.NextAction) {
	var s strings.Builder
	writeAction(&s, n)
	within(&s, "skipped", skippedLines(n.Skipped), nextBytes-100-s.Len(), "coord board")
	io.WriteString(w, s.String())
}

// writeAction prints what to do and the command for it, in at most 1,000
// bytes.
func writeAction(w io.Writer, n coord.NextAction) {
	if n.Task != nil {
		field(w, string(n.Activity), "%s  %s", n.Task.ID, clip(n.Task.Title, 200))
		if n.Reason != "" {
			field(w, "returned", "%s", clip(n.Reason, 200))
		} else if s := n.Task.Saved; s != nil && s.Next != "" {
			field(w, "left", "%s", clip(s.Next, 200))
		}
		if len(n.Task.Blockers) > 0 {
			field(w, "blocked", "%s", clip(n.Task.Blockers[0].Text, 200))
		}
	}
	if n.Decision != nil {
		field(w, string(n.Activity), "%s", questionLine(*n.Decision))
	}
	if n.Command != "" {
		field(w, "next", "%s", clip(n.Command, 200))
	}
}

func skippedLines(skipped []coord.Skip) (out []string) {
	for _, s := range skipped {
		said := clip(s.Text(), 130)
		if s.Example != "" {
			said += ", such as " + string(s.Example)
		}
		out = append(out, said)
	}
	return out
}
