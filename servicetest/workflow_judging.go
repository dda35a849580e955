package servicetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"coord"
)

func (w *walk) submit(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, submits); ok {
		w.submitAs(rt, by, g)
	}
}

func (w *walk) submitAs(rt *rapid.T, by *seat, g *stake) {
	c := coord.Submit{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Commit: newOID(), Tree: newOID(), Base: newOID(), Ref: "refs/coord/c", Summary: "It works."}
	switch rapid.IntRange(0, 11).Draw(rt, "report") {
	case 9:
		c.Digest = w.now.tasks[g.task].digest
	case 10:
		c.Digest = coord.Digest(coord.KindCode, "what it was", "", nil)
	case 11:
		c.Required = []coord.RequiredCheck{testCheck.Require()}
	}
	w.do(rt, by, c)
}

func (w *walk) review(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, judges); ok {
		w.reviewAs(rt, by, g, coord.VerdictChangesRequested)
	}
}

// reviewAs decides, mostly as wanted.
func (w *walk) reviewAs(rt *rapid.T, by *seat, g *stake, wanted coord.Verdict) {
	verdict := rapid.SampledFrom([]coord.Verdict{wanted, wanted, wanted, coord.VerdictApproved, coord.VerdictChangesRequested}).Draw(rt, "verdict")
	w.do(rt, by, coord.RecordReview{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Judgement: coord.Judgement{Verdict: verdict, Note: "read and run"}})
}

func (w *walk) revise(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool {
		return inReviewOrOn(t) && (strings.Contains(t.blockers, "conflict") || strings.Contains(t.blockers, "check_failed"))
	})
	if !ok || rare(rt, 3, "another") {
		t, ok = w.pick(rt, inReviewOrOn)
	}
	if !ok {
		return
	}
	reasons := []coord.ReviseReason{coord.ReviseMissing, coord.ReviseRequirements, coord.ReviseWithdrawn, coord.ReviseConflict, coord.ReviseCheckFailed}
	switch {
	case strings.Contains(t.blockers, "conflict"):
		reasons = append(reasons, coord.ReviseConflict, coord.ReviseConflict, coord.ReviseConflict)
	case strings.Contains(t.blockers, "check_failed"):
		reasons = append(reasons, coord.ReviseCheckFailed, coord.ReviseCheckFailed, coord.ReviseCheckFailed)
	}
	by := w.seat(rt)
	if s, ok := w.stakeOf(t); ok && !s.seat.closed && s.seat.epoch == w.epoch && rare(rt, 2, "by the author") {
		by = s.seat
	}
	w.do(rt, by, coord.Revise{Key: newKey(), Task: t.id, Reason: one(rt, reasons, "reason")})
}

func (w *walk) edit(rt *rapid.T) {
	t, ok := w.pick(rt, inReviewOrOn)
	if !ok || rare(rt, 2, "any code task") {
		t, ok = w.pick(rt, openCode)
	}
	if !ok {
		return
	}
	title := fmt.Sprintf("task %d", counter.Add(1))
	c := coord.EditTask{Key: newKey(), Task: t.id, Revision: t.revision, Title: &title}
	if rare(rt, 6, "old revision") {
		c.Revision--
	}
	by := w.seat(rt)
	if rare(rt, 4, "a person") {
		by = nil
	}
	w.do(rt, by, c)
}

func (w *walk) cancel(rt *rapid.T) {
	if t, ok := w.pick(rt, openCode); ok && rare(rt, 3, "really") {
		w.do(rt, w.seat(rt), coord.CancelTask{Key: newKey(), Task: t.id, Reason: "nobody wants it any more"})
	}
}

// ask parks one task or two of a project.
func (w *walk) ask(rt *rapid.T) {
	open := func(t shown) bool { return !t.lifecycle.Closed() }
	t, ok := w.pick(rt, w.live)
	if !ok || rare(rt, 3, "any task") {
		t, ok = w.pick(rt, open)
	}
	if !ok {
		return
	}
	c := coord.Ask{Key: newKey(), Project: t.project, Question: "Which way?", Options: []string{"left", "right"}, Tasks: []coord.TaskID{t.id}}
	c.RequiredActor = rapid.SampledFrom([]coord.Actor{"", coord.ActorAgent, coord.ActorHuman}).Draw(rt, "actor")
	if o, ok := w.pick(rt, open); ok && o.project == t.project && o.id != t.id {
		c.Tasks = append(c.Tasks, o.id)
	}
	if rare(rt, 8, "expires") {
		c.ExpiresIn = coord.Duration(lease)
	}
	w.do(rt, w.seat(rt), c)
}

func (w *walk) decide(rt *rapid.T) {
	all := slices.Sorted(maps.Keys(w.now.decisions))
	open := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !strings.HasPrefix(w.now.decisions[id], string(coord.DecisionOpen)) })
	if rare(rt, 8, "any decision") {
		open = all
	}
	if len(open) == 0 {
		return
	}
	named := rapid.SampledFrom(open).Draw(rt, "decision")
	project, id, _ := strings.Cut(named, " ")
	option := "left"
	if strings.Contains(w.now.decisions[named], " true ") { // an escalation
		option = "go on as it is"
	}
	by := w.seat(rt)
	if rare(rt, 3, "a person") {
		by = nil
	}
	w.do(rt, by, coord.Decide{Key: newKey(), Project: coord.ProjectKey(project), Decision: coord.DecisionID(id), Option: option})
}

func (w *walk) unblock(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool { return strings.Contains(t.blockers, string(coord.BlockedByUpstream)) })
	if !ok {
		return
	}
	by := w.seat(rt)
	if rare(rt, 3, "a person") {
		by = nil
	}
	w.do(rt, by, coord.Unblock{Key: newKey(), Task: t.id, Reason: "the other side is there"})
}
