package gitops

import (
	"context"
	"os"
	"strings"

	"coord"
)

// initializing is the reason of the lock that Git itself puts on a work tree
// while it makes it.
const initializing = "initializing"

// AbandonWorktree removes a linked work tree that Git was killed over while it
// made it, with what it had checked out by then: nobody ever worked there. It
// refuses one that was finished, with code state_conflict. The caller knows that
// nobody is making it now.
func (r *repo) AbandonWorktree(ctx context.Context, path string) error {
	release, err := r.lockWorktrees(ctx)
	if err != nil {
		return err
	}
	defer release()
	w, found, err := r.findWorktree(ctx, path)
	if err != nil || !found {
		return err
	}
	half, err := r.halfMade(ctx, w)
	if err != nil {
		return err
	}
	if !half || w.Main || w.Bare {
		return coord.Errorf(coord.CodeStateConflict, "the worktree %s was made to its end; nothing was removed", path)
	}
	if err := os.RemoveAll(w.Path); err != nil {
		return coord.Errorf(coord.CodeStateConflict, "what was made of the worktree %s could not be removed: %w", w.Path, err)
	}
	if _, err := r.work(ctx, "worktree", "unlock", "--", w.Path); err != nil {
		return wrap(coord.CodeStateConflict, err, "Git cannot unlock the worktree %s", w.Path)
	}
	return r.unregister(ctx, w)
}

// halfMade reports whether Git still locks the work tree as one that it makes.
func (r *repo) halfMade(ctx context.Context, w Worktree) (bool, error) {
	out, err := r.read(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return false, wrap(coord.CodeSetup, err, "cannot list the worktrees of %s", r.dir())
	}
	at := ""
	for _, rec := range records(out) {
		key, value, _ := strings.Cut(rec, " ")
		switch {
		case key == "worktree":
			at = nativePath(value)
		case key == "locked" && at == w.Path:
			return value == initializing, nil
		}
	}
	return false, nil
}
