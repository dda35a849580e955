package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"coord/gitops"
)

func newSnapshot(a *app) *cobra.Command {
	return a.verb("snapshot [DIR]", "print the tree id of a work tree as it is on disk", cobra.MaximumNArgs(1), a.snapshot)
}

func (a *app) snapshot(ctx context.Context, args []string) (output, error) {
	dir, err := a.workDir()
	if err != nil {
		return output{}, err
	}
	if len(args) > 0 && filepath.IsAbs(args[0]) {
		dir = args[0]
	} else if len(args) > 0 {
		dir = filepath.Join(dir, args[0])
	}
	repo, err := a.gitOps().Open(ctx, dir)
	if err != nil {
		return output{}, err
	}
	tree, err := repo.Snapshot(ctx)
	if err != nil {
		return output{}, err
	}
	data := struct {
		Tree gitops.OID `json:"tree"`
		Root string     `json:"root"`
	}{tree, repo.Info().Root}
	return output{kind: "snapshot", data: data, text: func(w io.Writer) { fmt.Fprintln(w, tree) }}, nil
}
