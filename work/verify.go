package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// verify runs the missing checks on exactly the merged tree, in a scratch
// worktree of the result. A check that does not pass gives the target back.
func (l *landing) verify(ctx context.Context, checks []coord.Check, missing []coord.RequiredCheck) ([]coord.Run, error) {
	if len(missing) == 0 {
		return nil, nil
	}
	scratch, err := l.scratch(ctx)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	defer scratch.discard(ctx)
	var runs []coord.Run
	for _, c := range checks {
		if !slices.Contains(missing, c.Require()) {
			continue
		}
		r, err := scratch.there.runHere(ctx, scratch.dir, c)
		if ctx.Err() != nil {
			return nil, l.unable(ctx, coord.Errorf(coord.CodeUnavailable, "interrupted while check %s ran; nothing was published and the target is free again", c.Name).
				WithNext("coord integrate "+string(l.held.Task.ID)))
		}
		if err == nil && r.Result == coord.ResultInterrupted {
			err = coord.Errorf(coord.CodeCheckFailed, "check %s could not be run here (%s), which says nothing about %s", c.Name, r.Reason, l.held.Task.ID).WithNext("coord doctor")
		}
		if err != nil {
			return nil, l.unable(ctx, err)
		}
		r.Base = l.record.Base
		runs = append(runs, r.Run)
		if r.Result != coord.ResultPassed || len(r.Changed) > 0 {
			return nil, l.failed(ctx, r.Run, runs)
		}
	}
	return runs, nil
}

// scratchPrefix begins the names of the directories that landings verify in.
const scratchPrefix = ".landing-"

// scratchTree is a detached worktree that holds nothing of anybody's, in a
// directory that no other run has.
type scratchTree struct {
	repo    gitops.Repo // the repository it belongs to
	there   *Desk
	up, dir string
}

// scratch checks out the merged result.
func (l *landing) scratch(ctx context.Context) (s scratchTree, err error) {
	if err := os.MkdirAll(l.Parent, 0o755); err != nil {
		return s, notVerifiable(l.Parent, err)
	}
	s.repo = l.Repo
	if s.up, err = os.MkdirTemp(l.Parent, scratchPrefix+string(l.record.ID)+"-"); err != nil {
		return s, notVerifiable(l.Parent, err)
	}
	s.dir = filepath.Join(s.up, "tree")
	if err = l.Repo.AddWorktree(ctx, gitops.WorktreeSpec{Path: s.dir, Start: l.record.Result}); err == nil {
		s.there, err = l.at(ctx, worktree.Bound{Binding: worktree.Binding{Path: s.dir}})
	}
	if err != nil {
		s.discard(ctx)
	}
	return s, err
}

func notVerifiable(dir string, err error) error {
	return coord.Errorf(coord.CodeSetup, "cannot make a place to verify the merge in %s: %w; nothing was published", dir, err).WithNext("coord doctor")
}

// discard removes the scratch worktree. What a check left in it is nobody's
// work, so its own snapshot is what it is compared with. What cannot be
// removed is left to prune.
func (s scratchTree) discard(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if s.there != nil {
		if tree, err := s.there.Repo.Snapshot(ctx); err == nil {
			_ = s.repo.RemoveWorktree(ctx, s.dir, tree)
		}
	}
	_ = os.Remove(s.up) // unless something is left in it
}

// pruneScratch removes the scratch worktrees of landings that hold no target
// any more: their process was killed.
func (d *Desk) pruneScratch(ctx context.Context) error {
	entries, err := os.ReadDir(d.Parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return coord.Errorf(coord.CodeSetup, "cannot read the worktrees' directory %s: %w", d.Parent, err).WithNext("coord doctor")
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), scratchPrefix) {
			_ = os.Remove(filepath.Join(d.Parent, e.Name())) // succeeds only where a landing that was cut off left nothing in it
		}
	}
	trees, err := d.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	trees = slices.DeleteFunc(trees, func(w gitops.Worktree) bool {
		return !w.Detached || w.Missing || landingOf(w.Path) == ""
	})
	if len(trees) == 0 {
		return nil
	}
	board, err := d.Service.LandingBoard(ctx, d.Project)
	if err != nil {
		return err
	}
	for _, w := range trees {
		live := slices.ContainsFunc(board.Targets, func(t coord.TargetRow) bool { return t.Hold != nil && t.Hold.ID == landingOf(w.Path) })
		if landingOf(w.Path).Task().Project() != d.Project || live {
			continue
		}
		if there, err := d.at(ctx, worktree.Bound{Binding: worktree.Binding{Path: w.Path}}); err == nil {
			scratchTree{repo: d.Repo, there: there, up: filepath.Dir(w.Path), dir: w.Path}.discard(ctx)
		}
	}
	return nil
}

// landingOf is the landing that a scratch worktree's path names, or "".
func landingOf(path string) coord.LandingID {
	name, ok := strings.CutPrefix(filepath.Base(filepath.Dir(path)), scratchPrefix)
	i := strings.LastIndexByte(name, '-')
	if !ok || i < 0 {
		return ""
	}
	return coord.LandingID(name[:i])
}
