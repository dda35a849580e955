package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"coord"
)

// openBlockers are those of a task that were not lifted, and for a code task
// those of its integration too, as JSON: see blockerJSON.
const openBlockers = `CASE WHEN t.open_blockers > 0 OR coalesce(i.open_blockers, 0) > 0 THEN
	(SELECT json_group_array(json(b.row)) FROM (SELECT ` + blockerJSON + ` AS row FROM blockers b WHERE b.lifted_at IS NULL AND b.task IN (t.id, i.id) ORDER BY b.id) b) END`

// blockerJSON is one row of blockers, as blockerScan reads it.
const blockerJSON = `json_object('id', b.id, 'task', b.task, 'kind', b.kind, 'text', b.text, 'reopen', b.reopen, 'actor', b.actor, 'decision', coalesce(b.decision, 0),
	'by', b.opened_by, 'at', b.at, 'lifted_at', b.lifted_at, 'lifted_by', b.lifted_by, 'reason', b.reason,
	'expires', (SELECT x.expires_at FROM decisions x WHERE x.project = b.project AND x.number = b.decision))`

// blockerScan is a blocker as SQL hands it over.
type blockerScan struct {
	ID       int64             `json:"id"`
	Task     coord.TaskID      `json:"task"`
	Kind     coord.BlockerKind `json:"kind"`
	Text     string            `json:"text"`
	Reopen   string            `json:"reopen"`
	Actor    coord.Actor       `json:"actor"`
	Decision int64             `json:"decision"`
	By       string            `json:"by"`
	At       int64             `json:"at"`
	LiftedAt *int64            `json:"lifted_at"`
	LiftedBy string            `json:"lifted_by"`
	Reason   string            `json:"reason"`
	Expires  *int64            `json:"expires"` // of the decision
}

func (s blockerScan) blocker(now time.Time) coord.Blocker {
	b := coord.Blocker{
		ID: blockerID(s.ID), Task: s.Task, Kind: s.Kind, Text: s.Text, Reopen: s.Reopen, Actor: s.Actor, By: s.By, At: instant(s.At),
		LiftedBy: s.LiftedBy, Reason: s.Reason,
	}
	if s.Decision > 0 {
		b.Decision = decisionID(s.Decision)
	}
	if s.LiftedAt != nil {
		at := instant(*s.LiftedAt)
		b.LiftedAt = &at
	} else if s.Expires != nil && *s.Expires <= nanos(now) {
		b.Reopen = "coord ask --supersedes " + string(b.Decision) // nobody answers it any more
	}
	return b
}

func (v *view) scanBlocker(r scanner) (coord.Blocker, error) {
	var text string
	if err := r.Scan(&text); err != nil {
		return coord.Blocker{}, err
	}
	var s blockerScan
	err := fromJSON(text, &s)
	return s.blocker(v.now), err
}

// blockersOf are all that ever blocked the task, oldest first.
func (v *view) blockersOf(task coord.TaskID) ([]coord.Blocker, error) {
	return list(v, v.scanBlocker, "SELECT "+blockerJSON+" FROM blockers b WHERE b.task = ? ORDER BY b.id", string(task))
}

func blockerID(n int64) coord.BlockerID { return coord.BlockerID(fmt.Sprintf("b%d", n)) }

// blockerNumber is the inverse of blockerID, for ids that the store made.
func blockerNumber(id coord.BlockerID) int64 {
	n, _ := strconv.ParseInt(strings.TrimPrefix(string(id), "b"), 10, 64)
	return n
}

func decisionID(n int64) coord.DecisionID { return coord.DecisionID(fmt.Sprintf("D%d", n)) }

func decodeBlockers(text string, now time.Time) ([]coord.Blocker, error) {
	if text == "" {
		return nil, nil
	}
	var rows []blockerScan
	if err := fromJSON(text, &rows); err != nil {
		return nil, err
	}
	out := make([]coord.Blocker, len(rows))
	for i, r := range rows {
		out[i] = r.blocker(now)
	}
	return out, nil
}

// addBlocker opens a blocker on a task that is not closed and counts it, in
// one step with its event.
func (t *tx) addBlocker(b coord.Blocker, decision int64) error {
	by := b.By
	if by == "" {
		by = t.actor()
	}
	var of any
	if decision > 0 {
		of = decision
	}
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO blockers (project, task, kind, text, reopen, actor, decision, opened_by, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(b.Task.Project()), string(b.Task), string(b.Kind), b.Text, b.Reopen, string(b.Actor), of, by, nanos(t.now))
	if err != nil {
		return err
	}
	if err := t.change("UPDATE tasks SET open_blockers = open_blockers + 1 WHERE id = ? AND lifecycle IN ('open', 'planned')", string(b.Task)); err != nil {
		return err
	}
	return t.record(coord.Event{
		Kind: coord.EventTaskBlocked, Project: b.Task.Project(), Task: b.Task, Text: fmt.Sprintf("%s is blocked: %s", b.Task, coord.OneLine(b.Text)),
		Data: map[string]string{"blocker": string(blockerID(id)), "kind": string(b.Kind)},
	})
}

// Unblock lifts one blocker, for a reason.
func (s *service) Unblock(ctx context.Context, c coord.Unblock) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "unblock", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.unblock(c) })
}

func (t *tx) unblock(c coord.Unblock) (coord.Task, error) {
	task, err := t.task(c.Task)
	if err != nil {
		return coord.Task{}, err
	}
	b, err := c.Which(task.Blockers)
	if err == nil {
		err = b.CheckLift(t.caller.Role)
	}
	if err != nil {
		return coord.Task{}, err
	}
	if err := t.lift(b, c.Reason); err != nil {
		return coord.Task{}, err
	}
	task, err = t.task(c.Task)
	return task.Task, err
}

// lift lifts one open blocker and counts it, in one step with its event. A
// task that becomes claimable by it comes into the queue now.
func (t *tx) lift(b coord.Blocker, reason string) error {
	err := t.change("UPDATE blockers SET lifted_at = ?, lifted_by = ?, reason = ? WHERE id = ? AND task = ? AND lifted_at IS NULL",
		nanos(t.now), t.actor(), reason, blockerNumber(b.ID), string(b.Task))
	if err != nil {
		return err
	}
	err = t.change(`UPDATE tasks SET open_blockers = open_blockers - 1,
			ready_since = CASE WHEN lifecycle = 'open' AND open_blockers = 1 AND open_dependencies = 0 AND attempt IS NULL AND submission IS NULL THEN ? ELSE ready_since END
		WHERE id = ? AND lifecycle IN ('open', 'planned') AND open_blockers > 0`, nanos(t.now), string(b.Task))
	if err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventTaskUnblocked, Project: b.Task.Project(), Task: b.Task, Text: fmt.Sprintf("%s lifted a blocker of %s: %s", t.actor(), b.Task, coord.OneLine(reason)),
		Data: map[string]string{"blocker": string(b.ID), "kind": string(b.Kind)},
	})
	if err != nil {
		return err
	}
	return t.complete(b.Task)
}

// liftAll lifts whatever blocks a task that is being closed: nothing has to
// reopen it any more.
func (t *tx) liftAll(task coord.TaskID, reason string) error {
	_, err := t.exec("UPDATE blockers SET lifted_at = ?, lifted_by = ?, reason = ? WHERE task = ? AND lifted_at IS NULL", nanos(t.now), t.actor(), reason, string(task))
	return err
}
