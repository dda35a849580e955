package store

import (
	"context"

	"coord"
)

// AcceptObjective closes an objective whose children are done and whose own
// criteria hold.
func (s *service) AcceptObjective(ctx context.Context, c coord.AcceptObjective) (coord.Task, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "accept_objective", key: c.Key, ids: []string{string(c.Task)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.accept(c) })
}

func (t *tx) accept(c coord.AcceptObjective) (coord.Task, error) {
	task, err := t.task(c.Task)
	if err != nil {
		return coord.Task{}, err
	}
	p, err := t.project(task.Project)
	if err != nil {
		return coord.Task{}, err
	}
	family, err := t.family(task.ID)
	if err != nil {
		return coord.Task{}, err
	}
	if err := task.facts.CheckAccept(family, p.Policy, t.caller.Role); err != nil {
		return coord.Task{}, err
	}
	if err := t.completeNow(task.ID, "accepted by "+t.actor()+": "+c.Note); err != nil {
		return coord.Task{}, err
	}
	row, err := t.task(task.ID)
	return row.Task, err
}

// completeNow closes an objective as done, while it is in the state that this was
// decided on.
func (t *tx) completeNow(id coord.TaskID, note string) error {
	var ready int
	if _, err := t.get([]any{&ready}, "SELECT count(*) FROM tasks WHERE id = ? AND kind = 'objective' AND lifecycle = 'open' AND blocked = 0", string(id)); err != nil {
		return err
	}
	if ready == 0 {
		return coord.Errorf(coord.CodeStateConflict, "%s is not in the state that the decision was made on; nothing was changed", id).WithNext("coord task show " + string(id))
	}
	return t.closeTask(closing{task: id, to: coord.LifecycleDone, note: note})
}

// family is what an objective's completion is judged by: one of its open
// children, and how many are done.
func (v *view) family(id coord.TaskID) (f coord.Family, err error) {
	f.Open, err = list(v, scanText[coord.TaskID], "SELECT id FROM tasks INDEXED BY tasks_children WHERE parent = ? AND lifecycle IN ('open', 'planned') ORDER BY number LIMIT 1", string(id))
	if err != nil {
		return f, err
	}
	_, err = v.get([]any{&f.Done}, "SELECT count(*) FROM (SELECT 1 FROM tasks WHERE parent = ? AND lifecycle = 'done' LIMIT 1)", string(id))
	return f, err
}

// complete closes an objective that nothing is missing of any more and that has
// no criteria to be accepted; any other task it leaves as it is. Whatever frees
// a task calls it: an objective waits for dependencies and blockers too. So does
// an edit, which may admit it or take its criteria away.
func (t *tx) complete(id coord.TaskID) error {
	task, err := t.task(id)
	if err != nil || task.Kind != coord.KindObjective || task.Lifecycle != coord.LifecycleOpen {
		return err
	}
	family, err := t.family(id)
	if err != nil || !coord.CompletesWith(task.Task, family) {
		return err
	}
	return t.completeNow(id, "its children are done")
}

// leaveObjective counts a task that was just closed off its objective's open
// children.
func (t *tx) leaveObjective(id coord.TaskID) error {
	var parent coord.TaskID
	found, err := t.get([]any{&parent}, `UPDATE tasks SET open_children = open_children - 1, ready_since = CASE WHEN open_children = 1 AND blocked <> 1 THEN ? ELSE ready_since END
		WHERE id = (SELECT parent FROM tasks WHERE id = ?) RETURNING id`, nanos(t.now), string(id))
	if err != nil || !found {
		return err
	}
	return t.complete(parent)
}

// joinNew makes a new task part of its objective. What the task waits for may
// already wait for the objective.
func (t *tx) joinNew(id coord.TaskID, task coord.Task) error {
	parent, err := t.taskOf(task.Project, task.Parent)
	if err != nil {
		return err
	}
	fresh := task
	fresh.ID, fresh.Parent = id, ""
	if err := (coord.LinkTask{Task: id, Parent: parent.ID}).CheckLink(fresh, parent.Task); err != nil {
		return err
	}
	if err := coord.CheckAcyclic(parent.ID, id, t.edges); err != nil {
		return err
	}
	return t.join(id, parent.ID)
}

// join adds an open task to the children of an open objective.
func (t *tx) join(id, parent coord.TaskID) error {
	err := t.change("UPDATE tasks SET parent = ? WHERE id = ? AND parent IS NULL AND lifecycle IN ('open', 'planned')", string(parent), string(id))
	if err != nil {
		return err
	}
	return t.change("UPDATE tasks SET open_children = open_children + 1 WHERE id = ? AND kind = 'objective' AND lifecycle IN ('open', 'planned')", string(parent))
}
