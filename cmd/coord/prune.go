package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord/work"
)

func newPrune(a *app) *cobra.Command {
	return a.verb("prune", "remove finished worktrees whose work is saved elsewhere", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.prune(ctx)
	})
}

func (a *app) prune(ctx context.Context) (output, error) {
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	done, err := d.Prune(ctx)
	if err != nil {
		return output{}, err
	}
	p, err := a.place()
	if err != nil {
		return output{}, err
	}
	return output{kind: "prune", data: listOf(done, ""), text: func(w io.Writer) { prunedText(w, p.dir, done) }}, nil
}

func prunedText(w io.Writer, dir string, done []work.Pruned) {
	if len(done) == 0 {
		fmt.Fprintln(w, "no worktrees of coord here")
	}
	kept := false
	defer func() {
		if kept {
			fmt.Fprintln(w, "their directories are kept for 7 days, with the files that Git ignores, in .trash beside the worktrees")
		}
	}()
	columns(w, func(w io.Writer) {
		for _, p := range done {
			kept = kept || p.Trash != ""
			what, why := "removed", ""
			if !p.Removed {
				what, why = "kept", clip(p.Kept, 120)
			} else if len(p.Refs) > 0 {
				why = plural(len(p.Refs), "remote ref") + " removed too"
			}
			row := []string{what, string(p.Task), nearPath(dir, p.Path), why}
			if why == "" {
				row = row[:3]
			}
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
	})
}
