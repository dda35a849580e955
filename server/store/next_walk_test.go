package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// nextWalk is a record that is made at random, and the callers who ask it what
// to do.
type nextWalk struct {
	t      *testing.T
	s      *Store
	clock  *servicetest.Clock
	r      *rand.Rand
	seats  []coord.Service
	person coord.Service
	trace  []string
}

func newNextWalk(t *testing.T, seed uint64) *nextWalk {
	w := &nextWalk{t: t, clock: servicetest.NewClock(), r: rand.New(rand.NewPCG(seed, seed))}
	w.s = openAt(t, filepath.Join(t.TempDir(), "coord.db"), w.clock.Now)
	reviewedProject(t, w.s, "pay", func(p *coord.Policy) { p.TimedAnswers = true })
	w.person = warden(w.s)
	for i := range 4 {
		w.seats = append(w.seats, w.opens(i, nil))
	}
	return w
}

func (w *nextWalk) opens(i int, parent coord.Service) coord.Service {
	return who{coord.PrincipalID([]string{"red", "red", "blue", "grey"}[i]), []string{"forge", "mill", "mill", "loom"}[i], parent}.opens(w.t, w.s, fmt.Sprintf("seat%d", i))
}

func (w *nextWalk) note(what string, err error) {
	text := what + ": done"
	if err != nil {
		text = what + ": " + err.Error()
	}
	w.trace = append(w.trace, text)
	if coord.CodeOf(err) == coord.CodeInternal {
		w.fail("an internal error")
	}
}

func (w *nextWalk) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.trace, "\n"))
}

func (w *nextWalk) one(n int) bool { return w.r.IntN(n) == 0 }

func (w *nextWalk) tasks() []coord.Task {
	p, err := w.person.ListTasks(w.t.Context(), coord.TaskQuery{Project: "pay", Limit: 200})
	if err != nil {
		w.fail("%v", err)
	}
	return p.Items
}

func (w *nextWalk) any() coord.Task {
	all := w.tasks()
	var open []coord.Task
	for _, t := range all {
		if !t.Lifecycle.Closed() {
			open = append(open, t)
		}
	}
	if len(open) == 0 || w.one(10) {
		open = all
	}
	return open[w.r.IntN(len(open))]
}

// recovering claims as clients do: what was saved is taken up.
func recovering(claim func(*coord.Recovery) error) error {
	err := claim(nil)
	var e *coord.Error
	if coord.CodeOf(err) != coord.CodeRecoveryRequired || !errors.As(err, &e) {
		return err
	}
	r := coord.Recovery{Disposition: coord.DispositionResume, Commit: coord.OID(e.Details["commit"])}
	_, _ = fmt.Sscan(e.Details["generation"], &r.Generation)
	return claim(&r)
}

// live is what the session holds with a lease that runs, of the kind if one is
// given.
func (w *nextWalk) live(by coord.Service, kind coord.Kind) (x coord.Task, a coord.Attempt, ok bool) {
	me := whoami(w.t, by).Session
	err := w.s.look(w.t.Context(), func(v *view) error {
		var id coord.AttemptID
		found, err := v.get([]any{&id}, "SELECT id FROM attempts WHERE session = ? AND ended IS NULL AND expires_at > ? AND (? = '' OR kind = ?) ORDER BY started_at LIMIT 1",
			string(me), nanos(v.now), string(kind), string(kind))
		if err != nil || !found {
			return err
		}
		row, err := v.attempt(id)
		if err != nil {
			return err
		}
		task, err := v.task(row.Task)
		x, a, ok = task.Task, row.Attempt, true
		return err
	})
	if err != nil {
		w.fail("%v", err)
	}
	return x, a, ok
}

// follow does what next says, and then what the work that is held wants.
func (w *nextWalk) follow(i int, well bool) coord.Activity {
	by, name := w.seats[i], fmt.Sprintf("seat%d ", i)
	n, err := by.Next(w.t.Context(), "pay")
	if err != nil {
		w.fail("next: %v", err)
	}
	err = w.s.writer.do(w.t.Context(), whoami(w.t, by), func(t *tx) error { return w.does(t, n) })
	w.note(name+"follows "+string(n.Activity)+" "+n.Command, err)
	if err != nil {
		return n.Activity
	}
	w.works(by, name, well)
	return n.Activity
}

// works goes on with what the session holds.
func (w *nextWalk) works(by coord.Service, name string, well bool) {
	x, a, ok := w.live(by, "")
	switch {
	case !ok:
	case x.Kind.Submits():
		w.submit(by, name)
	case x.Kind == coord.KindReview:
		w.judge(by, name, well || w.one(2))
	default:
		d, err := by.Task(w.t.Context(), x.ID)
		if err != nil {
			w.fail("%v", err)
		}
		far := w.r.IntN(7)
		if well {
			far = 6
		}
		l := d.Landings[len(d.Landings)-1]
		l.Fence = a.Fence
		w.land(by, name, coord.Held{Attempt: a, Landing: l}, far)
	}
	if x, a, ok := w.live(by, ""); ok && well {
		_, err := by.Release(w.t.Context(), coord.Release{Key: newKey(), Attempt: a.ID, Fence: a.Fence, Reason: "r"})
		w.note(name+"release "+string(x.ID), err)
	}
}

// tries runs what next says in a transaction that is undone.
func (w *nextWalk) tries(by coord.Service, n coord.NextAction) error {
	undo := errors.New("leave everything as it was")
	me := whoami(w.t, by)
	err := w.s.writer.do(w.t.Context(), me, func(t *tx) error {
		err := w.does(t, n)
		if err == nil {
			err = w.finishes(t, n)
		}
		if err != nil {
			return err
		}
		return undo
	})
	if errors.Is(err, undo) {
		return nil
	}
	return err
}

// finishes does what a review or a landing was taken up for.
func (w *nextWalk) finishes(t *tx, n coord.NextAction) error {
	if t.caller.Role == coord.RoleOperator || n.Activity != coord.ActivityReview && n.Activity != coord.ActivityIntegrate {
		return nil
	}
	x, err := t.task(n.Task.ID)
	if err != nil {
		return err
	}
	a, err := t.attempt(x.Owner.Attempt)
	if err != nil {
		return err
	}
	if n.Activity == coord.ActivityReview {
		_, err = t.review(coord.RecordReview{Attempt: a.ID, Fence: a.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictChangesRequested, Note: "n"}})
		return err
	}
	sub, err := t.submission(x.Submission)
	if err != nil {
		return err
	}
	if _, err = t.merge(coord.RecordMerge{Landing: sub.landing, Fence: a.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6"), Parents: []coord.OID{oid("4"), sub.Commit}}); err == nil {
		_, err = t.permit(coord.Permit{Landing: sub.landing, Fence: a.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6")})
	}
	return err
}

func (w *nextWalk) does(t *tx, n coord.NextAction) (err error) {
	words := strings.Fields(n.Command)
	switch n.Activity {
	case coord.ActivityNone:
		return nil
	case coord.ActivityDecide:
		if words[1] == "ask" {
			_, err = t.ask(coord.Ask{Project: "pay", Question: "q", Options: []string{"a", "b"}, RequiredActor: n.Decision.RequiredActor, Supersedes: n.Decision.ID}, false)
			return err
		}
		_, err = t.decide(coord.Decide{Project: "pay", Decision: n.Decision.ID, Option: n.Decision.Options[0]})
		return err
	case coord.ActivityRevise:
		reason := strings.ReplaceAll(strings.TrimPrefix(words[2], "--"), "-", "_")
		_, err = t.revise(coord.Revise{Task: coord.TaskID(words[3]), Reason: coord.ReviseReason(reason)})
		return err
	case coord.ActivityAccept:
		_, err = t.accept(coord.AcceptObjective{Task: n.Task.ID, Note: "n"})
		return err
	case coord.ActivityUnblock:
		_, err = t.unblock(coord.Unblock{Task: n.Task.ID, Reason: "r"})
		return err
	case coord.ActivityAuthorize:
		_, err = t.authorize(coord.Authorize{Project: "pay", Task: coord.TaskID(words[2])})
		return err
	case coord.ActivityRelease:
		x, err := t.task(n.Task.ID)
		if err == nil {
			_, err = t.release(coord.Release{Attempt: x.Owner.Attempt, Reason: "r"})
		}
		return err
	case coord.ActivityContinue:
		x, err := t.task(n.Task.ID)
		if err != nil {
			return err
		}
		a, err := t.attempt(x.Owner.Attempt)
		if err == nil {
			_, err = t.resume(coord.Resume{Attempt: a.ID, Fence: a.Fence})
		}
		return err
	case coord.ActivityReview:
		if t.caller.Role == coord.RoleOperator {
			x, err := t.task(n.Task.ID)
			if err == nil {
				j, err2 := w.approval(t, x.Submission)
				if err2 != nil {
					return err2
				}
				_, err = t.judge(coord.Judge{Submission: x.Submission, Judgement: j})
			}
			return err
		}
		return recovering(func(r *coord.Recovery) error {
			_, err := t.claim(coord.Claim{Project: "pay", Kind: coord.KindReview, Task: n.Task.ID, Recovery: r})
			return err
		})
	}
	return recovering(func(r *coord.Recovery) error {
		if n.Task.Kind == coord.KindIntegration {
			_, err := t.hold(coord.Hold{Project: "pay", Task: n.Task.ID, Recovery: r})
			return err
		}
		_, err := t.claim(coord.Claim{Project: "pay", Task: n.Task.ID, Recovery: r})
		return err
	})
}

// approval approves the submission, and if it was edited since asks for changes.
func (w *nextWalk) approval(t *tx, id coord.SubmissionID) (coord.Judgement, error) {
	j := coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}
	x, err := t.submission(id)
	if err != nil {
		return j, err
	}
	work, err := t.task(x.Task)
	if x.CheckCurrent(work.Task) != nil {
		j.Verdict = coord.VerdictChangesRequested
		return j, err
	}
	if m := x.Amendment; m != nil {
		if j.Amendment = m.Verdict; j.Amendment == "" {
			j.Amendment = coord.AmendmentRejected
		}
	}
	return j, err
}

// look asks everybody's next, and tries it.
func (w *nextWalk) look() {
	for i, by := range append(append([]coord.Service{}, w.seats...), w.person) {
		n, err := by.Next(w.t.Context(), "pay")
		if err != nil {
			w.fail("next: %v", err)
		}
		if err := w.tries(by, n); err != nil {
			w.fail("seat %d is told to %s (%s), which is refused: %v", i, n.Activity, n.Command, err)
		}
	}
}

// drain lets everybody do what next says until nothing is left to do, and
// fails when work is left that nobody is told of.
func (w *nextWalk) drain() {
	ctx := w.t.Context()
	for i := range 2 {
		w.seats = append(w.seats, who{coord.PrincipalID(fmt.Sprint("fresh", i)), fmt.Sprint("host", i), nil}.opens(w.t, w.s, fmt.Sprint("fresh", i)))
	}
	w.trace = append(w.trace, "the drain")
	for idle := 0; idle < 3; {
		did := false
		n, err := w.person.Next(ctx, "pay")
		if err == nil && n.Activity != coord.ActivityNone {
			did = true
			err = w.s.writer.do(ctx, whoami(w.t, w.person), func(t *tx) error { return w.does(t, n) })
			w.note("person follows "+string(n.Activity)+" "+n.Command, err)
		}
		if err != nil {
			w.fail("%v", err)
		}
		for i := range w.seats {
			did = w.follow(i, true) != coord.ActivityNone || did
		}
		for _, x := range w.tasks() {
			for _, b := range x.Blockers {
				if b.Kind == coord.BlockedByUpstream && b.Actor != coord.ActorHuman {
					_, err := w.seats[0].Unblock(ctx, coord.Unblock{Key: newKey(), Task: x.ID, Blocker: b.ID, Reason: "r"})
					w.note("unblock "+string(x.ID), err)
					did = true
				}
			}
		}
		if idle++; did {
			idle = 0
			w.clock.Advance(time.Minute)
		} else {
			w.clock.Advance(25 * time.Hour)
		}
		if len(w.trace) > 1500 {
			w.fail("it never ends")
		}
	}
	for _, x := range w.tasks() {
		if !x.Lifecycle.Closed() && x.Kind != coord.KindObjective && x.Kind.ByHand() && len(x.WaitsFor) == 0 {
			w.t.Errorf("%s is left as %s: %v %+v\n%s", x.ID, x.Status, x.Submission, x.Blockers, strings.Join(w.trace, "\n"))
		}
	}
}

// TestNextIsNeverRefused: what next says can be done, whatever happened, and
// whoever does what it says comes to the end of all work.
func TestNextIsNeverRefused(t *testing.T) {
	for _, seed := range []uint64{1, 12, 19, 26, 27} { // they come to blocked landings in review
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newNextWalk(t, seed)
			for range 60 {
				w.step()
				w.look()
			}
			checkRecord(t, w.s)
			w.drain()
		})
	}
}
