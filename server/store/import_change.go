package store

import (
	"cmp"
	"fmt"
	"slices"

	"coord"
)

// createTask records a task with what it waits for. One that should be ready
// is only planned when something that it waits for is missing.
func (m *importing) createTask(c *coord.ImportChange) (coord.TaskID, error) {
	on, whole, err := m.waitsOf(c)
	if err != nil {
		return "", err
	}
	if !whole && c.Lifecycle == coord.LifecycleOpen {
		c.Lifecycle = coord.LifecyclePlanned
	}
	r, _ := m.project.Repository("")
	return m.addTask(coord.Task{
		Project: m.project.Key, Kind: coord.KindCode, Title: c.Title, Outcome: c.Body, Criteria: c.Criteria,
		Priority: cmp.Or(c.Priority, coord.PriorityNormal), Lifecycle: cmp.Or(c.Lifecycle, coord.LifecyclePlanned),
		Repository: r.ID, Target: r.Target, Source: c.Path, DependsOn: on,
	}, "")
}

// updateTask sets the facets that the change names.
func (m *importing) updateTask(c *coord.ImportChange) error {
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
	whole := true
	if sets(coord.FacetAfter) {
		if whole, err = m.relink(c); err != nil {
			return err
		}
	}
	if sets(coord.FacetLifecycle) && whole {
		if err := m.admitTask(task.ID); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(c.Facets, func(f string) bool { return f != coord.FacetLifecycle && f != coord.FacetAfter }) {
		return nil // its text was not edited
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
func (m *importing) finishTask(c *coord.ImportChange) error {
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
	l, err := m.addLesson(coord.Lesson{
		Project: m.project.Key, Kind: c.LessonKind, Text: cmp.Or(c.Body, c.Title), Tags: c.Tags, Scope: c.Scope, Reopen: c.Reopen, Source: c.Path,
	}, "")
	return l.ID, err
}

// updateLesson sets the facets that the change names; its text if it names none.
func (m *importing) updateLesson(c coord.ImportChange) error {
	says := coord.EditLesson{}
	sets := func(facet string) bool { return slices.Contains(c.Facets, facet) }
	if text := cmp.Or(c.Body, c.Title); sets("body") || len(c.Facets) == 0 {
		says.Text = &text
	}
	if sets(coord.FacetKind) {
		says.Kind = &c.LessonKind
	}
	if sets(coord.FacetTags) {
		says.Tags = &c.Tags
	}
	if sets(coord.FacetScope) {
		says.Scope = &c.Scope
	}
	if sets(coord.FacetReopen) {
		says.Reopen = &c.Reopen
	}
	return m.importedLesson(m.project.Key, c.Lesson, says, "", c.Path)
}

// keepHandoff keeps a handoff note as dated history: a later version is added
// beside the earlier ones.
func (m *importing) keepHandoff(c coord.ImportChange) (coord.HandoffID, error) {
	n := coord.HandoffNote{Project: m.project.Key, Title: c.Title, Body: c.Body, HandoffFacts: c.Handoff, Path: c.Path, Line: c.Line, Last: c.Last}
	for _, f := range m.plan.Files {
		if f.Path == c.Path {
			n.Commit, n.Digest, n.Written = coord.OID(f.Revision), f.Digest, f.At
		}
	}
	var before coord.HandoffID
	if c.Anchor != nil {
		before = c.Anchor.Handoff
	}
	return m.addHandoff(n, before)
}
