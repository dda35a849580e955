package work

import (
	"context"
	"fmt"
	"slices"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// Pruned is what prune did with one worktree. Kept says why it was left.
type Pruned struct {
	Task    coord.TaskID `json:"task"`
	Path    string       `json:"path"`
	Removed bool         `json:"removed"`
	Trash   string       `json:"trash,omitempty" doc:"Where its directory is kept for 7 days, with the files that Git ignores."`
	Kept    string       `json:"kept,omitempty"`
	Refs    []string     `json:"refs,omitempty" doc:"Remote refs of a landed task that were removed."`
}

// Prune removes this repository's worktrees whose attempts are over and whose
// exact content is saved on the remote, and the remote refs of landed tasks.
// Everything else is left and explained.
func (d *Desk) Prune(ctx context.Context) ([]Pruned, error) {
	bound, err := worktree.Find(d.Repo.Info())
	if err != nil {
		return nil, err
	}
	if err := d.emptyTrash(); err != nil {
		return nil, err
	}
	done := []Pruned{}
	for _, b := range bound {
		p, err := d.pruneOne(ctx, b)
		if err != nil {
			return done, err
		}
		done = append(done, p)
	}
	return done, d.pruneScratch(ctx)
}

func (d *Desk) pruneOne(ctx context.Context, b worktree.Bound) (Pruned, error) {
	p := Pruned{Task: b.Task, Path: b.Path}
	switch {
	case b.Gone && d.forgotten(ctx, b):
		p.Removed = true
		return p, nil
	case b.Gone:
		p.Kept = "its directory is gone; git worktree prune forgets it"
	case b.Server != d.Server || b.Project != d.Project:
		p.Kept = "it belongs to project " + string(b.Project) + " of " + b.Server
	case b.GitDir == d.Repo.Info().GitDir:
		p.Kept = "this command runs in it"
	}
	if p.Kept != "" {
		return p, nil
	}
	detail, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return p, err
	}
	if p.Kept = d.inUse(detail, b); p.Kept != "" {
		return p, nil
	}
	saved, err := d.unsaved(ctx, b, detail, &p)
	if err != nil || p.Kept != "" {
		return p, err
	}
	p.Trash = d.trash(b)
	if err := d.remove(ctx, b, saved, p.Trash); err != nil {
		p.Trash, p.Kept = "", coord.OneLine(err.Error())
		return p, nil
	}
	p.Removed = true
	p.Refs, err = d.pruneRefs(ctx, detail)
	return p, err
}

// inUse says why a worktree must stay, or nothing: an attempt that works in it
// has not ended.
func (d *Desk) inUse(t coord.TaskDetail, b worktree.Bound) string {
	for _, a := range t.Attempts {
		here := a.ID == b.Attempt || (a.Worktree != nil && a.Worktree.Machine == d.Machine && a.Worktree.GitDir == b.GitDir)
		if here && open(a) {
			return "its attempt is " + string(a.Standing)
		}
	}
	return ""
}

// proof is a worktree's content with the commits that hold it elsewhere.
type proof struct {
	tree coord.OID
	held []coord.OID
}

// unsaved compares the worktree with what the remote holds now. p.Kept says
// what is only here.
func (d *Desk) unsaved(ctx context.Context, b worktree.Bound, t coord.TaskDetail, p *Pruned) (proof, error) {
	there, err := d.at(ctx, b)
	if err != nil {
		p.Kept = coord.OneLine(err.Error())
		return proof{}, ctx.Err()
	}
	tree, err := there.Repo.Snapshot(ctx)
	if err != nil {
		p.Kept = "what it holds cannot be told: " + coord.OneLine(err.Error())
		return proof{}, ctx.Err()
	}
	head, err := there.Repo.Head(ctx)
	if err != nil {
		return proof{}, err
	}
	saved, err := d.savedCommits(ctx, b, t)
	if coord.CodeOf(err) == coord.CodeNotFound {
		p.Kept = coord.OneLine(err.Error())
		return proof{}, nil
	}
	if err != nil {
		return proof{}, err
	}
	pr := proof{tree: tree}
	found := false
	for _, s := range saved {
		pr.held = append(pr.held, s.Commit)
		if s.Tree == tree && !found {
			if found, err = d.Repo.IsAncestor(ctx, head.Commit, s.Commit); err != nil {
				return pr, err
			}
		}
	}
	if !found {
		p.Kept = fmt.Sprintf("it holds work that is not saved on the remote (tree %s)", tree.Short())
	}
	return pr, nil
}

// savedCommits are those recorded commits of the task that the remote proves,
// right now, to hold, and the base that the worktree began with. A review's
// work is the candidate of the task that it judges.
func (d *Desk) savedCommits(ctx context.Context, b worktree.Bound, t coord.TaskDetail) ([]coord.Saved, error) {
	if b.Kind == coord.KindReview {
		judged, err := d.Service.Task(ctx, t.Task.Submission.Task())
		if err != nil {
			return nil, err
		}
		t = judged
	}
	tip, err := d.fetchTarget(ctx, b.Target)
	if err != nil {
		return nil, err
	}
	recorded := []coord.Saved{{Commit: b.Base}, {Commit: tip}}
	for _, c := range t.Checkpoints {
		recorded = append(recorded, coord.Saved{Commit: c.Commit, Ref: c.Ref})
	}
	for _, s := range t.Submissions {
		recorded = append(recorded, coord.Saved{Commit: s.Commit, Ref: s.Ref})
	}
	refs, err := d.observe(ctx, recorded)
	if err != nil {
		return nil, err
	}
	return d.proved(ctx, recorded, refs, tip)
}

// observe reads the refs of recorded work from the remote.
func (d *Desk) observe(ctx context.Context, recorded []coord.Saved) (map[string]coord.OID, error) {
	var names []string
	for _, s := range recorded {
		if s.Ref != "" && !slices.Contains(names, s.Ref) {
			names = append(names, s.Ref)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return d.Repo.Observe(ctx, d.Remote, names...)
}

// proved keeps the commits that are in the history of the target's tip or of
// what their ref holds, and reads their trees.
func (d *Desk) proved(ctx context.Context, recorded []coord.Saved, refs map[string]coord.OID, tip coord.OID) ([]coord.Saved, error) {
	var out []coord.Saved
	for _, s := range recorded {
		commit, err := d.Repo.ReadCommit(ctx, s.Commit)
		if err != nil {
			continue // not here, so nothing here is compared with it
		}
		s.Tree = commit.Tree
		for _, holder := range []coord.OID{tip, refs[s.Ref]} {
			if holder == "" {
				continue
			}
			if here, err := d.has(ctx, holder); err != nil || !here {
				continue
			}
			in, err := d.Repo.IsAncestor(ctx, s.Commit, holder)
			if err != nil {
				return nil, err
			}
			if in {
				out = append(out, s)
				break
			}
		}
	}
	return out, nil
}

// remove moves the worktree to the trash, which compares its content once more, and
// then its branch, if its commit is saved too.
func (d *Desk) remove(ctx context.Context, b worktree.Bound, saved proof, trash string) error {
	branch := "refs/heads/" + b.Branch
	head, err := d.localRef(ctx, branch)
	if err != nil {
		return err
	}
	if err := d.Repo.TrashWorktree(ctx, b.Path, saved.tree, trash); err != nil {
		return err
	}
	for _, commit := range saved.held {
		if in, err := d.contains(ctx, commit, head); err != nil || !in {
			continue
		}
		if head != "" {
			// Left behind when it moved meanwhile: it is somebody's then.
			_ = d.Repo.UpdateRefs(ctx, []gitops.RefUpdate{{Name: branch, Old: gitops.Exactly(head)}})
		}
		break
	}
	return nil
}
