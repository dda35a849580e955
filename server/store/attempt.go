package store

import (
	"database/sql"
	"time"

	"coord"
)

// attemptRow is a stored attempt with what its authority is judged by.
type attemptRow struct {
	coord.Attempt
	facts   coord.AttemptFacts
	kind    coord.Kind
	project coord.ProjectKey
	latest  int64 // generation of the task
}

const attemptColumns = `a.id, a.project, a.task, a.kind, a.generation, a.session, a.owner, a.started_at, a.progress_at, a.expires_at, a.started_from, a.ended, a.ended_at, a.end_reason,
	a.machine, a.path, a.git_dir, a.branch, a.base, t.generation, (SELECT epoch FROM server WHERE id = 1)`

const attemptFrom = " FROM attempts a JOIN tasks t ON t.id = a.task"

func (v *view) scanAttempt(r scanner) (attemptRow, error) {
	var a attemptRow
	var started, progress, expires int64
	var ended, machine, path, gitDir, branch, base sql.NullString
	var endedAt sql.NullInt64
	err := r.Scan(&a.ID, &a.project, &a.Task, &a.kind, &a.Generation, &a.facts.Session, &a.Owner, &started, &progress, &expires, &a.StartedFrom, &ended, &endedAt, &a.EndReason,
		&machine, &path, &gitDir, &branch, &base, &a.latest, &a.Fence.Epoch)
	if err != nil {
		return a, err
	}
	a.Fence.Generation = a.Generation
	a.StartedAt, a.EndedAt = instant(started), instantOrNil(endedAt)
	a.facts.Task, a.facts.Generation, a.facts.Owner = a.Task, a.Generation, a.Owner
	a.facts.StartedAt, a.facts.ProgressAt = a.StartedAt, instant(progress)
	a.facts.ExpiresAt, a.facts.Ended = instant(expires), coord.Standing(ended.String)
	a.Standing = a.facts.Standing(v.now, a.latest)
	a.Lease = leaseAt(a.facts, a.Standing, v)
	if gitDir.Valid {
		a.Worktree = &coord.Worktree{Machine: machine.String, Path: path.String, GitDir: gitDir.String, Branch: branch.String, Base: coord.OID(base.String)}
	}
	return a, nil
}

// leaseAt counts what remains; nothing does unless the attempt is live.
func leaseAt(f coord.AttemptFacts, standing coord.Standing, v *view) coord.Lease {
	l := coord.Lease{ExpiresAt: f.ExpiresAt}
	if standing == coord.StandingLive {
		l.RemainingMS = f.ExpiresAt.Sub(v.now).Milliseconds()
	}
	return l
}

// attempt reads one attempt, or returns CodeNotFound.
func (v *view) attempt(id coord.AttemptID) (attemptRow, error) {
	a, found, err := one(v, v.scanAttempt, "SELECT "+attemptColumns+attemptFrom+" WHERE a.id = ?", string(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no attempt %q", string(id)).WithNext("coord status")
	}
	return a, err
}

// owned reads an attempt and proves, at the transaction's time, that the
// caller holds it.
func (t *tx) owned(id coord.AttemptID, stated coord.Fence) (attemptRow, error) {
	a, err := t.attempt(id)
	if err != nil {
		return a, err
	}
	return a, a.facts.Authorize(t.caller.Session, stated, coord.Fence{Epoch: a.Fence.Epoch, Generation: a.latest}, t.now)
}

// stillLive is the guard of every statement that uses an attempt's
// authority: the caller's, not ended, not expired. Its parameters are those
// of liveArgs.
const stillLive = "id = ? AND generation = ? AND session = ? AND ended IS NULL AND expires_at > ?"

func (t *tx) liveArgs(a attemptRow) []any {
	return []any{string(a.ID), a.Generation, string(t.caller.Session), nanos(t.now)}
}

// end ends the caller's live attempt and takes the task out of its hands. A
// task that stays open keeps its place in the queue.
func (t *tx) end(a attemptRow, how coord.Standing, reason string) error {
	args := append([]any{string(how), nanos(t.now), reason}, t.liveArgs(a)...)
	if err := t.change("UPDATE attempts SET ended = ?, ended_at = ?, end_reason = ? WHERE "+stillLive, args...); err != nil {
		return err
	}
	if err := t.freeReservations(a.ID); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL WHERE id = ? AND attempt = ? AND generation = ? AND lifecycle = 'open'",
		string(a.Task), string(a.ID), a.Generation)
}

// endOthers ends whatever attempt holds the task, live or expired, because
// the task itself is being taken away.
func (t *tx) endOthers(task coord.TaskID, reason string) error {
	return t.endOthersAs(task, coord.StandingFinished, reason)
}

// endOthersAs is endOthers for attempts that come to another end. At most one
// holds the task.
func (t *tx) endOthersAs(task coord.TaskID, how coord.Standing, reason string) error {
	var id coord.AttemptID
	found, err := t.get([]any{&id}, "UPDATE attempts SET ended = ?, ended_at = ?, end_reason = ? WHERE task = ? AND ended IS NULL RETURNING id", string(how), nanos(t.now), reason, string(task))
	if err != nil || !found {
		return err
	}
	if err := t.freeReservations(id); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL WHERE id = ? AND attempt = ?", string(task), string(id))
}

// beginning is a new attempt: whose it is and what it goes on from.
type beginning struct {
	task       taskRow
	policy     coord.Policy
	generation int64
	from       coord.OID
	restart    bool
	why        string // end reason of the attempt that it supersedes
	parked     bool   // also where a blocker is open: the session goes on with its own work, or says itself what blocks
}

// begin creates the attempt of the next generation, and supersedes the
// expired one before it. Its guards repeat what TaskFacts.Grant decided on.
func (t *tx) begin(b beginning) (attemptRow, error) {
	id := coord.NewAttemptID(b.task.ID, b.generation)
	old := ""
	if b.task.Owner != nil {
		old = string(b.task.Owner.Attempt)
		err := t.change("UPDATE attempts SET ended = 'superseded', ended_at = ?, end_reason = ? WHERE id = ? AND ended IS NULL AND expires_at <= ?",
			nanos(t.now), b.why, old, nanos(t.now))
		if err != nil {
			return attemptRow{}, err
		}
	}
	expires := t.now.Add(time.Duration(b.policy.Lease))
	err := t.change(`INSERT INTO attempts (id, project, task, kind, generation, session, owner, started_at, expires_at, progress_at, started_from)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(id), string(b.task.Project), string(b.task.ID), string(b.task.Kind), b.generation, string(t.caller.Session), t.caller.Name,
		nanos(t.now), nanos(expires), nanos(t.now), string(b.from))
	if err != nil {
		return attemptRow{}, err
	}
	err = t.change(`UPDATE tasks SET attempt = ?, generation = ?, saved = CASE WHEN ? THEN NULL ELSE saved END
		WHERE id = ? AND generation = ? AND coalesce(attempt, '') = ? AND lifecycle = 'open' AND (blocked = 0 OR ?) AND submission IS NULL`,
		string(id), b.generation, b.restart, string(b.task.ID), b.generation-1, old, b.parked)
	if err != nil {
		return attemptRow{}, err
	}
	return t.attempt(id)
}
