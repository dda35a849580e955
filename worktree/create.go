package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"coord"
	"coord/gitops"
)

// Spec says which worktree an attempt gets. Names come from task and
// generation only, so repeating a command finds the same one.
type Spec struct {
	Parent     string // directory that holds the worktrees
	Task       coord.TaskID
	Generation int64
	Start      coord.OID // commit that the branch starts from
	Overlay    coord.OID // tree to lay over it as uncommitted changes; none when empty
}

// Name is the directory's base name: the task, with its generation from the
// second on.
func (s Spec) Name() string {
	if s.Generation <= 1 {
		return string(s.Task)
	}
	return string(s.Task) + "." + strconv.FormatInt(s.Generation, 10)
}

// Path is the worktree's directory.
func (s Spec) Path() string { return filepath.Join(s.Parent, s.Name()) }

// Branch is the worktree's local branch.
func (s Spec) Branch() string { return "coord/" + s.Name() }

// Git opens repositories; *gitops.Git does.
type Git interface {
	Open(ctx context.Context, dir string) (gitops.Repo, error)
}

// Create makes the worktree and returns its own Git directory. One that an
// earlier call made is taken as it is. What an interrupted call left half made
// is made anew, if every file in it is one that the call itself laid there.
func Create(ctx context.Context, git Git, repo gitops.Repo, s Spec) (gitDir string, err error) {
	if err := os.MkdirAll(s.Parent, 0o755); err != nil {
		return "", coord.Errorf(coord.CodeSetup, "cannot make the worktrees' directory %s: %w; the task is claimed, nothing else was made", s.Parent, err).
			WithNext("set [worktrees] dir in .coord.toml to a directory that may be written", "coord start "+string(s.Task))
	}
	err = add(ctx, repo, s)
	if err == nil {
		return ownGitDir(ctx, git, s.Path())
	}
	if _, missing := os.Lstat(s.Path()); missing != nil || coord.CodeOf(err) != coord.CodeStateConflict {
		return "", err
	}
	// AddWorktree refused under the lock that every maker of worktrees holds,
	// so nobody is making this one right now.
	gitDir, again, err := adopt(ctx, git, repo, s)
	if err != nil || !again {
		return gitDir, err
	}
	if err := add(ctx, repo, s); err != nil {
		return "", err
	}
	return ownGitDir(ctx, git, s.Path())
}

// add makes the worktree. A branch without a worktree is what an interrupted
// call, or a worktree removed by hand, left of this very attempt: it is
// checked out where it stands.
func add(ctx context.Context, repo gitops.Repo, s Spec) error {
	spec := gitops.WorktreeSpec{Path: s.Path(), Branch: s.Branch(), Start: s.Start, Overlay: s.Overlay}
	refs, err := repo.Refs(ctx, "refs/heads/coord/")
	if err != nil {
		return err
	}
	if at := refs["refs/heads/"+s.Branch()]; at != "" {
		spec.Start = ""
		if at != s.Start {
			if spec.Overlay, err = s.overlayOn(ctx, repo, at); err != nil {
				return err
			}
		}
	}
	return repo.AddWorktree(ctx, spec)
}

// overlayOn is the tree to lay over a branch that stands elsewhere than at
// Start: none when it went on from there, since its commits are newer.
func (s Spec) overlayOn(ctx context.Context, repo gitops.Repo, at coord.OID) (coord.OID, error) {
	if s.Overlay == "" {
		return "", nil
	}
	on, err := repo.IsAncestor(ctx, s.Start, at)
	if err == nil && !on {
		err = coord.Errorf(coord.CodeStateConflict, "branch %s stands at %s, which does not go on from %s; it was left alone and no worktree was made", s.Branch(), at.Short(), s.Start.Short()).
			WithNext("git branch -m "+s.Branch()+" NAME", "coord start "+string(s.Task))
	}
	return "", err
}

func ownGitDir(ctx context.Context, git Git, path string) (string, error) {
	there, err := git.Open(ctx, path)
	if err != nil {
		return "", err
	}
	return there.Info().GitDir, nil
}

// Parent resolves the configured directory pattern against the main work
// tree: {repo} is its base name, and a relative path starts there.
func Parent(pattern, mainRoot string) string {
	p := strings.ReplaceAll(pattern, "{repo}", filepath.Base(mainRoot))
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(mainRoot, p)
}
