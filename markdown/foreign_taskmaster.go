package markdown

import (
	"slices"
	"strings"

	"coord"
)

var taskMasterWords = map[string]coord.RecordStatus{
	"": coord.SourceOpen, "pending": coord.SourceOpen, "todo": coord.SourceOpen, "in-progress": coord.SourceActive, "review": coord.SourceActive,
	"done": coord.SourceDone, "completed": coord.SourceDone, "deferred": coord.SourceParked, "blocked": coord.SourceBlocked,
	"cancelled": coord.SourceRejected, "canceled": coord.SourceRejected,
}

var taskMasterPriority = map[string]coord.Priority{
	"critical": coord.PriorityUrgent, "high": coord.PriorityHigh, "medium": coord.PriorityNormal, "low": coord.PriorityLow,
}

// taskMaster reads a tasks.json: lists of tasks under tags, or the one list of
// older versions. Ids are unique in a tag, so outside of master they are told
// with it.
func (t *tracker) taskMaster() error {
	all, err := wholeOf(t.f.Content)
	if err != nil {
		return coord.Errorf(coord.CodeBadRequest, "the file is no JSON: %w; nothing was imported from it", err)
	}
	lists := 0
	for _, tag := range all.members() {
		list, group := tag.value, ""
		if tag.key != "tasks" {
			list, group = tag.fields().of["tasks"], tag.key
		}
		if len(list.raw) == 0 || list.raw[0] != '[' {
			continue
		}
		lists++
		if group == "master" {
			group = ""
		}
		for _, v := range list.elements() {
			t.masterTask(v, group)
		}
	}
	if lists == 0 {
		return coord.Errorf(coord.CodeBadRequest, "the file holds no list of tasks as Task Master keeps it; nothing was imported from it")
	}
	return nil
}

// masterTask adds a task and its subtasks. A task waits for its subtasks, and
// they for what it depends on.
func (t *tracker) masterTask(v value, group string) {
	f := v.fields()
	e := masterEntry(f, group)
	e.at, e.parent = v.span(), -1
	id := f.text("id")
	for _, on := range f.texts("dependencies") {
		e.after = append(e.after, inGroup(group, on))
	}
	subs := f.list("subtasks")
	needs := slices.Clone(e.after)
	var ids []string
	for _, s := range subs {
		ids = append(ids, s.fields().text("id"))
	}
	if !e.status.Closed() {
		for _, n := range ids {
			e.after = append(e.after, inGroup(group, within(id, n)))
		}
	}
	t.rest(f)
	index, ok := t.add(e)
	if !ok {
		return
	}
	for _, s := range subs {
		f := s.fields()
		e := masterEntry(f, group)
		e.id, e.at, e.parent = inGroup(group, within(id, f.text("id"))), s.span(), index
		e.about = append(e.about, "part of "+inGroup(group, id))
		e.after = slices.Clone(needs)
		for _, on := range f.texts("dependencies") {
			switch {
			case slices.Contains(ids, on):
				on = within(id, on)
			case on == id:
				continue // its own task, which waits for it
			}
			e.after = append(e.after, inGroup(group, on))
		}
		f.ignore("parentId", "parentTaskId")
		t.rest(f)
		t.add(e)
	}
}

// within is the full id of a subtask.
func within(task, sub string) string {
	if strings.HasPrefix(sub, task+".") {
		return sub
	}
	return task + "." + sub
}

func inGroup(group, id string) string {
	if group == "" {
		return id
	}
	return group + ":" + id
}

func masterEntry(f fields, group string) entry {
	e := entry{id: inGroup(group, f.text("id")), group: group, title: f.text("title")}
	if f.text("id") == "" {
		e.id = ""
	}
	e.status = wordStatus(f.text("status"), taskMasterWords)
	e.priority = taskMasterPriority[strings.ToLower(f.text("priority"))]
	e.criteria = f.texts("acceptanceCriteria")
	details := f.text("details")
	about := f.text("description")
	if about == details {
		details = ""
	}
	e.body = []string{about, details, titled("Test strategy", f.text("testStrategy"))}
	f.ignore("previousStatus", "updatedAt", "createdAt", "complexity", "expansionPrompt", "recommendedSubtasks")
	return e
}
