package store

import (
	"context"
	"fmt"
	"strings"

	"coord"
)

// EditTask changes what a task says. A submission that was judged by the old
// text keeps its digest, and with it loses its way to the target.
func (s *service) EditTask(ctx context.Context, c coord.EditTask) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "edit_task", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) {
		if err := t.edit(c); err != nil {
			return coord.Task{}, err
		}
		row, err := t.task(c.Task)
		return row.Task, err
	})
}

func (t *tx) edit(c coord.EditTask) error {
	task, err := t.task(c.Task)
	if err != nil {
		return err
	}
	contributor, err := t.workedOn(task.ID, t.caller.Session)
	if err != nil {
		return err
	}
	if err := c.CheckEdit(task.Task, contributor); err != nil {
		return err
	}
	after, err := c.Apply(task.Task)
	if err != nil {
		return err
	}
	if err := t.keepsChildren(task.Task, after); err != nil {
		return err
	}
	changed := c.Changed(task.Task, after)
	if len(changed) == 0 {
		return nil
	}
	if err := t.saveEdit(task.Task, after); err != nil {
		return err
	}
	if err := t.edited(c, task.Task, after, changed); err != nil {
		return err
	}
	return t.complete(task.ID)
}

// keepsChildren refuses to make an objective that has children anything else.
func (t *tx) keepsChildren(before, after coord.Task) error {
	if before.Kind != coord.KindObjective || after.Kind == before.Kind {
		return nil
	}
	var child coord.TaskID
	found, err := t.get([]any{&child}, "SELECT id FROM tasks WHERE parent = ? ORDER BY number LIMIT 1", string(before.ID))
	if err != nil || !found {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, "%s has children, such as %s, so it stays an objective; nothing was changed", before.ID, child).
		WithNext("coord task list --all --parent " + string(before.ID))
}

// saveEdit writes the task as it is after an edit. The guard is the revision
// and the lifecycle that were decided on. A planned task that is admitted comes
// into the queue now.
func (t *tx) saveEdit(before, after coord.Task) error {
	substance := before.Digest != after.Digest
	imported := substance || before.Priority != after.Priority // what an import would set, too
	admitted := before.Lifecycle != after.Lifecycle
	seq := int64(t.head.seq + 1)
	err := t.change(`UPDATE tasks SET kind = ?, title = ?, outcome = ?, criteria = ?, priority = ?, labels = ?, paths = ?, capabilities = ?, lifecycle = ?, digest = ?, revision = ?,
			ready_since = CASE WHEN ? THEN ? ELSE ready_since END, edited_seq = CASE WHEN ? THEN ? ELSE edited_seq END
		WHERE id = ? AND revision = ? AND lifecycle = ? AND subject IS NULL
			AND (kind = ? OR attempt IS NULL AND submission IS NULL AND open_children = 0)`,
		string(after.Kind), after.Title, after.Outcome, toJSON(after.Criteria), after.Priority.Rank(), toJSON(after.Labels), toJSON(after.Paths), strings.Join(after.Capabilities, " "),
		string(after.Lifecycle), after.Digest, after.Revision, admitted, nanos(t.now), imported, seq,
		string(before.ID), before.Revision, string(before.Lifecycle), string(after.Kind))
	if err != nil {
		return err
	}
	return t.reindexWords(before, after)
}

// edited logs what was changed, and what it was before.
func (t *tx) edited(c coord.EditTask, before, after coord.Task, changed []string) error {
	data := map[string]string{"changed": strings.Join(changed, ","), "reason": c.Reason}
	for _, name := range changed {
		switch name {
		case "title":
			data["was_title"] = before.Title
		case "outcome":
			data["was_outcome"] = clipped(before.Outcome)
		case "criteria":
			data["was_criteria"] = clipped(strings.Join(before.Criteria, "\n"))
		case "priority":
			data["was_priority"] = string(before.Priority)
		}
	}
	if before.Digest != after.Digest {
		data["was_digest"] = before.Digest
	}
	text := fmt.Sprintf("%s edited %s: %s", t.actor(), after.ID, strings.Join(changed, ", "))
	if len(changed) == 1 && c.Admit {
		text = fmt.Sprintf("%s admitted %s", t.actor(), after.ID)
	}
	if c.Reason != "" {
		text += " (" + coord.OneLine(c.Reason) + ")"
	}
	return t.record(coord.Event{Kind: coord.EventTaskEdited, Project: after.Project, Task: after.ID, Text: text, Data: data})
}

// clipped bounds what the log keeps of a long text.
func clipped(s string) string {
	const most = 4000
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
