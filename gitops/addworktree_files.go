package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"coord"
)

// overlay lays the tree over the new work tree and takes the index back to
// HEAD. Files of the tree that the ignore rules would hide from the next
// snapshot are kept in the index, as they were where the tree was taken.
func (a *addition) overlay(ctx context.Context) error {
	if a.spec.Overlay == "" {
		return nil
	}
	opened, err := a.repo.git.Open(ctx, a.spec.Path)
	if err != nil {
		return err
	}
	w := opened.(*repo)
	failed := func(err error) error {
		return wrap(coord.CodeInternal, err, "cannot lay %s over the new worktree; none was made", a.spec.Overlay.Short())
	}
	if _, err := w.work(ctx, "read-tree", "-m", "-u", "HEAD", string(a.spec.Overlay)); err != nil {
		return failed(err)
	}
	if _, err := w.work(ctx, "reset", "--quiet", "--mixed"); err != nil {
		return failed(err)
	}
	hidden, err := w.work(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "-z")
	if err != nil {
		return failed(err)
	}
	if len(hidden) == 0 {
		return nil
	}
	if _, err := w.in(ctx, call{args: []string{"update-index", "--add", "-z", "--stdin"}, stdin: hidden, limit: work}); err != nil {
		return failed(err)
	}
	return nil
}

// undo takes back what was made. It runs although the caller's context may
// have ended.
func (a *addition) undo(ctx context.Context) error {
	errs := []error{a.clear()}
	for _, dir := range slices.Backward(a.dirs) {
		_ = os.Remove(dir) // unless it holds someone else's files by now
	}
	if a.branch {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		update := RefUpdate{Name: branchRef(a.spec.Branch), Old: Exactly(a.spec.Start)}
		if err := a.repo.UpdateRefs(ctx, []RefUpdate{update}); err != nil {
			errs = append(errs, coord.Errorf(coord.CodeInternal, "branch %s is left behind: %w", a.spec.Branch, err))
		}
	}
	return errors.Join(errs...)
}

// clear takes back what one try made.
func (a *addition) clear() error {
	a.forget()
	if !slices.Contains(a.dirs, a.spec.Path) {
		return nil
	}
	if err := os.RemoveAll(a.spec.Path); err != nil {
		return coord.Errorf(coord.CodeInternal, "%s is left behind: %w", a.spec.Path, err)
	}
	return nil
}

// forget removes Git's own directory for the unfinished work tree. canAdd
// proved, under the lock, that none was registered for this path before.
func (a *addition) forget() {
	home := filepath.Join(a.repo.info.CommonDir, "worktrees")
	entries, _ := os.ReadDir(home)
	want := resolved(a.spec.Path)
	for _, e := range entries {
		admin := filepath.Join(home, e.Name())
		if at, ok := registeredAt(admin); ok && at == want {
			_ = os.RemoveAll(admin)
		}
	}
	_ = os.Remove(home) // only when empty, as Git does
}
