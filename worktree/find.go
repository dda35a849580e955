package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"coord"
	"coord/gitops"
)

// Bound is a worktree of this repository that serves, or served, an attempt.
type Bound struct {
	Binding
	GitDir string
	Gone   bool // its directory was deleted by hand
}

// Find returns the bound worktrees of the repository in order of their Git
// directories' names. It reads files only and runs no git. A damaged binding
// is passed over, so that it stops no other worktree's work; starting its task
// again writes it anew.
func Find(info gitops.Info) ([]Bound, error) {
	parent := filepath.Join(info.CommonDir, "worktrees")
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot read the repository's worktrees: %w", err).WithNext("coord doctor")
	}
	var found []Bound
	for _, e := range entries {
		gitDir := filepath.Join(parent, e.Name())
		b, err := Load(gitDir)
		if err != nil {
			continue
		}
		_, err = os.Stat(b.Path)
		found = append(found, Bound{Binding: b, GitDir: gitDir, Gone: err != nil})
	}
	return found, nil
}

// OfSession returns the worktrees whose attempts the session still holds, as
// far as this machine knows, that serve the kind (see coord.Kind.Serves).
func OfSession(all []Bound, session coord.SessionID, kind coord.Kind) []Bound {
	var own []Bound
	for _, b := range all {
		if b.Session == session && b.Kind.Serves(kind) && !b.Gone && !b.Ended {
			own = append(own, b)
		}
	}
	return own
}
