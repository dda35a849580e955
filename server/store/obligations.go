package store

import (
	"context"
	"slices"
	"strings"

	"coord"
)

// notInUse are reservations that no job may still need.
const notInUse = "(n.job IS NULL OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = n.job AND " + jobMayRun + "))"

// unused are the attempt's reservations but those of a job that may still run.
func (v *view) unused(a coord.AttemptID) ([]reservationRow, error) {
	return list(v, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.attempt = ? AND n.released_at IS NULL AND "+notInUse+" ORDER BY n.id", string(a))
}

// free gives reservations back, and says so in one event, which is what those
// in line wait for.
func (t *tx) free(rows []reservationRow, why string) error {
	if len(rows) == 0 {
		return nil
	}
	words := make([]string, len(rows))
	for i, n := range rows {
		err := t.change("UPDATE reservations SET released_at = ? WHERE id = ? AND attempt = ? AND released_at IS NULL", nanos(t.now), n.id, string(n.Attempt))
		if err != nil {
			return err
		}
		words[i] = coord.Want{Resource: n.Resource, Units: n.Units}.String()
	}
	task := rows[0].Task
	return t.record(coord.Event{
		Kind: coord.EventResourceReleased, Project: task.Project(), Task: task, Text: strings.Join(words, ", ") + " of " + string(task) + " is free: " + why,
		Data: map[string]string{"resources": strings.Join(words, " ")},
	})
}

// freeReservations gives back what an attempt that ends by itself held. What a
// job uses that may still run stays until the job ends. An attempt whose lease
// merely ended, or that was revoked, is no reason to call this.
func (t *tx) freeReservations(a coord.AttemptID) error {
	rows, err := t.unused(a)
	if err != nil {
		return err
	}
	return t.free(rows, "its attempt ended")
}

// freeOfTask gives back what any attempt of a task held that is being closed.
func (t *tx) freeOfTask(task coord.TaskID) error {
	rows, err := list(&t.view, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.task = ? AND n.released_at IS NULL AND "+notInUse+" ORDER BY n.id", string(task))
	if err != nil {
		return err
	}
	return t.free(rows, "its task is closed")
}

// Parameter: job.
const leftByJob = "SELECT " + reservationColumns + reservationFrom + ` JOIN attempts a ON a.id = n.attempt JOIN tasks t ON t.id = n.task
	WHERE n.job = ? AND n.released_at IS NULL AND (a.ended IN ('released', 'submitted', 'finished') OR t.closed_at IS NOT NULL) ORDER BY n.id`

// freeAfterJob gives back what a job used that is over, where nobody else has
// a say: its attempt ended by itself, or its task is closed.
func (t *tx) freeAfterJob(job int64, why string) error {
	rows, err := list(&t.view, scanReservation, leftByJob, job)
	if err != nil {
		return err
	}
	return t.free(rows, why)
}

// maxObligations bounds each list of what a task left open.
const maxObligations = 200

// obligations are the jobs of a task that may still run and the reservations
// that are held for it; with an attempt, those that it does not answer for.
func (v *view) obligations(task coord.TaskID, but coord.AttemptID) (o coord.Obligations, err error) {
	jobs, err := list(v, scanJob, "SELECT "+jobColumns+" FROM jobs j WHERE j.task = ? AND j.attempt <> ? AND "+jobMayRun+" ORDER BY j.id LIMIT ?", string(task), string(but), maxObligations)
	if err != nil {
		return o, err
	}
	held, err := list(v, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.task = ? AND n.attempt <> ? AND n.released_at IS NULL ORDER BY n.id LIMIT ?",
		string(task), string(but), maxObligations)
	if err != nil {
		return o, err
	}
	if len(jobs) > 0 {
		o.Jobs = shownJobs(jobs, v.now)
	}
	if len(held) > 0 {
		o.Reservations = reservationsOf(held)
	}
	return o, nil
}

// Adopt makes a live attempt answer for what earlier generations of its task
// left, and answers with that.
func (s *service) Adopt(ctx context.Context, c coord.Adopt) (coord.Obligations, error) {
	if err := s.mayWork(); err != nil {
		return coord.Obligations{}, err
	}
	i := intent[coord.Obligations]{operation: "adopt", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, current: currentObligations, listed: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Obligations, error) { return t.adopt(c) })
}

func currentObligations(t *tx, o *coord.Obligations) error {
	for i, old := range o.Jobs {
		j, err := t.job(old.ID)
		if err != nil {
			return err
		}
		o.Jobs[i] = j.shown(t.now)
	}
	return t.refresh(o.Reservations)
}

func (t *tx) adopt(c coord.Adopt) (o coord.Obligations, err error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return o, err
	}
	if len(c.Jobs)+len(c.Reservations) == 0 {
		o, err = t.obligations(a.Task, a.ID)
	} else {
		o, err = t.leftFor(a, c)
	}
	if err != nil {
		return o, err
	}
	if err := t.takeOn(a, &o); err != nil {
		return o, err
	}
	return o, currentObligations(t, &o)
}

// leftFor are the named obligations, all of them the task's. What is over
// cannot be adopted.
func (t *tx) leftFor(a attemptRow, c coord.Adopt) (o coord.Obligations, err error) {
	show := "coord task show " + string(a.Task)
	for i, id := range c.Jobs {
		if slices.Contains(c.Jobs[:i], id) {
			continue
		}
		j, err := t.job(id)
		switch {
		case err != nil:
			return o, err
		case j.Task != a.Task:
			return o, coord.Errorf(coord.CodeStateConflict, "%s is a job of %s, not of %s; nothing was changed", j.ID, j.Task, a.Task).WithNext(show)
		case !j.MayRun() && j.Attempt != a.ID:
			return o, coord.Errorf(coord.CodeStateConflict, "%s is %s and nobody has to answer for it; nothing was changed", j.ID, j.State).WithNext("coord job show " + string(j.ID))
		}
		o.Jobs = append(o.Jobs, j.Job)
	}
	for _, id := range c.Reservations {
		n, err := t.reservation(id)
		switch {
		case err != nil:
			return o, err
		case n.Task != a.Task:
			return o, coord.Errorf(coord.CodeStateConflict, "%s of %s is held for %s, not for %s; nothing was changed", n.ID, n.Resource, n.Task, a.Task).WithNext(show)
		case n.ReleasedAt != nil:
			return o, coord.Errorf(coord.CodeStateConflict, "%s of %s was given back already; nothing was changed", n.ID, n.Resource).WithNext("coord reserve " + n.Resource)
		}
		o.Reservations = append(o.Reservations, n.Reservation)
	}
	return o, nil
}

// carryObligations gives the new generation of one session what the old one
// answered for.
func (t *tx) carryObligations(old, a attemptRow) error {
	if _, err := t.exec("UPDATE jobs SET attempt = ? WHERE task = ? AND attempt = ?", string(a.ID), string(a.Task), string(old.ID)); err != nil {
		return err
	}
	_, err := t.exec("UPDATE reservations SET attempt = ? WHERE task = ? AND attempt = ? AND released_at IS NULL", string(a.ID), string(a.Task), string(old.ID))
	return err
}

// takeOn moves obligations to the attempt: what is reserved for a job goes
// with the job. What it answers for already stays as it is.
func (t *tx) takeOn(a attemptRow, o *coord.Obligations) error {
	var words []string
	for _, j := range o.Jobs {
		if j.Attempt == a.ID {
			continue
		}
		words = append(words, string(j.ID))
		n := numbered("j", string(j.ID))
		if err := t.change("UPDATE jobs SET attempt = ? WHERE id = ? AND task = ? AND attempt = ?", string(a.ID), n, string(a.Task), string(j.Attempt)); err != nil {
			return err
		}
		with, err := list(&t.view, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.job = ? AND n.task = ? AND n.attempt <> ? AND n.released_at IS NULL",
			n, string(a.Task), string(a.ID))
		if err != nil {
			return err
		}
		o.Reservations = append(o.Reservations, reservationsOf(with)...)
	}
	names, err := t.takeOnReservations(a, o)
	words = append(words, names...)
	if err != nil || len(words) == 0 {
		return err
	}
	return t.record(coord.Event{
		Kind: coord.EventObligationsAdopted, Project: a.project, Task: a.Task, Text: t.caller.Name + " answers for " + strings.Join(words, ", ") + " of " + string(a.Task),
		Data: map[string]string{"adopted": strings.Join(words, " ")},
	})
}

// takeOnReservations moves the reservations, each once, and names those that
// moved.
func (t *tx) takeOnReservations(a attemptRow, o *coord.Obligations) (names []string, err error) {
	seen := map[coord.ReservationID]bool{}
	o.Reservations = slices.DeleteFunc(o.Reservations, func(n coord.Reservation) bool {
		again := seen[n.ID]
		seen[n.ID] = true
		return again
	})
	for _, n := range o.Reservations {
		if n.Attempt == a.ID {
			continue
		}
		err := t.change("UPDATE reservations SET attempt = ?, holder = ? WHERE id = ? AND task = ? AND attempt = ? AND released_at IS NULL",
			string(a.ID), t.caller.Name, numbered("n", string(n.ID)), string(a.Task), string(n.Attempt))
		if err != nil {
			return nil, err
		}
		names = append(names, n.Resource)
	}
	return names, nil
}
