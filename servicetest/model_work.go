package servicetest

import (
	"pgregory.net/rapid"

	"coord"
)

// Claim takes a code task or a review.
func (w *world) Claim(t *rapid.T) {
	st := w.pick(t, func(st *strand) bool { return st.phase == judged || st.phase == working && st.code.owner == nobody })
	s := st.code
	if st.phase == judged || rapid.IntRange(0, 4).Draw(t, "review") == 0 {
		s = st.review
	}
	me := rapid.IntRange(0, len(w.sessions)-1).Draw(t, "session")
	if s == nil || s == st.review && st.authors[me] {
		t.Skip("no review for this session")
	}
	saved := coord.OID("")
	if s == st.code {
		saved = st.saved
	}
	r, wrong := w.recovery(t, s, saved)
	want := w.claimable(s, me, saved, wrong)
	if s.closed || s == st.code && st.phase != working {
		want = coord.CodeStateConflict
	}
	mine, orphan := w.live(s) && s.owner == me, s.owner != nobody
	c, err := w.sessions[me].Claim(w.ctx, coord.Claim{Key: newKey(), Project: w.project, Task: s.id, Recovery: r})
	w.want(t, "claim", err, want)
	switch {
	case err != nil:
		return
	case mine && (c.Attempt.Generation != s.gen || !c.Attempt.Lease.ExpiresAt.Before(w.h.Now().Add(lease+1))):
		t.Fatalf("reconnected to %+v, held generation %d", c.Attempt, s.gen)
	case mine:
		s.until = c.Attempt.Lease.ExpiresAt
		return
	}
	if orphan {
		w.reached["recovered"]++
	}
	w.given(t, s, me, c.Attempt)
	if s == st.code {
		st.authors[me] = true
	}
}

// Renew extends.
func (w *world) Renew(t *rapid.T) {
	_, g, me := w.grasp(t, anyOf(t))
	l, err := w.sessions[me].Renew(w.ctx, coord.Renew{Attempt: g.attempt, Fence: g.fence})
	w.want(t, "renew", err, w.authority(g, me))
	if err != nil {
		return
	}
	if g.slot.until = w.h.Now().Add(lease); !l.ExpiresAt.Equal(g.slot.until) {
		t.Fatalf("renewed until %s, want %s", l.ExpiresAt, g.slot.until)
	}
}

// Resume follows an expiry by the same session.
func (w *world) Resume(t *rapid.T) {
	st, g, me := w.grasp(t, anyOf(t))
	want := w.authority(g, me)
	if want == "" {
		t.Skip("it is live")
	}
	if want == coord.CodeLeaseExpired {
		want = ""
	}
	c, err := w.sessions[me].Resume(w.ctx, coord.Resume{Key: newKey(), Attempt: g.attempt, Fence: g.fence})
	w.want(t, "resume", err, want)
	if err != nil {
		return
	}
	w.reached["resumed"]++
	w.given(t, g.slot, me, c.Attempt)
	if g.slot == st.integration {
		w.rereadLanding(t, st)
	}
}

// rereadLanding takes over what the service made of an unfinished landing
// when its fence changed; a permitted push stays permitted.
func (w *world) rereadLanding(t *rapid.T, st *strand) {
	d, err := w.sessions[0].Task(w.ctx, st.code.id)
	w.want(t, "read", err, "")
	l := d.Landings[len(d.Landings)-1]
	if !l.State.Reserves() || (l.State == coord.LandingPublishing) != (st.landing.State == coord.LandingPublishing) {
		t.Fatalf("landing %s was %s and is %s", l.ID, st.landing.State, l.State)
	}
	st.landing = l
}

// Release gives back. A landing that may have been pushed is not dropped.
func (w *world) Release(t *rapid.T) {
	st, g, me := w.grasp(t, anyOf(t))
	want := []coord.Code{w.authority(g, me)}
	if g.slot == st.integration && want[0] == "" {
		want = []coord.Code{"", coord.CodeStateConflict}
		if st.landing.State == coord.LandingPublishing {
			want = want[1:]
		}
	}
	_, err := w.sessions[me].Release(w.ctx, coord.Release{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Reason: "enough"})
	w.want(t, "release", err, want...)
	if err == nil {
		g.slot.owner = nobody
		if g.slot == st.integration {
			st.landing.State = coord.LandingReleased
		}
	}
}

// Save records a checkpoint.
func (w *world) Save(t *rapid.T) {
	st, g, me := w.grasp(t, code)
	c := coord.RecordCheckpoint{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true}
	_, err := w.sessions[me].RecordCheckpoint(w.ctx, c)
	w.want(t, "checkpoint", err, w.authority(g, me))
	if err == nil {
		st.saved = c.Commit
	}
}

// Submit hands a candidate over.
func (w *world) Submit(t *rapid.T) {
	st, g, me := w.grasp(t, code)
	c := coord.Submit{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Commit: newOID(), Tree: newOID(), Base: newOID(), Ref: "refs/coord/c", Summary: "s"}
	out, err := w.sessions[me].Submit(w.ctx, c)
	w.want(t, "submit", err, w.authority(g, me))
	if err != nil {
		return
	}
	st.sub, st.saved, st.code.owner, st.phase = out.Submission, "", nobody, judged
	st.integration, st.review = &slot{id: st.sub.Integration, owner: nobody}, nil
	if st.sub.Review != "" {
		st.review = &slot{id: st.sub.Review, owner: nobody}
	} else {
		st.phase = approved
	}
	st.landing = coord.Landing{}
}

// sentBack makes the candidate the saved work and closes the followers.
func (st *strand) sentBack() {
	st.phase, st.saved = working, st.sub.Commit
	for _, s := range []*slot{st.review, st.integration} {
		if s != nil {
			s.closed, s.owner = true, nobody
		}
	}
}

// Review decides, either way.
func (w *world) Review(t *rapid.T) {
	st, g, me := w.grasp(t, review)
	verdict := rapid.SampledFrom([]coord.Verdict{coord.VerdictApproved, coord.VerdictApproved, coord.VerdictChangesRequested}).Draw(t, "verdict")
	_, err := w.sessions[me].Review(w.ctx, coord.RecordReview{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Verdict: verdict, Note: "n"})
	w.want(t, "review", err, w.authority(g, me))
	if err != nil {
		return
	}
	st.review.closed, st.review.owner = true, nobody
	if verdict == coord.VerdictApproved {
		w.reached["approved"]++
		st.phase = approved
		return
	}
	w.reached["rejected"]++
	st.sentBack()
}
