package store

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"coord"
)

// RecordCheckpoint records progress that the client has saved, and makes it
// what a successor is offered.
func (s *service) RecordCheckpoint(ctx context.Context, c coord.RecordCheckpoint) (coord.Checkpoint, error) {
	if err := s.mayWork(); err != nil {
		return coord.Checkpoint{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Checkpoint{}, err
	}
	i := intent[coord.Checkpoint]{operation: "record_checkpoint", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Checkpoint, error) { return t.checkpoint(c) })
}

func (t *tx) checkpoint(c coord.RecordCheckpoint) (out coord.Checkpoint, err error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return out, err
	}
	if !a.kind.Submits() {
		return out, coord.Errorf(coord.CodeStateConflict, "%s is a %s task, which saves no work; nothing was changed", a.Task, a.kind).WithNext("coord status")
	}
	out = coord.Checkpoint{
		Task: a.Task, Attempt: a.ID, Generation: a.Generation, Note: c.Note, Next: c.Next,
		Commit: c.Commit, Tree: c.Tree, Ref: c.Ref, Pushed: c.Pushed, Automatic: c.Automatic, At: t.now,
	}
	_, err = t.get([]any{&out.Number}, `INSERT INTO checkpoints (task, attempt, generation, number, note, next, commit_id, tree, ref, pushed, automatic, at)
		VALUES (?, ?, ?, (SELECT count(*) + 1 FROM checkpoints WHERE attempt = ?), ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
		string(a.Task), string(a.ID), a.Generation, string(a.ID), c.Note, c.Next, string(c.Commit), string(c.Tree), c.Ref, c.Pushed, c.Automatic, nanos(t.now))
	if err != nil {
		return out, err
	}
	if !c.Automatic {
		args := append([]any{nanos(t.now)}, t.liveArgs(a)...)
		if err := t.change("UPDATE attempts SET progress_at = ? WHERE "+stillLive, args...); err != nil {
			return out, err
		}
	}
	if err := t.offer(a, c); err != nil {
		return out, err
	}
	return out, t.record(coord.Event{
		Kind: coord.EventCheckpointRecorded, Project: a.project, Task: a.Task,
		Text: fmt.Sprintf("%s saved checkpoint %d of %s: %s", t.caller.Name, out.Number, a.Task, coord.OneLine(c.Note)),
		Data: map[string]string{"commit": string(c.Commit), "tree": string(c.Tree), "ref": c.Ref},
	})
}

// offer makes the checkpoint what a successor goes on from. One that only its
// machine has does not take the place of one that every machine can fetch.
func (t *tx) offer(a attemptRow, c coord.RecordCheckpoint) error {
	task, err := t.task(a.Task)
	if err != nil || (!c.Pushed && task.Saved != nil && !task.Saved.LocalOnly) {
		return err
	}
	saved := coord.Saved{
		Generation: a.Generation, Commit: c.Commit, Tree: c.Tree, Ref: c.Ref, Note: c.Note, Next: c.Next,
		Kind: coord.SavedCheckpoint, LocalOnly: !c.Pushed,
	}
	return t.change("UPDATE tasks SET saved = ? WHERE id = ? AND attempt = ? AND generation = ?", toJSON(saved), string(a.Task), string(a.ID), a.Generation)
}

const checkpointColumns = "task, attempt, generation, number, note, next, commit_id, tree, ref, pushed, automatic, at"

func scanCheckpoint(r scanner) (c coord.Checkpoint, err error) {
	var at int64
	err = r.Scan(&c.Task, &c.Attempt, &c.Generation, &c.Number, &c.Note, &c.Next, &c.Commit, &c.Tree, &c.Ref, &c.Pushed, &c.Automatic, &at)
	c.At = instant(at)
	return c, err
}

// checkProse bounds a text whose command has no validation of its own.
func checkProse(field, s string, limit int) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > limit {
		return coord.Errorf(coord.CodeBadRequest, "the %s must be UTF-8 text of at most %d bytes", field, limit)
	}
	return nil
}
