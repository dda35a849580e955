package store

import (
	"cmp"
	"fmt"

	"coord"
)

// importing is one import as a transaction applies it.
type importing struct {
	*tx
	project coord.Project
	plan    *coord.ImportPlan
	out     coord.ImportResult
	stored  bool // something other than an event was written
	later   bool // an earlier transaction of the import did the first changes
}

// importing begins a transaction of a's import, if its caller may apply it.
func (t *tx) importing(a *applier) (*importing, error) {
	p, err := t.project(a.c.Project)
	if err != nil {
		return nil, err
	}
	if err := p.Policy.CheckImport(t.caller.Role, a.plan); err != nil {
		return nil, err
	}
	m := &importing{tx: t, project: p, plan: &a.plan}
	m.out = coord.ImportResult{Digest: a.plan.Digest, Applied: map[coord.ImportAction]int{}, Total: len(a.work)}
	return m, nil
}

// finish keeps the files and what is wrong in them, and says what was done.
func (m *importing) finish(a *applier) (coord.ImportResult, error) {
	if err := m.keepProblems(); err != nil {
		return m.out, err
	}
	if err := m.keepFiles(a); err != nil {
		return m.out, err
	}
	if m.stored {
		err := m.record(coord.Event{
			Kind: coord.EventImportApplied, Project: m.project.Key, Text: m.said(len(a.c.Files)), Data: map[string]string{"digest": m.plan.Digest},
		})
		if err != nil {
			return m.out, err
		}
	}
	m.out.AsOf = m.head.seq
	if m.stored {
		return m.out, m.keepFinished()
	}
	return m.out, nil
}

func (m *importing) said(files int) string {
	return fmt.Sprintf("%s imported %s: %s, %s", m.actor(), counted(files, "file"), counted(len(m.out.Tasks), "task"), counted(len(m.out.Lessons), "lesson"))
}

// mayApply leaves to operators what only they may apply, and counts it.
func (m *importing) mayApply(c coord.ImportChange) bool {
	if m.caller.Role == coord.RoleOperator || !c.ForOperator() {
		return true
	}
	if c.Action != coord.ActionNone {
		m.out.Skipped++
	}
	return false
}

// applyAll forgets every anchor that another takes the place of before it
// stores one: two records may have changed places.
func (m *importing) applyAll(changes []coord.ImportChange) error {
	for _, c := range changes {
		if c.Anchor == nil || c.Replaces == "" || m.caller.Role != coord.RoleOperator && c.ForOperator() {
			continue
		}
		if _, err := m.exec("DELETE FROM anchors WHERE project = ? AND key = ?", string(m.project.Key), c.Replaces); err != nil {
			return err
		}
	}
	for _, c := range changes {
		m.out.Done++
		if !m.mayApply(c) {
			continue
		}
		why, err := m.outdated(c)
		if err == nil && why == "" {
			err = m.apply(c)
		}
		if err != nil {
			return err
		}
		if why != "" {
			m.leaveOut(c, why)
		}
	}
	return nil
}

func (m *importing) leaveOut(c coord.ImportChange, why string) {
	m.out.Outdated = append(m.out.Outdated, coord.OutdatedChange{Path: c.Path, Line: c.Line, Title: c.Title, Task: c.Task, Why: why})
}

// outdated says why a change does not fit any more what is stored: what it was
// planned on moved between two transactions of the import.
func (m *importing) outdated(c coord.ImportChange) (string, error) {
	if why, err := m.taken(c); why != "" || err != nil {
		return why, err
	}
	switch {
	case c.Action == coord.ActionUpdateLesson:
		return m.lessonMoved(c)
	case c.Task == "" || c.From == "" || c.Action == coord.ActionNone:
		return "", nil
	}
	task, err := m.taskOf(m.project.Key, c.Task)
	switch {
	case err != nil:
		return "", err
	case task.Revision != c.Revision:
		return string(c.Task) + " was edited meanwhile", nil
	case task.Lifecycle != c.From:
		return string(c.Task) + " is " + string(task.Lifecycle) + " meanwhile", nil
	case m.later && c.Action == coord.ActionCloseTask && (task.Owner != nil || task.Submission != ""):
		return "work on " + string(c.Task) + " began meanwhile", nil
	}
	return "", nil
}

// taken says whose place the change would take. The place of a record that
// stays where it is, or whose own change was left to an operator, is not given
// away.
func (m *importing) taken(c coord.ImportChange) (string, error) {
	if c.Anchor == nil {
		return "", nil
	}
	var task coord.TaskID
	var lesson coord.LessonID
	found, err := m.get([]any{&task, &lesson}, "SELECT coalesce(anchor ->> '$.task', ''), coalesce(anchor ->> '$.lesson', '') FROM anchors WHERE project = ? AND key = ?",
		string(m.project.Key), anchorKey(c))
	switch {
	case err != nil || !found || c.Kind == coord.RecordHandoff:
		return "", err
	case task == cmp.Or(c.Anchor.Task, c.Task) && lesson == cmp.Or(c.Anchor.Lesson, c.Lesson):
		return "", nil
	}
	return "its place is that of " + string(task) + string(lesson), nil
}

func (m *importing) lessonMoved(c coord.ImportChange) (string, error) {
	x, err := m.lesson(m.project.Key, c.Lesson)
	switch {
	case err != nil:
		return "", err
	case x.Rule != nil || x.SupersededBy != "":
		return string(c.Lesson) + " is a rule or was superseded, and keeps its text", nil
	case c.Revision == 0:
		return "", nil
	}
	var edited int64
	if _, err := m.get([]any{&edited}, "SELECT edited_seq FROM lessons WHERE id = ?", x.row); err != nil || edited == c.Revision {
		return "", err
	}
	return string(c.Lesson) + " was changed meanwhile", nil
}

func (m *importing) apply(c coord.ImportChange) (err error) {
	task, lesson, note := c.Task, c.Lesson, coord.HandoffID("")
	switch c.Action {
	case coord.ActionNone:
	case coord.ActionCreateTask:
		task, err = m.createTask(&c)
	case coord.ActionUpdateTask:
		err = m.updateTask(&c)
	case coord.ActionCloseTask:
		err = m.finishTask(&c)
	case coord.ActionCreateLesson:
		lesson, err = m.createLesson(c)
	case coord.ActionUpdateLesson:
		err = m.updateLesson(c)
	case coord.ActionRecordHandoff:
		note, err = m.keepHandoff(c)
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
	if note != "" {
		m.out.Handoffs = append(m.out.Handoffs, note)
	}
	return m.keepAnchor(c, task, lesson, note)
}

func anchorKey(c coord.ImportChange) string { return cmp.Or(c.Key, c.Anchor.Key) }

// keepAnchor stores what is remembered of the record, with the task, lesson or
// handoff note that it became.
func (m *importing) keepAnchor(c coord.ImportChange, task coord.TaskID, lesson coord.LessonID, note coord.HandoffID) error {
	if c.Anchor == nil {
		return nil
	}
	m.stored = true
	a := *c.Anchor
	a.Task, a.Lesson = cmp.Or(a.Task, task), cmp.Or(a.Lesson, lesson)
	a.Handoff = cmp.Or(note, a.Handoff)
	return m.change("INSERT INTO anchors (project, key, anchor) VALUES (?, ?, ?) ON CONFLICT (project, key) DO UPDATE SET anchor = excluded.anchor",
		string(m.project.Key), anchorKey(c), toJSON(a))
}
