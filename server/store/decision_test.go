package store

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// askedWorld is a store with one open decision, D1, that parks pay-1.
func askedWorld(t *testing.T) (*Store, coord.Service, coord.Caller) {
	t.Helper()
	return askedWorldAt(t, servicetest.NewClock())
}

func askedWorldAt(t *testing.T, clock *servicetest.Clock) (*Store, coord.Service, coord.Caller) {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), clock.Now)
	project(t, s, "pay")
	alpha := session(t, s, agents, "alpha")
	newTask(t, alpha, "pay")
	if _, err := alpha.Ask(t.Context(), coord.Ask{Key: newKey(), Project: "pay", Question: "Which?", Options: []string{"a", "b"}, Tasks: []coord.TaskID{"pay-1"}}); err != nil {
		t.Fatal(err)
	}
	caller, err := alpha.Whoami(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, alpha, caller
}

// What a decision says, and that it was answered, cannot be changed by any
// statement.
func TestV8_DecisionsAreAppendOnly(t *testing.T) {
	s, _, alpha := askedWorld(t)
	const answered = `UPDATE decisions SET answer = '{"option":"a"}' WHERE number = 1`
	for name, c := range map[string]struct{ first, refused string }{
		"another question":                {"", "UPDATE decisions SET question = 'x'"},
		"other options":                   {"", "UPDATE decisions SET options = '[]'"},
		"another actor":                   {"", "UPDATE decisions SET required_actor = 'human'"},
		"another asker":                   {"", "UPDATE decisions SET session = 'x'"},
		"another answer":                  {answered, `UPDATE decisions SET answer = '{"option":"b"}' WHERE number = 1`},
		"an answer undone":                {answered, "UPDATE decisions SET answer = NULL WHERE number = 1"},
		"superseded twice":                {"UPDATE decisions SET superseded_by = 2", "UPDATE decisions SET superseded_by = 3"},
		"a deleted decision":              {"DELETE FROM decision_tasks WHERE 0", "DELETE FROM decisions"},
		"a task taken off":                {"", "DELETE FROM decision_tasks"},
		"a blocker that is lifted again":  {"UPDATE blockers SET lifted_at = 1", "UPDATE blockers SET lifted_at = 2"},
		"a blocker without its decision":  {"", "UPDATE blockers SET decision = NULL"},
		"a note that says something else": {note, "UPDATE notes SET text = 'y'"},
		"a note that is gone":             {note, "DELETE FROM notes"},
	} {
		undo := errors.New("leave everything as it was")
		err := s.writer.do(t.Context(), alpha, func(x *tx) error {
			if c.first != "" {
				if _, err := x.exec(c.first); err != nil {
					return err
				}
			}
			if n, err := x.exec(c.refused); err == nil {
				t.Errorf("%s: %d rows were changed", name, n)
			} else if !strings.Contains(err.Error(), "constraint failed") {
				t.Errorf("%s: it fails for another reason: %v", name, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const note = `INSERT INTO attempts (id, project, task, kind, generation, session, owner, started_at, expires_at, progress_at)
	SELECT 'pay-1.a1', 'pay', 'pay-1', 'code', 1, id, 'x', 1, 2, 1 FROM sessions LIMIT 1; INSERT INTO notes (task, attempt, author, text, late, at) VALUES ('pay-1', 'pay-1.a1', 'x', 'x', 0, 1)`

// The guards of answering and lifting repeat what was decided on: a second
// answer and a second lift touch no row.
func TestV8_V9_TheGuardsRepeatTheDecision(t *testing.T) {
	s, _, alpha := askedWorld(t)
	var d decisionRow
	var b coord.Blocker
	if err := s.writer.do(t.Context(), alpha, func(x *tx) (err error) {
		if d, err = x.decision("pay", "D1"); err != nil {
			return err
		}
		task, err := x.task("pay-1")
		b = task.Blockers[0]
		return err
	}); err != nil {
		t.Fatal(err)
	}
	d.Answer = &coord.Answer{Option: "a"}
	answer := func(x *tx) error { return x.answer(d, "x") }
	lift := func(x *tx) error { return x.lift(b, "x") }
	if err := s.writer.do(t.Context(), alpha, answer); err != nil {
		t.Fatal(err)
	}
	for name, again := range map[string]func(*tx) error{"answer": answer, "lift": lift} {
		if err := s.writer.do(t.Context(), alpha, again); coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("a second %s: %v", name, err)
		}
	}
	var open, counted int
	if err := s.look(t.Context(), func(v *view) error {
		_, err := v.get([]any{&open, &counted}, "SELECT (SELECT count(*) FROM blockers WHERE lifted_at IS NULL), open_blockers FROM tasks WHERE id = 'pay-1'")
		return err
	}); err != nil || open != 0 || counted != 0 {
		t.Errorf("%d open blockers, counted as %d (%v)", open, counted, err)
	}
}

// An answer that was decided in time and is written at the end of it, or
// after, touches no row.
func TestV8_AnAnswerIsWrittenInItsTime(t *testing.T) {
	clock := servicetest.NewClock()
	s, svc, alpha := askedWorldAt(t, clock)
	if _, err := svc.Ask(t.Context(), coord.Ask{Key: newKey(), Project: "pay", Question: "Soon?", Options: []string{"a", "b"}, ExpiresIn: coord.Duration(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	var d decisionRow
	if err := s.look(t.Context(), func(v *view) (err error) { d, err = v.decision("pay", "D2"); return err }); err != nil {
		t.Fatal(err)
	}
	d.Answer = &coord.Answer{Option: "a"}
	undo := errors.New("leave everything as it was")
	answer := func() error {
		return s.writer.do(t.Context(), alpha, func(x *tx) error { return cmp.Or(x.answer(d, "x"), undo) })
	}
	for _, c := range []struct {
		by   time.Duration
		late bool
	}{{time.Hour - 1, false}, {1, true}, {time.Hour, true}} {
		clock.Advance(c.by)
		if err := answer(); c.late != (coord.CodeOf(err) == coord.CodeStateConflict) || !c.late && !errors.Is(err, undo) {
			t.Errorf("%s before the end: %v", d.ExpiresAt.Sub(clock.Now()), err)
		}
	}
}

// An escalation is not answered by who worked on its task, nor by a session
// that descends from one that did, and asking it anew does not change that.
func TestEscalationNeedsSomebodyElse(t *testing.T) {
	s, alpha, caller := askedWorld(t)
	ctx := t.Context()
	newTask(t, alpha, "pay")
	if _, err := alpha.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay", Task: "pay-2"}); err != nil {
		t.Fatal(err)
	}
	var d coord.Decision
	if err := s.writer.do(ctx, caller, func(x *tx) (err error) {
		d, err = x.ask(coord.EscalateRevisions(coord.Task{ID: "pay-2", Project: "pay", Title: "x"}, 3), true)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !d.Escalation || d.RequiredActor != coord.ActorEither || len(d.Tasks) != 1 {
		t.Fatalf("%+v", d)
	}
	child := descendant(t, s, caller, "alpha-2")
	refuse := func(id coord.DecisionID) {
		t.Helper()
		for name, who := range map[string]coord.Service{"the contributor": alpha, "its descendant": child} {
			_, err := who.Decide(ctx, coord.Decide{Key: newKey(), Project: "pay", Decision: id, Option: d.Options[0]})
			if coord.CodeOf(err) != coord.CodeNotIndependent {
				t.Errorf("%s answers %s: %v", name, id, err)
			}
			n, err := who.Next(ctx, "pay")
			if err != nil || n.Activity == coord.ActivityDecide && n.Decision.ID == id {
				t.Errorf("%s is told to answer %s (%v)", name, id, err)
			}
		}
	}
	refuse(d.ID)
	again, err := alpha.Ask(ctx, coord.Ask{Key: newKey(), Project: "pay", Question: d.Question, Options: d.Options, Supersedes: d.ID})
	if err != nil || !again.Escalation {
		t.Fatalf("%+v %v", again, err)
	}
	refuse(again.ID)
	bravo := session(t, s, agents, "bravo")
	if _, err := bravo.Decide(ctx, coord.Decide{Key: newKey(), Project: "pay", Decision: again.ID, Option: d.Options[0]}); err != nil {
		t.Error(err)
	}
}

// descendant opens a session that descends from the caller's.
func descendant(t *testing.T, s *Store, parent coord.Caller, name string) coord.Service {
	t.Helper()
	id := coord.SessionID(newKey())
	c := coord.Caller{Principal: parent.Principal, Role: parent.Role, Name: name}
	_, err := s.As(c).OpenSession(t.Context(), coord.OpenSession{ID: id, Verifier: coord.SessionVerifier(proof), Name: name, Machine: "m1", Parent: parent.Session})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = s.VerifySession(t.Context(), c, id, proof); err != nil {
		t.Fatal(err)
	}
	return s.As(c)
}
