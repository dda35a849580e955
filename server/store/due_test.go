package store

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

// timedWorld is a store on the bubble's clock that keeps time by itself, with
// a project whose recommendations may stand.
type timedWorld struct {
	*testing.T
	*Store
	alpha coord.Service
}

func timed(t *testing.T, path string, allowed bool) timedWorld {
	t.Helper()
	s := openAt(t, path, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.KeepTime(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	w := timedWorld{t, s, session(t, s, agents, "alpha")}
	if _, err := s.As(agents).Project(t.Context(), "pay"); err != nil {
		project(t, s, "pay")
	}
	w.allow(allowed)
	return w
}

func (w timedWorld) operator() coord.Service {
	return w.As(coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"})
}

func (w timedWorld) allow(timed bool) {
	w.Helper()
	p, err := w.operator().Project(w.Context(), "pay")
	if err != nil {
		w.Fatal(err)
	}
	c := coord.SetPolicy{Key: newKey(), Project: "pay", Revision: p.PolicyRevision, Policy: p.Policy, Reason: "x"}
	if c.Policy.TimedAnswers == timed {
		return
	}
	c.Policy.TimedAnswers = timed
	if _, err := w.operator().SetPolicy(w.Context(), c); err != nil {
		w.Fatal(err)
	}
}

func (w timedWorld) recommend(in time.Duration) coord.Decision {
	w.Helper()
	d, err := w.alpha.Ask(w.Context(), coord.Ask{
		Key: newKey(), Project: "pay", Question: "Which?", Options: []string{"a", "b"}, Recommendation: "b", Reversible: true, StandsIn: coord.Duration(in),
	})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

// state is what has become of the decision, after everything that was due.
func (w timedWorld) state(id coord.DecisionID) coord.DecisionState {
	w.Helper()
	synctest.Wait()
	d, err := w.alpha.Decision(w.Context(), "pay", id)
	if err != nil {
		w.Fatal(err)
	}
	return d.State
}

func (w timedWorld) is(id coord.DecisionID, want coord.DecisionState) {
	w.Helper()
	if got := w.state(id); got != want {
		w.Errorf("%s is %s, want %s", id, got, want)
	}
}

// highWater moves with every commit.
func (w timedWorld) highWater() (n int64) {
	w.Helper()
	if err := w.look(w.Context(), func(v *view) error {
		_, err := v.get([]any{&n}, "SELECT high_water FROM server WHERE id = 1")
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return n
}

func TestKeepTime(t *testing.T) {
	for name, play := range map[string]func(timedWorld){
		"at the very instant, and nobody came by": func(w timedWorld) {
			d := w.recommend(2 * time.Hour)
			time.Sleep(2*time.Hour - 1)
			w.is(d.ID, coord.DecisionOpen)
			time.Sleep(time.Nanosecond)
			w.is(d.ID, coord.DecisionAnswered)
			d, _ = w.alpha.Decision(w.Context(), "pay", d.ID)
			if d.Answer.Actor != coord.ActorTimeout || d.Answer.Option != "b" || !d.Answer.At.Equal(*d.StandsAt) {
				w.Errorf("%+v", d.Answer)
			}
		},
		"the earliest first, whichever was asked first": func(w timedWorld) {
			later, sooner := w.recommend(2*time.Hour), w.recommend(time.Hour)
			time.Sleep(time.Hour)
			w.is(sooner.ID, coord.DecisionAnswered)
			w.is(later.ID, coord.DecisionOpen)
			time.Sleep(time.Hour)
			w.is(later.ID, coord.DecisionAnswered)
		},
		"more than are settled at once": func(w timedWorld) {
			var last coord.Decision
			for range settleAtOnce + 5 {
				last = w.recommend(time.Hour)
			}
			time.Sleep(2 * time.Hour)
			w.is("D1", coord.DecisionAnswered)
			w.is(last.ID, coord.DecisionAnswered)
		},
		"as soon as the policy allows it": func(w timedWorld) {
			w.allow(false)
			d := w.recommend(time.Hour)
			time.Sleep(3 * time.Hour)
			w.is(d.ID, coord.DecisionOpen)
			w.allow(true)
			w.is(d.ID, coord.DecisionAnswered)
		},
		"not any more when somebody answered": func(w timedWorld) {
			d := w.recommend(time.Hour)
			if _, err := w.alpha.Decide(w.Context(), coord.Decide{Key: newKey(), Project: "pay", Decision: d.ID, Option: "a"}); err != nil {
				w.Fatal(err)
			}
			if at := w.due.at.Load(); at != 0 {
				w.Errorf("due at %d", at)
			}
			time.Sleep(2 * time.Hour)
			d, _ = w.alpha.Decision(w.Context(), "pay", d.ID)
			if d.Answer.Option != "a" {
				w.Errorf("%+v", d.Answer)
			}
		},
		"nothing is done while nothing is due": func(w timedWorld) {
			d := w.recommend(1000 * time.Hour)
			before := w.highWater()
			time.Sleep(999 * time.Hour)
			synctest.Wait()
			if after := w.highWater(); after != before {
				w.Errorf("committed at %s", instant(after))
			}
			time.Sleep(time.Hour)
			w.is(d.ID, coord.DecisionAnswered)
			before = w.highWater()
			time.Sleep(1000 * time.Hour)
			if after := w.highWater(); after != before {
				w.Errorf("committed at %s, after the last answer", instant(after))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { play(timed(t, filepath.Join(t.TempDir(), "coord.db"), true)) })
		})
	}
}

// What was due while the server was down is answered when it is up again.
func TestKeepTimeAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "coord.db")
		s := openAt(t, path, time.Now)
		project(t, s, "pay")
		first := timedWorld{t, s, session(t, s, agents, "alpha")}
		first.allow(true)
		d := first.recommend(time.Hour)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		timed(t, path, true).is(d.ID, coord.DecisionAnswered)
	})
}

// A batch settles what is due before its own requests, so nobody acts on what
// is over; and when that fails, the requests are served all the same.
func TestSettleDueHoldsUpNobody(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), func() time.Time { return now })
	project(t, s, "pay")
	w := timedWorld{t, s, session(t, s, agents, "alpha")}
	w.allow(true)
	d := w.recommend(time.Hour)
	now = now.Add(time.Hour)
	newTask(t, w.alpha, "pay")
	w.stateNow(d.ID, coord.DecisionAnswered)

	e := w.recommend(time.Hour)
	now = now.Add(time.Hour)
	if _, err := s.writer.conn.ExecContext(t.Context(), "CREATE TRIGGER broken BEFORE UPDATE OF answer ON decisions BEGIN SELECT raise(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	newTask(t, w.alpha, "pay") // is served
	w.stateNow(e.ID, coord.DecisionOpen)
	if at := instant(s.due.at.Load()); !at.Equal(now.Add(againAfter)) {
		t.Errorf("tried again at %s", at)
	}
	if _, err := s.writer.conn.ExecContext(t.Context(), "DROP TRIGGER broken"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(againAfter)
	newTask(t, w.alpha, "pay")
	w.stateNow(e.ID, coord.DecisionAnswered)
}

func (w timedWorld) stateNow(id coord.DecisionID, want coord.DecisionState) {
	w.Helper()
	d, err := w.alpha.Decision(w.Context(), "pay", id)
	if err != nil || d.State != want {
		w.Errorf("%s is %s, want %s (%v)", id, d.State, want, err)
	}
}
