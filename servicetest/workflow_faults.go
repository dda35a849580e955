package servicetest

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// earlier draws an earlier keyed command of this epoch whose answer is kept.
func (w *walk) earlier(rt *rapid.T) (*deed, bool) {
	var all []*deed
	for _, d := range w.deeds {
		_, create := d.command.(coord.CreateTask) // it needs no session, and has it or not as the transport likes
		kept := d.epoch == w.epoch && keyOf(d.command) != "" && w.clock.Now().Sub(d.at) < 6*24*time.Hour
		if kept && !(create && d.by.closed) {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	if !rare(rt, 3, "long ago") {
		all = all[max(0, len(all)-8):]
	}
	return one(rt, all, "earlier"), true
}

// again: K1, K3. An earlier command comes again, as it was: its outcome is what it
// was, with the standing of now, and it has no effect.
func (w *walk) again(rt *rapid.T) {
	first, ok := w.earlier(rt)
	if !ok {
		return
	}
	business := first.code == "" || coord.Code(strings.Fields(first.code)[0]).Business()
	d := &deed{by: first.by, command: first.command, epoch: first.epoch, again: business}
	w.send(rt, d, false)
	switch {
	case first.by != nil && first.by.closed && first.by.epoch == w.epoch:
		if d.code != string(coord.CodeSessionUnknown) {
			rt.Fatalf("%s\nof a closed session says %q", d, d.code)
		}
	case business && d.code != first.code:
		rt.Fatalf("%s\nsaid %q and says %q", d, first.code, d.code)
	case business && d.code != "":
		w.reached["again refused"]++
	case business:
		w.reached["again"]++
	}
	if !business { // it was not kept, so it was decided anew
		d.at = w.clock.Now()
		w.deeds = slices.DeleteFunc(w.deeds, func(o *deed) bool { return o == first })
		w.deeds = append(w.deeds, d)
	}
}

// alter: K2. Another body under an earlier key is refused.
func (w *walk) alter(rt *rapid.T) {
	first, ok := w.earlier(rt)
	if !ok || first.code != "" {
		return
	}
	command, _ := altered(first.command)
	d := &deed{by: first.by, command: command, epoch: first.epoch}
	w.send(rt, d, false)
	if first.by != nil && (first.by.closed || first.by.epoch != w.epoch) {
		return
	}
	if d.code != string(coord.CodeIdempotencyMismatch) {
		rt.Fatalf("%s\nunder another command's key says %q", d, d.code)
	}
}

// stale: L3, L4, L14, R1. What was granted long ago is used again, by its session
// or, as if that had been read from a log, by another one.
func (w *walk) stale(rt *rapid.T) {
	if len(w.stakes) == 0 {
		return
	}
	g := one(rt, w.stakes, "stake")
	if of := w.old(); len(of) > 0 && rapid.Bool().Draw(rt, "of before the restore") {
		g = one(rt, of, "old stake")
	}
	by := g.seat
	if rapid.Bool().Draw(rt, "by another") {
		by = w.seat(rt)
	}
	commands := []any{
		coord.Renew{Attempt: g.attempt, Fence: g.fence},
		coord.Resume{Key: newKey(), Attempt: g.attempt, Fence: g.fence},
		coord.Release{Key: newKey(), Attempt: g.attempt, Fence: g.fence},
		coord.RecordCheckpoint{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true},
	}
	w.do(rt, by, one(rt, commands, "command"))
}

// old are the stakes of earlier epochs.
func (w *walk) old() (out []*stake) {
	for _, g := range w.stakes {
		if g.fence.Epoch != w.epoch {
			out = append(out, g)
		}
	}
	return out
}

// revoke: L14. An operator closes a session, and another one of its name takes its place.
func (w *walk) revoke(rt *rapid.T) {
	i := rapid.IntRange(0, len(w.seats)-1).Draw(rt, "seat")
	old := w.seats[i]
	held := func(t shown) bool {
		return w.top[t.id].Generation == t.owner.generation && w.holders[w.top[t.id]][t.id] == old
	}
	w.sit(rt, i)
	w.do(rt, nil, coord.CloseSession{Key: newKey(), Session: old.id, Reason: "it is gone"})
	old.closed = true
	for _, t := range w.now.tasks {
		if held(t) && t.owner.attempt != "" && w.at() < t.owner.until+int64(w.policies[t.project].RecoveryGrace) {
			rt.Fatalf("%s was closed and holds %+v", old.id, t)
		}
	}
}

// crash: D2, L16. What was answered is there after it, and nothing else moved.
func (w *walk) crash(rt *rapid.T) {
	if !rare(rt, 3, "really") {
		return
	}
	rt.Log("the server crashes")
	w.steps++
	for _, s := range w.sides {
		if err := s.Crash(w.ctx); err != nil {
			rt.Fatalf("%s: %v", s.Name(), err)
		}
	}
	before := w.now
	w.now = w.look(rt)
	if diff := before.diff(w.now); diff != "" {
		rt.Fatalf("a crash changed\n%s", diff)
	}
	w.lookWhole(rt)
	w.reached["crash"]++
}

func (w *walk) backUp(rt *rapid.T) {
	if w.backedUp && !rare(rt, 4, "another") {
		return
	}
	rt.Log("a backup is made")
	w.steps++
	for _, s := range w.sides {
		if err := s.Backup(w.ctx); err != nil {
			rt.Fatalf("%s: %v", s.Name(), err)
		}
	}
	w.kept, w.backedUp = w.now, true
	w.reached["backup"]++
}

// restore: R1, L3. The record is that of the backup, and nobody holds anything
// but what may have been pushed; every session begins anew, in a later epoch.
func (w *walk) restore(rt *rapid.T) {
	if !w.backedUp || !rare(rt, 3, "really") {
		return
	}
	rt.Log("the server is restored from the backup")
	w.steps++
	w.clock.Advance(time.Second) // it takes a while
	var epochs []int64
	for _, s := range w.sides {
		epoch, err := s.Restore(w.ctx)
		if err != nil {
			rt.Fatalf("%s: %v", s.Name(), err)
		}
		epochs = append(epochs, epoch)
	}
	if epochs[0] <= w.epoch || len(slices.Compact(slices.Clone(epochs))) != 1 {
		rt.Fatalf("epochs %v after %d", epochs, w.epoch)
	}
	w.epoch, w.restored = epochs[0], true
	for i := range w.seats {
		w.sit(rt, i)
	}
	w.now = w.look(rt)
	w.lookWhole(rt)
	if len(w.now.tasks) != len(w.kept.tasks) {
		rt.Fatalf("%d tasks became %d by a restore", len(w.kept.tasks), len(w.now.tasks))
	}
	w.forget()
	for id, t := range w.now.tasks {
		if t.owner.attempt != "" && (!lands(t) || w.at() < t.owner.until+int64(w.policies[t.project].RecoveryGrace)) {
			rt.Fatalf("restored with an owner: %+v", t)
		}
		was := w.kept.tasks[id]
		was.owner, t.owner, was.status, t.status = ownerShown{}, ownerShown{}, "", ""
		if was != t {
			rt.Fatalf("restored\n%+v\nas\n%+v", was, t)
		}
	}
	w.reached["restore"]++
}

// forget drops who held what the restore lost: that never was. The highest
// fences stay, since none of them may come again.
func (w *walk) forget() {
	for fence, of := range w.holders {
		for id := range of {
			if w.now.tasks[id].generation < fence.Generation {
				delete(of, id)
			}
		}
	}
}
