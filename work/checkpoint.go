package work

import (
	"context"
	"fmt"
	"path"
	"slices"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// checkpointTrailer marks the commits that checkpoints are, so that resuming
// one gives back uncommitted work as uncommitted work.
const checkpointTrailer = "Coord-Checkpoint: "

// Checkpoint saves the worktree as it is: a commit of its snapshot that moves
// no branch, pushed and read back. A failed push is recorded as local only,
// never as saved. The same work with the same note is the same commit, so a
// repetition saves nothing twice.
func (d *Desk) Checkpoint(ctx context.Context, b worktree.Bound, note, next string) (coord.Checkpoint, error) {
	there, err := d.at(ctx, b)
	if err != nil {
		return coord.Checkpoint{}, err
	}
	if err := d.renew(ctx, b); err != nil {
		return coord.Checkpoint{}, err
	}
	return there.checkpoint(ctx, b, note, next)
}

// checkpoint is Checkpoint from the worktree itself, of an attempt that was
// found to be held.
func (d *Desk) checkpoint(ctx context.Context, b worktree.Bound, note, next string) (coord.Checkpoint, error) {
	c, err := d.composeCheckpoint(ctx, b, note, next)
	if err != nil {
		return coord.Checkpoint{}, err
	}
	return d.keepCheckpoint(ctx, b, c)
}

// keepCheckpoint saves and records what was composed.
func (d *Desk) keepCheckpoint(ctx context.Context, b worktree.Bound, c coord.RecordCheckpoint) (coord.Checkpoint, error) {
	pushErr := d.saveCheckpoint(ctx, &c)
	if pushErr != nil && c.Commit == "" {
		return coord.Checkpoint{}, pushErr
	}
	c.Pushed = pushErr == nil
	saved, err := d.Service.RecordCheckpoint(ctx, c)
	if err == nil && pushErr != nil {
		err = localOnly(b.Task, pushErr)
	}
	return saved, err
}

// renew asks whether the session still holds the attempt before anything is
// changed, and gives the stage a whole lease. A service that does not answer
// stops nothing: work is saved first, and the record decides later. Nor is it
// asked while an earlier request waits for its answer: that one may have ended
// the attempt, and only sending it again can tell.
func (d *Desk) renew(ctx context.Context, b worktree.Bound) error {
	if d.Unsettled != nil && d.Unsettled() {
		return nil
	}
	_, err := d.Service.Renew(ctx, coord.Renew{Attempt: b.Attempt, Fence: b.Fence})
	if undecided(err) {
		return nil
	}
	return err
}

// localOnly says that a checkpoint is recorded as being on this machine only:
// the remote did not take it, or could not be asked whether it did.
func localOnly(task coord.TaskID, cause error) error {
	const again = "coord checkpoint -m NOTE once the remote takes pushes"
	if e, unknown := asError(cause, coord.CodeUnavailable); unknown {
		return coord.Errorf(coord.CodeRemoteRefused, "the checkpoint of %s is saved on this machine only, as far as is known: %w", task, cause).
			WithNext(append(slices.Clone(e.Next), again)...)
	}
	return coord.Errorf(coord.CodeRemoteRefused, "the checkpoint of %s is saved on this machine only; the remote did not take it: %w", task, cause).
		WithNext(again, `ref_namespace = "refs/heads/coord" in .coord.toml, if the remote refuses refs/coord/*`)
}

// composeCheckpoint is what will be recorded, except that its commit is still
// the one it is made on. It changes nothing.
func (d *Desk) composeCheckpoint(ctx context.Context, b worktree.Bound, note, next string) (coord.RecordCheckpoint, error) {
	c := coord.RecordCheckpoint{Attempt: b.Attempt, Fence: b.Fence, Note: note, Next: next, Ref: d.attemptRef(b.Attempt)}
	head, err := d.Repo.Head(ctx)
	if err != nil {
		return c, err
	}
	if err := d.checkSubmodules(ctx, b.Task); err != nil {
		return c, err
	}
	if c.Tree, err = d.Repo.KeepSnapshot(ctx); err != nil {
		return c, err
	}
	c.Commit = head.Commit
	return c, c.Validate()
}

// saveCheckpoint makes the commit, keeps it under a local ref, and pushes it.
// Its parents are the branch's HEAD and whatever the ref holds, here and on
// the remote: nothing saved is replaced by what does not contain it. Without a
// commit in c, nothing was saved.
func (d *Desk) saveCheckpoint(ctx context.Context, c *coord.RecordCheckpoint) error {
	head := c.Commit
	c.Commit = ""
	here, err := d.localRef(ctx, c.Ref)
	if err != nil {
		return err
	}
	there, remoteErr := d.remoteRef(ctx, c.Ref)
	commit, err := d.checkpointCommit(ctx, *c, head, here, there)
	if err != nil {
		return err
	}
	if commit != here {
		if err := d.Repo.UpdateRefs(ctx, []gitops.RefUpdate{{Name: c.Ref, New: commit, Old: expectation(here)}}); err != nil {
			return err
		}
	}
	c.Commit = commit
	if remoteErr != nil || there == commit {
		return remoteErr
	}
	return d.pushAndReadBack(ctx, gitops.RefUpdate{Name: c.Ref, New: commit, Old: expectation(there)})
}

func expectation(now coord.OID) gitops.Expect {
	if now == "" {
		return gitops.Absent
	}
	return gitops.Exactly(now)
}

// checkpointCommit makes the commit on head, over what the ref holds; or finds
// that the ref here already holds it.
func (d *Desk) checkpointCommit(ctx context.Context, c coord.RecordCheckpoint, head, here, there coord.OID) (coord.OID, error) {
	message := fmt.Sprintf("%s\n\nCoord-Task: %s\n%s%s\n", c.Note, c.Attempt.Task(), checkpointTrailer, c.Fence)
	covered, err := d.contains(ctx, here, there)
	if err != nil {
		return "", err
	}
	if here != "" && covered {
		last, err := d.Repo.ReadCommit(ctx, here)
		if err != nil {
			return "", err
		}
		if last.Tree == c.Tree && last.Message == message && len(last.Parents) > 0 && last.Parents[0] == head {
			return here, nil
		}
	}
	parents := []coord.OID{head}
	if here != "" && here != head {
		parents = append(parents, here)
	}
	if !covered && there != head {
		parents = append(parents, there)
	}
	return d.Repo.CommitTree(ctx, gitops.CommitSpec{Tree: c.Tree, Parents: parents, Message: message})
}

// contains reports whether commit, which may be none, is in the history of
// another, which may be none.
func (d *Desk) contains(ctx context.Context, in, commit coord.OID) (bool, error) {
	if commit == "" || in == "" {
		return commit == "", nil
	}
	return d.Repo.IsAncestor(ctx, commit, in)
}

// localRef is a ref of this repository, or none.
func (d *Desk) localRef(ctx context.Context, name string) (coord.OID, error) {
	refs, err := d.Repo.Refs(ctx, path.Dir(name)+"/")
	return refs[name], err
}

// remoteRef is a ref of the remote with its commit brought here, or none.
func (d *Desk) remoteRef(ctx context.Context, name string) (coord.OID, error) {
	refs, err := d.Repo.Observe(ctx, d.Remote, name)
	if err != nil || refs[name] == "" {
		return "", err
	}
	if err := d.fetchCommit(ctx, refs[name], name); err != nil {
		return "", err
	}
	return refs[name], nil
}

// pushAndReadBack pushes one ref and believes only what the remote then
// shows.
func (d *Desk) pushAndReadBack(ctx context.Context, u gitops.RefUpdate) error {
	pushErr := d.Repo.Push(ctx, d.Remote, []gitops.RefUpdate{u}, false)
	refs, err := d.Repo.Observe(ctx, d.Remote, u.Name)
	switch {
	case err != nil:
		return err
	case refs[u.Name] == u.New:
		return nil
	case pushErr != nil:
		return pushErr
	}
	return coord.Errorf(coord.CodeRemoteRefused, "%s on the remote is not %s after the push", u.Name, u.New.Short())
}
