package store

import (
	"context"
	"fmt"

	"coord"
)

// Renew extends a live lease. It takes no key and writes no event: the same
// request again only extends further.
func (s *service) Renew(ctx context.Context, c coord.Renew) (coord.Lease, error) {
	if err := s.mayWork(); err != nil {
		return coord.Lease{}, err
	}
	var out coord.Lease
	err := s.writer.do(ctx, s.caller, func(t *tx) (err error) {
		if err := t.checkSession(true); err != nil {
			return err
		}
		out, err = t.renew(c)
		return err
	})
	return out, err
}

func (t *tx) renew(c coord.Renew) (coord.Lease, error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return coord.Lease{}, err
	}
	p, err := t.project(a.project)
	if err != nil {
		return coord.Lease{}, err
	}
	expires, stalled := p.Policy.Extend(a.facts, t.now)
	args := append([]any{nanos(expires)}, t.liveArgs(a)...)
	if err := t.change("UPDATE attempts SET expires_at = ? WHERE "+stillLive, args...); err != nil {
		return coord.Lease{}, err
	}
	return coord.Lease{ExpiresAt: expires, RemainingMS: expires.Sub(t.now).Milliseconds(), Stalled: stalled}, nil
}

// Resume gives the session whose lease ended a new generation, unless
// somebody recovered the task meanwhile. A lease that still runs is answered
// as it is.
func (s *service) Resume(ctx context.Context, c coord.Resume) (coord.Claimed, error) {
	if err := s.mayWork(); err != nil {
		return coord.Claimed{}, err
	}
	i := intent[coord.Claimed]{operation: "resume", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, current: currentClaim}
	out, err := mutate(ctx, s, i, func(t *tx) (coord.Claimed, error) { return t.resume(c) })
	return s.withLessons(ctx, out, err)
}

func (t *tx) resume(c coord.Resume) (coord.Claimed, error) {
	old, err := t.owned(c.Attempt, c.Fence)
	if err == nil {
		out, err := t.claimed(old)
		out.Replayed = true
		return out, err
	}
	if coord.CodeOf(err) != coord.CodeLeaseExpired {
		return coord.Claimed{}, err
	}
	task, err := t.task(old.Task)
	if err != nil {
		return coord.Claimed{}, err
	}
	p, err := t.project(task.Project)
	if err != nil {
		return coord.Claimed{}, err
	}
	who, err := t.claimant()
	if err == nil {
		err = who.CheckQuota(p.Policy)
	}
	if err != nil {
		return coord.Claimed{}, err
	}
	b := beginning{task: task, policy: p.Policy, generation: task.Generation + 1, from: old.StartedFrom, why: "resumed by the same session", parked: true}
	a, err := t.begin(b)
	if err != nil {
		return coord.Claimed{}, err
	}
	if err := t.carryOver(old, a); err != nil {
		return coord.Claimed{}, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventAttemptResumed, Project: task.Project, Task: task.ID,
		Text: fmt.Sprintf("%s resumed %s after its lease ended, attempt %d", t.caller.Name, task.ID, a.Generation),
	})
	if err != nil {
		return coord.Claimed{}, err
	}
	if a, err = t.attempt(a.ID); err != nil {
		return coord.Claimed{}, err
	}
	return t.claimed(a)
}

// carryOver gives the new generation of one session what the old one had: its
// worktree, its jobs and reservations and, for an integration, the hold.
func (t *tx) carryOver(old, a attemptRow) error {
	if w := old.Worktree; w != nil {
		if err := t.bind(a, *w); err != nil {
			return err
		}
	}
	_, err := t.exec("UPDATE landings SET attempt = ?, generation = ?, changed_at = ? WHERE attempt = ? AND generation = ? AND state IN ('held', 'merged', 'publishing')",
		string(a.ID), a.Generation, nanos(t.now), string(old.ID), old.Generation)
	if err != nil {
		return err
	}
	return t.carryObligations(old, a)
}

// BindWorktree registers where a live attempt works. One checkout serves one
// attempt that was not ended.
func (s *service) BindWorktree(ctx context.Context, c coord.BindWorktree) (coord.Attempt, error) {
	if err := s.mayWork(); err != nil {
		return coord.Attempt{}, err
	}
	if c.Worktree.Machine == "" || c.Worktree.GitDir == "" || c.Worktree.Branch == "" || !c.Worktree.Base.Valid() {
		return coord.Attempt{}, coord.Errorf(coord.CodeBadRequest, "a worktree has a machine, a Git directory, a branch and the commit that it started from")
	}
	i := intent[coord.Attempt]{operation: "bind_worktree", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, current: currentAttempt}
	return mutate(ctx, s, i, func(t *tx) (coord.Attempt, error) {
		a, err := t.owned(c.Attempt, c.Fence)
		if err != nil {
			return a.Attempt, err
		}
		if err := t.bind(a, c.Worktree); err != nil {
			return a.Attempt, err
		}
		err = t.record(coord.Event{
			Kind: coord.EventWorktreeBound, Project: a.project, Task: a.Task,
			Text: fmt.Sprintf("%s works on %s at %s on branch %s", t.caller.Name, a.Task, c.Worktree.Machine, c.Worktree.Branch),
		})
		if err != nil {
			return a.Attempt, err
		}
		a, err = t.attempt(a.ID)
		return a.Attempt, err
	})
}

// currentAttempt replaces a replayed attempt by what it is now.
func currentAttempt(t *tx, out *coord.Attempt) error {
	a, err := t.attempt(out.ID)
	*out = a.Attempt
	return err
}

func (t *tx) bind(a attemptRow, w coord.Worktree) error {
	var other coord.AttemptID
	found, err := t.get([]any{&other}, "SELECT id FROM attempts WHERE machine = ? AND git_dir = ? AND ended IS NULL AND id <> ?", w.Machine, w.GitDir, string(a.ID))
	if err != nil {
		return err
	}
	if found {
		return coord.Errorf(coord.CodeStateConflict, "that checkout serves attempt %s; nothing was changed", other).WithNext("coord status", "coord start --another")
	}
	args := append([]any{w.Machine, w.Path, w.GitDir, w.Branch, string(w.Base)}, t.liveArgs(a)...)
	return t.change("UPDATE attempts SET machine = ?, path = ?, git_dir = ?, branch = ?, base = ? WHERE "+stillLive, args...)
}

// Release ends a live attempt and keeps what it saved. An integration gives
// its target back too, which it may not while a push may be under way.
func (s *service) Release(ctx context.Context, c coord.Release) (coord.Attempt, error) {
	person := s.caller.Role == coord.RoleOperator
	if !person {
		if err := s.mayWork(); err != nil {
			return coord.Attempt{}, err
		}
	}
	if err := c.Validate(); err != nil {
		return coord.Attempt{}, err
	}
	i := intent[coord.Attempt]{operation: "release", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: !person, current: currentAttempt}
	return mutate(ctx, s, i, func(t *tx) (coord.Attempt, error) { return t.release(c) })
}

func (t *tx) release(c coord.Release) (coord.Attempt, error) {
	a, err := t.releasable(c)
	if err != nil {
		return a.Attempt, err
	}
	if err := t.releaseHold(a, c.Reason); err != nil {
		return a.Attempt, err
	}
	if t.caller.Role == coord.RoleOperator {
		err = t.endExpired(a, c.Reason)
	} else {
		err = t.end(a, coord.StandingReleased, c.Reason)
	}
	if err == nil {
		err = t.report(a.Task, c.Blocker)
	}
	if err != nil {
		return a.Attempt, err
	}
	text := fmt.Sprintf("%s released %s", t.caller.Name, a.Task)
	if c.Reason != "" {
		text += ": " + coord.OneLine(c.Reason)
	}
	if err := t.record(coord.Event{Kind: coord.EventAttemptReleased, Project: a.project, Task: a.Task, Text: text}); err != nil {
		return a.Attempt, err
	}
	a, err = t.attempt(a.ID)
	return a.Attempt, err
}

// releasable proves that the caller may end the attempt: its own live one, or
// for an operator one whose lease ended.
func (t *tx) releasable(c coord.Release) (attemptRow, error) {
	if t.caller.Role != coord.RoleOperator {
		return t.owned(c.Attempt, c.Fence)
	}
	a, err := t.attempt(c.Attempt)
	if err == nil {
		err = a.facts.CheckFree(t.now, a.latest)
	}
	return a, err
}

// endExpired ends an attempt whose lease ended, in the place of its owner.
func (t *tx) endExpired(a attemptRow, reason string) error {
	err := t.change("UPDATE attempts SET ended = 'released', ended_at = ?, end_reason = ? WHERE id = ? AND generation = ? AND ended IS NULL AND expires_at <= ?",
		nanos(t.now), reason, string(a.ID), a.Generation, nanos(t.now))
	if err != nil {
		return err
	}
	if err := t.freeReservations(a.ID); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL WHERE id = ? AND attempt = ? AND generation = ? AND lifecycle = 'open'", string(a.Task), string(a.ID), a.Generation)
}

// report opens the blocker that the one who gives a task back met.
func (t *tx) report(task coord.TaskID, b *coord.NewBlocker) error {
	if b == nil {
		return nil
	}
	return t.addBlocker(b.Of(task), 0)
}
