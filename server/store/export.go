package store

import (
	"context"
	"database/sql"

	"coord"
)

// ExportData is the project's state as of its last event. Statuses are judged
// at that event's time, so that two exports of one state are the same.
func (s *service) ExportData(ctx context.Context, project coord.ProjectKey) (coord.ExportData, error) {
	if err := s.mayRead(); err != nil {
		return coord.ExportData{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.ExportData, error) { return v.export(project) })
}

func (v *view) export(key coord.ProjectKey) (d coord.ExportData, err error) {
	p, err := v.project(key)
	if err != nil {
		return d, err
	}
	d.Project, d.Name = p.Key, p.Name
	var at int64
	if _, err := v.get([]any{&d.AsOf, &at}, "SELECT seq, at FROM events WHERE project = ? ORDER BY seq DESC LIMIT 1", string(key)); err != nil {
		return d, err
	}
	d.Time = instant(at)
	then := *v
	then.now = d.Time
	if d.Tasks, err = then.exportTasks(key); err != nil {
		return d, err
	}
	if d.Attempts, err = then.exportAttempts(key); err != nil {
		return d, err
	}
	d.Lessons, err = then.exportLessons(key)
	return d, err
}

func (v *view) exportTasks(key coord.ProjectKey) ([]coord.ExportTask, error) {
	rows, err := v.tasksIn(codeSet, " ORDER BY t.number", key)
	if err != nil {
		return nil, err
	}
	out := make([]coord.ExportTask, len(rows))
	for i, t := range rows {
		out[i] = coord.ExportTask{
			ID: t.ID, Title: t.Title, Outcome: t.Outcome, Criteria: t.Criteria, Priority: t.Priority, Lifecycle: t.Lifecycle, Status: t.Status,
			After: t.DependsOn, SupersededBy: t.SupersededBy,
		}
		if t.Landed != nil {
			out[i].Landed = t.Landed.Commit
		}
		if t.ClosedAt != nil {
			out[i].Closed = *t.ClosedAt
		}
	}
	if err := v.exportReasons(key, out); err != nil {
		return nil, err
	}
	return out, v.exportSources(key, out)
}

// exportReasons adds why tasks were canceled, as their closing was recorded.
func (v *view) exportReasons(key coord.ProjectKey, tasks []coord.ExportTask) error {
	said, err := textByTask(v, `SELECT t.id, json_extract(e.data, '$.reason') FROM tasks t JOIN events e ON e.seq = t.closed_seq
		WHERE t.project = ? AND t.lifecycle = 'canceled' AND e.task = t.id AND e.kind = ?`, string(key), string(coord.EventTaskClosed))
	for i := range tasks {
		tasks[i].Reason = coord.OneLine(said[tasks[i].ID])
	}
	return err
}

// exportSources adds which file a task stands in. One that stands in several
// has the first.
func (v *view) exportSources(key coord.ProjectKey, tasks []coord.ExportTask) error {
	from, err := textByTask(v, `SELECT json_extract(anchor, '$.task'), min(json_extract(anchor, '$.path')) FROM anchors
		WHERE project = ? AND json_extract(anchor, '$.task') IS NOT NULL GROUP BY 1`, string(key))
	for i := range tasks {
		tasks[i].Source = from[tasks[i].ID]
	}
	return err
}

// textByTask is the answer of a query of tasks with a text each.
func textByTask(v *view, query string, args ...any) (map[coord.TaskID]string, error) {
	out := map[coord.TaskID]string{}
	_, err := list(v, func(r scanner) (struct{}, error) {
		var id, text string
		err := r.Scan(&id, &text)
		out[coord.TaskID(id)] = text
		return struct{}{}, err
	}, query, args...)
	return out, err
}

// exportAttempts are the attempts at code tasks that were not ended, each
// with its last checkpoint.
func (v *view) exportAttempts(key coord.ProjectKey) ([]coord.ExportAttempt, error) {
	return list(v, func(r scanner) (a coord.ExportAttempt, err error) {
		var at sql.NullInt64
		err = r.Scan(&a.Task, &a.Title, &a.Generation, &a.Owner, &a.Branch, &a.Commit, &at, &a.Note, &a.Next)
		if at.Valid {
			a.Saved = instant(at.Int64)
		}
		return a, err
	}, `SELECT a.task, t.title, a.generation, a.owner, coalesce(a.branch, ''), coalesce(c.commit_id, ''), c.at, coalesce(c.note, ''), coalesce(c.next, '')
		FROM attempts a JOIN tasks t ON t.id = a.task
		LEFT JOIN checkpoints c ON c.id = (SELECT max(id) FROM checkpoints x WHERE x.attempt = a.id)
		WHERE a.project = ? AND a.kind = 'code' AND a.ended IS NULL ORDER BY t.number`, string(key))
}

func (v *view) exportLessons(key coord.ProjectKey) ([]coord.ExportLesson, error) {
	return list(v, func(r scanner) (l coord.ExportLesson, err error) {
		x, err := v.scanLesson(r)
		return coord.ExportLesson{
			ID: x.ID, Text: x.Text, Source: x.from(), Kind: x.Kind, Status: x.Status, Reopen: x.Reopen, Scope: x.Scope, Tags: x.Tags,
			ExpiresAt: x.ExpiresAt, SupersededBy: x.SupersededBy, Rule: x.Rule,
		}, err
	}, "SELECT "+lessonColumns+" FROM lessons l WHERE l.project = ? ORDER BY l.number", string(key))
}

// from is where a lesson comes from, with how far it is trusted.
func (x lessonRow) from() string {
	from := string(x.Status)
	for _, more := range []string{string(x.Task), x.Source} {
		if more != "" {
			from += ", " + more
		}
	}
	return from
}
