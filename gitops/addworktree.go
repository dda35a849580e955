package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"coord"
)

// WorktreeSpec describes a work tree to add.
type WorktreeSpec struct {
	Path   string // absolute; must not exist
	Branch string // short name of a new branch; "" for a detached HEAD
	Start  OID    // commit to begin at; none checks out Branch, which must exist
	// Overlay, if given, is a tree laid over Start as uncommitted changes.
	Overlay OID
}

func (s WorktreeSpec) check() error {
	if !filepath.IsAbs(s.Path) || strings.ContainsAny(s.Path, "\x00\n") {
		return coord.Errorf(coord.CodeBadRequest, "%q is not an absolute path; no worktree was made", s.Path)
	}
	if s.Branch == "" && s.Start == "" {
		return coord.Errorf(coord.CodeBadRequest, "a worktree needs a branch or a commit; none was made")
	}
	if s.Branch != "" {
		if err := CheckBranchName(s.Branch); err != nil {
			return err
		}
	}
	for _, o := range []OID{s.Start, s.Overlay} {
		if o != "" && !o.Valid() {
			return checkOIDs(o)
		}
	}
	return nil
}

// attempts is how often adding a worktree is tried: other Git commands may
// hold a lock for a moment.
const attempts = 4

// AddWorktree makes a work tree with, if Start is given, a new branch. Parallel
// calls in one repository wait for each other. When it fails, whatever it made
// is gone again, and nothing it did not make is. Code state_conflict when the
// path or branch is in use, not_found when Start or Overlay is missing.
func (r *repo) AddWorktree(ctx context.Context, spec WorktreeSpec) error {
	if err := spec.check(); err != nil {
		return err
	}
	release, err := r.lockWorktrees(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := r.canAdd(ctx, spec); err != nil {
		return err
	}
	made := &addition{repo: r, spec: spec}
	err = made.run(ctx)
	if err == nil {
		return nil
	}
	if left := made.undo(ctx); left != nil {
		return errors.Join(err, left)
	}
	return err
}

// canAdd looks at everything that would make the addition fail for good.
func (r *repo) canAdd(ctx context.Context, spec WorktreeSpec) error {
	if _, err := os.Lstat(spec.Path); !os.IsNotExist(err) {
		return inUse(spec.Path)
	}
	trees, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.at(spec.Path) {
			return r.stillRegistered(w)
		}
		if spec.Start == "" && w.Branch == spec.Branch {
			return coord.Errorf(coord.CodeStateConflict, "branch %s is checked out at %s; no worktree was made", spec.Branch, w.Path).WithNext("cd " + quoteArg(w.Path))
		}
	}
	if err := r.has(ctx, spec.Start, "commit"); err != nil {
		return err
	}
	return r.has(ctx, spec.Overlay, "tree")
}

// stillRegistered is the answer to a path of which Git knows a work tree that
// is not there.
func (r *repo) stillRegistered(w Worktree) error {
	git := "git -C " + quoteArg(r.dir()) + " worktree "
	next := []string{git + "prune", "the same command again"}
	if w.Locked { // prune would leave it, and say nothing
		next = append([]string{git + "unlock " + quoteArg(w.Path)}, next...)
	}
	return coord.Errorf(coord.CodeStateConflict, "%s is still registered as a worktree whose files are gone; no worktree was made", w.Path).WithNext(next...)
}

func inUse(path string) error {
	return coord.Errorf(coord.CodeStateConflict, "%s exists already; no worktree was made", path)
}

// has proves that an object of the kind is here; none always is.
func (r *repo) has(ctx context.Context, o OID, kind string) error {
	if o == "" {
		return nil
	}
	if _, err := r.read(ctx, "cat-file", "-e", string(o)+"^{"+kind+"}"); err != nil {
		return wrap(coord.CodeNotFound, err, "%s is no %s in %s; nothing was changed", o, kind, r.dir())
	}
	return nil
}

// addition is a worktree being made, with what there is to take back.
type addition struct {
	repo   *repo
	spec   WorktreeSpec
	dirs   []string // made, outermost first
	branch bool     // made
}

func (a *addition) run(ctx context.Context) error {
	if a.spec.Branch != "" && a.spec.Start != "" {
		update := RefUpdate{Name: branchRef(a.spec.Branch), New: a.spec.Start, Old: Absent}
		if err := a.repo.updateRefs(ctx, "branch: created for a worktree", []RefUpdate{update}); err != nil {
			return err
		}
		a.branch = true
	}
	args := []string{"worktree", "add", "--no-guess-remote", "--", a.spec.Path, a.spec.Branch}
	if a.spec.Branch == "" {
		args = []string{"worktree", "add", "--detach", "--", a.spec.Path, string(a.spec.Start)}
	}
	var err error
	for try := 0; try < attempts; try++ {
		if err = a.tryAdd(ctx, args, time.Duration(try*try)*50*time.Millisecond); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return wrap(coord.CodeStateConflict, err, "Git cannot make a worktree at %s; none was made", a.spec.Path)
	}
	return a.overlay(ctx)
}

func (a *addition) tryAdd(ctx context.Context, args []string, after time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(after):
	}
	if err := a.makeDirs(); err != nil {
		return err
	}
	_, err := a.repo.work(ctx, args...)
	if err != nil {
		return errors.Join(err, a.clear())
	}
	return nil
}

// makeDirs makes the directory and its missing parents one by one, so that
// what undo removes is known to be ours.
func (a *addition) makeDirs() error {
	var missing []string
	for d := a.spec.Path; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		err := os.Mkdir(missing[i], 0o777)
		if os.IsExist(err) && missing[i] != a.spec.Path {
			continue // another process was faster: then it is not ours
		}
		if os.IsExist(err) {
			return inUse(a.spec.Path)
		}
		if err != nil {
			return err
		}
		a.dirs = append(a.dirs, missing[i])
	}
	return nil
}
