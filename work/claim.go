package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"coord"
	"coord/worktree"
)

// claim takes the task, and when earlier work is saved fetches exactly that
// commit before it takes it up. When no task was named and another session is
// faster with the one that was found, it looks again.
func (d *Desk) claim(ctx context.Context, c coord.Claim, restart string) (claimed coord.Claimed, resumed bool, err error) {
	for range 5 {
		claimed, resumed, err = d.take(ctx, c)
		refusal, need := asError(err, coord.CodeRecoveryRequired)
		if !need {
			return claimed, resumed, err
		}
		recovery, err := d.disposition(ctx, refusal, restart)
		if err != nil {
			return coord.Claimed{}, false, err
		}
		named := c
		named.Task, named.Recovery = coord.TaskID(refusal.Details["task"]), &recovery
		claimed, err = d.Service.Claim(ctx, named)
		if err == nil || c.Task != "" || !ended(err) {
			return claimed, false, err
		}
	}
	return claimed, false, err
}

// take claims, or resumes the session's own attempt whose lease ran out.
func (d *Desk) take(ctx context.Context, c coord.Claim) (claimed coord.Claimed, resumed bool, err error) {
	claimed, err = d.Service.Claim(ctx, c)
	if err == nil && claimed.Attempt.Standing != coord.StandingLive {
		// The late answer to an earlier run: what it granted is over.
		if claimed.Attempt.Standing == coord.StandingExpired {
			c.Task = claimed.Task.ID
		}
		claimed, err = d.Service.Claim(ctx, c)
	}
	if !resumable(err) || c.Task == "" {
		return claimed, false, err
	}
	latest, err := d.latestAttempt(ctx, c.Task, c.Kind)
	if err != nil {
		return coord.Claimed{}, false, err
	}
	claimed, err = d.Service.Resume(ctx, coord.Resume{Attempt: latest.ID, Fence: latest.Fence})
	return claimed, err == nil, err
}

// latestAttempt is the last attempt at a task, or of the kind at what follows
// from its submission.
func (d *Desk) latestAttempt(ctx context.Context, id coord.TaskID, kind coord.Kind) (coord.Attempt, error) {
	t, err := d.Service.Task(ctx, id)
	if err != nil {
		return coord.Attempt{}, err
	}
	if n := len(t.Submissions); n > 0 && t.Kind.Submits() && kind == coord.KindReview {
		for _, id := range t.Submissions[n-1].Reviews {
			if t, err = d.Service.Task(ctx, id); err != nil || len(t.Attempts) > 0 {
				break
			}
		}
		if err != nil {
			return coord.Attempt{}, err
		}
	}
	if len(t.Attempts) == 0 {
		return coord.Attempt{}, coord.Errorf(coord.CodeStateConflict, "nobody holds %s", t.ID).WithNext("coord start " + string(t.ID))
	}
	return t.Attempts[len(t.Attempts)-1], nil
}

// reconnect shows a held attempt again, resuming its lease if it ran out. An
// attempt that is over is not taken up again by accident.
func (d *Desk) reconnect(ctx context.Context, b worktree.Bound) (Started, error) {
	if _, err := os.Lstat(filepath.Join(b.Path, ".git")); errors.Is(err, fs.ErrNotExist) {
		return Started{}, coord.Errorf(coord.CodeSetup, "this session works on %s in %s, which has lost its .git file; its other files are untouched and nothing was changed", b.Task, b.Path).
			WithNext("git worktree repair "+b.Path, "coord start")
	}
	err := d.mayHold(ctx, b)
	var claimed coord.Claimed
	resumed := false
	if err == nil {
		claimed, resumed, err = d.take(ctx, coord.Claim{Project: d.Project, Task: b.Task})
	}
	if err != nil {
		if ended(err) && coord.CodeOf(err) != coord.CodeNotFound {
			d.markEnded(b)
		}
		return Started{}, err
	}
	s, err := d.bind(ctx, claimed, b)
	s.Resumed = resumed
	return s, err
}

// mayHold refuses a worktree whose attempt ended by its own session's act, or
// whose task nobody holds any more: a claim would begin a new attempt.
func (d *Desk) mayHold(ctx context.Context, b worktree.Bound) error {
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return err
	}
	over := len(t.Attempts) == 0 || !open(t.Attempts[len(t.Attempts)-1])
	for _, a := range t.Attempts {
		if a.ID == b.Attempt && a.Standing != coord.StandingSuperseded && !open(a) {
			over = true
		}
	}
	if over {
		return coord.Errorf(coord.CodeStateConflict, "the attempt at %s in %s is over", b.Task, b.Path).WithNext("coord start")
	}
	return nil
}

// open reports whether the attempt has not ended: it is live, or its owner may
// resume it.
func open(a coord.Attempt) bool {
	return a.Standing == coord.StandingLive || a.Standing == coord.StandingExpired
}

// disposition answers a recovery_required refusal.
func (d *Desk) disposition(ctx context.Context, refusal *coord.Error, restart string) (coord.Recovery, error) {
	r := coord.Recovery{Generation: number(refusal.Details["generation"]), Disposition: coord.DispositionResume}
	if restart != "" {
		r.Disposition, r.Reason = coord.DispositionRestart, restart
		return r, nil
	}
	commit := coord.OID(refusal.Details["commit"])
	if commit == "" {
		return r, nil
	}
	r.Commit = commit
	err := d.fetchCommit(ctx, commit, refusal.Details["ref"])
	missing, ok := asError(err, coord.CodeRequirement)
	if !ok {
		return r, err
	}
	task := refusal.Details["task"]
	if refusal.Details["local_only"] == "true" {
		return r, coord.Errorf(coord.CodeRecoveryRequired, "the last checkpoint of %s was never pushed: only the machine that made it has it; nothing was claimed", task).
			WithNext("coord start "+task+" on that machine", "coord start "+task+" --restart REASON")
	}
	return r, missing.WithNext("coord start " + task + " --restart REASON")
}
