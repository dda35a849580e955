package servicetest

import (
	"coord"
)

const backlog = "# Backlog\n\n- [ ] Refuse old tokens\n- [ ] Log who asked\n"

// plans needs a service with a planner.
func (s *stage) plans(a *actor, text string) (coord.ImportPlan, coord.ApplyImport) {
	if !s.h.Planner {
		s.Skip("this service is opened without the planner that the scenes need")
	}
	r := coord.ImportRequest{Project: s.project, Files: []coord.SourceFile{{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(text)}}, Admit: true}
	p := must(a.PlanImport(s.ctx, r))
	return p, coord.ApplyImport{Key: newKey(), Project: s.project, Files: r.Files, Admit: true, AsOf: p.AsOf, Digest: p.Digest}
}

var importScenes = []scene{
	{"a plan changes nothing", func(s *stage) {
		alpha := s.as("alpha")
		p, _ := s.plans(alpha, backlog)
		is(s, "actions", p.Actions(), 2)
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 0)
	}},
	{"an applied plan is what was previewed, and then plans nothing", func(s *stage) {
		alpha := s.as("alpha")
		p, c := s.plans(alpha, backlog)
		r := must(alpha.ApplyImport(s.ctx, c))
		is(s, "digest", r.Digest, p.Digest)
		is(s, "created", r.Applied[coord.ActionCreateTask], 2)
		is(s, "tasks", len(r.Tasks), 2)
		for i, title := range []string{"Refuse old tokens", "Log who asked"} {
			t := s.task(r.Tasks[i])
			is(s, "title", t.Title, title)
			is(s, "status", t.Status, coord.StatusReady)
		}
		again, _ := s.plans(alpha, backlog)
		is(s, "actions of the same file", again.Actions(), 0)
	}},
	{"K1 applied twice with one key is applied once", func(s *stage) {
		alpha := s.as("alpha")
		_, c := s.plans(alpha, backlog)
		is(s, "the replay", must(alpha.ApplyImport(s.ctx, c)), must(alpha.ApplyImport(s.ctx, c)))
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 2)
	}},
	{"a plan that no longer fits is not applied", func(s *stage) {
		alpha := s.as("alpha")
		_, first := s.plans(alpha, backlog)
		_, second := s.plans(alpha, backlog)
		must(alpha.ApplyImport(s.ctx, first))
		_, err := alpha.ApplyImport(s.ctx, second)
		s.refused(err, coord.CodePlanStale)
		wrong := first
		wrong.Key, wrong.Digest = newKey(), first.Digest[1:]+"0"
		_, err = alpha.ApplyImport(s.ctx, wrong)
		s.refused(err, coord.CodePlanStale)
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 2)
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		for _, files := range [][]coord.SourceFile{nil, {{Path: "", As: coord.AsBacklog}}, {{Path: "a.md", As: "poem"}}, {{Path: "a.md", As: coord.AsBacklog}, {Path: "a.md", As: coord.AsBacklog}}} {
			_, err := alpha.PlanImport(s.ctx, coord.ImportRequest{Project: s.project, Files: files})
			s.refused(err, coord.CodeBadRequest)
		}
	}},
}
