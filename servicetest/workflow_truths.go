package servicetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// The promises that every step must keep, in words of their own: they look at
// what was told, at the clock, and at the record before and after, and ask no
// rule. A bug that all sides share is caught here.

// after holds a command to the promises.
func (w *walk) after(rt *rapid.T, d *deed) {
	rt.Helper()
	before := w.now
	w.now = w.lookAfter(rt, d)
	_, landing, _ := authority(d.command)
	d.was = before.tasks[cmp.Or(landing.Task(), d.told.task)]
	if d.code != "" || d.again {
		if diff := before.diff(w.now); diff != "" {
			rt.Fatalf("%s\nsays %q (again: %v) and changed something:\n%s", d, d.code, d.again, diff)
		}
	}
	if d.again && d.code == "" {
		w.replayed(rt, d)
	}
	if d.code == "" && !d.again {
		w.authorized(rt, d, before)
		w.granted(rt, d, before)
		w.unparked(rt, d, before)
		w.landed(rt, d)
		w.extended(rt, d, before)
	}
	w.due(rt, d, before)
	w.lasting(rt, d, before)
	for _, id := range w.touched(d) {
		if _, there := w.now.tasks[id]; there {
			w.oneOwner(rt, w.lookAt(rt, id))
		}
	}
}

// replayed: K2, K3. A repetition says how things stand, and gives nothing.
func (w *walk) replayed(rt *rapid.T, d *deed) {
	rt.Helper()
	if d.told.attempt == "" || d.told.standing == "" {
		return
	}
	owner := w.now.tasks[d.told.task].owner
	live := owner.attempt == d.told.attempt && w.at() < owner.until
	if live != (d.told.standing == coord.StandingLive) || live && d.told.until != owner.until {
		rt.Fatalf("%s\nsent again says %+v; the task is owned by %+v", d, d.told, owner)
	}
	w.reached["again "+string(d.told.standing)]++
}

// authorized: L4, L6, L12. What uses an attempt's authority takes effect only
// from the session that was granted it, under its very fence, while nothing
// later was granted, and before its end; only resuming waits for that.
func (w *walk) authorized(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	attempt, landing, fence := authority(d.command)
	if d.by == nil || attempt == "" && landing == "" {
		return
	}
	task := attempt.Task()
	if landing != "" {
		task = w.integrations[landing]
	}
	t := before.tasks[task]
	_, resumes := d.command.(coord.Resume)
	switch {
	case w.holders[fence][task] != d.by || d.by.closed:
		rt.Fatalf("%s\ntook effect, and the fence was not granted to that session", d)
	case fence != w.top[task] || fence.Epoch != w.epoch:
		rt.Fatalf("%s\ntook effect, and %s was granted since", d, w.top[task])
	case t.owner.generation != fence.Generation:
		rt.Fatalf("%s\ntook effect, and the task is owned by %+v", d, t.owner)
	case !resumes && w.at() >= t.owner.until:
		rt.Fatalf("%s\ntook effect %s after its lease ended", d, time.Duration(w.at()-t.owner.until))
	}
}

// granted: L1, L2, L3, L8, L9, L17, K1. A grant is of a higher fence than any before, of a
// task that is open, that nothing holds up, and that nobody holds: its last
// owner gave it back, or is another session whose grace is over, or the same one and resumes.
func (w *walk) granted(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	if d.told.attempt == "" || d.told.fence == (coord.Fence{}) {
		return
	}
	if d.told.landing != "" {
		w.integrations[d.told.landing] = d.told.task
	}
	if d.told.fence == w.top[d.told.task] {
		if w.holders[d.told.fence][d.told.task] != d.by && d.by != nil {
			rt.Fatalf("%s\nwas given back what is another's", d)
		}
		return
	}
	t, was, top := before.tasks[d.told.task], before.tasks[d.told.task].owner, w.top[d.told.task]
	p := w.policies[t.project]
	_, resumes := d.command.(coord.Resume)
	grace := int64(p.RecoveryGrace)
	switch {
	case d.told.fence.Epoch != w.epoch || d.told.fence.Epoch < top.Epoch || d.told.fence.Epoch == top.Epoch && d.told.fence.Generation <= top.Generation:
		rt.Fatalf("%s\ngranted %s after %s", d, d.told.fence, top)
	case t.lifecycle != coord.LifecycleOpen:
		rt.Fatalf("%s\ngranted a task that is %s", d, t.lifecycle)
	case resumes && (w.at() < was.until || w.holders[top][t.id] != d.by):
		rt.Fatalf("%s\nresumed what is owned by %+v", d, was)
	case !resumes && was.attempt != "" && (w.at() < was.until+grace || w.holders[top][t.id] == d.by):
		rt.Fatalf("%s\ngranted what is owned by %+v", d, was)
	case !resumes && was.attempt != "" && p.Recovery == coord.RecoverManual && d.told.state != string(coord.LandingPublishing):
		rt.Fatalf("%s\ngranted what an operator was to release first", d)
	case !resumes && w.waitsForSomething(t) && d.told.standing == coord.StandingLive:
		rt.Fatalf("%s\ngranted what waits for %s", d, t.waits)
	case d.told.standing == coord.StandingLive && d.told.until != w.at()+int64(p.Lease):
		rt.Fatalf("%s\ngranted until %s", d, time.Unix(0, d.told.until).UTC())
	}
	d.fresh = true
	w.top[t.id] = d.told.fence
	if w.holders[d.told.fence] == nil {
		w.holders[d.told.fence] = map[coord.TaskID]*seat{}
	}
	w.holders[d.told.fence][t.id] = d.by
	w.stakes = append(w.stakes, &stake{d.by, t.id, d.told.attempt, d.told.fence})
}

// waitsForSomething: of what the task depends on, something is not done.
func (w *walk) waitsForSomething(t shown) bool {
	return slices.ContainsFunc(strings.Fields(strings.Trim(t.after, "[]")), func(id string) bool {
		return w.now.tasks[coord.TaskID(id)].lifecycle != coord.LifecycleDone
	})
}

// unparked: V9. What is blocked is not begun, submitted, judged or let through to
// its target; only whoever finds a dead owner's task blocked may say so.
func (w *walk) unparked(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	var id coord.TaskID
	switch c := d.command.(type) {
	case coord.Claim:
		if d.told.standing == coord.StandingLive && w.top[d.told.task] == d.told.fence && before.tasks[d.told.task].generation != d.told.fence.Generation {
			id = c.Task
		}
	case coord.Hold:
		if d.told.state == string(coord.LandingHeld) && before.tasks[d.told.task].owner.attempt == "" {
			id = d.told.landing.Task()
		}
	case coord.Submit:
		id = c.Attempt.Task()
	case coord.RecordReview:
		id = d.told.submission.Task()
	case coord.Permit:
		id = c.Landing.Task()
	}
	if id != "" && before.tasks[id].blockers != "" {
		rt.Fatalf("%s\ntook effect on what is blocked: %s", d, before.tasks[id].blockers)
	}
}

// landed: V5, V7, I3. What landed was approved, where the policy asks for it, at just
// that commit, by a session that never held an attempt of the task.
func (w *walk) landed(rt *rapid.T, d *deed) {
	rt.Helper()
	if _, ok := d.command.(coord.RecordObservation); !ok || d.told.state != string(coord.LandingLanded) {
		return
	}
	x := w.lookAt(rt, d.told.landing.Task())
	if w.policies[x.Project].Review == coord.ReviewNone {
		return
	}
	sub := x.Submissions[len(x.Submissions)-1]
	for _, r := range x.Reviews {
		if r.Submission != sub.ID || r.Verdict != coord.VerdictApproved || r.Commit != sub.Commit || len(sub.Reviews) != 1 || r.Task != sub.Reviews[0] {
			continue
		}
		reviewer := w.holders[w.top[r.Task]][r.Task]
		for fence, of := range w.holders {
			if of[x.ID] == reviewer {
				rt.Fatalf("%s\nlanded what %s approved, who held it under %s", d, reviewer.id, fence)
			}
		}
		return
	}
	rt.Fatalf("%s\nlanded without an approval", d)
}

// extended: L8, L10, L11. A renewal never shortens, and gives at most a lease from now.
func (w *walk) extended(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	c, ok := d.command.(coord.Renew)
	if !ok {
		return
	}
	t := before.tasks[c.Attempt.Task()]
	most := w.at() + int64(w.policies[t.project].Lease)
	if d.told.until < t.owner.until || d.told.until > most || !d.told.stalled && d.told.until != most {
		rt.Fatalf("%s\nextended from %d to %d", d, t.owner.until, d.told.until)
	}
}

// lasting: saved work goes only where it is taken up or declined, what is
// done stays so, generations and revisions do not fall, and a task is ready
// only when all that it depends on is done.
func (w *walk) lasting(rt *rapid.T, d *deed, before record) {
	rt.Helper()
	for id, t := range w.now.tasks {
		was, there := before.tasks[id]
		switch {
		case t.status == coord.StatusReady && (t.lifecycle != coord.LifecycleOpen || t.owner.attempt != "" || t.blockers != "" || w.waitsForSomething(t)):
			rt.Fatalf("%s\nleft %+v ready", d, t)
		case !there:
			continue
		case t.generation < was.generation || t.revision < was.revision:
			rt.Fatalf("%s\nput %+v back to %+v", d, was, t)
		case was.lifecycle.Closed() && t.lifecycle != was.lifecycle:
			rt.Fatalf("%s\nmade %s %s, which was %s", d, id, t.lifecycle, was.lifecycle)
		case was.saved != (savedShown{}) && t.saved == (savedShown{}) && !mayDropSaved(d):
			rt.Fatalf("%s\nlost the saved work %+v of %s", d, was.saved, id)
		}
	}
}

func mayDropSaved(d *deed) bool {
	switch c := d.command.(type) {
	case coord.Submit:
		return true
	case coord.Claim:
		return c.Recovery != nil && c.Recovery.Disposition == coord.DispositionRestart
	}
	return false
}

// oneOwner: L1.
func (w *walk) oneOwner(rt *rapid.T, d coord.TaskDetail) {
	rt.Helper()
	owners := 0
	for _, a := range d.Attempts {
		if a.Standing == coord.StandingLive || a.Standing == coord.StandingExpired {
			owners++
		}
	}
	if owners > 1 || (owners == 1) != (d.Owner != nil) {
		rt.Fatalf("%s has %d owners: %+v", d.ID, owners, d.Attempts)
	}
}

// at is now, as records have it.
func (w *walk) at() int64 { return w.clock.Now().UnixNano() }

// touched are the tasks that a command is about, and those that their
// submissions are of.
func (w *walk) touched(d *deed) (out []coord.TaskID) {
	attempt, landing, _ := authority(d.command)
	for _, id := range []coord.TaskID{d.told.task, d.told.attempt.Task(), d.told.submission.Task(), d.told.landing.Task(), attempt.Task(), landing.Task()} {
		out = append(out, id, w.now.tasks[id].submission.Task())
	}
	slices.Sort(out)
	return slices.Compact(out)
}
