package servicetest

import (
	"strings"
	"time"

	"coord"
)

// sourceCommit is where the files were read.
const sourceCommit = "0707070707070707070707070707070707070707"

const backlog = "# Backlog\n\n- [ ] Refuse old tokens\n- [ ] Log who asked\n"

// plans needs a service with a planner.
func (s *stage) plans(by coord.Service, text string) (coord.ImportPlan, coord.ApplyImport) {
	return s.plansTo(by, text, false)
}

func (s *stage) plansTo(by coord.Service, text string, admit bool) (coord.ImportPlan, coord.ApplyImport) {
	if !s.h.Planner {
		s.Skip("this service is opened without the planner that the scenes need")
	}
	at := s.h.Now().Add(-time.Hour)
	r := coord.ImportRequest{Project: s.project, Files: []coord.SourceFile{{Path: "BACKLOG.md", As: coord.AsBacklog, Content: []byte(text), Revision: sourceCommit, At: at}}, Admit: admit}
	p := must(by.PlanImport(s.ctx, r))
	return p, coord.ApplyImport{Key: newKey(), Project: s.project, Files: r.Files, Admit: admit, AsOf: p.AsOf, Digest: p.Digest}
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
			is(s, "status", t.Status, coord.StatusPlanned)
		}
		is(s, "dealt with", [2]int{r.Done, r.Total}, [2]int{2, 2})
		again, _ := s.plans(alpha, backlog)
		is(s, "actions of the same file", again.Actions(), 0)
	}},
	{"K1 applied twice with one key is applied once", func(s *stage) {
		alpha := s.as("alpha")
		_, c := s.plans(alpha, backlog)
		is(s, "the replay", must(alpha.ApplyImport(s.ctx, c)), must(alpha.ApplyImport(s.ctx, c)))
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 2)
	}},
	{"K1 a plan is applied once, under any key and by anybody", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		_, first := s.plans(alpha, backlog)
		_, second := s.plans(bravo, backlog)
		done := must(alpha.ApplyImport(s.ctx, first))
		again := must(bravo.ApplyImport(s.ctx, second))
		is(s, "replayed", again.Replayed, true)
		again.Replayed = false
		is(s, "what was done", again, done)
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 2)
	}},
	{"a plan that no longer fits is not applied", func(s *stage) {
		alpha := s.as("alpha")
		_, first := s.plans(alpha, backlog)
		_, longer := s.plans(alpha, backlog+"- [ ] Ask why\n")
		must(alpha.ApplyImport(s.ctx, longer))
		_, err := alpha.ApplyImport(s.ctx, first)
		s.refused(err, coord.CodePlanStale)
		wrong := first
		wrong.Key, wrong.Digest = newKey(), first.Digest[1:]+"0"
		_, err = alpha.ApplyImport(s.ctx, wrong)
		s.refused(err, coord.CodePlanStale)
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 3)
	}},
	{"an agent records what an operator admits", func(s *stage) {
		alpha := s.as("alpha")
		_, c := s.plansTo(alpha, backlog, true)
		_, err := alpha.ApplyImport(s.ctx, c)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "who lifts it", asError(err).RequiredActor, "operator")
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 0)
		_, c = s.plansTo(s.h.AsOperator(), backlog, true)
		for _, id := range must(s.h.AsOperator().ApplyImport(s.ctx, c)).Tasks {
			s.status(id, coord.StatusReady)
		}
	}},
	{"a policy may leave imports to operators", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.OperatorImports = true })
		alpha := s.as("alpha")
		_, c := s.plans(alpha, backlog)
		_, err := alpha.ApplyImport(s.ctx, c)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "who lifts it", asError(err).RequiredActor, "operator")
		is(s, "sources", len(must(alpha.Sources(s.ctx, s.project)).Files), 0)
		c.Key = newKey()
		is(s, "created", len(must(s.h.AsOperator().ApplyImport(s.ctx, c)).Tasks), 2)
	}},
	{"the files that were imported are listed as they were last", func(s *stage) {
		alpha := s.as("alpha")
		none := must(alpha.Sources(s.ctx, s.project))
		is(s, "before", len(none.Files)+len(none.Problems), 0)
		var p coord.ImportPlan
		for _, text := range []string{backlog, backlog + "- [ ] One more thing\n"} {
			var c coord.ApplyImport
			p, c = s.plans(alpha, text)
			must(alpha.ApplyImport(s.ctx, c))
		}
		got := must(alpha.Sources(s.ctx, s.project))
		want := coord.ImportedFile{Path: "BACKLOG.md", As: coord.AsBacklog, Digest: p.Files[0].Digest, Revision: sourceCommit, At: s.h.Now().Add(-time.Hour), Seen: got.AsOf}
		is(s, "files", got.Files, []coord.ImportedFile{want})
	}},
	{"too many paths are refused", func(s *stage) {
		alpha := s.as("alpha")
		r := coord.ImportRequest{Project: s.project, Files: []coord.SourceFile{{Path: "a.md", As: coord.AsBacklog}}, Paths: []string{strings.Repeat("a/", 600_000)}}
		_, err := alpha.PlanImport(s.ctx, r)
		s.refused(err, coord.CodeBadRequest)
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		for _, files := range [][]coord.SourceFile{nil, {{Path: "", As: coord.AsBacklog}}, {{Path: "a.md", As: "poem"}}, {{Path: "a.md", As: coord.AsBacklog}, {Path: "a.md", As: coord.AsBacklog}}} {
			_, err := alpha.PlanImport(s.ctx, coord.ImportRequest{Project: s.project, Files: files})
			s.refused(err, coord.CodeBadRequest)
		}
	}},
}
