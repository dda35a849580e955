package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// ObserveJob keeps what a job's process was seen to be, and applies it when
// the observer speaks for the attempt that answers for the job.
func (s *service) ObserveJob(ctx context.Context, c coord.ObserveJob) (coord.Observed, error) {
	if err := cmp.Or(s.mayObserve(c.Job), c.Validate()); err != nil {
		return coord.Observed{}, err
	}
	i := intent[coord.Observed]{operation: "observe_job", key: c.Key, ids: []string{string(c.Job)}, command: c, session: s.caller.Role == coord.RoleAgent}
	i.current = func(t *tx, out *coord.Observed) error {
		j, err := t.job(out.Job.ID)
		out.Job = j.shown(t.now)
		return err
	}
	return mutate(ctx, s, i, func(t *tx) (coord.Observed, error) { return t.observeJob(c) })
}

// mayObserve refuses a reporter any job but its own.
func (s *service) mayObserve(id coord.JobID) error {
	if s.caller.Role != coord.RoleReporter {
		return s.mayWork()
	}
	if s.caller.Job != id {
		return coord.Errorf(coord.CodeNotPermitted, "this credential observes %s and nothing else; nothing was changed", s.caller.Job)
	}
	return nil
}

func (t *tx) observeJob(c coord.ObserveJob) (coord.Observed, error) {
	old, err := t.job(c.Job)
	if err != nil {
		return coord.Observed{}, err
	}
	stale, err := t.staleObserver(old.Job, c.Fence)
	if err != nil {
		return coord.Observed{}, err
	}
	next, effect, err := old.Observe(c, stale, t.now)
	if err != nil {
		return coord.Observed{}, err
	}
	err = t.change("INSERT INTO job_observations (job, sequence, state, effect, observer, detail, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		old.id, c.Sequence, string(c.State), string(effect), t.actor(), toJSON(c), nanos(t.now))
	if err != nil {
		return coord.Observed{}, err
	}
	if err := t.saveJob(old, next); err != nil {
		return coord.Observed{}, err
	}
	j, err := t.job(c.Job)
	return coord.Observed{Job: j.shown(t.now), Effect: effect}, err
}

// staleObserver says whether the caller's word is evidence only. A session
// speaks for the attempt of its fence, which may have ended; one that never
// held it is refused.
func (t *tx) staleObserver(j coord.Job, stated coord.Fence) (bool, error) {
	answers, err := t.attempt(j.Attempt)
	if err != nil || t.caller.Role == coord.RoleReporter {
		return j.Stale("", answers.latest), err
	}
	if stated != (coord.Fence{}) && stated.Epoch != answers.Fence.Epoch {
		return false, coord.EpochChanged(stated.Epoch, answers.Fence.Epoch)
	}
	mine, found, err := one(&t.view, t.scanAttempt, "SELECT "+attemptColumns+attemptFrom+" WHERE a.task = ? AND a.generation = ? AND a.session = ?",
		string(j.Task), stated.Generation, string(t.caller.Session))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeFenced, "this session does not hold the stated attempt at %s; nothing was changed", j.Task).
			WithNext("coord status", "coord job show "+string(j.ID))
	}
	return j.Stale(mine.ID, answers.latest), err
}

// saveJob writes what an observation made of the job; nothing when it made
// nothing of it.
func (t *tx) saveJob(old jobRow, next coord.Job) error {
	if !next.ObservedAt.Equal(old.ObservedAt) || next.Sequence != old.Sequence || next.State != old.State || next.Conflict != old.Conflict {
		if err := t.updateJob(old, next); err != nil {
			return err
		}
	}
	if next.Conflict && !old.Conflict {
		return t.contradicted(next)
	}
	if next.State == old.State {
		return nil
	}
	text := fmt.Sprintf("%s of %s is %s", next.ID, next.Task, next.State)
	if next.Exit != nil {
		text += fmt.Sprintf(", exit status %d", *next.Exit)
	}
	if err := t.recordJob(coord.EventJobObserved, next, "%s", text); err != nil || !next.State.Final() {
		return err
	}
	return t.freeAfterJob(old.id, string(next.ID)+" ended")
}

func (t *tx) updateJob(old jobRow, next coord.Job) error {
	var pid, exit, ended any
	started := ""
	if next.Process != nil {
		pid, started = next.Process.PID, next.Process.Start
	}
	if next.Exit != nil {
		exit = *next.Exit
	}
	if next.EndedAt != nil {
		ended = nanos(*next.EndedAt)
	}
	return t.change(`UPDATE jobs SET state = ?, pid = ?, started = ?, sequence = ?, exit_status = ?, log_digest = ?, observed_at = ?, ended_at = ?, conflict = ?
		WHERE id = ? AND attempt = ? AND state = ? AND sequence = ? AND conflict = ?`,
		string(next.State), pid, started, next.Sequence, exit, next.LogDigest, nanos(next.ObservedAt), ended, next.Conflict,
		old.id, string(old.Attempt), string(old.State), old.Sequence, old.Conflict)
}

// contradicted opens a blocker for a job of which two final states were seen:
// what rests on it has to be verified. A closed task keeps the mark alone.
func (t *tx) contradicted(j coord.Job) error {
	err := t.recordJob(coord.EventJobObserved, j, "%s of %s is %s, and was also seen to end otherwise; the first observation stays", j.ID, j.Task, j.State)
	if err != nil {
		return err
	}
	task, err := t.task(j.Task)
	if err != nil || task.Lifecycle.Closed() {
		return err
	}
	return t.addBlocker(coord.Blocker{
		Task: j.Task, Kind: coord.BlockedByEvidence, Actor: coord.ActorEither,
		Text:   fmt.Sprintf("%s (%s) was seen %s and also otherwise", j.ID, coord.OneLine(j.Name), j.State),
		Reopen: "somebody looked at coord job show " + string(j.ID) + " and says which is true",
	}, 0)
}

// decodeObservation reads what jobColumns says of an observation that did not
// count, or that settled the job.
func decodeObservation(text string) (*coord.JobObservation, error) {
	if text == "" {
		return nil, nil
	}
	var o struct {
		Effect coord.Effect     `json:"effect"`
		By     string           `json:"by"`
		At     int64            `json:"at"`
		Detail coord.ObserveJob `json:"detail"`
	}
	if err := fromJSON(text, &o); err != nil {
		return nil, err
	}
	at := instant(o.At)
	return &coord.JobObservation{State: o.Detail.State, Effect: o.Effect, Exit: o.Detail.Exit, Note: o.Detail.Note, By: o.By, At: at}, nil
}
