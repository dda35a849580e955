package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"coord"
	"coord/servicetest"
)

// snapshot is what a decision was made on.
type snapshot struct {
	held    attemptRow // pay-1, live
	expired taskRow    // pay-2, with an attempt whose lease ended
	free    taskRow    // pay-3
	landing landingRow // of pay-4, held
	policy  coord.Policy
}

// guardedWorld has a task in each state that a guarded statement starts from,
// all of alpha's session.
func guardedWorld(t *testing.T) (*Store, coord.Caller) {
	t.Helper()
	clock := servicetest.NewClock()
	s := openAt(t, t.TempDir()+"/coord.db", clock.Now)
	project(t, s, "pay")
	a := session(t, s, agents, "alpha")
	alpha, err := a.Whoami(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session(t, s, agents, "bravo")
	claim := func(id coord.TaskID) coord.Claimed {
		c, err := a.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for range 4 {
		newTask(t, a, "pay")
	}
	claim("pay-2")
	err = s.writer.do(t.Context(), alpha, func(x *tx) error {
		return x.change("UPDATE attempts SET expires_at = ? WHERE id = 'pay-2.a1'", nanos(x.now))
	})
	if err != nil {
		t.Fatal(err)
	}
	claim("pay-1")
	c := claim("pay-4")
	sub := coord.Submit{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Summary: "x", Ref: "refs/coord/x",
		Commit: coord.OID("1111111111111111111111111111111111111111"), Tree: coord.OID("2222222222222222222222222222222222222222"),
		Base: coord.OID("3333333333333333333333333333333333333333"),
	}
	if _, err := a.Submit(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: "pay-4"}); err != nil {
		t.Fatal(err)
	}
	return s, alpha
}

func (t *tx) snapshot() (x snapshot, err error) {
	p, err := t.project("pay")
	x.policy = p.Policy
	for _, read := range []func() error{
		func() (err error) { x.held, err = t.attempt("pay-1.a1"); return err },
		func() (err error) { x.expired, err = t.task("pay-2"); return err },
		func() (err error) { x.free, err = t.task("pay-3"); return err },
		func() (err error) { x.landing, err = t.landing("pay-4.l1"); return err },
	} {
		err = errors.Join(err, read())
	}
	return x, err
}

const (
	endedMeanwhile   = "UPDATE attempts SET ended = 'released', ended_at = 1 WHERE id = 'pay-1.a1'"
	expiredMeanwhile = "UPDATE attempts SET expires_at = started_at WHERE id = 'pay-1.a1'"
)

// TestL2_EveryGuardHoldsAgainstAnOldSnapshot decides on records as they were,
// lets one thing happen to them, and then writes. Each statement must touch no
// row and say so: a task is not reopened by a rescuer who looked before it was
// finished (fault 22, River #1302).
func TestL2_EveryGuardHoldsAgainstAnOldSnapshot(t *testing.T) {
	s, alpha := guardedWorld(t)
	end := func(x *tx, old snapshot) error { return x.end(old.held, coord.StandingReleased, "") }
	bind := func(x *tx, old snapshot) error { return x.bind(old.held, coord.Worktree{Machine: "m", GitDir: "/g"}) }
	submit := func(x *tx, old snapshot) error { return x.handOver(old.held, "pay-4.s1") }
	offer := func(x *tx, old snapshot) error {
		return x.offer(old.held, coord.RecordCheckpoint{Commit: "c", Tree: "t", Ref: "r", Pushed: true})
	}
	begin := func(task func(snapshot) taskRow) func(*tx, snapshot) error {
		return func(x *tx, old snapshot) error {
			b := beginning{task: task(old), policy: old.policy, generation: task(old).Generation + 1}
			_, err := x.begin(b)
			return err
		}
	}
	recovers := begin(func(x snapshot) taskRow { return x.expired })
	takes := begin(func(x snapshot) taskRow { return x.free })
	merges := func(x *tx, old snapshot) error {
		next := old.landing.Landing
		next.State = coord.LandingMerged
		_, err := x.saveLanding(old.landing, next)
		return err
	}
	takesOver := func(x *tx, old snapshot) error { _, err := x.takeOver(old.held, old.landing); return err }
	for _, c := range []struct {
		name      string
		meanwhile string
		write     func(*tx, snapshot) error
	}{
		{"end, and it ended", endedMeanwhile, end},
		{"end, and it expired", expiredMeanwhile, end},
		{"bind, and it ended", endedMeanwhile, bind},
		{"bind, and it expired", expiredMeanwhile, bind},
		{"submit, and it ended", endedMeanwhile, submit},
		{"submit, and it expired", expiredMeanwhile, submit},
		{"submit, and the task was canceled", "UPDATE tasks SET attempt = NULL, lifecycle = 'canceled', closed_at = 1 WHERE id = 'pay-1'", submit},
		{"offer, and somebody else has the task", "UPDATE tasks SET attempt = 'pay-4.a1' WHERE id = 'pay-1'", offer},
		{"offer, and the task was taken and released", "UPDATE tasks SET generation = 7 WHERE id = 'pay-1'", offer},
		{"recover, and it was renewed", "UPDATE attempts SET expires_at = expires_at + 1 WHERE id = 'pay-2.a1'", recovers},
		{"recover, and it was released", "UPDATE attempts SET ended = 'released', ended_at = 1 WHERE id = 'pay-2.a1'", recovers},
		{"recover, and it was finished", "UPDATE tasks SET attempt = NULL, lifecycle = 'done', closed_at = 1 WHERE id = 'pay-2'", recovers},
		{"take, and it was finished", "UPDATE tasks SET lifecycle = 'done', closed_at = 1 WHERE id = 'pay-3'", takes},
		{"take, and it is blocked", "UPDATE tasks SET open_dependencies = 1 WHERE id = 'pay-3'", takes},
		{"take, and it is submitted", "UPDATE tasks SET submission = 'pay-4.s1' WHERE id = 'pay-3'", takes},
		{"take, and it is taken", "UPDATE tasks SET attempt = 'pay-1.a1' WHERE id = 'pay-3'", takes},
		{"take, and it was taken and released", "UPDATE tasks SET generation = 7 WHERE id = 'pay-3'", takes},
		{"merge, and it was given back", "UPDATE landings SET state = 'released' WHERE id = 'pay-4.l1'", merges},
		{"merge, and it was taken over", "UPDATE landings SET attempt = 'pay-1.a1' WHERE id = 'pay-4.l1'", merges},
		{"merge, and the fence is another", "UPDATE landings SET generation = 7 WHERE id = 'pay-4.l1'", merges},
		{"take over, and it was given back", "UPDATE landings SET state = 'released' WHERE id = 'pay-4.l1'", takesOver},
		{"take over, and somebody else did", "UPDATE landings SET generation = 7 WHERE id = 'pay-4.l1'", takesOver},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, disturbed := range []bool{false, true} {
				undo := errors.New("leave everything as it was")
				err := s.writer.do(context.Background(), alpha, func(x *tx) error {
					old, err := x.snapshot()
					if err != nil {
						return err
					}
					if disturbed {
						if err := x.change(c.meanwhile); err != nil {
							return fmt.Errorf("the disturbance: %w", err)
						}
					}
					return errors.Join(c.write(x, old), undo)
				})
				if disturbed && coord.CodeOf(err) != coord.CodeStateConflict {
					t.Errorf("got %v, want %s", err, coord.CodeStateConflict)
				}
				if !disturbed && coord.CodeOf(err) != coord.CodeInternal {
					t.Errorf("undisturbed, it is refused: %v", err)
				}
			}
		})
	}
}
