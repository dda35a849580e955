package servicetest

import (
	"pgregory.net/rapid"

	"coord"
)

// due: what nothing is in the way of is not refused. A rule that refuses too
// much is shared by all sides, and is found here.
func (w *walk) due(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	if d.code == "" || d.code == string(coord.CodeIdempotencyMismatch) || d.again || d.by == nil || d.by.closed || d.by.epoch != w.epoch {
		return
	}
	attempt, _, fence := authority(d.command)
	t := before.tasks[attempt.Task()]
	mine := t.owner.attempt != "" && t.owner.attempt == attempt && w.holders[fence][t.id] == d.by && w.top[t.id] == fence
	live := mine && w.at() < t.owner.until
	due := false
	switch c := d.command.(type) {
	case coord.Renew:
		due = live
	case coord.Resume:
		due = mine && (live || w.heldBy(before, d.by) < w.policies[t.project].HeldLimit)
	case coord.RecordCheckpoint:
		due = live && submits(t)
	case coord.Submit:
		due = live && submits(t) && t.blockers == "" && c.Digest == "" && len(c.Required) == 0
	case coord.Claim:
		due = w.free(before, c, d.by)
	}
	if due {
		rt.Fatalf("%s\nwas refused with %q", d, d.code)
	}
}

// free is whether a claim asks for a task that is nobody's and not in the way
// of anything, as it has to be asked for, by a session that may have one more.
func (w *walk) free(before record, c coord.Claim, by *seat) bool {
	t := before.tasks[c.Task]
	known := t.saved == (savedShown{}) && (c.Recovery == nil || c.Recovery.Disposition == coord.DispositionResume) ||
		c.Recovery != nil && c.Recovery.Disposition == coord.DispositionResume && c.Recovery.Generation == t.generation && c.Recovery.Commit == t.saved.commit
	kind := submits(t) && t.submission == "" || judges(t) && !w.worked(t.submission.Task(), by)
	return known && kind && w.heldBy(before, by) < w.policies[t.project].HeldLimit && t.lifecycle == coord.LifecycleOpen && t.owner.attempt == "" && t.blockers == "" && !w.waitsForSomething(t)
}

// heldBy is how many leases of the seat run.
func (w *walk) heldBy(before record, by *seat) (n int) {
	for _, o := range before.tasks {
		if w.live(o) && w.holders[w.top[o.id]][o.id] == by {
			n++
		}
	}
	return n
}
