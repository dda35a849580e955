package servicetest

import (
	"strings"

	"coord"
)

var taskScenes = []scene{
	{"a task is read back as it was created", func(s *stage) {
		alpha := s.as("alpha")
		made := alpha.newTask("Refuse old tokens", priority(coord.PriorityHigh), func(c *coord.CreateTask) {
			c.Outcome, c.Criteria = "An expired token answers 401.", []string{"test covers it", "log says why"}
		})
		got := s.task(made.ID)
		is(s, "the task", got.Task, made)
		is(s, "criteria", got.Criteria, []string{"test covers it", "log says why"})
		if got.Status != coord.StatusReady || got.Kind != coord.KindCode || got.Target != "main" || got.Lifecycle != coord.LifecycleOpen || got.Revision != 1 || got.Generation != 0 {
			s.Errorf("got %+v", got.Task)
		}
		is(s, "digest", got.Digest, coord.Digest(coord.KindCode, got.Title, got.Outcome, got.Criteria))
		is(s, "project", got.ID.Project(), s.project)
		if got.ReadySince == nil || !got.ReadySince.Equal(s.h.Now()) {
			s.Errorf("ready since %v", got.ReadySince)
		}
	}},
	{"an unfinished task of the same title is refused, unless that is meant", func(s *stage) {
		alpha := s.as("alpha")
		first := alpha.newTask("pay out")
		c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "pay out"}
		_, err := alpha.CreateTask(s.ctx, c)
		if coord.CodeOf(err) != coord.CodeStateConflict || !strings.Contains(err.Error(), string(first.ID)) {
			s.Errorf("got %v", err)
		}
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Title: "pay out"})).Items), 1)
		c.Key, c.SameTitle = newKey(), true
		must(alpha.CreateTask(s.ctx, c))
	}},
	{"numbers rise and are not reused", func(s *stage) {
		alpha := s.as("alpha")
		for i, want := range []string{"-1", "-2", "-3"} {
			if id := alpha.newTask("x").ID; string(id) != string(s.project)+want {
				s.Errorf("task %d is %s", i, id)
			}
		}
	}},
	{"priority is normal and the target the repository's unless said", func(s *stage) {
		alpha := s.as("alpha")
		is(s, "priority", alpha.newTask("x").Priority, coord.PriorityNormal)
		is(s, "target", alpha.newTask("x", target("release/1")).Target, "release/1")
	}},
	{"a planned task is not ready", func(s *stage) {
		s.status(s.as("alpha").newTask("x", planned).ID, coord.StatusPlanned)
	}},
	{"K1 the same request again is the same task", func(s *stage) {
		alpha := s.as("alpha")
		c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "once"}
		first := must(alpha.CreateTask(s.ctx, c))
		is(s, "the replay", must(alpha.CreateTask(s.ctx, c)).ID, first.ID)
		if n := len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items); n != 1 {
			s.Errorf("%d tasks", n)
		}
	}},
	{"bad input is refused and records nothing", func(s *stage) {
		alpha := s.as("alpha")
		for name, edit := range map[string]func(*coord.CreateTask){
			"no title":      func(c *coord.CreateTask) { c.Title = " " },
			"long title":    func(c *coord.CreateTask) { c.Title = strings.Repeat("x", 201) },
			"priority":      func(c *coord.CreateTask) { c.Priority = "asap" },
			"target":        func(c *coord.CreateTask) { c.Target = "a..b" },
			"dependency id": func(c *coord.CreateTask) { c.DependsOn = []coord.TaskID{"not an id"} },
			"key":           func(c *coord.CreateTask) { c.Key = "short" },
		} {
			c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "x"}
			edit(&c)
			if _, err := alpha.CreateTask(s.ctx, c); coord.CodeOf(err) != coord.CodeBadRequest && coord.CodeOf(err) != coord.CodeNotFound {
				s.Errorf("%s: %v", name, err)
			}
		}
		if n := len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items); n != 0 {
			s.Errorf("%d tasks were recorded", n)
		}
		is(s, "the next number", alpha.newTask("x").ID, coord.NewTaskID(s.project, 1))
	}},
	{"a dependency must exist, in the same project", func(s *stage) {
		alpha := s.as("alpha")
		elsewhere := alpha.newTask("elsewhere").ID
		s.project = s.h.Project(s.T, policy(coord.ReviewNone))
		for _, id := range []coord.TaskID{coord.NewTaskID(s.project, 99), elsewhere} {
			_, err := alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: "x", DependsOn: []coord.TaskID{id}})
			s.refused(err, coord.CodeNotFound, coord.CodeBadRequest)
		}
	}},
	{"a dependency that is not done blocks, by name", func(s *stage) {
		alpha := s.as("alpha")
		first := alpha.newTask("first").ID
		second := s.task(alpha.newTask("second", after(first)).ID)
		is(s, "status", second.Status, coord.StatusBlocked)
		is(s, "depends on", second.DependsOn, []coord.TaskID{first})
		is(s, "waits for", second.WaitsFor, []coord.TaskID{first})
	}},
	{"only done satisfies a dependency, and then at once", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		first := alpha.newTask("first").ID
		second := alpha.newTask("second", after(first)).ID
		w := alpha.start(first)
		s.status(second, coord.StatusBlocked)
		w.submit()
		s.status(second, coord.StatusBlocked)
		h, l := s.as("bravo").publishing(first)
		s.status(second, coord.StatusBlocked)
		must(h.see(l))
		s.status(second, coord.StatusReady)
		is(s, "waits for", s.task(second).WaitsFor, nil)
		s.status(alpha.newTask("third", after(first)).ID, coord.StatusReady)
	}},
	{"an unknown task is not found, a malformed id is bad", func(s *stage) {
		alpha := s.as("alpha")
		_, err := alpha.Task(s.ctx, coord.NewTaskID(s.project, 99))
		s.refused(err, coord.CodeNotFound)
		_, err = alpha.Task(s.ctx, "pay--1")
		s.refused(err, coord.CodeBadRequest, coord.CodeNotFound)
	}},
}

var listScenes = []scene{
	{"selection order: open first, by priority, ready since, number", func(s *stage) {
		alpha := s.as("alpha")
		low := alpha.newTask("low", priority(coord.PriorityLow)).ID
		later := alpha.newTask("planned", planned, priority(coord.PriorityUrgent)).ID
		n1, n2 := alpha.newTask("n1").ID, alpha.newTask("n2").ID
		s.h.Advance(1e9)
		n3 := alpha.newTask("n3").ID
		urgent := alpha.newTask("urgent", priority(coord.PriorityUrgent)).ID
		is(s, "order", ids(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), []coord.TaskID{urgent, n1, n2, n3, low, later})
	}},
	{"pages cover everything once", func(s *stage) {
		alpha := s.as("alpha")
		var want []coord.TaskID
		for range 7 {
			want = append(want, alpha.newTask("x").ID)
		}
		var got []coord.TaskID
		q := coord.TaskQuery{Project: s.project, Limit: 3}
		for range 5 {
			page := must(alpha.ListTasks(s.ctx, q))
			if len(page.Items) > 3 || page.AsOf == 0 {
				s.Errorf("%d items as of %d", len(page.Items), page.AsOf)
			}
			got = append(got, ids(page.Items)...)
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		is(s, "all pages", got, want)
	}},
	{"a page holds 50 unless asked", func(s *stage) {
		alpha := s.as("alpha")
		for range 51 {
			alpha.newTask("x")
		}
		page := must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project}))
		if len(page.Items) != 50 || page.NextCursor == "" {
			s.Errorf("%d items, cursor %q", len(page.Items), page.NextCursor)
		}
		page = must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Limit: 51}))
		if len(page.Items) != 51 || page.NextCursor != "" {
			s.Errorf("%d items, cursor %q", len(page.Items), page.NextCursor)
		}
	}},
	{"a cursor that no page gave is refused", func(s *stage) {
		_, err := s.as("alpha").ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Cursor: "next please"})
		s.refused(err, coord.CodeBadRequest)
	}},
	{"filters: status, kind, text, title", func(s *stage) {
		alpha := s.as("alpha")
		parser, lexer := alpha.newTask("Fix the Parser").ID, alpha.newTask("fix the lexer").ID
		percent := alpha.newTask("100% _done_").ID
		waiting := alpha.newTask("wait", after(parser)).ID
		sub := s.approved("submitted")
		for _, c := range []struct {
			name string
			q    coord.TaskQuery
			want []coord.TaskID
		}{
			{"status ready, kind code", coord.TaskQuery{Status: coord.StatusReady, Kind: coord.KindCode}, []coord.TaskID{parser, lexer, percent}},
			{"status blocked", coord.TaskQuery{Status: coord.StatusBlocked}, []coord.TaskID{waiting}},
			{"status waiting for integration", coord.TaskQuery{Status: coord.StatusWaitingIntegration}, []coord.TaskID{sub.Task}},
			{"kind integration", coord.TaskQuery{Kind: coord.KindIntegration}, []coord.TaskID{sub.Integration}},
			{"text in any case", coord.TaskQuery{Text: "FIX THE"}, []coord.TaskID{parser, lexer}},
			{"percent sign is itself", coord.TaskQuery{Text: "%"}, []coord.TaskID{percent}},
			{"underscore is itself", coord.TaskQuery{Text: "_done_"}, []coord.TaskID{percent}},
			{"quotes are themselves", coord.TaskQuery{Text: `'"`}, nil},
			{"exact title", coord.TaskQuery{Title: "fix the lexer"}, []coord.TaskID{lexer}},
			{"title is not a part", coord.TaskQuery{Title: "fix the"}, nil},
		} {
			c.q.Project = s.project
			is(s, c.name, ids(must(alpha.ListTasks(s.ctx, c.q)).Items), c.want)
		}
	}},
	{"two tasks of one title are both found", func(s *stage) {
		alpha := s.as("alpha")
		a, b := alpha.newTask("twin").ID, alpha.newTask("twin").ID
		is(s, "twins", ids(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Title: "twin"})).Items), []coord.TaskID{a, b})
	}},
	{"a filter works across pages", func(s *stage) {
		alpha := s.as("alpha")
		var want []coord.TaskID
		for i := range 12 {
			if i%3 == 0 {
				want = append(want, alpha.newTask("odd one").ID)
			} else {
				alpha.newTask("other")
			}
		}
		var got []coord.TaskID
		q := coord.TaskQuery{Project: s.project, Text: "odd", Limit: 2}
		for range 12 {
			page := must(alpha.ListTasks(s.ctx, q))
			got = append(got, ids(page.Items)...)
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		is(s, "all pages", got, want)
	}},
	{"other projects' tasks stay out", func(s *stage) {
		alpha := s.as("alpha")
		alpha.newTask("mine")
		s.project = s.h.Project(s.T, policy(coord.ReviewNone))
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 0)
	}},
}

func ids(tasks []coord.Task) []coord.TaskID {
	var out []coord.TaskID
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return out
}
