package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"coord"
	"coord/worktree"
)

// A pruned worktree is saved on the remote but for the files that Git ignores,
// so its directory is kept for a while.
const (
	trashDir  = ".trash"
	trashKept = 7 * 24 * time.Hour
)

// trash is where a pruned worktree's directory goes: its name tells when.
func (d *Desk) trash(b worktree.Bound) string {
	return filepath.Join(d.Parent, trashDir, fmt.Sprintf("%s.%d", filepath.Base(b.Path), d.Now().Unix()))
}

// emptyTrash removes what has been there long enough. A name that says no time
// is not prune's, and is left.
func (d *Desk) emptyTrash() error {
	dir := filepath.Join(d.Parent, trashDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return coord.Errorf(coord.CodeSetup, "cannot read the worktrees' trash %s: %w; nothing was removed", dir, err).WithNext("coord doctor")
	}
	for _, e := range entries {
		_, at, _ := strings.Cut(filepath.Ext(e.Name()), ".")
		since, err := strconv.ParseInt(at, 10, 64)
		if err != nil || !e.IsDir() || d.Now().Sub(time.Unix(since, 0)) < trashKept {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			d.Say("%s could not be removed: %v", filepath.Join(dir, e.Name()), err)
		}
	}
	return nil
}

// forgotten finishes a prune that was cut off after it had moved the worktree
// to the trash.
func (d *Desk) forgotten(ctx context.Context, b worktree.Bound) bool {
	dirs, err := filepath.Glob(filepath.Join(d.Parent, trashDir, filepath.Base(b.Path)+".*"))
	if err != nil {
		return false
	}
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, ".git"))
		if err != nil {
			continue
		}
		link := filepath.FromSlash(strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:")))
		if !filepath.IsAbs(link) { // worktree.useRelativePaths: from where the worktree was
			link = filepath.Join(b.Path, link)
		}
		if filepath.Clean(link) != b.GitDir {
			continue
		}
		return d.Repo.ForgetWorktree(ctx, b.Path) == nil
	}
	return false
}
