package servicetest

import (
	"strings"

	"coord"
)

// count notes what a command came to.
func (w *walk) count(d *deed) {
	code, _, _ := strings.Cut(d.code, " ")
	switch {
	case code != "":
		w.reached[code]++
	case !d.again:
		for _, what := range w.did(d) {
			w.reached[what]++
		}
	}
}

// did names what a command did. A grant is known by its fence, which is the
// latest.
func (w *walk) did(d *deed) []string {
	switch c := d.command.(type) {
	case coord.CreateTask:
		return []string{"created"}
	case coord.Claim:
		return w.granting(c.Recovery, d, "claimed")
	case coord.Hold:
		return w.granting(c.Recovery, d, "held")
	case coord.Renew:
		if d.told.stalled {
			return []string{"stalled"}
		}
		return []string{"renewed"}
	case coord.Resume:
		return []string{"resumed"}
	case coord.Release:
		switch {
		case d.by == nil:
			return []string{"operator released"}
		case c.Blocker != nil:
			return []string{"released as blocked"}
		}
		return []string{"released"}
	case coord.RecordCheckpoint:
		return []string{"saved"}
	case coord.Submit:
		return []string{"submitted"}
	case coord.RecordReview:
		if c.Verdict == coord.VerdictApproved {
			return []string{"approved"}
		}
		return []string{"rejected"}
	case coord.Revise:
		if w.now.tasks[c.Task].blockers != "" {
			w.reached["escalated"]++
		}
		return []string{"revised " + string(c.Reason)}
	case coord.EditTask:
		return []string{"edited"}
	case coord.CancelTask:
		return []string{"canceled"}
	case coord.Ask:
		return []string{"asked"}
	case coord.Decide:
		return []string{"decided"}
	case coord.Unblock:
		return []string{"unblocked"}
	case coord.CloseSession:
		return []string{"revoked"}
	}
	return landingDid(d)
}

// granting names a grant by what was there before it.
func (w *walk) granting(r *coord.Recovery, d *deed, what string) []string {
	hold := d.told.landing != ""
	switch {
	case !d.fresh:
		return []string{"reconnected"}
	case hold && d.told.state == string(coord.LandingPublishing):
		return []string{"taken over", "taken over while publishing"}
	case hold && d.was.owner.attempt != "":
		return []string{"taken over", "recovered by " + string(r.Disposition)}
	case r != nil && (d.was.owner.attempt != "" || d.was.saved != savedShown{} || r.Disposition == coord.DispositionDelivered):
		return []string{"recovered by " + string(r.Disposition)}
	}
	return []string{what}
}

func landingDid(d *deed) []string {
	switch c := d.command.(type) {
	case coord.Reconcile:
		return []string{"reconciled"}
	case coord.DivergeTarget:
		return []string{"diverged"}
	case coord.SettleTarget:
		if c.Contained {
			return []string{"settled"}
		}
		return []string{"accepted as it is"}
	case coord.RecordMerge:
		return []string{"merged"}
	case coord.Permit:
		return []string{"permitted"}
	case coord.RecordObservation:
		switch {
		case c.Contained && d.was.status == coord.StatusIntegrating:
			return []string{"landed before a permit"}
		case c.Contained:
			return []string{"landed"}
		}
		return []string{"not landed"}
	case coord.FailLanding:
		if c.State == coord.LandingReleased {
			return []string{"given back"}
		}
		return []string{string(c.State)}
	}
	return nil
}
