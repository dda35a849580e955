package markdown

import (
	"fmt"
	"slices"
	"testing"

	"coord"
)

// apply does to the state what a store does with a plan, as an operator.
func (s *state) apply(t interface{ Fatalf(string, ...any) }, plan coord.ImportPlan) {
	s.base.AsOf++
	at := s.base.AsOf
	for _, f := range plan.Files {
		if f.State == "" {
			s.base.Files = append(s.base.Files, coord.ImportedFile{Path: f.Path, As: f.As, Digest: f.Digest, Revision: f.Revision, At: f.At, Seen: at})
		}
	}
	for _, c := range plan.Changes {
		s.base.Records = slices.DeleteFunc(s.base.Records, func(a coord.ImportAnchor) bool { return c.Replaces != "" && a.Key == c.Replaces })
	}
	became := map[string]coord.TaskID{}
	for _, c := range linkedFirst(plan.Changes) {
		task, lesson := c.Task, c.Lesson
		switch c.Action {
		case coord.ActionCreateTask:
			s.addTask(coord.ExportTask{Title: c.Title, Outcome: c.Body, Criteria: c.Criteria, Priority: c.Priority, Lifecycle: c.Lifecycle})
			task = s.base.Tasks[len(s.base.Tasks)-1].ID
			s.touch(task, at)
			s.link(t, task, c, became)
		case coord.ActionUpdateTask, coord.ActionCloseTask:
			s.update(task, c, at)
			s.link(t, task, c, became)
		case coord.ActionCreateLesson:
			s.learn(coord.ExportLesson{Text: c.Body, Source: "observed", Kind: learnt(c.LessonKind), Tags: c.Tags, Scope: c.Scope, Reopen: c.Reopen})
			lesson = s.base.Lessons[len(s.base.Lessons)-1].ID
			s.base.Lessons[len(s.base.Lessons)-1].Created, s.base.Lessons[len(s.base.Lessons)-1].Edited = at, at
		case coord.ActionUpdateLesson:
			s.relearn(c, at)
		}
		if c.Key != "" {
			became[c.Key] = task
		}
		s.store(t, c, task, lesson)
	}
}

// relearn sets what the change of a lesson names.
func (s *state) relearn(c coord.ImportChange, at coord.Seq) {
	for i := range s.base.Lessons {
		l, e := &s.base.Lessons[i], &s.data.Lessons[i]
		if l.ID != c.Lesson {
			continue
		}
		for _, f := range c.Facets {
			switch f {
			case facetBody:
				l.Text = c.Body
			case coord.FacetKind:
				l.Kind = c.LessonKind
			case coord.FacetTags:
				l.Tags = c.Tags
			case coord.FacetScope:
				l.Scope = c.Scope
			case coord.FacetReopen:
				l.Reopen = c.Reopen
			}
		}
		e.Text, e.Kind, e.Tags, e.Scope, e.Reopen, l.Edited = l.Text, l.Kind, l.Tags, l.Scope, l.Reopen, at
	}
}

// linkedFirst orders changes so that what another waits for comes first.
func linkedFirst(changes []coord.ImportChange) []coord.ImportChange {
	byKey, done := map[string]int{}, make([]bool, len(changes))
	for i, c := range changes {
		byKey[c.Key] = i
	}
	var out []coord.ImportChange
	var visit func(int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		for _, k := range changes[i].AfterKeys {
			visit(byKey[k])
		}
		out = append(out, changes[i])
	}
	for i := range changes {
		visit(i)
	}
	return out
}

// link adds and takes away what a task waits for; a task never waits for itself.
func (s *state) link(t interface{ Fatalf(string, ...any) }, id coord.TaskID, c coord.ImportChange, became map[string]coord.TaskID) {
	on := slices.Clone(c.After)
	for _, k := range c.AfterKeys {
		if became[k] == "" {
			t.Fatalf("%s waits for a record that became nothing", id)
		}
		on = append(on, became[k])
	}
	x := s.task(id)
	defer s.linked(id, x.After)
	x.After = slices.DeleteFunc(slices.Clone(x.After), func(d coord.TaskID) bool { return slices.Contains(c.NotAfter, d) })
	for _, d := range on {
		err := coord.CheckAcyclic(id, d, func(n coord.TaskID) ([]coord.TaskID, error) { return s.task(n).After, nil })
		if err != nil || slices.Contains(x.After, d) {
			t.Fatalf("%s after %s: %v, has %v", id, d, err, x.After)
		}
		x.After = append(x.After, d)
	}
	s.sync(*x)
}

func (s *state) store(t interface{ Fatalf(string, ...any) }, c coord.ImportChange, task coord.TaskID, lesson coord.LessonID) {
	if c.Anchor == nil {
		return
	}
	a := *c.Anchor
	a.Task, a.Lesson = task, lesson
	for i := range s.base.Records {
		if s.base.Records[i].Key == a.Key {
			if s.base.Records[i].Task != a.Task || s.base.Records[i].Lesson != a.Lesson {
				t.Fatalf("key of %s%s would take the place of %s%s", a.Task, a.Lesson, s.base.Records[i].Task, s.base.Records[i].Lesson)
			}
			s.base.Records[i] = a
			return
		}
	}
	s.base.Records = append(s.base.Records, a)
}

func (s *state) touch(id coord.TaskID, at coord.Seq) {
	t := s.task(id)
	t.Created, t.Edited = at, at
	if t.Closed != 0 {
		t.Closed = at
	}
}

func (s *state) task(id coord.TaskID) *coord.ImportTask {
	for i := range s.base.Tasks {
		if s.base.Tasks[i].ID == id {
			return &s.base.Tasks[i]
		}
	}
	panic(fmt.Sprintf("no task %s", id))
}

func (s *state) update(id coord.TaskID, c coord.ImportChange, at coord.Seq) {
	t := s.task(id)
	for _, f := range c.Facets {
		switch f {
		case facetTitle:
			t.Title = c.Title
		case facetBody:
			t.Outcome = c.Body
		case facetCriteria:
			t.Criteria = c.Criteria
		case facetPriority:
			t.Priority = stated(c.Priority)
		case coord.FacetLifecycle:
			t.Lifecycle = c.Lifecycle
		}
		t.Edited = at
	}
	if c.Action == coord.ActionCloseTask {
		t.Lifecycle, t.Closed = c.Lifecycle, at
	}
	s.sync(*t)
}

// sync shows a task in the export as the base holds it.
func (s *state) sync(t coord.ImportTask) {
	for i := range s.data.Tasks {
		if e := &s.data.Tasks[i]; e.ID == t.ID {
			e.Title, e.Outcome, e.Criteria, e.Priority, e.Lifecycle, e.After = t.Title, t.Outcome, t.Criteria, t.Priority, t.Lifecycle, t.After
		}
	}
}

// edit changes a task in the service, outside of any import.
func (s *state) edit(id coord.TaskID, change func(*coord.ImportTask)) {
	s.base.AsOf++
	t := s.task(id)
	before := *t
	change(t)
	if before.Title != t.Title || before.Outcome != t.Outcome || before.Priority != t.Priority || !slices.Equal(before.Criteria, t.Criteria) {
		t.Edited = s.base.AsOf
	}
	if !closed(before.Lifecycle) && closed(t.Lifecycle) {
		t.Closed = s.base.AsOf
	}
	s.linked(id, before.After)
	s.sync(*t)
}

// linked records what a task waits for now and did not before, and the reverse,
// as events of now.
func (s *state) linked(id coord.TaskID, before []coord.TaskID) {
	now := s.task(id).After
	for _, d := range slices.Concat(before, now) {
		if is := slices.Contains(now, d); is != slices.Contains(before, d) {
			s.base.Links = append(s.base.Links, coord.ImportLink{Task: id, After: d, Removed: !is, At: s.base.AsOf})
		}
	}
}

func (s *state) plan(t testing.TB, files ...coord.SourceFile) coord.ImportPlan {
	t.Helper()
	plan, err := Plan(s.base, files)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func backlog(text string) coord.SourceFile {
	return coord.SourceFile{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(text)}
}

// brief lists the changes that are not plainly unchanged, one string each.
func brief(plan coord.ImportPlan) []string {
	var out []string
	for _, c := range plan.Changes {
		if c.State == coord.ImportUnchanged && c.Action == coord.ActionNone {
			continue
		}
		s := fmt.Sprintf("%s %s %s%s", c.State, c.Action, c.Task, c.Lesson)
		if len(c.Facets) > 0 {
			s += fmt.Sprint(" ", c.Facets)
		}
		if c.Lifecycle != "" {
			s += " " + string(c.Lifecycle)
		}
		out = append(out, s)
	}
	return out
}
