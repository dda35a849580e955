package store

import (
	"context"

	"coord"
)

// Unreserve gives reservations of a live attempt back.
func (s *service) Unreserve(ctx context.Context, c coord.Unreserve) ([]coord.Reservation, error) {
	if err := s.mayWork(); err != nil {
		return nil, err
	}
	i := intent[[]coord.Reservation]{operation: "unreserve", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, listed: true}
	i.current = func(t *tx, out *[]coord.Reservation) error { return t.refresh(*out) }
	return mutate(ctx, s, i, func(t *tx) ([]coord.Reservation, error) { return t.unreserve(c) })
}

func (t *tx) unreserve(c coord.Unreserve) ([]coord.Reservation, error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return nil, err
	}
	var rows []reservationRow
	if len(c.Reservations) == 0 {
		rows, err = t.unused(a.ID)
	} else {
		rows, err = t.namedFor(a, c.Reservations)
	}
	if err != nil {
		return nil, err
	}
	if err := t.free(rows, "given back by "+t.caller.Name); err != nil {
		return nil, err
	}
	out := reservationsOf(rows)
	return out, t.refresh(out)
}

// namedFor are the reservations that the caller names, each once, all of them
// its attempt's. One that was given back before is passed over.
func (t *tx) namedFor(a attemptRow, ids []coord.ReservationID) ([]reservationRow, error) {
	var out []reservationRow
	seen := map[coord.ReservationID]bool{}
	for _, id := range ids {
		n, err := t.reservation(id)
		if err != nil {
			return nil, err
		}
		if n.Attempt != a.ID {
			return nil, coord.Errorf(coord.CodeStateConflict, "%s of %s is not this attempt's; nothing was changed", n.ID, n.Resource).WithNext("coord resource list")
		}
		if n.ReleasedAt != nil || seen[id] {
			continue
		}
		seen[id] = true
		var job *coord.Job
		if n.Job != "" {
			j, err := t.job(n.Job)
			if err != nil {
				return nil, err
			}
			job = &j.Job
		}
		if err := n.CheckRelease(job, t.now); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}
