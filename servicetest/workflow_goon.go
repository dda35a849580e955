package servicetest

import (
	"strings"

	"pgregory.net/rapid"

	"coord"
)

// goOn does for one code task what brings it to its end, by whoever may: walks
// get far by that.
func (w *walk) goOn(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool { return openCode(t) && t.submission != "" })
	if !ok || rare(rt, 3, "not the furthest") {
		t, ok = w.pick(rt, func(t shown) bool { return openCode(t) && t.waits == "[]" })
	}
	if !ok || !openCode(t) {
		return
	}
	blockers := t.blockers
	if blockers != "" && rare(rt, 3, "although it is blocked") {
		blockers = ""
	}
	switch {
	case strings.Contains(blockers, string(coord.BlockedByUpstream)):
		w.do(rt, nil, coord.Unblock{Key: newKey(), Task: t.id, Reason: "the other side is there"})
	case strings.Contains(blockers, string(coord.BlockedByDecision)):
		w.decide(rt)
	case strings.Contains(blockers, string(coord.BlockedByConflict)):
		w.do(rt, w.seat(rt), coord.Revise{Key: newKey(), Task: t.id, Reason: coord.ReviseConflict})
	case strings.Contains(blockers, string(coord.BlockedByCheck)):
		w.do(rt, w.seat(rt), coord.Revise{Key: newKey(), Task: t.id, Reason: coord.ReviseCheckFailed})
	case t.submission != "":
		w.goOnWithSubmission(rt, t)
	case w.live(t):
		if s, ok := w.stakeOf(t); ok {
			w.submitAs(rt, s.seat, s)
		}
	default:
		w.take(rt, t)
	}
}

// take claims, recovers or resumes a task as it has to be.
func (w *walk) take(rt *rapid.T, t shown) {
	me := w.seat(rt)
	if judges(t) && w.worked(t.submission.Task(), me) {
		me = w.seat(rt)
	}
	if w.policies[t.project].Recovery == coord.RecoverManual && t.owner.attempt != "" && t.owner.name != me.name {
		w.do(rt, nil, coord.Release{Key: newKey(), Attempt: t.owner.attempt, Reason: "its owner is gone"})
		return
	}
	if s, ok := w.stakeOf(t); ok && t.owner.attempt != "" && s.seat == me {
		w.do(rt, me, coord.Resume{Key: newKey(), Attempt: s.attempt, Fence: s.fence})
		return
	}
	r := &coord.Recovery{Generation: t.generation, Disposition: coord.DispositionResume, Commit: t.saved.commit}
	if rare(rt, 5, "another recovery") {
		r = w.recovery(rt, t)
	}
	w.do(rt, me, coord.Claim{Key: newKey(), Project: t.project, Task: t.id, Recovery: r})
}

func (w *walk) goOnWithSubmission(rt *rapid.T, t shown) {
	x := w.latest(t)
	if x.Judged != t.digest {
		w.do(rt, w.seat(rt), coord.Revise{Key: newKey(), Task: t.id, Reason: coord.ReviseRequirements})
		return
	}
	if t.status == coord.StatusWaitingReview {
		slot := w.now.tasks[x.Reviews[0]]
		if s, ok := w.stakeOf(slot); ok && w.live(slot) {
			w.reviewAs(rt, s.seat, s, coord.VerdictApproved)
			return
		}
		w.take(rt, slot)
		return
	}
	of := w.now.tasks[x.Integration]
	s, ok := w.stakeOf(of)
	switch {
	case ok && w.live(of):
		w.landAs(rt, s.seat, s)
	case ok && of.owner.attempt != "" && !rare(rt, 3, "taken over"):
		w.do(rt, s.seat, coord.Resume{Key: newKey(), Attempt: s.attempt, Fence: s.fence})
	default:
		r := &coord.Recovery{Generation: of.generation, Disposition: coord.DispositionResume}
		w.do(rt, w.seat(rt), coord.Hold{Key: newKey(), Project: t.project, Task: t.id, Recovery: r})
	}
}

// stakeOf is what was granted last at a task.
func (w *walk) stakeOf(t shown) (*stake, bool) {
	for i := len(w.stakes) - 1; i >= 0; i-- {
		if w.stakes[i].task == t.id {
			return w.stakes[i], true
		}
	}
	return nil, false
}

// detail is a task's record, by the side that the walk finds its way by.
func (w *walk) detail(id coord.TaskID) coord.TaskDetail {
	d, _ := w.sides[0].As(w.seats[0].id).Task(w.ctx, id) // of an unknown task there is none
	return d
}

// latest is the latest submission of a code task.
func (w *walk) latest(t shown) coord.Submission {
	if d := w.detail(t.id); submits(t) && len(d.Submissions) > 0 {
		return d.Submissions[len(d.Submissions)-1]
	}
	return coord.Submission{}
}
