package servicetest

import (
	"context"
	"errors"
	"slices"

	"coord"
)

var eventScenes = []scene{
	{"D6 dense, ordered, chained", func(s *stage) {
		s.approved("x")
		var all []coord.Event
		for {
			page := must(s.h.AsOperator().Events(s.ctx, "", coord.Seq(len(all)), 7))
			if len(page) > 7 {
				s.Fatalf("%d events in a page of 7", len(page))
			}
			if len(page) == 0 {
				break
			}
			all = append(all, page...)
		}
		seen := map[string]bool{}
		for i, e := range all {
			if e.Seq != coord.Seq(i+1) {
				s.Fatalf("event %d has sequence %d", i+1, e.Seq)
			}
			if len(e.Hash) != 64 || seen[e.Hash] {
				s.Errorf("event %d has hash %q", e.Seq, e.Hash)
			}
			if e.Text == "" || e.Kind == "" || e.Actor == "" || e.At.IsZero() {
				s.Errorf("event %d says little: %+v", e.Seq, e)
			}
			seen[e.Hash] = true
		}
	}},
	{"D2 every effect has its event", func(s *stage) {
		author, sub := s.submitted()
		s.approve(sub)
		must(author.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Text: "x"}))
		s.land(sub.Task)
		var kinds []coord.EventKind
		for _, e := range must(author.Events(s.ctx, s.project, 0, 1000)) {
			if e.Project != s.project {
				s.Errorf("event of %q", e.Project)
			}
			kinds = append(kinds, e.Kind)
		}
		for _, want := range []coord.EventKind{
			coord.EventProjectCreated, coord.EventTaskCreated, coord.EventAttemptClaimed, coord.EventReceiptRecorded,
			coord.EventSubmissionCreated, coord.EventSubmissionReviewed, coord.EventLessonLearned,
			coord.EventLandingHeld, coord.EventLandingMerged, coord.EventLandingPermitted, coord.EventLandingLanded,
		} {
			if !slices.Contains(kinds, want) {
				s.Errorf("no %s among %v", want, kinds)
			}
		}
	}},
	{"a refusal and a replay are no events", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "x"}
		id := must(alpha.CreateTask(s.ctx, c)).ID
		alpha.start(id)
		before := must(alpha.Events(s.ctx, s.project, 0, 1000))
		must(alpha.CreateTask(s.ctx, c))
		_, err := bravo.try(id, nil)
		s.refused(err, coord.CodeTaskTaken)
		is(s, "events", len(must(alpha.Events(s.ctx, s.project, 0, 1000))), len(before))
	}},
	{"waiting returns what is there already", func(s *stage) {
		got := must(s.as("alpha").WaitEvents(s.ctx, s.project, 0))
		if len(got) == 0 || got[0].Kind != coord.EventProjectCreated {
			s.Errorf("got %+v", got)
		}
	}},
	{"waiting wakes by a change", func(s *stage) {
		alpha := s.as("alpha")
		alpha.newTask("first")
		events := must(alpha.Events(s.ctx, s.project, 0, 1000))
		last := events[len(events)-1].Seq
		type answer struct {
			events []coord.Event
			err    error
		}
		woken := make(chan answer, 1)
		go func() {
			got, err := alpha.WaitEvents(s.ctx, s.project, last)
			woken <- answer{got, err}
		}()
		id := alpha.newTask("second").ID
		a := <-woken
		if a.err != nil || len(a.events) == 0 || a.events[0].Seq <= last || a.events[0].Task != id || a.events[0].Kind != coord.EventTaskCreated {
			s.Errorf("woken with %+v, %v", a.events, a.err)
		}
	}},
	{"waiting ends with its context, empty", func(s *stage) {
		alpha := s.as("alpha")
		events := must(alpha.Events(s.ctx, s.project, 0, 1000))
		ctx, cancel := context.WithCancel(s.ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			got, err := alpha.WaitEvents(ctx, s.project, events[len(events)-1].Seq)
			if len(got) != 0 || err != nil && !errors.Is(err, context.Canceled) {
				s.Errorf("got %+v, %v", got, err)
			}
		}()
		cancel()
		<-done
	}},
	{"another project's change wakes nobody here", func(s *stage) {
		alpha := s.as("alpha")
		here := s.project
		events := must(alpha.Events(s.ctx, here, 0, 1000))
		last := events[len(events)-1].Seq
		woken := make(chan []coord.Event, 1)
		go func() {
			got, err := alpha.WaitEvents(s.ctx, here, last)
			if err != nil {
				s.Error(err)
			}
			woken <- got
		}()
		s.project = s.h.Project(s.T, policy(coord.ReviewNone))
		alpha.newTask("elsewhere")
		s.project = here
		id := alpha.newTask("here").ID
		if got := <-woken; len(got) == 0 || got[0].Task != id {
			s.Errorf("woken with %+v", got)
		}
	}},
}
