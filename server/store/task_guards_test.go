package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"coord"
)

// plan is what the statements on tasks and their links decide on.
type plan struct {
	free, held, expired, top, child taskRow
	policy                          coord.Policy
}

func (t *tx) plan() (x plan, err error) {
	p, err := t.project("pay")
	x.policy = p.Policy
	for id, into := range map[coord.TaskID]*taskRow{"pay-1": &x.held, "pay-2": &x.expired, "pay-3": &x.free, "pay-6": &x.top, "pay-7": &x.child} {
		row, e := t.task(id)
		*into, err = row, errors.Join(err, e)
	}
	return x, err
}

// planned is what is written as it was decided on, and what happened before and
// since.
type planned struct {
	name      string
	before    string
	meanwhile string
	write     func(*tx, plan) error
}

// planWorld is guardedWorld with an objective, pay-6, and its child, pay-7.
func planWorld(t *testing.T) (*Store, coord.Caller) {
	t.Helper()
	s, alpha := guardedWorld(t)
	a := s.As(alpha)
	for _, c := range []coord.CreateTask{
		{Title: "top", Kind: coord.KindObjective, Criteria: []string{"good"}},
		{Title: "child", Parent: "pay-6"},
	} {
		c.Key, c.Project = newKey(), "pay"
		if _, err := a.CreateTask(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return s, alpha
}

// TestL2_EveryPlanningGuardHoldsAgainstAnOldSnapshot is the same as for
// attempts, for edits, links and closings (fault 22, fault 29): what was decided on a
// task as it was is not written to what it has become.
func TestL2_EveryPlanningGuardHoldsAgainstAnOldSnapshot(t *testing.T) {
	s, alpha := planWorld(t)
	title := "new"
	saves := func(x *tx, old plan) error {
		after, err := (coord.EditTask{Title: &title}).Apply(old.free.Task)
		if err != nil {
			return err
		}
		return x.saveEdit(old.free.Task, after)
	}
	kind := coord.KindGeneral
	turns := func(x *tx, old plan) error {
		after, err := (coord.EditTask{Kind: &kind}).Apply(old.free.Task)
		if err != nil {
			return err
		}
		return x.saveEdit(old.free.Task, after)
	}
	cancels := func(x *tx, old plan) error {
		return x.closeTask(closing{task: old.free.ID, to: coord.LifecycleCanceled, note: "x"})
	}
	gives := func(x *tx, old plan) error { return x.letGo(old.held, old.policy, "x") }
	ends := func(x *tx, old plan) error {
		x.caller.Session, old.policy.RecoveryGrace = "another", coord.Duration(30*time.Second)
		return x.letGo(old.expired, old.policy, "x")
	}
	waits := func(x *tx, old plan) error { _, err := x.addDependency(old.free.ID, old.top.Task); return err }
	joins := func(x *tx, old plan) error { return x.join(old.free.ID, old.top.ID) }
	leaves := func(x *tx, old plan) error {
		return x.leave(coord.LinkTask{Task: old.child.ID, Parent: old.top.ID, Remove: true, Reason: "x"}, old.child, old.top)
	}
	completes := func(x *tx, old plan) error { return x.completeNow(old.top.ID, "x") }
	const childless = "UPDATE tasks SET open_children = 0 WHERE id = 'pay-6'"
	const longAgo = "UPDATE attempts SET expires_at = expires_at - 3600000000000 WHERE id = 'pay-2.a1'"
	for _, c := range []planned{
		{"edit, and it was edited", "", "UPDATE tasks SET revision = revision + 1 WHERE id = 'pay-3'", saves},
		{"edit, and it was canceled", "", "UPDATE tasks SET lifecycle = 'canceled', closed_at = 1 WHERE id = 'pay-3'", saves},
		{"turn into another kind, and it was taken", "", "UPDATE tasks SET attempt = 'pay-1.a1' WHERE id = 'pay-3'", turns},
		{"cancel, and it was taken", "", "UPDATE tasks SET attempt = 'pay-1.a1' WHERE id = 'pay-3'", cancels},
		{"cancel, and it was finished", "", "UPDATE tasks SET lifecycle = 'done', closed_at = 1 WHERE id = 'pay-3'", cancels},
		{"end the own attempt, and it ended", "", endedMeanwhile, gives},
		{"end the own attempt, and it was recovered", "", "UPDATE tasks SET generation = 7 WHERE id = 'pay-1'", gives},
		{"fault 29 end a dead attempt, and it was renewed", longAgo, "UPDATE attempts SET expires_at = expires_at + 7200000000000 WHERE id = 'pay-2.a1'", ends},
		{"fault 29 end a dead attempt, and its grace is not over", longAgo, "UPDATE attempts SET expires_at = expires_at + 3600000000000 WHERE id = 'pay-2.a1'", ends},
		{"wait, and it was canceled", "", "UPDATE tasks SET lifecycle = 'canceled', closed_at = 1 WHERE id = 'pay-3'", waits},
		{"join, and it was canceled", "", "UPDATE tasks SET lifecycle = 'canceled', closed_at = 1 WHERE id = 'pay-3'", joins},
		{"join, and it joined another", "", "UPDATE tasks SET parent = 'pay-6' WHERE id = 'pay-3'", joins},
		{"join, and the objective was closed", "", "UPDATE tasks SET lifecycle = 'done', closed_at = 1 WHERE id = 'pay-6'", joins},
		{"leave, and it left", "", "UPDATE tasks SET parent = NULL WHERE id = 'pay-7'", leaves},
		{"V9 complete, and it is blocked", childless, "UPDATE tasks SET open_blockers = 1 WHERE id = 'pay-6'", completes},
		{"complete, and it waits", childless, "UPDATE tasks SET open_dependencies = 1 WHERE id = 'pay-6'", completes},
		{"complete, and it was canceled", childless, "UPDATE tasks SET lifecycle = 'canceled', closed_at = 1 WHERE id = 'pay-6'", completes},
	} {
		t.Run(c.name, func(t *testing.T) {
			outdated(t, s, alpha, c)
		})
	}
}

// outdated writes what was decided on a snapshot, which is as it was at first
// and disturbed after that, and undoes all of it.
func outdated(t *testing.T, s *Store, alpha coord.Caller, p planned) {
	t.Helper()
	for _, disturbed := range []bool{false, true} {
		undo := errors.New("leave everything as it was")
		err := s.writer.do(context.Background(), alpha, func(x *tx) error {
			if p.before != "" {
				if err := x.change(p.before); err != nil {
					return fmt.Errorf("what came before: %w", err)
				}
			}
			old, err := x.plan()
			if err != nil {
				return err
			}
			if disturbed {
				if err := x.change(p.meanwhile); err != nil {
					return fmt.Errorf("the disturbance: %w", err)
				}
			}
			return errors.Join(p.write(x, old), undo)
		})
		if disturbed && coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("got %v, want %s", err, coord.CodeStateConflict)
		}
		if !disturbed && coord.CodeOf(err) != coord.CodeInternal {
			t.Errorf("undisturbed, it is refused: %v", err)
		}
	}
}

// TestV9_AnObjectiveEndsWithItsBlocker: a blocker keeps an objective from being
// accepted and from ending with its last child, and its lifting ends it.
func TestV9_AnObjectiveEndsWithItsBlocker(t *testing.T) {
	s, alpha := guardedWorld(t)
	a := s.As(alpha)
	create := func(c coord.CreateTask) coord.TaskID {
		c.Key, c.Project = newKey(), "pay"
		made, err := a.CreateTask(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	top := create(coord.CreateTask{Title: "top", Kind: coord.KindObjective})
	child := create(coord.CreateTask{Title: "child", Parent: top})
	err := s.writer.do(t.Context(), alpha, func(x *tx) error {
		if err := x.addBlocker(coord.Blocker{Task: top, Kind: coord.BlockedByUpstream, Text: "the vendor", Actor: coord.ActorEither}, 0); err != nil {
			return err
		}
		return x.closeTask(closing{task: child, to: coord.LifecycleDone, note: "x"})
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.AcceptObjective(t.Context(), coord.AcceptObjective{Key: newKey(), Task: top, Note: "fine"})
	if coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("accepted over a blocker: %v", err)
	}
	if d, err := a.Task(t.Context(), top); err != nil || d.Status != coord.StatusBlocked {
		t.Errorf("%s %v", d.Status, err)
	}
	if _, err := a.Unblock(t.Context(), coord.Unblock{Key: newKey(), Task: top, Reason: "it came"}); err != nil {
		t.Fatal(err)
	}
	if d, err := a.Task(t.Context(), top); err != nil || d.Status != coord.StatusDone {
		t.Errorf("after the blocker: %s %v", d.Status, err)
	}
	checkRecord(t, s)
}

// TestAdmittedWithADependency: an import admits what waits for something too.
func TestAdmittedWithADependency(t *testing.T) {
	s, alpha := guardedWorld(t)
	a := s.As(alpha)
	made, err := a.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "later", Planned: true, DependsOn: []coord.TaskID{"pay-3"}})
	if err != nil {
		t.Fatal(err)
	}
	err = s.writer.do(t.Context(), alpha, func(x *tx) error {
		p, err := x.project("pay")
		return errors.Join(err, (&importing{tx: x, project: p}).admitTask(made.ID))
	})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := a.Task(t.Context(), made.ID); err != nil || d.Status != coord.StatusBlocked {
		t.Errorf("%s %v", d.Status, err)
	}
}
