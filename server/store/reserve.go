package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"coord"
)

// reservationRow is a stored reservation.
type reservationRow struct {
	coord.Reservation
	id int64
}

const reservationColumns = `n.id, n.task, n.attempt, r.name, r.scope, n.place, (SELECT count(*) FROM reservation_units u WHERE u.reservation = n.id),
	n.holder, n.job, n.at, n.released_at`

const reservationFrom = " FROM reservations n JOIN resources r ON r.id = n.resource"

func scanReservation(r scanner) (n reservationRow, err error) {
	var job, released sql.NullInt64
	var at int64
	err = r.Scan(&n.id, &n.Task, &n.Attempt, &n.Resource, &n.Scope, &n.Place, &n.Units, &n.Holder, &job, &at, &released)
	n.ID, n.At, n.ReleasedAt = reservationID(n.id), instant(at), instantOrNil(released)
	if job.Valid {
		n.Job = jobID(job.Int64)
	}
	return n, err
}

func reservationID(n int64) coord.ReservationID { return coord.ReservationID(fmt.Sprintf("n%d", n)) }

func reservationsOf(rows []reservationRow) []coord.Reservation {
	out := make([]coord.Reservation, len(rows))
	for i, r := range rows {
		out[i] = r.Reservation
	}
	return out
}

// reservation reads one, or returns CodeNotFound.
func (v *view) reservation(id coord.ReservationID) (reservationRow, error) {
	n, found, err := one(v, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.id = ?", numbered("n", string(id)))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no reservation %q; nothing was changed", string(id)).WithNext("coord resource list")
	}
	return n, err
}

// reservedBy are the reservations that an attempt answers for, oldest first.
func (v *view) reservedBy(a coord.AttemptID) ([]reservationRow, error) {
	return list(v, scanReservation, "SELECT "+reservationColumns+reservationFrom+" WHERE n.attempt = ? AND n.released_at IS NULL ORDER BY n.id", string(a))
}

// Reserve takes a set of resources for a live attempt in one transaction, all
// or none. It never waits: with Line, what is busy is answered with a place in
// line, and the caller comes again.
func (s *service) Reserve(ctx context.Context, c coord.Reserve) (coord.Reserved, error) {
	if err := cmp.Or(s.mayWork(), c.Validate()); err != nil {
		return coord.Reserved{}, err
	}
	i := intent[coord.Reserved]{operation: "reserve", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, current: currentReserved, listed: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Reserved, error) { return t.reserveSet(c) })
}

// currentReserved shows what became of a replayed set. It grants nothing.
func currentReserved(t *tx, out *coord.Reserved) error { return t.refresh(out.Reservations) }

func (t *tx) refresh(all []coord.Reservation) error {
	for i, r := range all {
		n, err := t.reservation(r.ID)
		if err != nil {
			return err
		}
		all[i] = n.Reservation
	}
	return nil
}

// want is a wanted resource as it stands at the caller's place.
type want struct {
	coord.Stock
	resource resourceRow
	place    string
	used     []int  // the units that are held
	holder   string // of the oldest reservation
}

func (t *tx) reserveSet(c coord.Reserve) (out coord.Reserved, err error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return out, err
	}
	if err := t.checkJobOf(a, c.Job); err != nil {
		return out, err
	}
	set, err := coord.CanonicalWants(c.Wants)
	if err != nil {
		return out, err
	}
	wants, err := t.stock(a, set)
	if err != nil {
		return out, err
	}
	own, ahead, err := t.stand(a, c.Ticket, wants)
	if err != nil {
		return out, err
	}
	stocks := make([]coord.Stock, len(wants))
	for i, w := range wants {
		stocks[i] = w.Stock
	}
	busy, err := coord.Allot(stocks)
	if err != nil {
		return out, err
	}
	if len(busy) > 0 && (c.Line || c.Ticket != "") {
		out.Ticket, err = t.wait(a, own, coord.Ticket{Attempt: a.ID, Wants: set, Ahead: ahead, Busy: busy})
		return out, err
	}
	if len(busy) > 0 {
		return out, coord.Busy(set, busy, holderOf(wants, busy[0]))
	}
	if err := t.leaveLine(a); err != nil {
		return out, err
	}
	out.Reservations, err = t.take(a, wants, c.Job)
	return out, err
}

func holderOf(wants []want, name string) string {
	for _, w := range wants {
		if w.Resource == name {
			return w.holder
		}
	}
	return ""
}

// checkJobOf refuses to reserve for a job that the attempt does not answer
// for, or that is over.
func (t *tx) checkJobOf(a attemptRow, id coord.JobID) error {
	if id == "" {
		return nil
	}
	j, err := t.job(id)
	switch {
	case err != nil:
		return err
	case j.Attempt != a.ID:
		return coord.Errorf(coord.CodeStateConflict, "%s is not a job of this attempt; nothing was reserved", j.ID).WithNext("coord job adopt " + string(j.ID))
	case !j.MayRun():
		return coord.Errorf(coord.CodeStateConflict, "%s is %s and uses nothing any more; nothing was reserved", j.ID, j.State).WithNext("coord job show " + string(j.ID))
	}
	return nil
}

// stock reads how much of each wanted resource there is at the attempt's
// place.
func (t *tx) stock(a attemptRow, set []coord.Want) ([]want, error) {
	machine, gitDir, err := t.placeOf(a)
	if err != nil {
		return nil, err
	}
	out := make([]want, len(set))
	for i, w := range set {
		r, found, err := t.resource(a.project, w.Resource)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, coord.Errorf(coord.CodeNotFound, "%s has no resource %s; nothing was reserved", a.project, w.Resource).
				WithNext("coord resource new "+w.Resource, "coord resource list")
		}
		x := want{resource: r, Stock: coord.Stock{Want: w, Capacity: r.Capacity}}
		if x.place, err = r.Scope.Place(machine, gitDir); err != nil {
			return nil, err
		}
		if err := t.unitsOf(&x, a.ID); err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// placeOf is where an attempt works: its worktree, else its session's machine.
func (v *view) placeOf(a attemptRow) (machine, gitDir string, err error) {
	if w := a.Worktree; w != nil {
		return w.Machine, w.GitDir, nil
	}
	_, err = v.get([]any{&machine}, "SELECT machine FROM sessions WHERE id = ?", string(a.facts.Session))
	return machine, "", err
}

const unitsHeld = "SELECT unit FROM reservation_units WHERE resource = ? AND place = ? AND released_at IS NULL ORDER BY unit"

// Parameters: attempt, resource, place.
const unitsOfAttempt = `SELECT count(*) FROM reservations n JOIN reservation_units u ON u.reservation = n.id
	WHERE n.attempt = ? AND n.released_at IS NULL AND n.resource = ? AND n.place = ?`

func (t *tx) unitsOf(w *want, asking coord.AttemptID) (err error) {
	w.used, err = list(&t.view, scanNumber, unitsHeld, w.resource.id, w.place)
	if err != nil || len(w.used) == 0 {
		return err
	}
	w.Taken = len(w.used)
	if _, err = t.get([]any{&w.Own}, unitsOfAttempt, string(asking), w.resource.id, w.place); err != nil {
		return err
	}
	_, err = t.get([]any{&w.holder}, "SELECT holder FROM reservations WHERE resource = ? AND place = ? AND released_at IS NULL ORDER BY id LIMIT 1", w.resource.id, w.place)
	return err
}

func scanNumber(r scanner) (n int, err error) {
	err = r.Scan(&n)
	return n, err
}

// take reserves the whole set: of each resource the lowest units that are
// free. That no unit is held twice is an index's promise too.
func (t *tx) take(a attemptRow, wants []want, job coord.JobID) ([]coord.Reservation, error) {
	out := make([]coord.Reservation, len(wants))
	words := make([]string, len(wants))
	for i, w := range wants {
		var id int64
		_, err := t.get([]any{&id}, "INSERT INTO reservations (resource, place, task, attempt, holder, job, at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
			w.resource.id, w.place, string(a.Task), string(a.ID), t.caller.Name, orNull(numbered("j", string(job))), nanos(t.now))
		if err != nil {
			return nil, err
		}
		n, err := t.exec("INSERT INTO reservation_units (reservation, resource, place, unit) SELECT ?, ?, ?, value FROM json_each(?)",
			id, w.resource.id, w.place, toJSON(lowestFree(w.used, w.Units)))
		if err == nil && n != int64(w.Units) {
			err = coord.Errorf(coord.CodeInternal, "%d units of %s were taken instead of %d", n, w.Resource, w.Units)
		}
		if err != nil {
			return nil, err
		}
		r, err := t.reservation(reservationID(id))
		if err != nil {
			return nil, err
		}
		out[i], words[i] = r.Reservation, w.Want.String()
	}
	return out, t.record(coord.Event{
		Kind: coord.EventResourceReserved, Project: a.project, Task: a.Task, Text: fmt.Sprintf("%s reserved %s for %s", t.caller.Name, strings.Join(words, ", "), a.Task),
		Data: map[string]string{"resources": strings.Join(words, " ")},
	})
}

// lowestFree are n unit numbers from 1 upwards that are not in used, which is
// sorted.
func lowestFree(used []int, n int) []int {
	out := make([]int, 0, n)
	for unit := 1; len(out) < n; unit++ {
		if _, taken := slices.BinarySearch(used, unit); !taken {
			out = append(out, unit)
		}
	}
	return out
}
