package store

import (
	"fmt"
	"slices"

	"coord"
)

// waitsOf are the tasks that a change makes its own wait for. It is not whole
// when one of them is missing or was given up: then the link is left out, the
// result says so, and the next import tries again.
func (m *importing) waitsOf(c *coord.ImportChange) (on []coord.TaskID, whole bool, err error) {
	on, whole = slices.Clone(c.After), true
	for _, k := range c.AfterKeys {
		var id coord.TaskID
		if _, err := m.get([]any{&id}, "SELECT coalesce(anchor ->> '$.task', '') FROM anchors WHERE project = ? AND key = ?", string(m.project.Key), k); err != nil {
			return nil, false, err
		}
		if id == "" {
			whole = false
			continue
		}
		on = append(on, id)
	}
	kept := on[:0]
	for _, id := range on {
		task, err := m.taskOf(m.project.Key, id)
		if err != nil {
			return nil, false, err
		}
		if task.Lifecycle.Closed() && task.Lifecycle != coord.LifecycleDone {
			whole = false
			continue
		}
		kept = append(kept, id)
	}
	if !whole {
		m.partly(c)
	}
	return kept, whole, nil
}

// partly reports a change whose links were not all made.
func (m *importing) partly(c *coord.ImportChange) {
	m.leaveOut(*c, "not everything that it waits for is recorded")
	if c.Anchor != nil {
		a := *c.Anchor
		a.Base.After = nil
		c.Anchor = &a
	}
}

// relink changes what a task waits for. The plan has no cycle; one that came
// about since is left out.
func (m *importing) relink(c *coord.ImportChange) (whole bool, err error) {
	on, whole, err := m.waitsOf(c)
	if err != nil {
		return false, err
	}
	for _, id := range on {
		to, err := m.taskOf(m.project.Key, id)
		if err != nil {
			return false, err
		}
		if err := m.acyclic(c.Task, to.Task); coord.CodeOf(err) == coord.CodeStateConflict {
			whole = false
			m.partly(c)
			continue
		} else if err != nil {
			return false, err
		}
		added, err := m.addDependency(c.Task, to.Task)
		if err != nil {
			return false, err
		}
		if added {
			l := coord.LinkTask{Task: c.Task, After: id, Reason: "as " + c.Path + " says"}
			if err := m.linked(coord.EventTaskLinked, l, fmt.Sprintf("%s waits for %s from now on", c.Task, id)); err != nil {
				return false, err
			}
		}
	}
	for _, id := range c.NotAfter {
		task, err := m.taskOf(m.project.Key, c.Task)
		if err != nil {
			return false, err
		}
		to, err := m.taskOf(m.project.Key, id)
		if err != nil {
			return false, err
		}
		if err := m.undepend(coord.LinkTask{Task: c.Task, After: id, Remove: true, Reason: "not in " + c.Path + " any more"}, task, to); err != nil {
			return false, err
		}
	}
	return whole, nil
}
