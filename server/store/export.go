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
		}
		if t.Landed != nil {
			out[i].Landed = t.Landed.Commit
		}
	}
	return out, nil
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
		var n int64
		var status, task, source string
		err = r.Scan(&n, &l.Text, &status, &task, &source)
		l.ID, l.Source = lessonID(n), status
		for _, from := range []string{task, source} {
			if from != "" {
				l.Source += ", " + from
			}
		}
		return l, err
	}, "SELECT number, text, status, task, source FROM lessons WHERE project = ? ORDER BY number", string(key))
}
