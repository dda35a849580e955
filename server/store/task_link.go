package store

import (
	"context"
	"fmt"

	"coord"
)

// LinkTask adds or removes one edge of the graph of what waits for what, with
// the check for cycles in the same transaction. It stops no attempt that is
// under way.
func (s *service) LinkTask(ctx context.Context, c coord.LinkTask) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "link_task", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) {
		if err := t.link(c); err != nil {
			return coord.Task{}, err
		}
		row, err := t.task(c.Task)
		return row.Task, err
	})
}

func (t *tx) link(c coord.LinkTask) error {
	task, err := t.task(c.Task)
	if err != nil {
		return err
	}
	to, err := t.taskOf(task.Project, c.After+c.Parent)
	if err != nil {
		return err
	}
	if err := c.CheckLink(task.Task, to.Task); err != nil {
		return err
	}
	switch {
	case c.Remove && c.Parent != "":
		return t.leave(c, task, to)
	case c.Remove:
		return t.undepend(c, task, to)
	case c.Parent != "":
		return t.becomePart(c, task, to)
	}
	return t.dependOn(c, task, to)
}

// edges are what a task that is not closed waits for: the dependencies and
// children that are not closed either. What is closed waits for nothing, and is
// not opened again.
func (v *view) edges(id coord.TaskID) ([]coord.TaskID, error) {
	return list(v, scanText[coord.TaskID], edgesOf, string(id), string(id))
}

const edgesOf = `SELECT x.depends_on FROM dependencies x JOIN tasks y ON y.id = x.depends_on WHERE x.task = ? AND y.lifecycle IN ('open', 'planned')
	UNION ALL SELECT id FROM tasks INDEXED BY tasks_children WHERE parent = ? AND lifecycle IN ('open', 'planned')`

// acyclic refuses the edge if from could then wait for itself.
func (v *view) acyclic(from coord.TaskID, to coord.Task) error {
	if to.Lifecycle.Closed() && from != to.ID {
		return nil
	}
	return coord.CheckAcyclic(from, to.ID, v.edges)
}

// dependOn adds a dependency.
func (t *tx) dependOn(c coord.LinkTask, task, to taskRow) error {
	if err := t.acyclic(task.ID, to.Task); err != nil {
		return err
	}
	added, err := t.addDependency(task.ID, to.Task)
	if err != nil || !added {
		return err
	}
	return t.linked(coord.EventTaskLinked, c, fmt.Sprintf("%s waits for %s from now on", task.ID, to.ID))
}

// addDependency reports whether the edge is new. Its guard is that neither
// end was closed in a way that leaves nothing to wait with or for.
func (t *tx) addDependency(task coord.TaskID, on coord.Task) (bool, error) {
	n, err := t.exec("INSERT INTO dependencies (task, depends_on) VALUES (?, ?) ON CONFLICT (task, depends_on) DO NOTHING", string(task), string(on.ID))
	if err != nil || n == 0 || on.Lifecycle == coord.LifecycleDone {
		return n > 0, err
	}
	return true, t.change("UPDATE tasks SET open_dependencies = open_dependencies + 1 WHERE id = ? AND lifecycle IN ('open', 'planned')", string(task))
}

// undepend removes a dependency.
func (t *tx) undepend(c coord.LinkTask, task, to taskRow) error {
	removed, err := t.dropDependency(task.ID, to.Task)
	if err != nil || !removed {
		return err
	}
	if err := t.linked(coord.EventTaskUnlinked, c, fmt.Sprintf("%s does not wait for %s any more: %s", task.ID, to.ID, coord.OneLine(c.Reason))); err != nil {
		return err
	}
	return t.complete(task.ID)
}

// dropDependency reports whether there was such an edge. The last one makes
// the task ready.
func (t *tx) dropDependency(task coord.TaskID, on coord.Task) (bool, error) {
	n, err := t.exec("DELETE FROM dependencies WHERE task = ? AND depends_on = ?", string(task), string(on.ID))
	if err != nil || n == 0 || on.Lifecycle == coord.LifecycleDone {
		return n > 0, err
	}
	return true, t.change(`UPDATE tasks SET open_dependencies = open_dependencies - 1,
			ready_since = CASE WHEN open_dependencies = 1 AND open_blockers = 0 THEN ? ELSE ready_since END
		WHERE id = ? AND lifecycle IN ('open', 'planned')`, nanos(t.now), string(task))
}

// becomePart makes a task the child of an objective.
func (t *tx) becomePart(c coord.LinkTask, task, to taskRow) error {
	if task.Parent == to.ID {
		return nil
	}
	if err := t.acyclic(to.ID, task.Task); err != nil {
		return err
	}
	if err := t.join(task.ID, to.ID); err != nil {
		return err
	}
	return t.linked(coord.EventTaskLinked, c, fmt.Sprintf("%s is part of %s from now on", task.ID, to.ID))
}

// leave takes a task out of an objective, which may end with that.
func (t *tx) leave(c coord.LinkTask, task, from taskRow) error {
	if task.Parent != from.ID {
		return nil
	}
	if err := t.change("UPDATE tasks SET parent = NULL WHERE id = ? AND parent = ? AND lifecycle IN ('open', 'planned')", string(task.ID), string(from.ID)); err != nil {
		return err
	}
	err := t.change("UPDATE tasks SET open_children = open_children - 1, ready_since = CASE WHEN open_children = 1 AND blocked <> 1 THEN ? ELSE ready_since END WHERE id = ? AND open_children > 0",
		nanos(t.now), string(from.ID))
	if err != nil {
		return err
	}
	if err := t.linked(coord.EventTaskUnlinked, c, fmt.Sprintf("%s is not part of %s any more: %s", task.ID, from.ID, coord.OneLine(c.Reason))); err != nil {
		return err
	}
	return t.complete(from.ID)
}

func (t *tx) linked(kind coord.EventKind, c coord.LinkTask, text string) error {
	data := map[string]string{"reason": c.Reason}
	if c.After != "" {
		data["after"] = string(c.After)
	} else {
		data["parent"] = string(c.Parent)
	}
	return t.record(coord.Event{Kind: kind, Project: c.Task.Project(), Task: c.Task, Text: t.actor() + ": " + text, Data: data})
}
