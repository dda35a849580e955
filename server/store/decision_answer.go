package store

import (
	"context"
	"fmt"

	"coord"
)

// Decide answers a decision, which lifts the blockers that name it and
// nothing else.
func (s *service) Decide(ctx context.Context, c coord.Decide) (coord.Decision, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Decision{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Decision{}, err
	}
	i := intent[coord.Decision]{
		operation: "decide", key: c.Key, ids: []string{string(c.Project), string(c.Decision)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentDecision,
	}
	return mutate(ctx, s, i, func(t *tx) (coord.Decision, error) { return t.decide(c) })
}

func (t *tx) decide(c coord.Decide) (coord.Decision, error) {
	if _, err := t.project(c.Project); err != nil {
		return coord.Decision{}, err
	}
	d, err := t.decision(c.Project, c.Decision)
	if err != nil {
		return coord.Decision{}, err
	}
	contributor, err := t.contributedTo(d, t.caller.Session)
	if err != nil {
		return coord.Decision{}, err
	}
	if d.Decision, err = d.Decided(c, t.caller, contributor, t.now); err != nil {
		return d.Decision, err
	}
	if err := t.answer(d, fmt.Sprintf("%s answered %s: %s", t.actor(), d.ID, coord.OneLine(c.Option))); err != nil {
		return d.Decision, err
	}
	d, err = t.decision(c.Project, c.Decision)
	return d.Decision, err
}

// touched is true of a decision d when a session of the caller's line, which
// is the caller's and those that it descends from, held an attempt of a task
// that d names, or was named as a contributor. Its parameter is the session.
const touched = `EXISTS (WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT s.parent FROM line JOIN sessions s ON s.id = line.id WHERE s.parent IS NOT NULL)
	SELECT 1 FROM decision_tasks x WHERE x.project = d.project AND x.number = d.number
	AND (EXISTS (SELECT 1 FROM line JOIN attempts a ON a.session = line.id AND a.task = x.task)
		OR EXISTS (SELECT 1 FROM line JOIN contributors c ON c.session = line.id AND c.task = x.task)))`

// contributedTo reports whether the session worked on a task that the decision
// parks.
func (v *view) contributedTo(d decisionRow, session coord.SessionID) (bool, error) {
	if session == "" {
		return false, nil
	}
	return v.get([]any{new(int)}, "SELECT 1 FROM decisions d WHERE d.project = ? AND d.number = ? AND "+touched, string(d.Project), d.number, string(session))
}

// answer stores the answer that d holds and lifts what it parked. The guard
// repeats that nobody answered or superseded it, and that it has not expired.
func (t *tx) answer(d decisionRow, said string) error {
	err := t.change("UPDATE decisions SET answer = ? WHERE project = ? AND number = ? AND answer IS NULL AND superseded_by IS NULL AND (expires_at IS NULL OR expires_at > ?)",
		toJSON(d.Answer), string(d.Project), d.number, nanos(t.now))
	if err != nil {
		return err
	}
	t.batch.timed = t.batch.timed || d.StandsAt != nil
	err = t.record(coord.Event{
		Kind: coord.EventDecisionAnswered, Project: d.Project, Task: onlyOf(d.Tasks), Text: said,
		Data: map[string]string{"decision": string(d.ID), "option": d.Answer.Option, "actor": string(d.Answer.Actor)},
	})
	if err != nil {
		return err
	}
	return t.liftOf(d, fmt.Sprintf("%s: %s", d.ID, d.Answer.Option))
}

// liftOf lifts the blockers that name the decision.
func (t *tx) liftOf(d decisionRow, reason string) error {
	open, err := list(&t.view, t.scanBlocker, "SELECT "+blockerJSON+" FROM blockers b WHERE b.project = ? AND b.decision = ? AND b.lifted_at IS NULL ORDER BY b.id",
		string(d.Project), d.number)
	if err != nil {
		return err
	}
	for _, b := range open {
		if err := t.lift(b, reason); err != nil {
			return err
		}
	}
	return nil
}
