package servicetest

import (
	"fmt"
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

// handoff imports a version of HANDOFF.md, and returns what was recorded of it.
func (s *stage) handoff(by coord.Service, text string) []coord.HandoffID {
	if !s.h.Planner {
		s.Skip("this service is opened without the planner that the scenes need")
	}
	r := coord.ImportRequest{Project: s.project, Files: []coord.SourceFile{{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte(text), Revision: sourceCommit, At: s.h.Now().Add(-time.Hour)}}}
	p := must(by.PlanImport(s.ctx, r))
	return must(by.ApplyImport(s.ctx, coord.ApplyImport{Key: newKey(), Project: s.project, Files: r.Files, AsOf: p.AsOf, Digest: p.Digest})).Handoffs
}

// handoffs says which notes a list has.
func (s *stage) handoffs(by coord.Service, q coord.HandoffQuery, want ...coord.HandoffID) {
	q.Project = s.project
	var got []coord.HandoffID
	for _, n := range must(by.Handoffs(s.ctx, q)).Items {
		got = append(got, n.ID)
	}
	is(s, "notes of "+q.Text+q.Path, got, want)
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
	{"a handoff's notes are kept, each with its earlier versions", func(s *stage) {
		alpha := s.as("alpha")
		first := s.handoff(alpha, "---\nbranch: feat/x\n---\n\n## 2026-01-02\n\nHalf done, on HEAD abc1234.\n\n## 2026-01-01\n\nTests fail.\n")
		is(s, "recorded", first, []coord.HandoffID{"H1", "H2"})
		at := s.h.Now().UTC()
		second := s.handoff(alpha, "---\nbranch: feat/y\n---\n\n## 2026-01-02\n\nAll done.\n\n## 2026-01-01\n\nTests fail.\n")
		is(s, "recorded later", second, []coord.HandoffID{"H3"})
		old := must(alpha.Handoff(s.ctx, s.project, "H1"))
		is(s, "what it says", [2]string{old.Title, old.Body}, [2]string{"2026-01-02", "Half done, on HEAD abc1234."})
		is(s, "of itself", old.HandoffFacts, coord.HandoffFacts{Date: "2026-01-02", Branch: "feat/x", Revision: "abc1234"})
		is(s, "where", [2]int{old.Line, old.Last}, [2]int{5, 8})
		is(s, "source", [2]string{old.Path, string(old.Commit)}, [2]string{"HANDOFF.md", sourceCommit})
		is(s, "written and imported", [2]time.Time{old.Written.UTC(), old.At.UTC()}, [2]time.Time{at.Add(-time.Hour), at})
		is(s, "later version", old.Later, coord.HandoffID("H3"))
		is(s, "digest", len(old.Digest), 64)
		d := must(alpha.Handoff(s.ctx, s.project, "H3"))
		is(s, "the latest", [3]string{d.Body, d.Branch, string(d.Later)}, [3]string{"All done.", "feat/y", ""})
		old.Body, old.Later = "", ""
		is(s, "earlier versions", d.Earlier, []coord.HandoffNote{old.HandoffNote})
		s.handoffs(alpha, coord.HandoffQuery{}, "H3", "H2")
		for _, id := range []coord.HandoffID{"H4", "H0", "x", "L1"} {
			_, err := alpha.Handoff(s.ctx, s.project, id)
			s.refused(err, coord.CodeNotFound)
		}
	}},
	{"handoff notes are found by words and by file, in pages", func(s *stage) {
		alpha := s.as("alpha")
		s.handoff(alpha, "## 2026-01-02\n\nThe parser is half done.\n\n## 2026-03-01\n\nParsers wait.\n\n## State\n\nNothing.\n")
		s.handoff(alpha, "## 2026-01-02\n\nThe lexer is half done.\n\n## 2026-03-01\n\nParsers wait.\n\n## State\n\nNothing.\n")
		undated := must(alpha.Handoff(s.ctx, s.project, "H3"))
		is(s, "of no day", [2]string{undated.Date, undated.Day()}, [2]string{"", s.h.Now().Add(-time.Hour).UTC().Format(time.DateOnly)})
		all := []coord.HandoffID{"H3", "H2", "H4"} // the clock of the scenes stands later than both days
		var paged []coord.HandoffID
		for q := (coord.HandoffQuery{Project: s.project, Limit: 1}); ; {
			page := must(alpha.Handoffs(s.ctx, q))
			for _, n := range page.Items {
				is(s, "text in a list", n.Body, "")
				paged = append(paged, n.ID)
			}
			if q.Cursor = page.NextCursor; q.Cursor == "" || len(paged) > len(all) {
				break
			}
		}
		is(s, "page by page", paged, all)
		s.handoffs(alpha, coord.HandoffQuery{Text: "parser"}, "H2")
		s.handoffs(alpha, coord.HandoffQuery{Text: "half le"})
		s.handoffs(alpha, coord.HandoffQuery{Text: "half lex"}, "H4")
		s.handoffs(alpha, coord.HandoffQuery{Text: "the ("})
		long := ""
		for i := range 500 {
			long += fmt.Sprintf("word%d ", i)
		}
		s.handoff(alpha, "## 2026-01-02\n\nThe lexer is half done.\n\n## 2026-03-01\n\nParsers wait.\n\n## State\n\n"+long+"\n")
		s.handoffs(alpha, coord.HandoffQuery{Text: "word499"}, "H5")
		all[0] = "H5"
		s.handoffs(alpha, coord.HandoffQuery{Path: "HANDOFF.md"}, all...)
		s.handoffs(alpha, coord.HandoffQuery{Path: "HANDOFF"})
		_, err := alpha.Handoffs(s.ctx, coord.HandoffQuery{Project: s.project, Cursor: "2026-01-02"})
		s.refused(err, coord.CodeBadRequest)
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
