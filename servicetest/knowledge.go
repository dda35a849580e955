package servicetest

import (
	"fmt"

	"coord"
)

func (a *actor) learn(text string) coord.Lesson {
	return must(a.Learn(a.s.ctx, coord.Learn{Key: newKey(), Project: a.s.project, Text: text}))
}

var lessonScenes = []scene{
	{"a lesson is numbered in its project and attributed", func(s *stage) {
		alpha := s.as("alpha")
		task := alpha.newTask("x").ID
		l := must(alpha.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Task: task, Text: "Tests need the fake clock."}))
		is(s, "lesson", l, coord.Lesson{ID: "L1", Project: s.project, Text: "Tests need the fake clock.", Author: "alpha", Task: task, Status: coord.LessonObserved, At: s.h.Now()})
		is(s, "next", alpha.learn("y").ID, "L2")
	}},
	{"words find lessons, in any case, and nothing else", func(s *stage) {
		alpha := s.as("alpha")
		clock, lint := alpha.learn("Token tests need the fake CLOCK").ID, alpha.learn("run lint before pushing").ID
		for q, want := range map[string][]coord.LessonID{
			"clock": {clock}, "LINT": {lint}, "unheard": nil, `"*'(`: nil, "clock NOT": nil,
		} {
			var got []coord.LessonID
			for _, l := range must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project, Text: q})) {
				got = append(got, l.ID)
			}
			if q == "clock NOT" {
				continue // words only: no operator may break it
			}
			is(s, "lessons for "+q, got, want)
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
		c := must(s.as("bravo").try(alpha.newTask("Refuse expired token parsing").ID, nil))
		found := false
		for _, l := range c.Lessons {
			found = found || l.ID == want
		}
		if !found || len(c.Lessons) > 10 {
			s.Errorf("lessons %+v", c.Lessons)
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
		_, err := alpha.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Text: " "})
		s.refused(err, coord.CodeBadRequest)
		_, err = alpha.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Task: coord.NewTaskID(s.project, 99), Text: "x"})
		s.refused(err, coord.CodeNotFound, coord.CodeBadRequest)
	}},
}
