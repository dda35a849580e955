package store

import (
	"cmp"
	"fmt"
	"slices"

	"coord"
)

// importing is one import as it is applied.
type importing struct {
	*tx
	project coord.Project
	out     coord.ImportResult
	stored  bool // something other than an event was written
}

func (t *tx) applyImport(c coord.ApplyImport, plan coord.ImportPlan, digests map[string]string) (coord.ImportResult, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.ImportResult{}, err
	}
	m := &importing{tx: t, project: p, out: coord.ImportResult{Digest: plan.Digest, Applied: map[coord.ImportAction]int{}}}
	if err := m.applyAll(m.allowed(plan.Changes)); err != nil {
		return m.out, err
	}
	if err := m.keepFiles(c.Files, digests); err != nil {
		return m.out, err
	}
	if m.stored {
		err = t.record(coord.Event{
			Kind: coord.EventImportApplied, Project: p.Key, Text: m.said(len(c.Files)),
			Data: map[string]string{"digest": plan.Digest},
		})
	}
	m.out.AsOf = t.head.seq
	return m.out, err
}

func (m *importing) said(files int) string {
	return fmt.Sprintf("%s imported %s: %s, %s", m.actor(), counted(files, "file"), counted(len(m.out.Tasks), "task"), counted(len(m.out.Lessons), "lesson"))
}

// allowed leaves out the changes that only an operator may apply, and counts
// them.
func (m *importing) allowed(changes []coord.ImportChange) []coord.ImportChange {
	var out []coord.ImportChange
	for _, c := range changes {
		switch {
		case c.Needs == "" || m.caller.Role == coord.RoleOperator:
			out = append(out, c)
		case c.Action != coord.ActionNone:
			m.out.Skipped++
		}
	}
	return out
}

// applyAll forgets every anchor that another takes the place of before it
// stores one: two records may have changed places.
func (m *importing) applyAll(changes []coord.ImportChange) error {
	for _, c := range changes {
		if c.Anchor == nil || c.Replaces == "" {
			continue
		}
		if _, err := m.exec("DELETE FROM anchors WHERE project = ? AND key = ?", string(m.project.Key), c.Replaces); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := m.apply(c); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) apply(c coord.ImportChange) (err error) {
	task, lesson := c.Task, c.Lesson
	switch c.Action {
	case coord.ActionNone:
	case coord.ActionCreateTask:
		task, err = m.createTask(c)
	case coord.ActionUpdateTask:
		err = m.updateTask(c)
	case coord.ActionCloseTask:
		err = m.finishTask(c)
	case coord.ActionCreateLesson:
		lesson, err = m.createLesson(c)
	case coord.ActionUpdateLesson:
		err = m.updateLesson(c)
	case coord.ActionRecordHandoff:
		err = m.keepHandoff(c)
	default:
		err = coord.Errorf(coord.CodeInternal, "the plan has an unknown action %q", string(c.Action))
	}
	if err != nil {
		return err
	}
	if c.Action != coord.ActionNone {
		m.stored = true
		m.out.Applied[c.Action]++
	}
	if task != "" && c.Action != coord.ActionNone {
		m.out.Tasks = append(m.out.Tasks, task)
	}
	if lesson != "" && c.Action != coord.ActionNone {
		m.out.Lessons = append(m.out.Lessons, lesson)
	}
	return m.keepAnchor(c, task, lesson)
}

// keepAnchor stores what is remembered of the record, with the task or lesson
// that it became.
func (m *importing) keepAnchor(c coord.ImportChange, task coord.TaskID, lesson coord.LessonID) error {
	if c.Anchor == nil {
		return nil
	}
	m.stored = true
	a := *c.Anchor
	a.Task, a.Lesson = cmp.Or(a.Task, task), cmp.Or(a.Lesson, lesson)
	return m.change("INSERT INTO anchors (project, key, anchor) VALUES (?, ?, ?) ON CONFLICT (project, key) DO UPDATE SET anchor = excluded.anchor",
		string(m.project.Key), cmp.Or(c.Key, a.Key), toJSON(a))
}

func (m *importing) createTask(c coord.ImportChange) (coord.TaskID, error) {
	r, _ := m.project.Repository("")
	return m.addTask(coord.Task{
		Project: m.project.Key, Kind: coord.KindCode, Title: c.Title, Outcome: c.Body, Criteria: c.Criteria,
		Priority: cmp.Or(c.Priority, coord.PriorityNormal), Lifecycle: cmp.Or(c.Lifecycle, coord.LifecyclePlanned),
		Repository: r.ID, Target: r.Target, Source: c.Path,
	}, "")
}

// updateTask sets the facets that the change names.
func (m *importing) updateTask(c coord.ImportChange) error {
	task, err := m.taskOf(m.project.Key, c.Task)
	if err != nil {
		return err
	}
	before := task.Task
	sets := func(facet string) bool { return slices.Contains(c.Facets, facet) }
	if sets("title") {
		task.Title = c.Title
	}
	if sets("body") {
		task.Outcome = c.Body
	}
	if sets("criteria") {
		task.Criteria = c.Criteria
	}
	if sets("priority") {
		task.Priority = c.Priority
	}
	if sets(coord.FacetLifecycle) {
		if err := m.admitTask(task.ID); err != nil || len(c.Facets) == 1 {
			return err // admitted only: its text was not edited
		}
	}
	err = m.change(`UPDATE tasks SET title = ?, outcome = ?, criteria = ?, priority = ?, digest = ?, revision = revision + 1, edited_seq = ?
		WHERE id = ? AND revision = ? AND kind IN ('code', 'general', 'objective')`,
		task.Title, task.Outcome, toJSON(task.Criteria), task.Priority.Rank(), coord.Digest(task.Kind, task.Title, task.Outcome, task.Criteria),
		int64(m.head.seq+1), string(task.ID), task.Revision)
	if err != nil {
		return err
	}
	if err := m.reindexWords(before, task.Task); err != nil {
		return err
	}
	return m.record(coord.Event{
		Kind: coord.EventTaskUpdated, Project: m.project.Key, Task: task.ID, Text: fmt.Sprintf("%s updated %s from %s", m.actor(), task.ID, c.Path),
	})
}

// admitTask opens a planned task for claiming.
func (m *importing) admitTask(id coord.TaskID) error {
	err := m.change("UPDATE tasks SET lifecycle = 'open', ready_since = ? WHERE id = ? AND lifecycle = 'planned'", nanos(m.now), string(id))
	if err != nil {
		return err
	}
	return m.record(coord.Event{Kind: coord.EventTaskUpdated, Project: m.project.Key, Task: id, Text: fmt.Sprintf("%s admitted %s", m.actor(), id)})
}

// finishTask closes a task that the source calls closed, after what else the
// source says of it. Work under way is not cut off.
func (m *importing) finishTask(c coord.ImportChange) error {
	if len(c.Facets) > 0 {
		if err := m.updateTask(c); err != nil {
			return err
		}
	}
	task, err := m.taskOf(m.project.Key, c.Task)
	if err != nil {
		return err
	}
	if task.Owner != nil || task.Submission != "" {
		return coord.Errorf(coord.CodeStateConflict, "%s is %s, so the import does not close it; nothing was applied", task.ID, task.Status).WithNext("coord task show " + string(task.ID))
	}
	return m.closeTask(closing{task: task.ID, to: c.Lifecycle, note: "closed in " + c.Path})
}

func (m *importing) createLesson(c coord.ImportChange) (coord.LessonID, error) {
	l, err := m.addLesson(coord.Lesson{Project: m.project.Key, Text: cmp.Or(c.Body, c.Title), Source: c.Path}, "")
	return l.ID, err
}

func (m *importing) updateLesson(c coord.ImportChange) error {
	err := m.change("UPDATE lessons SET text = ?, source = ?, edited_seq = ? WHERE project = ? AND number = ?",
		cmp.Or(c.Body, c.Title), c.Path, int64(m.head.seq+1), string(m.project.Key), lessonNumber(c.Lesson))
	if err != nil {
		return err
	}
	return m.record(coord.Event{
		Kind: coord.EventLessonLearned, Project: m.project.Key, Text: fmt.Sprintf("%s updated %s from %s", m.actor(), c.Lesson, c.Path),
		Data: map[string]string{"lesson": string(c.Lesson)},
	})
}

// keepHandoff keeps a handoff note as dated history: a later version is added
// beside the earlier ones.
func (m *importing) keepHandoff(c coord.ImportChange) error {
	return m.change("INSERT INTO handoffs (project, key, seq, title, body, at) VALUES (?, ?, ?, ?, ?, ?)",
		string(m.project.Key), c.Key, int64(m.head.seq+1), c.Title, c.Body, nanos(m.now))
}

// keepFiles stores the exact bytes of each file once, and that this version
// of the path was seen. It runs last, so that the event of the import is the
// next one.
func (m *importing) keepFiles(files []coord.SourceFile, digests map[string]string) error {
	for _, f := range files {
		digest, content := digests[f.Path], f.Content
		if content == nil {
			content = []byte{}
		}
		added, err := m.exec("INSERT INTO source_bytes (digest, content) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", digest, content)
		if err != nil {
			return err
		}
		var one int
		known, err := m.get([]any{&one}, "SELECT 1 FROM source_files WHERE project = ? AND path = ? AND digest = ?", string(m.project.Key), f.Path, digest)
		if err != nil {
			return err
		}
		m.stored = m.stored || added > 0 || !known
	}
	if !m.stored {
		return nil
	}
	for _, f := range files {
		err := m.change(`INSERT INTO source_files (project, path, digest, role, revision, seen_seq) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (project, path, digest) DO UPDATE SET role = excluded.role, revision = excluded.revision, seen_seq = excluded.seen_seq`,
			string(m.project.Key), f.Path, digests[f.Path], string(f.As), f.Revision, int64(m.head.seq+1))
		if err != nil {
			return err
		}
	}
	return nil
}
