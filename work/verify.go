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
	"coord/files"
	"coord/gitops"
	"coord/worktree"
)

// verify runs the missing checks on exactly the merged tree, in a scratch
// worktree of the result. One that fails runs once more by itself; one that is
// no evidence after that gives the target back.
func (l *landing) verify(ctx context.Context, checks []coord.Check, missing []coord.RequiredCheck) ([]coord.Run, error) {
	if len(missing) == 0 {
		return nil, nil
	}
	states, err := l.statesOf(ctx, missing)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	scratch, err := l.scratch(ctx)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	defer scratch.discard(ctx)
	var runs []coord.Run
	for _, c := range checks {
		i := slices.IndexFunc(states, func(s coord.CheckState) bool { return s.RequiredCheck == c.Require() })
		if i < 0 {
			continue
		}
		r, err := l.verifyOne(ctx, scratch, c, states[i])
		if err != nil {
			return nil, l.unable(ctx, err)
		}
		runs = append(runs, r)
		if r.Result != coord.ResultPassed || len(r.Changed) > 0 {
			return nil, l.failed(ctx, r, runs)
		}
	}
	return runs, nil
}

// statesOf is what earlier runs of the missing checks amount to. Without a
// decision, one that failed too often on the merged tree is not run again.
func (l *landing) statesOf(ctx context.Context, missing []coord.RequiredCheck) ([]coord.CheckState, error) {
	receipts, err := l.Service.ReceiptsFor(ctx, l.Project, l.record.Tree)
	if err != nil {
		return nil, err
	}
	states := coord.StatesOf(missing, receipts, l.record.Tree)
	for _, s := range states {
		if s.Spent() && l.Decision == "" {
			return nil, coord.Errorf(coord.CodeRequirement, "%s; %s was not landed, and the target is free again", s.Why(l.record.Tree), l.held.Task.ID).
				WithDetail("check", s.Name).WithNext(s.Next(l.record.Tree, coord.Rerun{Task: l.held.Task.ID, Command: "coord integrate " + string(l.held.Task.ID)})...)
		}
	}
	return states, nil
}

// verifyOne runs a check on the merged result, and once more when it is the
// first time that it fails there. That failure has a receipt before the second
// run begins, so that no interruption makes it unseen. An error says nothing
// about the work.
func (l *landing) verifyOne(ctx context.Context, scratch scratchTree, c coord.Check, state coord.CheckState) (coord.Run, error) {
	r, err := l.runMerged(ctx, scratch, c)
	if state.Spent() {
		r.Decision = l.Decision
	}
	if err != nil || r.Result != coord.ResultFailed || state.Failures >= coord.AllowedFailures || len(r.Changed) > 0 {
		return r, err
	}
	if err := l.receipt(ctx, r); err != nil {
		return r, err
	}
	l.Say("check %s failed on the merged tree %s; running it once more", c.Name, l.record.Tree.Short())
	return l.runMerged(ctx, scratch, c)
}

// runMerged runs a check on the merged result. One that says nothing there, as
// it was skipped or could not run, is an error.
func (l *landing) runMerged(ctx context.Context, scratch scratchTree, c coord.Check) (coord.Run, error) {
	r, err := scratch.there.runHere(ctx, scratch.dir, c)
	if ctx.Err() != nil {
		return r.Run, coord.Errorf(coord.CodeUnavailable, "interrupted while check %s ran; nothing was published and the target is free again", c.Name).
			WithNext("coord integrate " + string(l.held.Task.ID))
	}
	if err != nil {
		return r.Run, err
	}
	r.Base = l.record.Base
	switch r.Result {
	case coord.ResultInterrupted:
		return r.Run, coord.Errorf(coord.CodeCheckFailed, "check %s could not be run here (%s), which says nothing about %s", c.Name, r.Reason, l.held.Task.ID).WithNext("coord doctor")
	case coord.ResultSkipped:
		if err := l.receipt(ctx, r.Run); err != nil {
			return r.Run, err
		}
		return r.Run, coord.Errorf(coord.CodeCheckFailed, "check %s skipped itself here with exit status %d, which says nothing about %s; nothing was published and the target is free again", c.Name, r.ExitStatus, l.held.Task.ID).
			WithNext("coord integrate " + string(l.held.Task.ID) + " where it can run")
	}
	return r.Run, nil
}

// receipt records a run apart from the landing's own report.
func (l *landing) receipt(ctx context.Context, r coord.Run) error {
	deed := l.deed(ctx, strings.Join([]string{"receipt", string(l.record.ID), r.Check, string(r.Tree), r.StartedAt.String()}, " "))
	_, err := l.Service.RecordReceipt(deed, coord.RecordReceipt{Attempt: l.held.Attempt.ID, Fence: l.held.Attempt.Fence, Run: r})
	return err
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
	if _, err := d.Repo.DropHeadless(ctx); err != nil {
		return err
	}
	trees, err := d.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	trees = slices.DeleteFunc(trees, func(w gitops.Worktree) bool {
		return !w.Detached || landingOf(w.Path) == ""
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
		s := scratchTree{repo: d.Repo, up: filepath.Dir(w.Path), dir: w.Path}
		if w.Locked { // Git was killed while it made it, if it is not somebody else's lock
			_ = d.Repo.AbandonWorktree(ctx, w.Path)
		} else if w.Missing { // Git was killed while it removed it
			if files.Same(filepath.Dir(s.up), d.Parent) { // the rest of it is nobody's either, and Git keeps what has files
				_ = os.RemoveAll(w.Path)
			}
			_ = d.Repo.ForgetWorktree(ctx, w.Path)
		} else if s.there, err = d.at(ctx, worktree.Bound{Binding: worktree.Binding{Path: w.Path}}); err != nil {
			continue
		}
		s.discard(ctx)
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
