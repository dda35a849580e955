package gitops

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"coord"
)

// Survey is what one look at the files of a work tree tells.
type Survey struct {
	Tree       OID      // as Snapshot gives it
	Changed    []string // paths in which it differs from HEAD, slash-separated
	Submodules bool     // as MayHoldSubmodules
}

// Survey reads every file's state once, where Snapshot and Status would do so
// each. Uncommitted work in a submodule is no difference of the tree: only
// Status tells of it.
func (r *repo) Survey(ctx context.Context) (Survey, error) {
	if s, err := r.surveyNamed(ctx); err == nil {
		return s, nil
	}
	return r.surveyAll(ctx)
}

// surveyAll adds every file to a copy of the index, whatever its form.
func (r *repo) surveyAll(ctx context.Context) (s Survey, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return s, err
	}
	err = r.look(ctx, r.everything(false), func(_ *scratch, added call) error {
		var changed []string
		var diffErr error
		var both sync.WaitGroup
		both.Go(func() { changed, diffErr = r.changedFrom(ctx, added, head) })
		s.Tree, err = r.writeTree(ctx, added)
		both.Wait()
		if s.Changed = changed; err == nil {
			err = diffErr
		}
		return err
	})
	s.Submodules = r.MayHoldSubmodules()
	return s, err
}

// changedFrom lists the paths in which an index differs from HEAD.
func (r *repo) changedFrom(ctx context.Context, added call, head Head) ([]string, error) {
	ask := added.with("diff-index", "--cached", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", string(head.Commit))
	if head.Unborn {
		ask = added.with("ls-files", "-z")
	}
	out, err := r.in(ctx, ask)
	if err != nil {
		return nil, wrap(coord.CodeSetup, err, "cannot compare %s with HEAD", r.info.Root)
	}
	return records(out), nil
}

// MayHoldSubmodules reports whether the index of the work tree has submodules,
// or is in a form that only Git reads. It looks at no other file.
func (r *repo) MayHoldSubmodules() bool {
	data, err := os.ReadFile(filepath.Join(r.info.GitDir, "index"))
	if os.IsNotExist(err) {
		return false
	}
	if err != nil || r.info.ObjectFormat != "sha1" {
		return true
	}
	entries, err := parseIndex(data)
	if err != nil {
		return true
	}
	for i := range entries {
		if entries[i].number(atMode)>>12 == 0b1110 {
			return true
		}
	}
	return false
}
