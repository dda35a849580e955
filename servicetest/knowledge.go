package servicetest

import (
	"fmt"
	"strings"
	"time"

	"coord"
)

func (a *actor) learn(text string, edits ...func(*coord.Learn)) coord.Lesson {
	c := coord.Learn{Key: newKey(), Project: a.s.project, Text: text}
	for _, edit := range edits {
		edit(&c)
	}
	return must(a.Learn(a.s.ctx, c))
}

// found are the ids that a search gives.
func (a *actor) found(q coord.LessonQuery) (ids []coord.LessonID) {
	if q.Project == "" {
		q.Project = a.s.project
	}
	for _, l := range must(a.Lessons(a.s.ctx, q)) {
		ids = append(ids, l.ID)
	}
	return ids
}

func (a *actor) correct(l coord.Lesson, edits ...func(*coord.EditLesson)) (coord.Lesson, error) {
	c := coord.EditLesson{Key: newKey(), Project: a.s.project, Lesson: l.ID, Revision: l.Revision}
	for _, edit := range edits {
		edit(&c)
	}
	return a.EditLesson(a.s.ctx, c)
}

func says(text string) func(*coord.EditLesson) { return func(c *coord.EditLesson) { c.Text = &text } }

func (a *actor) rate(id coord.LessonID, useful bool) coord.Lesson {
	return must(a.RateLesson(a.s.ctx, coord.RateLesson{Key: newKey(), Project: a.s.project, Lesson: id, Useful: useful}))
}

func (a *actor) judgeLesson(l coord.Lesson, st coord.LessonStatus) (coord.Lesson, error) {
	return a.JudgeLesson(a.s.ctx, coord.JudgeLesson{Key: newKey(), Project: a.s.project, Lesson: l.ID, Revision: l.Revision, Status: st, Note: "seen"})
}

// shown are the lessons of a claim of a new task.
func (s *stage) shown(title string, edits ...func(*coord.CreateTask)) (ids []coord.LessonID, why []string) {
	for _, l := range s.as("reader").start(s.as("planner").newTask(title, edits...).ID).Lessons {
		ids, why = append(ids, l.ID), append(why, l.Why)
	}
	return ids, why
}

var lessonScenes = []scene{
	{"a lesson is numbered in its project and attributed", func(s *stage) {
		alpha := s.as("alpha")
		task := alpha.newTask("x").ID
		l := must(alpha.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Task: task, Text: "Tests need the fake clock."}))
		is(s, "lesson", l, coord.Lesson{
			ID: "L1", Project: s.project, Kind: coord.KindLesson, Text: "Tests need the fake clock.", Author: "alpha", Task: task, Status: coord.LessonObserved,
			Revision: 1, At: s.h.Now(), ChangedAt: s.h.Now(),
		})
		is(s, "next", alpha.learn("y").ID, "L2")
	}},
	{"words find lessons, in any case, and nothing else", func(s *stage) {
		alpha := s.as("alpha")
		clock, lint := alpha.learn("Token tests need the fake CLOCK").ID, alpha.learn("run lint before pushing").ID
		for q, want := range map[string][]coord.LessonID{
			"clock": {clock}, "LINT": {lint}, "unheard": nil, `"*'(`: nil, "clocks token": {clock}, "push": {lint}, "clock lint": nil, "the clock": {clock}, "tok": {clock}, "oken": nil, "the": nil,
			"clock NOT": {clock}, "clock OR lint": nil, `"clock" lint*`: nil, "words:clock": nil, "p:" + string(s.project): nil, "NEAR(token clock)": nil, "-clock": {clock}, "cl%ck": nil, "cl_ck": nil, "^token": {clock},
		} {
			is(s, "lessons for "+q, alpha.found(coord.LessonQuery{Text: q}), want)
		}
	}},
	{"newest first without words, 20 unless asked", func(s *stage) {
		alpha := s.as("alpha")
		for i := range 22 {
			alpha.learn(fmt.Sprintf("lesson %d", i+1))
			s.h.Advance(1)
		}
		got := must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project}))
		if len(got) != 20 || got[0].ID != "L22" || got[19].ID != "L3" {
			s.Errorf("%d lessons from %s", len(got), got[0].ID)
		}
		is(s, "limited", len(must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project, Limit: 3}))), 3)
	}},
	{"a claim brings the few that apply", func(s *stage) {
		alpha := s.as("alpha")
		want := alpha.learn("token parsing: compare in constant time").ID
		for i := range 9 {
			alpha.learn(fmt.Sprintf("parsing of tokens, part %d", i))
		}
		alpha.learn("rounding is half to even")
		ids, why := s.shown("Refuse expired token parsing")
		if len(ids) != 5 || why[0] != "about token" && why[0] != "about parsing" && why[0] != "about tokens" {
			s.Errorf("lessons %v, %q", ids, why)
		}
		ids, why = s.shown("Compare in no time")
		is(s, "the one", ids, []coord.LessonID{want})
		is(s, "why", why, []string{"about compare"})
	}},
	{"where a lesson applies decides whether it is shown", func(s *stage) {
		alpha := s.as("alpha")
		task := alpha.newTask("a parent").ID
		scoped := func(sc coord.LessonScope) coord.LessonID {
			return alpha.learn("zebra", func(c *coord.Learn) { c.Scope = sc }).ID
		}
		byPath, byLabel, byTask := scoped(coord.LessonScope{Paths: []string{"server/**/*.go"}}), scoped(coord.LessonScope{Component: "api"}), scoped(coord.LessonScope{Task: task})
		tagged := alpha.learn("quagga", func(c *coord.Learn) { c.Tags = []string{"ui"} }).ID
		at := func(paths, labels []string) []coord.LessonID {
			ids, _ := s.shown("x", func(c *coord.CreateTask) { c.Paths, c.Labels = paths, labels })
			return ids
		}
		is(s, "by path", at([]string{"server/store/x.go"}, nil), []coord.LessonID{byPath})
		is(s, "by directory", at([]string{"server/"}, nil), []coord.LessonID{byPath})
		is(s, "elsewhere", at([]string{"web/"}, nil), nil)
		is(s, "by label", at(nil, []string{"api"}), []coord.LessonID{byLabel})
		is(s, "by tag", at(nil, []string{"ui"}), []coord.LessonID{tagged})
		ids, why := s.shown("A zebra crossing", func(c *coord.CreateTask) { c.Paths = []string{"web/a.js"} })
		is(s, "its word, and not what is about other paths or another task", ids, []coord.LessonID{byLabel})
		is(s, "why", why, []string{"about zebra"})
		is(s, "for the task", must(s.as("bravo").try(task, nil)).Lessons[0].ID, byTask)
		is(s, "searched by path", alpha.found(coord.LessonQuery{Path: "server/api/y.go"}), []coord.LessonID{byPath})
		is(s, "searched by tag", alpha.found(coord.LessonQuery{Tag: "ui"}), []coord.LessonID{tagged})
		is(s, "searched by component", alpha.found(coord.LessonQuery{Component: "api"}), []coord.LessonID{byLabel})
		is(s, "for a task first", alpha.found(coord.LessonQuery{Text: "zebra", For: task})[0], byTask)
	}},
	{"what is over is not shown, and found when asked for", func(s *stage) {
		alpha := s.as("alpha")
		soon := s.h.Now().Add(time.Hour)
		over := alpha.learn("zebra one", func(c *coord.Learn) { c.ExpiresAt = &soon })
		old := alpha.learn("zebra two")
		by := must(alpha.SupersedeLesson(s.ctx, coord.SupersedeLesson{Key: newKey(), Project: s.project, Lesson: old.ID, Revision: 1, Text: "zebra three", Reason: "better"}))
		disputed := must(s.as("bravo").judgeLesson(alpha.learn("zebra four"), coord.LessonDisputed))
		proposal := alpha.learn("zebra five", func(c *coord.Learn) { c.Kind = coord.KindProposal })
		s.h.Advance(time.Hour - 1)
		ids, _ := s.shown("A zebra")
		is(s, "before its expiry", ids, []coord.LessonID{by.ID, over.ID, disputed.ID})
		s.h.Advance(1)
		ids, _ = s.shown("A zebra")
		is(s, "at its expiry", ids, []coord.LessonID{by.ID, disputed.ID})
		is(s, "in force", alpha.found(coord.LessonQuery{Text: "zebra"}), []coord.LessonID{proposal.ID, by.ID, disputed.ID})
		is(s, "all", len(alpha.found(coord.LessonQuery{Text: "zebra", All: true})), 5)
		is(s, "superseded", alpha.found(coord.LessonQuery{Status: coord.LessonSuperseded}), []coord.LessonID{old.ID})
		is(s, "expired", must(alpha.Lesson(s.ctx, s.project, over.ID)).Expired, true)
		is(s, "disputed", alpha.found(coord.LessonQuery{Status: coord.LessonDisputed}), []coord.LessonID{disputed.ID})
	}},
	{"other projects' lessons are found only when asked for, after one's own", func(s *stage) {
		alpha := s.as("alpha")
		first, own := s.project, alpha.learn("okapi here, with more words around it than there").ID
		s.withoutReview()
		alpha.learn("okapi")
		s.project = first
		is(s, "own", alpha.found(coord.LessonQuery{Text: "okapi"}), []coord.LessonID{own})
		all := must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: first, Text: "okapi", Shared: true}))
		if len(all) != 2 || all[0].Project != first || all[1].Project == first {
			s.Errorf("shared: %+v", all)
		}
		ids, _ := s.shown("An okapi")
		is(s, "shown", ids, []coord.LessonID{own})
	}},
	{"trust and use decide among equals", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		plain, useful, verified, useless := alpha.learn("gnu a"), alpha.learn("gnu b"), alpha.learn("gnu c"), alpha.learn("gnu d")
		bravo.rate(useful.ID, true)
		must(bravo.judgeLesson(verified, coord.LessonVerified))
		for _, name := range []string{"one", "two", "three"} {
			s.as(name).rate(useless.ID, false)
		}
		is(s, "search", alpha.found(coord.LessonQuery{Text: "gnu"}), []coord.LessonID{verified.ID, useful.ID, plain.ID, useless.ID})
		ids, _ := s.shown("A gnu")
		is(s, "shown", ids, []coord.LessonID{verified.ID, useful.ID, plain.ID})
	}},
	{"a long lesson is found with an excerpt", func(s *stage) {
		alpha := s.as("alpha")
		alpha.learn(strings.Repeat("many words before it ", 40) + "the aardvark sleeps" + strings.Repeat(" and more after", 40))
		l := must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project, Text: "aardvark"}))[0]
		if !strings.Contains(l.Excerpt, "aardvark") || len(l.Excerpt) > 200 {
			s.Errorf("excerpt %q", l.Excerpt)
		}
	}},
	{"K1 learnt twice with one key is learnt once", func(s *stage) {
		alpha := s.as("alpha")
		c := coord.Learn{Key: newKey(), Project: s.project, Text: "once"}
		is(s, "the replay", must(alpha.Learn(s.ctx, c)), must(alpha.Learn(s.ctx, c)))
		is(s, "lessons", len(must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project}))), 1)
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		now, bad := s.h.Now(), func(edit func(*coord.Learn), codes ...coord.Code) {
			s.Helper()
			c := coord.Learn{Key: newKey(), Project: s.project, Text: "x"}
			edit(&c)
			_, err := alpha.Learn(s.ctx, c)
			s.refused(err, codes...)
		}
		bad(func(c *coord.Learn) { c.Text = " " }, coord.CodeBadRequest)
		bad(func(c *coord.Learn) { c.Task = coord.NewTaskID(s.project, 99) }, coord.CodeNotFound, coord.CodeBadRequest)
		bad(func(c *coord.Learn) { c.Scope.Task = coord.NewTaskID(s.project, 99) }, coord.CodeNotFound, coord.CodeBadRequest)
		bad(func(c *coord.Learn) { c.Receipt = "r999999" }, coord.CodeNotFound)
		bad(func(c *coord.Learn) { c.Kind = coord.KindRejected }, coord.CodeBadRequest)
		bad(func(c *coord.Learn) { c.Scope.Paths = []string{"../x"} }, coord.CodeBadRequest)
		bad(func(c *coord.Learn) { c.ExpiresAt = &now }, coord.CodeBadRequest)
		is(s, "lessons", alpha.found(coord.LessonQuery{All: true}), nil)
		_, err := alpha.Lesson(s.ctx, s.project, "L1")
		s.refused(err, coord.CodeNotFound)
	}},
}
