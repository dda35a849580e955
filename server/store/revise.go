package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"coord"
)

// Revise sends the current submission of a task back to be worked on. The id
// of its review or integration task stands for it too.
func (s *service) Revise(ctx context.Context, c coord.Revise) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := checkProse("note", c.Note, 4000); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "revise", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.revise(c) })
}

func (t *tx) revise(c coord.Revise) (coord.Task, error) {
	task, err := t.task(c.Task)
	if err != nil {
		return coord.Task{}, err
	}
	if task, err = t.task(codeTask(task)); err != nil {
		return coord.Task{}, err
	}
	facts, err := t.reviseFacts(task)
	if err != nil {
		return coord.Task{}, err
	}
	if err := facts.CheckRevise(c.Reason); err != nil {
		return coord.Task{}, err
	}
	x, err := t.submission(task.Submission)
	if err != nil {
		return coord.Task{}, err
	}
	if err := t.takeBack(x, c); err != nil {
		return coord.Task{}, err
	}
	if err := t.tooOften(task, facts); err != nil {
		return coord.Task{}, err
	}
	row, err := t.task(task.ID)
	return row.Task, err
}

// reviseFacts reads what sending the task's submission back is judged by.
func (t *tx) reviseFacts(task taskRow) (f coord.ReviseFacts, err error) {
	f = coord.ReviseFacts{Task: task.ID, Digest: task.Digest, Submission: task.facts.Submission, Landing: task.facts.Landing}
	if f.Author, err = t.workedOn(task.ID, t.caller.Session); err != nil {
		return f, err
	}
	if _, err := t.get([]any{&f.Judged}, "SELECT judged FROM submissions WHERE id = ?", string(task.Submission)); err != nil {
		return f, err
	}
	f.Before, err = list(&t.view, func(r scanner) (time.Time, error) {
		var at int64
		err := r.Scan(&at)
		return instant(at), err
	}, "SELECT revised_at FROM submissions WHERE task = ? AND revised_at IS NOT NULL ORDER BY number", string(task.ID))
	return f, err
}

// tooOften asks how to go on with a task whose submissions keep going back. It
// runs after this one did, and parks the task.
func (t *tx) tooOften(task taskRow, f coord.ReviseFacts) error {
	p, err := t.project(task.Project)
	if err != nil || !f.Exceeds(p.Policy.ReviseLimit, t.now) {
		return err
	}
	_, err = t.ask(coord.EscalateRevisions(task.Task, p.Policy.ReviseLimit), true)
	return err
}

func (t *tx) takeBack(x submissionRow, c coord.Revise) error {
	why, err := t.reasonToRevise(x, c)
	if err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionRevised, Project: x.Task.Project(), Task: x.Task, Text: fmt.Sprintf("%s sent %s back: %s", t.actor(), x.ID, coord.OneLine(why)),
		Data: map[string]string{"submission": string(x.ID), "reason": string(c.Reason)},
	})
	if err != nil {
		return err
	}
	return t.sendBack(x, sending{reason: why, followers: "its submission was sent back", revised: true})
}

// reasonToRevise puts the reason, what the landing recorded, and the note in
// one sentence for whoever takes the work up.
func (t *tx) reasonToRevise(x submissionRow, c coord.Revise) (string, error) {
	text := strings.ReplaceAll(string(c.Reason), "_", " ")
	if c.Reason == coord.ReviseConflict || c.Reason == coord.ReviseCheckFailed {
		l, err := t.landing(x.landing)
		if err != nil {
			return "", err
		}
		if text, err = t.whyNotLanded(l.Landing); err != nil {
			return "", err
		}
	}
	if c.Note != "" {
		text += ": " + c.Note
	}
	return text, nil
}
