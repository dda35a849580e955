package work

import (
	"context"
	"strings"

	"coord"
)

// startingPoint is the commit that a branch starts from, a tree to lay over it
// as uncommitted work, and what both have in common with the target.
type startingPoint struct{ commit, overlay, base coord.OID }

// startPoint chooses it: the candidate for a review, the saved work for a code
// task that has some, and the target's tip otherwise.
func (d *Desk) startPoint(ctx context.Context, c coord.Claimed, fetched tip) (startingPoint, error) {
	at := fetched.commit
	if fetched.target != c.Task.Target {
		var err error
		if at, err = d.fetchTarget(ctx, c.Task.Target); err != nil {
			return startingPoint{}, err
		}
	}
	if fetched.exact {
		return startingPoint{commit: fetched.commit, base: fetched.commit}, nil
	}
	if c.Submission != nil && !c.Task.Kind.Submits() {
		err := d.fetchCommit(ctx, c.Submission.Commit, c.Submission.Ref)
		return startingPoint{commit: c.Submission.Commit, base: c.Submission.Base}, err
	}
	saved, err := d.savedCommit(ctx, c)
	if err != nil {
		return startingPoint{}, err
	}
	if id, reverts := c.Task.Reverts(); reverts && saved == "" {
		return d.revertPoint(ctx, c.Task.ID, id, at)
	}
	if saved == "" {
		return startingPoint{commit: at, base: at}, nil
	}
	return d.savedPoint(ctx, saved, at)
}

// savedCommit is the latest saved work of the task, brought here. Work that
// another machine could not push stays there, and the attempt begins with what
// it took up.
func (d *Desk) savedCommit(ctx context.Context, c coord.Claimed) (coord.OID, error) {
	s := c.Task.Saved
	if s == nil {
		return c.Attempt.StartedFrom, nil
	}
	err := d.fetchCommit(ctx, s.Commit, s.Ref)
	if s.LocalOnly && coord.CodeOf(err) == coord.CodeRequirement {
		d.Say("the last checkpoint of %s was never pushed: only the machine that made it has it", c.Task.ID)
		return c.Attempt.StartedFrom, nil
	}
	return s.Commit, err
}

// savedPoint starts from saved work: a checkpoint gives back uncommitted work
// as uncommitted work over the author's own commit.
func (d *Desk) savedPoint(ctx context.Context, saved, tip coord.OID) (startingPoint, error) {
	commit, err := d.Repo.ReadCommit(ctx, saved)
	if err != nil {
		return startingPoint{}, err
	}
	rel, err := d.Repo.Compare(ctx, saved, tip)
	if err != nil {
		return startingPoint{}, err
	}
	p := startingPoint{commit: saved, base: rel.MergeBase}
	if strings.Contains(commit.Message, "\n"+checkpointTrailer) && len(commit.Parents) > 0 {
		p.commit, p.overlay = commit.Parents[0], commit.Tree
	}
	return p, nil
}
