package servicetest

import (
	"fmt"
	"time"

	"coord"
)

func ofKind(k coord.Kind) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Kind = k }
}

func needs(capabilities ...string) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Capabilities = capabilities }
}

func partOf(parent coord.TaskID) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Parent = parent }
}

func labelled(labels ...string) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Labels = labels }
}

func criteria(all ...string) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Criteria = all }
}

// newTaskScenes are what a task may be created with, and what is found before
// it is created again.
var newTaskScenes = []scene{
	{"labels, paths, capabilities and source key are read back, sets in order", func(s *stage) {
		alpha := s.as("alpha")
		made := alpha.newTask("x", func(c *coord.CreateTask) {
			c.Labels, c.Paths, c.Capabilities, c.SourceKey = []string{"ui", "api", "ui"}, []string{"web/", "api/x.go"}, []string{"gpu", "avx"}, "tracker:17"
		})
		got := s.task(made.ID)
		is(s, "labels", got.Labels, []string{"api", "ui"})
		is(s, "paths", got.Paths, []string{"web/", "api/x.go"})
		is(s, "capabilities", got.Capabilities, []string{"avx", "gpu"})
		is(s, "source key", got.SourceKey, "tracker:17")
	}},
	{"a task of the same source key is answered as it is, open or closed", func(s *stage) {
		alpha := s.as("alpha")
		create := func(title string) coord.Created {
			return must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: title, SourceKey: "tracker:42"}))
		}
		first := create("Pay the rent")
		is(s, "new", first.Existing, false)
		again := create("Pay the rent, please")
		if again.ID != first.ID || !again.Existing || again.Title != "Pay the rent" {
			s.Errorf("got %+v", again)
		}
		must(alpha.CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: first.ID, Reason: "paid"}))
		if again = create("Pay the rent"); again.ID != first.ID || again.Status != coord.StatusCanceled {
			s.Errorf("got %+v", again)
		}
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 1)
	}},
	{"K1 the replay of a source key's answer still says so", func(s *stage) {
		alpha := s.as("alpha")
		alpha.newTask("x", func(c *coord.CreateTask) { c.SourceKey = "tracker:1" })
		c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "y", SourceKey: "tracker:1"}
		first, again := must(alpha.CreateTask(s.ctx, c)), must(alpha.CreateTask(s.ctx, c))
		if !first.Existing || !again.Existing || again.ID != first.ID {
			s.Errorf("got %+v, then %+v", first, again)
		}
	}},
	{"the closest others are named, best first", func(s *stage) {
		alpha := s.as("alpha")
		near := alpha.newTask("Refuse tokens that have expired").ID
		far := alpha.newTask("Expired sessions are refused at login").ID
		alpha.newTask("Write the manual")
		alpha.start(alpha.newTask("Draw the logo").ID).submit() // its followers have its title
		got := must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: "Refuse an expired token"}))
		var ids []coord.TaskID
		for _, r := range got.Similar {
			ids = append(ids, r.ID)
		}
		if len(ids) == 0 || ids[0] != near || len(ids) > 3 {
			s.Errorf("similar: %+v; want %s first, then perhaps %s", got.Similar, near, far)
		}
		for _, r := range got.Similar {
			if r.Title == "" || r.Status != coord.StatusReady || r.ID == got.ID {
				s.Errorf("similar: %+v", r)
			}
		}
	}},
	{"what is similar follows edits, forgets what closed long ago and knows one project", func(s *stage) {
		alpha := s.as("alpha")
		look := func(title string) []coord.TaskRecall {
			return must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: title, SameTitle: true})).Similar
		}
		old := alpha.newTask("Polish the brass lamp").ID
		title := "Repair the copper kettle"
		must(alpha.EditTask(s.ctx, coord.EditTask{Key: newKey(), Task: old, Revision: 1, Title: &title}))
		is(s, "by the old words", look("Polish a brass lamp"), nil)
		if got := look("Repair a copper kettle"); len(got) != 1 || got[0].ID != old {
			s.Errorf("by the new words: %+v", got)
		}
		gone := alpha.newTask("Sharpen the garden scissors").ID
		must(alpha.CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: gone, Reason: "lost"}))
		if got := look("Sharpen garden scissors"); len(got) != 1 || got[0].Status != coord.StatusCanceled {
			s.Errorf("closed just now: %+v", got)
		}
		other := s.h.Project(s.T, policy(coord.ReviewNone))
		is(s, "in another project", must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: other, Title: "Repair the copper kettle"})).Similar, nil)
		gone2 := alpha.newTask("Varnish the oak staircase").ID
		must(alpha.CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: gone2, Reason: "no"}))
		s.h.Advance(31 * 24 * time.Hour)
		is(s, "closed long ago", look("Varnish an oak staircase"), nil)
	}},
	{"filters: label, parent, owner, and the kinds", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		a := alpha.newTask("a", labelled("ui", "slow"), partOf(top)).ID
		b := alpha.newTask("b", labelled("ui"), ofKind(coord.KindGeneral)).ID
		alpha.newTask("c", labelled("ui-kit"))
		alpha.start(a)
		s.as("bravo").start(b)
		for _, c := range []struct {
			name string
			q    coord.TaskQuery
			want []coord.TaskID
		}{
			{"label", coord.TaskQuery{Label: "ui"}, []coord.TaskID{a, b}},
			{"another label", coord.TaskQuery{Label: "slow"}, []coord.TaskID{a}},
			{"no wildcard", coord.TaskQuery{Label: "u_"}, nil},
			{"no label at all", coord.TaskQuery{Label: `a" OR "b`}, nil},
			{"a word is no label", coord.TaskQuery{Label: "top"}, nil},
			{"parent", coord.TaskQuery{Parent: top}, []coord.TaskID{a}},
			{"owner", coord.TaskQuery{Owner: "bravo"}, []coord.TaskID{b}},
			{"owner and label", coord.TaskQuery{Owner: "alpha", Label: "slow"}, []coord.TaskID{a}},
			{"nobody", coord.TaskQuery{Owner: "echo"}, nil},
			{"objectives in progress", coord.TaskQuery{Status: coord.StatusInProgress, Kind: coord.KindObjective}, []coord.TaskID{top}},
			{"general", coord.TaskQuery{Kind: coord.KindGeneral}, []coord.TaskID{b}},
		} {
			c.q.Project = s.project
			is(s, c.name, ids(must(alpha.ListTasks(s.ctx, c.q)).Items), c.want)
		}
	}},
	{"children come in pages like everything else", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		var want, got []coord.TaskID
		for i := range 5 {
			want = append(want, alpha.newTask(fmt.Sprint("child ", i), partOf(top)).ID)
			alpha.newTask("other")
		}
		q := coord.TaskQuery{Project: s.project, Parent: top, Limit: 2}
		for range 5 {
			page := must(alpha.ListTasks(s.ctx, q))
			got = append(got, ids(page.Items)...)
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		is(s, "all pages", got, want)
	}},
	{"L18 a list shows what was acknowledged before it was asked for, and says as of when", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		var before coord.Page[coord.Task]
		for range 5 {
			made := alpha.newTask("x")
			page := must(bravo.ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Limit: 200}))
			if len(page.Items) == 0 || page.Items[len(page.Items)-1].ID != made.ID {
				s.Fatalf("%s is not in the list", made.ID)
			}
			events := s.task(made.ID).Events
			if before.AsOf >= events[0].Seq {
				s.Errorf("a list without %s says as of %d, and the task was made at %d", made.ID, before.AsOf, events[0].Seq)
			}
			before = page
			if last := events[len(events)-1].Seq; page.AsOf < last {
				s.Errorf("as of %d, and the task is of %d", page.AsOf, last)
			}
		}
	}},
}
