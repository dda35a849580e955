package servicetest

import (
	"cmp"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"coord"
)

// hold reserves a target, or takes an abandoned landing over.
func (w *walk) hold(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool {
		return submits(t) && (t.status == coord.StatusWaitingIntegration || t.status == coord.StatusRecoveryRequired && t.owner.attempt == "")
	})
	if !ok {
		return
	}
	// What a recovery names is the integration task's.
	of := w.now.tasks[w.latest(t).Integration]
	c := coord.Hold{Key: newKey(), Project: t.project, Task: t.id, Recovery: w.recovery(rt, of)}
	if of.id != "" && rare(rt, 6, "by its id") {
		c.Task = of.id
	}
	w.do(rt, w.seat(rt), c)
}

// landing is the latest landing of a stake's integration task.
func (w *walk) landing(g *stake) (coord.Landing, bool) {
	code := w.now.tasks[g.task].submission.Task()
	if !lands(w.now.tasks[g.task]) || w.now.tasks[code].id == "" {
		return coord.Landing{}, false
	}
	d := w.detail(code)
	if len(d.Landings) == 0 {
		return coord.Landing{}, false
	}
	return d.Landings[len(d.Landings)-1], true
}

// land does the next step of a landing, or now and then another one.
func (w *walk) land(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, lands); ok {
		w.landAs(rt, by, g)
	}
}

func (w *walk) landAs(rt *rapid.T, by *seat, g *stake) {
	l, ok := w.landing(g)
	if !ok {
		return
	}
	next := l.State
	if rare(rt, 8, "another step") {
		next = rapid.SampledFrom([]coord.LandingState{coord.LandingHeld, coord.LandingMerged, coord.LandingPublishing}).Draw(rt, "step")
	}
	switch next {
	case coord.LandingHeld:
		w.merge(rt, by, g, l)
	case coord.LandingMerged:
		if rare(rt, 6, "stop here") {
			w.failAs(rt, by, g, l)
			return
		}
		w.permit(rt, by, g, l)
	default:
		w.observe(rt, by, g, l)
	}
}

func (w *walk) merge(rt *rapid.T, by *seat, g *stake, l coord.Landing) {
	if rare(rt, 12, "compare") || w.restored && !rare(rt, 3, "compared") {
		w.do(rt, by, coord.Reconcile{Key: newKey(), Landing: l.ID, Fence: g.fence, Tip: newOID()})
		return
	}
	if rare(rt, 20, "moved back") || w.landedOn[branchOf(l)] && !rare(rt, 8, "still there") {
		if d := w.do(rt, by, coord.DivergeTarget{Key: newKey(), Landing: l.ID, Fence: g.fence, Tip: newOID()}); d.code == "" {
			w.astray[branchOf(l)] = true
			if !rare(rt, 4, "later") { // few walks come this far
				w.settle(rt)
			}
		}
		return
	}
	if rare(rt, 8, "look first") {
		w.observe(rt, by, g, l)
		return
	}
	c := coord.RecordMerge{Key: newKey(), Landing: l.ID, Fence: g.fence, Base: newOID(), Result: newOID(), Tree: newOID()}
	c.Parents = []coord.OID{c.Base, w.latest(w.now.tasks[l.Task]).Commit}
	if rare(rt, 12, "other parents") {
		c.Parents = c.Parents[:1]
	}
	if rapid.Bool().Draw(rt, "required") {
		c.Required = []coord.RequiredCheck{testCheck.Require()}
	}
	w.do(rt, by, c)
}

func (w *walk) permit(rt *rapid.T, by *seat, g *stake, l coord.Landing) {
	c := coord.Permit{Key: newKey(), Landing: l.ID, Fence: g.fence, Base: l.Base, Result: l.Result, Tree: l.Tree}
	if c.Tree == "" { // a step that is not the next
		c.Base, c.Result, c.Tree = newOID(), newOID(), newOID()
	}
	if len(l.Required) > 0 && !rare(rt, 4, "unchecked") {
		c.Runs = []coord.Run{passing(c.Tree)}
	}
	if rare(rt, 10, "another merge") {
		c.Result = newOID()
	}
	w.do(rt, by, c)
}

// observe says what the remote holds: the result, or something else, and now
// and then another tree than was verified.
func (w *walk) observe(rt *rapid.T, by *seat, g *stake, l coord.Landing) {
	c := coord.RecordObservation{Key: newKey(), Landing: l.ID, Fence: g.fence, Tip: newOID()}
	if !rare(rt, 3, "elsewhere") {
		c.Contained, c.Tree = true, l.Tree
		if l.State != coord.LandingPublishing {
			c.Tree = w.latest(w.now.tasks[l.Task]).Tree
		}
		if rare(rt, 10, "another tree") {
			c.Tree = newOID()
		}
	}
	if d := w.do(rt, by, c); d.code == "" && c.Contained {
		w.landedOn[branchOf(l)] = true
	}
}

func branchOf(l coord.Landing) branch { return branch{l.Task.Project(), l.Target} }

// settle opens a target again that was moved back, or tries.
func (w *walk) settle(rt *rapid.T) {
	var all []branch
	for p := range w.policies {
		all = append(all, branch{p, "main"})
	}
	if len(w.astray) > 0 {
		all = slices.Collect(maps.Keys(w.astray))
	}
	slices.SortFunc(all, func(a, b branch) int { return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.name, b.name)) })
	at := one(rt, all, "target")
	c := coord.SettleTarget{Key: newKey(), Project: at.project, Target: at.name, Tip: newOID(), Reason: "walk"}
	c.Repository = createProject(c.Project, coord.Policy{}).Repositories[0].ID
	switch rapid.IntRange(0, 4).Draw(rt, "how") {
	case 0, 1:
		c.Contained = true
	case 2, 3:
		c.Accept = true
	}
	var by *seat
	if rare(rt, 3, "by an agent") {
		by = w.seat(rt)
	}
	if d := w.do(rt, by, c); d.code == "" {
		delete(w.astray, at)
	}
}

// fail gives the target back.
func (w *walk) fail(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, lands); ok {
		if l, ok := w.landing(g); ok {
			w.failAs(rt, by, g, l)
		}
	}
}

func (w *walk) failAs(rt *rapid.T, by *seat, g *stake, l coord.Landing) {
	c := coord.FailLanding{Key: newKey(), Landing: l.ID, Fence: g.fence}
	ways := []coord.LandingState{coord.LandingConflict, coord.LandingReleased}
	if len(l.Required) > 0 { // else there is nothing to fail
		ways = append(ways, coord.LandingFailed, coord.LandingFailed)
	}
	switch c.State = one(rt, ways, "how"); c.State {
	case coord.LandingConflict:
		c.Conflicts = []string{"a.go"}
	case coord.LandingFailed:
		c.Runs = []coord.Run{failing(l.Tree)}
	}
	w.do(rt, by, c)
}
