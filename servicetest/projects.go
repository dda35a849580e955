package servicetest

import (
	"slices"

	"coord"
)

var projectScenes = []scene{
	{"a project is read back as it was registered", func(s *stage) {
		want := createProject("registered", policy(coord.ReviewNone))
		made := must(s.h.AsSetup().CreateProject(s.ctx, want))
		got := must(s.h.AsOperator().Project(s.ctx, "registered"))
		is(s, "the project", got, made)
		is(s, "its policy", got.Policy, want.Policy.Complete())
		is(s, "its repositories", got.Repositories, want.Repositories)
		if !got.CreatedAt.Equal(s.h.Now()) || got.CreatedBy == "" {
			s.Errorf("created at %s by %q", got.CreatedAt, got.CreatedBy)
		}
	}},
	{"the list holds every project once", func(s *stage) {
		list := must(s.as("alpha").ListProjects(s.ctx))
		n := 0
		for _, p := range list {
			if p.Key == s.project {
				n++
			}
		}
		if n != 1 {
			s.Errorf("%s is listed %d times", s.project, n)
		}
	}},
	{"a key and a remote are taken once", func(s *stage) {
		first := createProject("taken", policy(coord.ReviewNone))
		must(s.h.AsSetup().CreateProject(s.ctx, first))
		again := createProject("taken", policy(coord.ReviewNone))
		again.Repositories[0].ID, again.Repositories[0].Remote = "git.example.com/other", "https://git.example.com/other"
		_, err := s.h.AsSetup().CreateProject(s.ctx, again)
		s.refused(err, coord.CodeStateConflict)
		other := createProject("other", policy(coord.ReviewNone))
		other.Repositories = first.Repositories
		_, err = s.h.AsSetup().CreateProject(s.ctx, other)
		s.refused(err, coord.CodeStateConflict)
		_, err = s.h.AsOperator().Project(s.ctx, "other")
		s.refused(err, coord.CodeNotFound)
	}},
	{"K1 the same request again makes nothing", func(s *stage) {
		c := createProject("twice", policy(coord.ReviewAgent))
		first := must(s.h.AsSetup().CreateProject(s.ctx, c))
		is(s, "the replay", must(s.h.AsSetup().CreateProject(s.ctx, c)), first)
	}},
	{"bad input is refused", func(s *stage) {
		for name, edit := range map[string]func(*coord.CreateProject){
			"key":        func(c *coord.CreateProject) { c.Project = "No-Key" },
			"name":       func(c *coord.CreateProject) { c.Name = "" },
			"policy":     func(c *coord.CreateProject) { c.Policy.Lease = -1 },
			"branch":     func(c *coord.CreateProject) { c.Repositories[0].Target = "-x" },
			"repository": func(c *coord.CreateProject) { c.Repositories = nil },
			"idem key":   func(c *coord.CreateProject) { c.Key = "short" },
		} {
			c := createProject("bad", policy(coord.ReviewNone))
			edit(&c)
			_, err := s.h.AsSetup().CreateProject(s.ctx, c)
			if coord.CodeOf(err) != coord.CodeBadRequest {
				s.Errorf("bad %s: %v", name, err)
			}
		}
	}},
	{"an unknown project is not found, by every reader", func(s *stage) {
		alpha := s.as("alpha")
		for name, read := range map[string]func() error{
			"Project":      func() error { _, err := alpha.Project(s.ctx, "nowhere"); return err },
			"ListTasks":    func() error { _, err := alpha.ListTasks(s.ctx, coord.TaskQuery{Project: "nowhere"}); return err },
			"Next":         func() error { _, err := alpha.Next(s.ctx, "nowhere"); return err },
			"Board":        func() error { _, err := alpha.Board(s.ctx, "nowhere"); return err },
			"LandingBoard": func() error { _, err := alpha.LandingBoard(s.ctx, "nowhere"); return err },
			"Lessons":      func() error { _, err := alpha.Lessons(s.ctx, coord.LessonQuery{Project: "nowhere"}); return err },
			"ExportData":   func() error { _, err := alpha.ExportData(s.ctx, "nowhere"); return err },
			"Sources":      func() error { _, err := alpha.Sources(s.ctx, "nowhere"); return err },
			"Claim": func() error {
				_, err := alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: "nowhere"})
				return err
			},
			"CreateTask": func() error {
				_, err := alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: "nowhere", Title: "x"})
				return err
			},
		} {
			if err := read(); coord.CodeOf(err) != coord.CodeNotFound {
				s.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"roles: agents work, setup registers, operators look", func(s *stage) {
		alpha := s.as("alpha")
		task := alpha.newTask("x")
		refusal := []coord.Code{coord.CodeNotPermitted, coord.CodeSessionUnknown}
		_, err := alpha.CreateProject(s.ctx, createProject("byagent", policy(coord.ReviewNone)))
		s.refused(err, coord.CodeNotPermitted)
		for name, svc := range map[string]coord.Service{"setup": s.h.AsSetup(), "operator": s.h.AsOperator()} {
			if _, err := svc.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project, Task: task.ID}); !slices.Contains(refusal, coord.CodeOf(err)) {
				s.Errorf("%s claimed a task: %v", name, err)
			}
		}
		_, err = s.h.AsSetup().CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: "x"})
		s.refused(err, refusal...)
		s.status(task.ID, coord.StatusReady)
	}},
	{"whoami tells sessions apart under one principal", func(s *stage) {
		a, b := must(s.as("alpha").Whoami(s.ctx)), must(s.as("bravo").Whoami(s.ctx))
		if a.Session == "" || a.Session == b.Session || a.Principal != b.Principal || a.Name != "alpha" || a.Role != coord.RoleAgent {
			s.Errorf("alpha is %+v, bravo %+v", a, b)
		}
		if op := must(s.h.AsOperator().Whoami(s.ctx)); op.Role != coord.RoleOperator || op.Session != "" {
			s.Errorf("the operator is %+v", op)
		}
	}},
}
