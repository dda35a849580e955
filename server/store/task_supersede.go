package store

import (
	"context"
	"fmt"

	"coord"
)

// SupersedeTask closes a task that another one stands for: what waited for it
// waits for the other one, and what was part of it is part of the other one.
func (s *service) SupersedeTask(ctx context.Context, c coord.SupersedeTask) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "supersede_task", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) {
		if err := t.replaceBy(c); err != nil {
			return coord.Task{}, err
		}
		row, err := t.task(c.Task)
		return row.Task, err
	})
}

func (t *tx) replaceBy(c coord.SupersedeTask) error {
	old, policy, err := t.closable(c.Task)
	if err != nil {
		return err
	}
	by, err := t.taskOf(old.Project, c.By)
	if err != nil {
		return err
	}
	if err := old.facts.CheckSupersede(by.Task); err != nil {
		return err
	}
	note := "by " + string(by.ID)
	if c.Reason != "" {
		note += ": " + c.Reason
	}
	if err := t.letGo(old, policy, "superseded "+note); err != nil {
		return err
	}
	if err := t.handOverPlace(old, by); err != nil {
		return err
	}
	if err := t.closeTask(closing{task: old.ID, to: coord.LifecycleSuperseded, by: by.ID, note: note}); err != nil {
		return err
	}
	return t.complete(by.ID)
}

// handOverPlace gives the successor the old task's place in the graph. An edge
// between the two of them goes: a task does not wait for what it stands for.
func (t *tx) handOverPlace(old, by taskRow) error {
	if err := t.parted(old, by); err != nil {
		return err
	}
	if err := t.moveDependents(old, by); err != nil {
		return err
	}
	if err := t.moveChildren(old, by); err != nil {
		return err
	}
	return t.handOnParent(old, by)
}

// parted removes the edge by which the successor waits for the old task.
func (t *tx) parted(old, by taskRow) error {
	if by.Lifecycle.Closed() {
		return nil
	}
	removed, err := t.dropDependency(by.ID, old.Task)
	if err != nil || !removed {
		return err
	}
	return t.linked(coord.EventTaskUnlinked, coord.LinkTask{Task: by.ID, After: old.ID}, fmt.Sprintf("%s stands for %s and does not wait for it any more", by.ID, old.ID))
}

// moveDependents makes everything open that waits for the old task wait for
// its successor.
func (t *tx) moveDependents(old, by taskRow) error {
	dependents, err := list(&t.view, scanText[coord.TaskID], `SELECT t.id FROM dependencies x JOIN tasks t ON t.id = x.task
		WHERE x.depends_on = ? AND t.lifecycle IN ('open', 'planned') ORDER BY t.number`, string(old.ID))
	if err != nil {
		return err
	}
	for _, id := range dependents {
		if err := t.acyclic(id, by.Task); err != nil {
			return err
		}
		if _, err := t.addDependency(id, by.Task); err != nil {
			return err
		}
		if _, err := t.dropDependency(id, old.Task); err != nil {
			return err
		}
		if err := t.linked(coord.EventTaskLinked, coord.LinkTask{Task: id, After: by.ID}, fmt.Sprintf("%s waits for %s instead of %s", id, by.ID, old.ID)); err != nil {
			return err
		}
		if err := t.complete(id); err != nil {
			return err
		}
	}
	return nil
}

// moveChildren gives the children of an objective to its successor, those that
// are closed too, since they count for it. One that is closed itself takes none.
func (t *tx) moveChildren(old, by taskRow) error {
	if old.Kind != coord.KindObjective || by.Lifecycle.Closed() {
		return nil
	}
	if by.Parent == old.ID { // it takes the place of what it was part of
		if err := t.quit(by.ID, old.ID); err != nil {
			return err
		}
	}
	children, err := list(&t.view, scanText[coord.TaskID], "SELECT id FROM tasks INDEXED BY tasks_children WHERE parent = ? AND lifecycle IN ('open', 'planned') ORDER BY number", string(old.ID))
	if err != nil {
		return err
	}
	for _, id := range children {
		if err := coord.CheckAcyclic(by.ID, id, t.edges); err != nil {
			return err
		}
	}
	if _, err := t.exec("UPDATE tasks SET parent = ? WHERE parent = ?", string(by.ID), string(old.ID)); err != nil {
		return err
	}
	if err := t.change("UPDATE tasks SET open_children = open_children + ? WHERE id = ? AND kind = 'objective' AND lifecycle IN ('open', 'planned')", len(children), string(by.ID)); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET open_children = open_children - ? WHERE id = ? AND open_children = ?", len(children), string(old.ID), len(children))
}

// quit takes an open child out of an objective without ending that.
func (t *tx) quit(id, parent coord.TaskID) error {
	if err := t.change("UPDATE tasks SET parent = NULL WHERE id = ? AND parent = ?", string(id), string(parent)); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET open_children = open_children - 1 WHERE id = ? AND open_children > 0", string(parent))
}

// handOnParent makes the successor part of what the old task was part of,
// unless it is part of something, or that something itself.
func (t *tx) handOnParent(old, by taskRow) error {
	if old.Parent == "" || old.Parent == by.ID || by.Parent != "" && by.Parent != old.ID {
		return nil
	}
	parent, err := t.task(old.Parent)
	if err != nil || parent.Lifecycle.Closed() {
		return err
	}
	if by.Lifecycle.Closed() {
		return t.change("UPDATE tasks SET parent = ? WHERE id = ? AND (parent IS NULL OR parent = ?)", string(parent.ID), string(by.ID), string(old.ID))
	}
	if err := t.acyclic(parent.ID, by.Task); err != nil {
		return err
	}
	return t.join(by.ID, parent.ID)
}
