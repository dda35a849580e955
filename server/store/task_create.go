package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"coord"
)

// CreateTask records a task, or answers the one of the same source key. What
// is similar to it is looked up after it, while others write, and is missing
// where it cannot be read.
func (s *service) CreateTask(ctx context.Context, c coord.CreateTask) (coord.Created, error) {
	if err := s.mayRead(); err != nil {
		return coord.Created{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Created{}, err
	}
	i := intent[coord.Created]{operation: "create_task", key: c.Key, ids: []string{string(c.Project)}, command: c, current: currentCreated}
	out, err := mutate(ctx, s, i, func(t *tx) (coord.Created, error) { return t.createTask(c) })
	if err == nil && !out.Existing {
		out.Similar, _ = reading(ctx, s.Store, func(v *view) ([]coord.TaskRecall, error) { return v.similar(out.Task) })
	}
	return out, err
}

func currentCreated(t *tx, out *coord.Created) error { return currentTask(t, &out.Task) }

// currentTask replaces a replayed task by what it is now.
func currentTask(t *tx, out *coord.Task) error {
	row, err := t.task(out.ID)
	*out = row.Task
	return err
}

func (t *tx) createTask(c coord.CreateTask) (out coord.Created, err error) {
	p, err := t.project(c.Project)
	if err != nil {
		return out, err
	}
	if out, err = t.ofSource(c); err != nil || out.Existing {
		return out, err
	}
	if err := t.checkTitle(c); err != nil {
		return out, err
	}
	repository, _ := p.Repository("")
	task := coord.Task{
		Project: p.Key, Kind: cmp.Or(c.Kind, coord.KindCode), Title: c.Title, Outcome: c.Outcome, Criteria: c.Criteria,
		Priority: cmp.Or(c.Priority, coord.PriorityNormal), Lifecycle: coord.LifecycleOpen,
		Repository: repository.ID, Target: cmp.Or(c.Target, repository.Target), Source: t.actor(), SourceKey: c.SourceKey,
		Labels: coord.Canonical(c.Labels), Paths: c.Paths, Capabilities: coord.Canonical(c.Capabilities), Parent: c.Parent, DependsOn: c.DependsOn,
	}
	if c.Planned {
		task.Lifecycle = coord.LifecyclePlanned
	}
	id, err := t.addTask(task, "")
	if err != nil {
		return out, err
	}
	row, err := t.task(id)
	out.Task = row.Task
	return out, err
}

// ofSource is the task that was recorded from the same source, if any.
func (t *tx) ofSource(c coord.CreateTask) (out coord.Created, err error) {
	if c.SourceKey == "" {
		return out, nil
	}
	var id coord.TaskID
	found, err := t.get([]any{&id}, "SELECT id FROM tasks WHERE project = ? AND source_key = ? AND source_key <> ''", string(c.Project), c.SourceKey)
	if err != nil || !found {
		return out, err
	}
	row, err := t.task(id)
	return coord.Created{Task: row.Task, Existing: true}, err
}

// unfinishedTwin names its index, or SQLite would walk the project's tasks by
// number. Parameters: project, title.
const unfinishedTwin = "SELECT id FROM tasks INDEXED BY tasks_title WHERE project = ? AND title = ? AND subject IS NULL AND lifecycle IN ('planned', 'open') LIMIT 1"

// checkTitle refuses a second unfinished task of one title: the same work
// asked for twice, more often than not.
func (t *tx) checkTitle(c coord.CreateTask) error {
	if c.SameTitle {
		return nil
	}
	var twin coord.TaskID
	found, err := t.get([]any{&twin}, unfinishedTwin, string(c.Project), c.Title)
	if err != nil || !found {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, "%s has that title already and is not finished; nothing was created", twin).
		WithDetail("task", string(twin)).WithNext("coord task show "+string(twin), "coord task new --same-title TITLE")
}

// addTask stores a new task under the project's next number, with its
// dependencies, its parent and its event. subject is the submission that a
// follower is about.
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
			source_key, labels, paths, capabilities, digest, subject, slot, created_at, created_by, ready_since, closed_at, created_seq, edited_seq, closed_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CASE WHEN ? THEN ? ELSE 0 END)`,
		string(id), string(task.Project), number, string(task.Kind), task.Title, task.Outcome, toJSON(task.Criteria), task.Priority.Rank(),
		string(task.Lifecycle), string(task.Repository), task.Target, task.Source, task.SourceKey, toJSON(task.Labels), toJSON(task.Paths),
		strings.Join(task.Capabilities, " "), digest, orNull(string(subject)), string(task.Slot),
		nanos(t.now), string(t.caller.Principal), nanos(t.now), closed, seq, seq, closed != nil, seq)
	if err != nil {
		return "", err
	}
	if subject == "" {
		if err := t.indexWords(task, id, seq); err != nil {
			return "", err
		}
	}
	if err := t.depend(id, task.Project, task.DependsOn); err != nil {
		return "", err
	}
	if task.Parent != "" {
		if err := t.joinNew(id, task); err != nil {
			return "", err
		}
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
