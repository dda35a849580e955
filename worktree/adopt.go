package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"coord"
	"coord/files"
	"coord/gitops"
)

// adopt judges a directory that stands where the worktree belongs. again says
// that it was left half made, held nothing of anybody's and is gone now.
func adopt(ctx context.Context, git Git, repo gitops.Repo, s Spec) (gitDir string, again bool, err error) {
	if st, err := os.Lstat(s.Path()); err == nil && st.IsDir() && os.Remove(s.Path()) == nil {
		return "", true, nil // it was empty
	}
	there, err := s.open(ctx, git, repo)
	if err != nil {
		return "", false, err
	}
	gitDir = there.Info().GitDir
	if _, err := Load(gitDir); !errors.Is(err, fs.ErrNotExist) {
		return gitDir, false, nil // bound, so complete: its owner may have worked in it
	}
	made, err := s.inspect(ctx, there)
	switch {
	case err != nil:
		return "", false, err
	case made.complete:
		return gitDir, false, nil
	case made.foreign != "":
		return "", false, coord.Errorf(coord.CodeStateConflict, "%s was left half made by an interrupted start, and %s in it is not saved; it was left alone", s.Path(), made.foreign).
			WithNext("git -C "+s.Path()+" status", "git worktree move "+s.Path()+" ELSEWHERE", "coord start "+string(s.Task))
	}
	return "", true, repo.RemoveWorktree(ctx, s.Path(), made.tree)
}

// open accepts only this repository's worktree on the expected branch.
func (s Spec) open(ctx context.Context, git Git, repo gitops.Repo) (gitops.Repo, error) {
	foreign := coord.Errorf(coord.CodeStateConflict, "%s exists and is not the worktree of %s; it was left alone", s.Path(), s.Task).
		WithNext("move it away", "coord start "+string(s.Task))
	there, err := git.Open(ctx, s.Path())
	if err != nil || !files.Same(there.Info().CommonDir, repo.Info().CommonDir) || !files.Same(there.Info().Root, s.Path()) {
		return nil, foreign
	}
	head, err := there.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.Branch != s.Branch() {
		return nil, foreign
	}
	return there, nil
}

// remains is what an unbound worktree holds.
type remains struct {
	tree     coord.OID
	complete bool
	foreign  string // a file that its creation did not lay there
}

// inspect compares an unbound worktree with what its creation lays down: the
// tree of its HEAD, and the overlay.
func (s Spec) inspect(ctx context.Context, there gitops.Repo) (r remains, err error) {
	head, err := there.Head(ctx)
	if err != nil {
		return r, err
	}
	commit, err := there.ReadCommit(ctx, head.Commit)
	if err != nil {
		return r, err
	}
	if r.tree, err = there.KeepSnapshot(ctx); err != nil {
		return r, err
	}
	want := commit.Tree
	if s.Overlay != "" && head.Commit == s.Start {
		want = s.Overlay
	}
	if r.complete = r.tree == want; r.complete {
		return r, nil
	}
	laid := map[gitops.TreeEntry]bool{}
	for _, tree := range []coord.OID{commit.Tree, want} {
		entries, err := there.ReadTree(ctx, tree)
		if err != nil {
			return r, err
		}
		for _, e := range entries {
			laid[e] = true
		}
	}
	now, err := there.ReadTree(ctx, r.tree)
	for _, e := range now {
		if !laid[e] {
			r.foreign = e.Path
		}
	}
	return r, err
}
