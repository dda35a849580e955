package store

import (
	"fmt"

	"coord"
)

// ticketRow is a place in line, with where its attempt works.
type ticketRow struct {
	coord.Ticket
	id              int64
	machine, gitDir string
}

// inLine says which tickets keep their place at a time: the attempt is live
// and somebody asked within coord.TicketLife. Its parameters are the earliest
// time of asking, and the time.
const inLine = "k.ended_at IS NULL AND k.seen_at > ? AND a.ended IS NULL AND a.expires_at > ?"

const ticketColumns = "k.id, k.attempt, k.wants, k.at, k.seen_at, coalesce(a.machine, s.machine), coalesce(a.git_dir, '')"

const ticketFrom = " FROM tickets k JOIN attempts a ON a.id = k.attempt JOIN sessions s ON s.id = a.session"

func scanTicket(r scanner) (k ticketRow, err error) {
	var at, seen int64
	var wants string
	if err = r.Scan(&k.id, &k.Attempt, &wants, &at, &seen, &k.machine, &k.gitDir); err != nil {
		return k, err
	}
	k.ID, k.At, k.SeenAt = ticketID(k.id), instant(at), instant(seen)
	return k, fromJSON(wants, &k.Wants)
}

func ticketID(n int64) coord.TicketID { return coord.TicketID(fmt.Sprintf("w%d", n)) }

// line is who stands in line in a project, first come first.
func (v *view) line(p coord.ProjectKey) ([]ticketRow, error) {
	return list(v, scanTicket, "SELECT "+ticketColumns+ticketFrom+" WHERE k.project = ? AND "+inLine+" ORDER BY k.id",
		string(p), nanos(v.now.Add(-coord.TicketLife)), nanos(v.now))
}

// stand finds the caller's place in line, counts who is before it, and adds to
// each wanted resource what they want of it at the same place.
func (t *tx) stand(a attemptRow, named coord.TicketID, wants []want) (own *ticketRow, ahead int, err error) {
	if err := t.checkTicket(a, named, wants); err != nil {
		return nil, 0, err
	}
	line, err := t.line(a.project)
	if err != nil {
		return nil, 0, err
	}
	for _, k := range line {
		if k.Attempt == a.ID {
			if sameWants(k.Wants, wants) {
				own = &k
				break
			}
			continue
		}
		meets := false
		for i := range wants {
			n := k.wantedOf(wants[i])
			wants[i].Queued += n
			meets = meets || n > 0
		}
		if meets {
			ahead++
		}
	}
	return own, ahead, nil
}

// checkTicket refuses a ticket that is not this attempt's, or for another set.
func (t *tx) checkTicket(a attemptRow, named coord.TicketID, wants []want) error {
	if named == "" {
		return nil
	}
	k, found, err := one(&t.view, scanTicket, "SELECT "+ticketColumns+ticketFrom+" WHERE k.id = ? AND k.attempt = ?", numbered("w", string(named)), string(a.ID))
	switch {
	case err != nil:
		return err
	case !found:
		return coord.Errorf(coord.CodeNotFound, "this attempt has no ticket %q; nothing was reserved", string(named)).WithNext("coord resource list")
	case !sameWants(k.Wants, wants):
		return coord.Errorf(coord.CodeStateConflict, "the ticket %s is for another set; nothing was reserved", named).WithNext("coord resource list")
	}
	return nil
}

// wantedOf is how many units the ticket's owner wants of the same resource at
// the same place.
func (k ticketRow) wantedOf(w want) int {
	for _, x := range k.Wants {
		if x.Resource != w.Resource {
			continue
		}
		if place, err := w.resource.Scope.Place(k.machine, k.gitDir); err == nil && place == w.place {
			return x.Units
		}
	}
	return 0
}

func sameWants(wants []coord.Want, set []want) bool {
	if len(wants) != len(set) {
		return false
	}
	for i, w := range wants {
		if w != set[i].Want {
			return false
		}
	}
	return true
}

// wait keeps the caller's place in line, or gives it one at the end.
func (t *tx) wait(a attemptRow, own *ticketRow, k coord.Ticket) (*coord.Ticket, error) {
	k.AsOf = t.head.seq
	held, err := t.reservedBy(a.ID)
	if err != nil {
		return nil, err
	}
	if err := coord.CheckWait(k.Wants, k.Busy, reservationsOf(held)); err != nil {
		return nil, err
	}
	if own != nil {
		k.ID, k.At, k.SeenAt = own.ID, own.At, t.now
		return &k, t.change("UPDATE tickets SET seen_at = ? WHERE id = ? AND attempt = ? AND ended_at IS NULL", nanos(t.now), own.id, string(a.ID))
	}
	if err := t.leaveLine(a); err != nil {
		return nil, err
	}
	var id int64
	_, err = t.get([]any{&id}, "INSERT INTO tickets (project, attempt, wants, at, seen_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
		string(a.project), string(a.ID), toJSON(k.Wants), nanos(t.now), nanos(t.now))
	k.ID, k.At, k.SeenAt = ticketID(id), t.now, t.now
	return &k, err
}

// leaveLine ends the attempt's tickets, and with them those of its project
// that lapsed.
func (t *tx) leaveLine(a attemptRow) error {
	_, err := t.exec(`UPDATE tickets SET ended_at = ? WHERE project = ? AND ended_at IS NULL
		AND (attempt = ? OR id NOT IN (SELECT k.id`+ticketFrom+" WHERE k.project = ? AND "+inLine+"))",
		nanos(t.now), string(a.project), string(a.ID), string(a.project), nanos(t.now.Add(-coord.TicketLife)), nanos(t.now))
	return err
}
