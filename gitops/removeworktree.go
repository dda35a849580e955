package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"coord"
	"coord/files"
)

// RemoveWorktree removes a linked work tree and its directory; its branch
// stays. With saved none it must be clean, and a detached HEAD must be
// reachable from a reference. Otherwise saved is a tree the caller knows to be
// safe elsewhere, and the snapshot must equal it. Ignored files go. It refuses,
// with code requirement_not_met, anything a snapshot does not hold: an
// unfinished merge, a submodule or repository inside. It refuses the main
// work tree and one that is locked.
func (r *repo) RemoveWorktree(ctx context.Context, path string, saved OID) error {
	return r.takeAway(ctx, path, saved, "")
}

// TrashWorktree is RemoveWorktree, but moves the directory to another place of
// the same file system, with all that is in it, ignored files too. The place
// must be free, and what it lies in is made. When only the move was done
// before, ForgetWorktree does the rest. It refuses, with code state_conflict, one
// that another Git command is at work in, as far as its lock files tell.
func (r *repo) TrashWorktree(ctx context.Context, path string, saved OID, to string) error {
	if !filepath.IsAbs(to) {
		return coord.Errorf(coord.CodeBadRequest, "%q is not an absolute path; nothing was removed", to)
	}
	return r.takeAway(ctx, path, saved, to)
}

// ForgetWorktree ends the registration of a linked work tree whose directory is
// gone. It refuses one that is there, and one that is locked.
func (r *repo) ForgetWorktree(ctx context.Context, path string) error {
	release, err := r.lockWorktrees(ctx)
	if err != nil {
		return err
	}
	defer release()
	w, found, err := r.findWorktree(ctx, path)
	if err != nil || !found {
		return err
	}
	if !w.Missing || w.Locked || w.Main {
		return coord.Errorf(coord.CodeStateConflict, "the worktree %s is there or locked; nothing was removed", path)
	}
	return r.unregister(ctx, w)
}

// unregister has Git drop a work tree, with its directory if that is there.
// Forced because Git's own test knows no saved trees; not twice, which would
// override a lock. Not run inside the directory that goes, which Windows
// refuses.
func (r *repo) unregister(ctx context.Context, w Worktree) error {
	remove := call{args: []string{"worktree", "remove", "--force", "--", w.Path}, dir: r.info.CommonDir, limit: work}
	if _, err := r.git.run(ctx, remove); err != nil {
		return wrap(coord.CodeStateConflict, err, "Git could not remove all of the worktree %s, whose work is saved", w.Path)
	}
	return nil
}

// takeAway removes a work tree that is proved to be saved, or moves it.
func (r *repo) takeAway(ctx context.Context, path string, saved OID, to string) error {
	if saved != "" && !saved.Valid() {
		return checkOIDs(saved)
	}
	release, err := r.lockWorktrees(ctx)
	if err != nil {
		return err
	}
	defer release()
	w, err := r.removable(ctx, path)
	if err != nil {
		return err
	}
	opened, err := r.git.Open(ctx, w.Path)
	if err != nil {
		return err
	}
	in := opened.(*repo)
	if in.info.CommonDir != r.info.CommonDir || !files.Same(in.info.Root, w.Path) {
		return coord.Errorf(coord.CodeStateConflict, "%s is not the top of a worktree of %s; nothing was removed", path, r.dir())
	}
	if err := in.provedSaved(ctx, w, saved); err != nil {
		return err
	}
	if to != "" {
		if err := in.idle(ctx); err != nil {
			return err
		}
		if err := moveAside(w.Path, to); err != nil {
			return err
		}
	}
	return r.unregister(ctx, w)
}

// idle waits until no other Git command holds this work tree's index or HEAD.
// An index lock of ours holds back nobody: see lockIndex.
func (r *repo) idle(ctx context.Context) error {
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		lock := filepath.Join(r.info.GitDir, name)
		held := func() error {
			if text, err := os.ReadFile(lock); os.IsNotExist(err) || string(text) == lockMark {
				return nil
			}
			return files.ErrLocked
		}
		if poll(ctx, r.git.patience, held, func(error) bool { return true }) != nil {
			return heldLock(lock, "nothing was removed")
		}
	}
	return nil
}

// moveAside renames a directory to a free place.
func moveAside(dir, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return coord.Errorf(coord.CodeStateConflict, "%s exists already; nothing was removed", to)
	}
	err := os.MkdirAll(filepath.Dir(to), 0o755)
	if err == nil {
		err = os.Rename(dir, to)
	}
	if err != nil {
		return coord.Errorf(coord.CodeStateConflict, "%s could not be moved to %s: %w; nothing was removed", dir, to, err).WithNext("close what works in it", "coord prune")
	}
	return nil
}

func (r *repo) removable(ctx context.Context, path string) (Worktree, error) {
	if !filepath.IsAbs(path) {
		return Worktree{}, coord.Errorf(coord.CodeBadRequest, "%q is not an absolute path; nothing was removed", path)
	}
	w, found, err := r.findWorktree(ctx, path)
	switch {
	case err != nil:
		return Worktree{}, err
	case !found:
		return Worktree{}, coord.Errorf(coord.CodeNotFound, "%s is not a worktree of %s; nothing was removed", path, r.dir())
	case w.Main || w.Bare:
		return Worktree{}, coord.Errorf(coord.CodeStateConflict, "%s is the repository itself; nothing was removed", path)
	case w.Locked:
		return Worktree{}, coord.Errorf(coord.CodeStateConflict, "%s is locked against removal; nothing was removed", path).
			WithNext("git -C "+quoteArg(r.dir())+" worktree unlock "+quoteArg(w.Path), "the same command again")
	case w.Missing:
		return Worktree{}, coord.Errorf(coord.CodeNotFound, "the files of %s are gone already; nothing was removed", path).
			WithNext("git -C " + quoteArg(r.dir()) + " worktree prune")
	}
	return w, nil
}

// provedSaved refuses a work tree that holds the only copy of something.
func (r *repo) provedSaved(ctx context.Context, w Worktree, saved OID) error {
	refuse := func(what, next string) error {
		return coord.Errorf(coord.CodeRequirement, "%s %s; nothing was removed", w.Path, what).WithNext(next)
	}
	status := "git -C " + quoteArg(w.Path) + " status"
	if what := r.unfinished(); what != "" {
		return refuse("has an unfinished "+what, status)
	}
	inside, err := r.repositoryInside(ctx)
	if err != nil {
		return err
	}
	if inside != "" {
		return refuse("holds another repository, "+inside+", whose work no snapshot saves", "git -C "+quoteArg(filepath.Join(w.Path, inside))+" status")
	}
	if saved != "" {
		now, err := r.Snapshot(ctx)
		if err != nil {
			return err
		}
		if now != saved {
			return refuse("holds work that is not saved: its snapshot is "+now.Short()+", saved is "+saved.Short(), "coord checkpoint")
		}
		return nil
	}
	changes, err := r.Status(ctx)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		return refuse("has changes that are not saved, "+visible(changes[0].Path)+" for one", status)
	}
	return r.provedReachable(ctx, w, refuse)
}

func (r *repo) provedReachable(ctx context.Context, w Worktree, refuse func(what, next string) error) error {
	if !w.Detached || w.Head == "" {
		return nil
	}
	out, err := r.work(ctx, "for-each-ref", "--count=1", "--contains="+string(w.Head), "--format=x")
	if err != nil {
		return wrap(coord.CodeInternal, err, "cannot tell what holds %s; nothing was removed", w.Head.Short())
	}
	if len(out) == 0 {
		return refuse("has commits on no branch", "git -C "+quoteArg(w.Path)+" switch -c BRANCH")
	}
	return nil
}

// repositoryInside names a submodule that is checked out or another
// repository among the files that are not ignored.
func (r *repo) repositoryInside(ctx context.Context) (string, error) {
	staged, err := r.work(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return "", wrap(coord.CodeSetup, err, "cannot list the files of %s", r.info.Root)
	}
	// Git lists an untracked repository as a directory it does not look into.
	others, err := r.work(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", wrap(coord.CodeSetup, err, "cannot list the files of %s", r.info.Root)
	}
	inside := gitlinks(staged)
	for _, p := range records(others) {
		if strings.HasSuffix(p, "/") {
			inside = append(inside, p)
		}
	}
	for _, p := range inside {
		if _, err := os.Lstat(filepath.Join(r.info.Root, filepath.FromSlash(p), ".git")); err == nil {
			return filepath.Clean(filepath.FromSlash(p)), nil
		}
	}
	return "", nil
}

// gitlinks gives the paths of submodule entries in ls-files --stage -z.
func gitlinks(staged []byte) []string {
	var paths []string
	for _, rec := range records(staged) {
		if meta, p, ok := strings.Cut(rec, "\t"); ok && strings.HasPrefix(meta, "160000 ") {
			paths = append(paths, p)
		}
	}
	return paths
}
