package store

import (
	"cmp"
	"context"
	"slices"

	"coord"
)

// CreateTask records a code task.
func (s *service) CreateTask(ctx context.Context, c coord.CreateTask) (coord.Task, error) {
	if err := s.mayRead(); err != nil {
		return coord.Task{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Task{}, err
	}
	i := intent[coord.Task]{operation: "create_task", key: c.Key, ids: []string{string(c.Project)}, command: c, current: currentTask}
	return mutate(ctx, s, i, func(t *tx) (coord.Task, error) { return t.createTask(c) })
}

// currentTask replaces a replayed task by what it is now.
func currentTask(t *tx, out *coord.Task) error {
	row, err := t.task(out.ID)
	*out = row.Task
	return err
}

func (t *tx) createTask(c coord.CreateTask) (coord.Task, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Task{}, err
	}
	if err := t.checkTitle(c); err != nil {
		return coord.Task{}, err
	}
	repository, _ := p.Repository("")
	task := coord.Task{
		Project: p.Key, Kind: coord.KindCode, Title: c.Title, Outcome: c.Outcome, Criteria: c.Criteria,
		Priority: cmp.Or(c.Priority, coord.PriorityNormal), Lifecycle: coord.LifecycleOpen,
		Repository: repository.ID, Target: cmp.Or(c.Target, repository.Target), Source: t.actor(), DependsOn: c.DependsOn,
	}
	if c.Planned {
		task.Lifecycle = coord.LifecyclePlanned
	}
	id, err := t.addTask(task, "")
	if err != nil {
		return coord.Task{}, err
	}
	row, err := t.task(id)
	return row.Task, err
}

// checkTitle refuses a second unfinished code task of one title: the same work
// asked for twice, more often than not.
func (t *tx) checkTitle(c coord.CreateTask) error {
	if c.SameTitle {
		return nil
	}
	var twin coord.TaskID
	found, err := t.get([]any{&twin}, "SELECT id FROM tasks WHERE project = ? AND title = ? AND kind = 'code' AND lifecycle IN ('planned', 'open') ORDER BY number LIMIT 1", string(c.Project), c.Title)
	if err != nil || !found {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, "%s has that title already and is not finished; nothing was created", twin).
		WithDetail("task", string(twin)).WithNext("coord task show "+string(twin), "coord task new --same-title TITLE")
}

// addTask stores a new task under the project's next number, with its
// dependencies and its event. subject is the submission that a follower is
// about. A new task has nothing that depends on it, so no cycle can arise.
func (t *tx) addTask(task coord.Task, subject coord.SubmissionID) (coord.TaskID, error) {
	number, err := t.nextNumber(task.Project)
	if err != nil {
		return "", err
	}
	id := coord.NewTaskID(task.Project, number)
	seq := int64(t.head.seq + 1)
	var closed any
	if task.Lifecycle == coord.LifecycleDone || task.Lifecycle == coord.LifecycleCanceled {
		closed = nanos(t.now)
	}
	digest := coord.Digest(task.Kind, task.Title, task.Outcome, task.Criteria)
	err = t.change(`INSERT INTO tasks (id, project, number, kind, title, outcome, criteria, priority, lifecycle, repository, target, source,
			digest, subject, created_at, created_by, ready_since, closed_at, created_seq, edited_seq, closed_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CASE WHEN ? THEN ? ELSE 0 END)`,
		string(id), string(task.Project), number, string(task.Kind), task.Title, task.Outcome, toJSON(task.Criteria), task.Priority.Rank(),
		string(task.Lifecycle), string(task.Repository), task.Target, task.Source, digest, orNull(string(subject)),
		nanos(t.now), string(t.caller.Principal), nanos(t.now), closed, seq, seq, closed != nil, seq)
	if err != nil {
		return "", err
	}
	if err := t.depend(id, task.Project, task.DependsOn); err != nil {
		return "", err
	}
	return id, t.record(coord.Event{Kind: coord.EventTaskCreated, Project: task.Project, Task: id, Text: t.actor() + " created " + string(id) + ": " + task.Title})
}

func (t *tx) nextNumber(p coord.ProjectKey) (number int64, err error) {
	found, err := t.get([]any{&number}, "UPDATE projects SET last_task = last_task + 1 WHERE key = ? RETURNING last_task", string(p))
	if err == nil && !found {
		err = unknownProject(p)
	}
	return number, err
}

// depend adds the dependencies of a new task and counts the open ones.
func (t *tx) depend(id coord.TaskID, p coord.ProjectKey, on []coord.TaskID) error {
	on = slices.Clone(on)
	sortTaskIDs(on)
	for _, d := range slices.Compact(on) {
		if _, err := t.taskOf(p, d); err != nil {
			return err
		}
		if err := t.change("INSERT INTO dependencies (task, depends_on) VALUES (?, ?)", string(id), string(d)); err != nil {
			return err
		}
	}
	if len(on) == 0 {
		return nil
	}
	return t.change(`UPDATE tasks SET open_dependencies = (SELECT count(*) FROM dependencies x JOIN tasks y ON y.id = x.depends_on WHERE x.task = tasks.id AND y.lifecycle <> 'done')
		WHERE id = ?`, string(id))
}

// sortTaskIDs sorts by project, then number.
func sortTaskIDs(ids []coord.TaskID) {
	slices.SortFunc(ids, func(a, b coord.TaskID) int {
		_, m, _ := a.Split()
		_, n, _ := b.Split()
		return cmp.Or(cmp.Compare(a.Project(), b.Project()), cmp.Compare(m, n))
	})
}

// closing is how a task is closed.
type closing struct {
	task coord.TaskID
	to   coord.Lifecycle
	note string // what happened, for the log
}

// closeTask ends an open task that nobody holds and counts it off its
// dependents when it is done: the last dependency makes them ready.
func (t *tx) closeTask(c closing) error {
	seq := int64(t.head.seq + 1)
	err := t.change(`UPDATE tasks SET lifecycle = ?, closed_at = ?, closed_seq = ?, blocker_kind = NULL, blocker_text = NULL, blocker_reopen = NULL, blocker_at = NULL
		WHERE id = ? AND lifecycle IN ('open', 'planned') AND attempt IS NULL`, string(c.to), nanos(t.now), seq, string(c.task))
	if err != nil {
		return err
	}
	if c.to == coord.LifecycleDone {
		_, err := t.exec(`UPDATE tasks SET open_dependencies = open_dependencies - 1,
				ready_since = CASE WHEN open_dependencies = 1 AND blocker_kind IS NULL THEN ? ELSE ready_since END
			WHERE id IN (SELECT task FROM dependencies WHERE depends_on = ?)`, nanos(t.now), string(c.task))
		if err != nil {
			return err
		}
	}
	return t.record(coord.Event{
		Kind: coord.EventTaskClosed, Project: c.task.Project(), Task: c.task, Text: string(c.task) + " is " + string(c.to) + ": " + c.note,
		Data: map[string]string{"lifecycle": string(c.to)},
	})
}
