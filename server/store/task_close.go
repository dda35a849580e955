package store

import (
	"context"
	"fmt"
	"time"

	"coord"
)

// closing is how a task is closed.
type closing struct {
	task coord.TaskID
	to   coord.Lifecycle
	by   coord.TaskID // for superseded: what stands for it
	note string       // what happened, for the log
}

// closeTask ends an open task that nobody holds, lifts what blocked it and
// counts it off what waits for it: the last dependency makes a dependent
// ready, and the last child may end its objective.
func (t *tx) closeTask(c closing) error {
	seq := int64(t.head.seq + 1)
	err := t.change(`UPDATE tasks SET lifecycle = ?, superseded_by = ?, closed_at = ?, closed_seq = ?, open_blockers = 0
		WHERE id = ? AND lifecycle IN ('open', 'planned') AND attempt IS NULL`, string(c.to), orNull(string(c.by)), nanos(t.now), seq, string(c.task))
	if err != nil {
		return err
	}
	data := map[string]string{"lifecycle": string(c.to), "reason": c.note}
	if c.by != "" {
		data["superseded_by"] = string(c.by)
	}
	err = t.record(coord.Event{
		Kind: coord.EventTaskClosed, Project: c.task.Project(), Task: c.task, Text: string(c.task) + " is " + string(c.to) + ": " + coord.OneLine(c.note), Data: data,
	})
	if err != nil {
		return err
	}
	if err := t.liftAll(c.task, "the task is "+string(c.to)); err != nil {
		return err
	}
	if err := t.freeOfTask(c.task); err != nil {
		return err
	}
	if c.to == coord.LifecycleDone {
		if err := t.freeDependents(c.task); err != nil {
			return err
		}
	}
	return t.leaveObjective(c.task)
}

// freeDependents counts a task that is done off what waits for it.
func (t *tx) freeDependents(done coord.TaskID) error {
	_, err := t.exec(`UPDATE tasks SET open_dependencies = open_dependencies - 1,
			ready_since = CASE WHEN open_dependencies = 1 AND open_blockers = 0 THEN ? ELSE ready_since END
		WHERE id IN (SELECT task FROM dependencies WHERE depends_on = ?)`, nanos(t.now), string(done))
	if err != nil {
		return err
	}
	objectives, err := list(&t.view, scanText[coord.TaskID], `SELECT t.id FROM dependencies x JOIN tasks t ON t.id = x.task
		WHERE x.depends_on = ? AND t.kind = 'objective' AND t.lifecycle = 'open' AND t.blocked = 0 ORDER BY t.number`, string(done))
	if err != nil {
		return err
	}
	for _, id := range objectives {
		if err := t.complete(id); err != nil {
			return err
		}
	}
	return nil
}

// CancelTask closes a task that is not wanted any more. What was saved of it
// stays on its record.
func (s *service) CancelTask(ctx context.Context, c coord.CancelTask) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "cancel_task", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.cancel(c) })
}

func (t *tx) cancel(c coord.CancelTask) (coord.Task, error) {
	task, policy, err := t.closable(c.Task)
	if err != nil {
		return coord.Task{}, err
	}
	if err := t.letGo(task, policy, "canceled: "+c.Reason); err != nil {
		return coord.Task{}, err
	}
	if err := t.closeTask(closing{task: task.ID, to: coord.LifecycleCanceled, note: c.Reason}); err != nil {
		return coord.Task{}, err
	}
	row, err := t.task(task.ID)
	return row.Task, err
}

// closable reads a task that the caller may cancel or supersede.
func (t *tx) closable(id coord.TaskID) (taskRow, coord.Policy, error) {
	task, err := t.task(id)
	if err != nil {
		return task, coord.Policy{}, err
	}
	p, err := t.project(task.Project)
	if err != nil {
		return task, p.Policy, err
	}
	return task, p.Policy, task.facts.CheckClose(t.caller.Session, p.Policy, t.now)
}

// letGo ends the attempt of a task that is being closed, the caller's own or
// one whose lease and grace are over, and takes its submission back. The
// candidate stays on the record as saved work.
func (t *tx) letGo(task taskRow, p coord.Policy, why string) error {
	if task.Owner != nil {
		free := nanos(t.now.Add(-time.Duration(p.RecoveryGrace)))
		err := t.change("UPDATE attempts SET ended = 'released', ended_at = ?, end_reason = ? WHERE id = ? AND generation = ? AND ended IS NULL AND (session = ? OR expires_at <= ?)",
			nanos(t.now), why, string(task.Owner.Attempt), task.Generation, string(t.caller.Session), free)
		if err != nil {
			return err
		}
		if err := t.change("UPDATE tasks SET attempt = NULL WHERE id = ? AND attempt = ? AND generation = ?", string(task.ID), string(task.Owner.Attempt), task.Generation); err != nil {
			return err
		}
		text := fmt.Sprintf("attempt %d of %s ended: %s", task.Generation, task.ID, coord.OneLine(why))
		if err := t.record(coord.Event{Kind: coord.EventAttemptReleased, Project: task.Project, Task: task.ID, Text: text}); err != nil {
			return err
		}
	}
	if task.facts.Submission != coord.SubmissionInReview && task.facts.Submission != coord.SubmissionApproved {
		return nil
	}
	return t.callBack(task.Submission, why)
}

// callBack sends a submission back whose task is being closed, and cancels
// what waits for it.
func (t *tx) callBack(id coord.SubmissionID, why string) error {
	x, err := t.submission(id)
	if err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionRevised, Project: x.Task.Project(), Task: x.Task, Text: fmt.Sprintf("%s is sent back: %s", x.ID, coord.OneLine(why)),
		Data: map[string]string{"submission": string(x.ID), "commit": string(x.Commit), "ref": x.Ref},
	})
	if err != nil {
		return err
	}
	return t.sendBack(x, sending{reason: why, followers: "its task was closed"})
}
