package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/files"
)

var errBeingMade = errors.New("a work tree is being made")

// DropHeadless removes the registrations of work trees that Git was killed
// over before it gave them a commit, and reports whether there were any. Fetch
// fails in the whole repository as long as one is there. Nobody ever worked in
// them: nothing was checked out. It gives a git that is making one now the time
// to go on.
func (r *repo) DropHeadless(ctx context.Context) (bool, error) {
	if len(r.headless()) == 0 {
		return false, nil
	}
	release, err := r.lockWorktrees(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	found := r.headless()
	_ = poll(ctx, r.git.patience, func() error {
		now := r.headless()
		found = slices.DeleteFunc(found, func(at string) bool { return !slices.Contains(now, at) })
		if len(found) > 0 {
			return errBeingMade
		}
		return nil
	}, func(error) bool { return true })
	if err := ctx.Err(); err != nil {
		return false, err
	}
	for _, at := range found {
		dropPlace(at)
		if failed := os.RemoveAll(at); failed != nil {
			err = coord.Errorf(coord.CodeSetup, "what a killed git left of a work tree in %s cannot be removed: %w", at, failed)
		}
	}
	return len(found) > 0, err
}

// headless are the directories in Git's own (gitrepository-layout(5),
// "worktrees/<id>") of work trees that Git locks as long as it makes them, and
// that have no commit: no HEAD, an empty one, or the null object's name, which
// git-worktree(1) writes first.
func (r *repo) headless() []string {
	dir := filepath.Join(r.info.CommonDir, "worktrees")
	entries, _ := os.ReadDir(dir) // absent where no work tree was ever added
	var found []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		why, err := os.ReadFile(filepath.Join(at, "locked"))
		if err != nil || strings.TrimSpace(string(why)) != initializing {
			continue
		}
		head, err := os.ReadFile(filepath.Join(at, "HEAD"))
		if os.IsNotExist(err) || err == nil && strings.Trim(string(head), "0\r\n") == "" {
			found = append(found, at)
		}
	}
	return found
}

// dropPlace removes what Git made where the work tree was to be: the file that
// points back at its registration, and the directory if that is all it holds.
func dropPlace(at string) {
	file := pointer(filepath.Join(at, "gitdir"), "")
	if file == "" || !files.Same(pointer(file, "gitdir: "), at) {
		return
	}
	_ = os.Remove(file)
	_ = os.Remove(filepath.Dir(file))
}

// pointer reads the path in a file, behind a prefix, from where the file is.
func pointer(file, prefix string) string {
	text, err := os.ReadFile(file)
	path, found := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if err != nil || !found || path == "" {
		return ""
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path
}
