package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"coord"
)

// Revise sends the current submission of a task back to be worked on. The id
// of its review or integration task stands for it too.
func (s *service) Revise(ctx context.Context, c coord.Revise) (coord.Task, error) {
	if err := s.mayWork(); err != nil {
		return coord.Task{}, err
	}
	if err := checkProse("note", c.Note, 4000); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "revise", key: c.Key, ids: []string{string(c.Task)}, command: c, session: true, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.revise(c) })
}

func (t *tx) revise(c coord.Revise) (coord.Task, error) {
	task, err := t.task(c.Task)
	if err != nil {
		return coord.Task{}, err
	}
	if task.Kind != coord.KindCode {
		if task, err = t.task(codeTask(task)); err != nil {
			return coord.Task{}, err
		}
	}
	contributors, err := t.contributors(task.ID)
	if err != nil {
		return coord.Task{}, err
	}
	author := slices.Contains(contributors, t.caller.Session)
	if err := coord.CheckRevise(task.ID, task.facts.Submission, task.facts.Landing, author, c.Reason); err != nil {
		return coord.Task{}, err
	}
	x, err := t.submission(task.Submission)
	if err != nil {
		return coord.Task{}, err
	}
	if err := t.takeBack(x, c); err != nil {
		return coord.Task{}, err
	}
	row, err := t.task(task.ID)
	return row.Task, err
}

func (t *tx) takeBack(x submissionRow, c coord.Revise) error {
	why, err := t.reasonToRevise(x, c)
	if err != nil {
		return err
	}
	if err := t.sendBack(x, why); err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionRevised, Project: x.Task.Project(), Task: x.Task, Text: fmt.Sprintf("%s sent %s back: %s", t.caller.Name, x.ID, coord.OneLine(why)),
		Data: map[string]string{"submission": string(x.ID), "reason": string(c.Reason)},
	})
	if err != nil {
		return err
	}
	if err := t.cancelFollower(x.Review, "its submission was sent back"); err != nil {
		return err
	}
	return t.cancelFollower(x.Integration, "its submission was sent back")
}

// reasonToRevise puts the reason, what the landing recorded, and the note in
// one sentence for whoever takes the work up.
func (t *tx) reasonToRevise(x submissionRow, c coord.Revise) (string, error) {
	text := strings.ReplaceAll(string(c.Reason), "_", " ")
	if x.landing != "" && c.Reason != coord.ReviseWithdrawn {
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
