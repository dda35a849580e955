package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// sourceRows bounds how many files and problems are listed.
const sourceRows = 100

func newSources(a *app) *cobra.Command {
	return a.verb("sources", "List the files that were imported, and what is wrong in them", cobra.NoArgs, a.sourceFiles)
}

func (a *app) sourceFiles(ctx context.Context, _ []string) (output, error) {
	project, err := a.projectKey()
	if err != nil {
		return output{}, err
	}
	svc, err := a.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	s, err := svc.Sources(ctx, project)
	if err != nil {
		return output{}, err
	}
	return output{kind: "sources", data: s, text: func(w io.Writer) { writeSources(w, s) }}, nil
}

func writeSources(w io.Writer, s coord.Sources) {
	if len(s.Files) == 0 {
		fmt.Fprintf(w, "nothing was imported into %s yet\n", s.Project)
		field(w, "next", "coord import")
		return
	}
	columns(w, func(w io.Writer) {
		for n, f := range s.Files {
			if n == sourceRows {
				break
			}
			revision, written := "-", "-"
			if f.Revision != "" {
				revision = coord.OID(f.Revision).Short()
			}
			if !f.At.IsZero() {
				written = f.At.UTC().Format("2006-01-02")
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", clip(f.Path, 120), f.As, revision, written)
		}
	})
	if n := len(s.Files) - sourceRows; n > 0 {
		fmt.Fprintf(w, "… %d more: coord sources --json\n", n)
	}
	for n, q := range s.Problems {
		if n == sourceRows {
			s.More += len(s.Problems) - n
			break
		}
		writeProblem(w, q)
	}
	if s.More > 0 {
		fmt.Fprintf(w, "… %d more problems: coord sources --json\n", s.More)
	}
}
