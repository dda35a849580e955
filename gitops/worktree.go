package gitops

import (
	"context"
	"path/filepath"
	"strings"

	"coord"
	"coord/files"
)

// Worktree is one registered work tree of a repository.
type Worktree struct {
	Path     string // absolute
	Head     OID    // none on an unborn branch
	Branch   string // short; "" when detached
	Detached bool
	Main     bool // the repository's own; never removed
	Bare     bool // the entry is a bare repository, without files
	Locked   bool // someone asked Git to keep it
	Missing  bool // its directory is gone; "git worktree prune" would forget it
}

// Worktrees lists all work trees of the repository, the main one first.
func (r *repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.read(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, wrap(coord.CodeSetup, err, "cannot list the worktrees of %s", r.dir())
	}
	var trees []Worktree
	for _, rec := range records(out) {
		key, value, _ := strings.Cut(rec, " ")
		if key == "worktree" {
			trees = append(trees, Worktree{Path: nativePath(value), Main: len(trees) == 0})
		} else if len(trees) > 0 {
			trees[len(trees)-1].set(key, value)
		}
	}
	return trees, nil
}

// set takes one attribute of git-worktree(1), "Porcelain Format".
func (w *Worktree) set(key, value string) {
	switch key {
	case "HEAD":
		if o := OID(value); o.Valid() {
			w.Head = o
		}
	case "branch":
		w.Branch = strings.TrimPrefix(value, "refs/heads/")
	case "detached":
		w.Detached = true
	case "bare":
		w.Bare = true
	case "locked":
		w.Locked = true
	case "prunable":
		w.Missing = true
	}
}

// findWorktree gives the registered work tree at a path.
func (r *repo) findWorktree(ctx context.Context, path string) (Worktree, bool, error) {
	trees, err := r.Worktrees(ctx)
	if err != nil {
		return Worktree{}, false, err
	}
	for _, w := range trees {
		if w.at(path) {
			return w, true, nil
		}
	}
	return Worktree{}, false, nil
}

func (w Worktree) at(path string) bool {
	return files.Same(w.Path, path) || files.Same(w.Path, resolved(path))
}

// resolved is a path with the symbolic links of its existing part followed,
// as Git registers it.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolved(up), filepath.Base(path))
}

// lockWorktrees serialises coord's own changes to the list of work trees,
// which Git does not do.
func (r *repo) lockWorktrees(ctx context.Context) (func(), error) {
	return lockFile(ctx, filepath.Join(r.info.CommonDir, "coord", "worktrees.lock"))
}
