package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// nextBytes bounds what next prints.
const nextBytes = 1500

type next struct{ *app }

func newNext(a *app) *cobra.Command {
	o := &next{app: a}
	return a.verb("next", "Say what to do now, and why other work is not for you; claims nothing", cobra.NoArgs, o.run)
}

func (o *next) run(ctx context.Context, _ []string) (output, error) {
	svc, project, err := o.inProject(ctx)
	if err != nil {
		return output{}, err
	}
	n, err := svc.Next(ctx, project)
	if err != nil {
		return output{}, err
	}
	out := output{kind: "next", data: n, text: func(w io.Writer) { writeNext(w, n) }}
	if n.Activity == coord.ActivityNone {
		out.err = coord.Errorf(coord.CodeNothingEligible, "nothing in %s is for this session now", project).WithNext("coord board")
	}
	return out, nil
}

// writeNext prints the one thing to do and, as far as there is room, why
// other tasks are passed over.
func writeNext(w io.Writer, n coord.NextAction) {
	used := 0
	line := func(format string, args ...any) {
		s := fmt.Sprintf(format, args...)
		used += len(s)
		io.WriteString(w, s)
	}
	if n.Task != nil {
		line("%-10s%s  %s\n", n.Activity, n.Task.ID, clip(n.Task.Title, 200))
	}
	if n.Command != "" {
		line("%-10s%s\n", "next", clip(n.Command, 200))
	}
	for i, s := range n.Skipped {
		said := fmt.Sprintf("%-10s%d %s", "skipped", s.Count, clip(s.Reason, 120))
		if s.Example != "" {
			said += ", such as " + string(s.Example)
		}
		if used+len(said)+1 > nextBytes-100 {
			line("%-10s%s: coord board\n", "skipped", plural(len(n.Skipped)-i, "more reason"))
			return
		}
		line("%s\n", said)
	}
}
