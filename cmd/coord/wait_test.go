package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

// TestWaitRefusesWhatNeverComes: a word that is no kind and no status is
// refused at once, with what may have been meant.
func TestWaitRefusesWhatNeverComes(t *testing.T) {
	for _, c := range []struct {
		task coord.TaskID
		what string
		next []string // the first of them
	}{
		{"", "decision.answred", []string{"coord wait --for decision.answered"}},
		{"pay-2", "task.close", []string{"coord wait pay-2 --for task.closed"}},
		{"", "resource.relased", []string{"coord wait --for resource.released"}},
		{"", "job.finished", []string{"coord wait --for job.observed", "coord wait --for job.registered"}},
		{"", "Task.Closed", []string{"coord wait --for task.closed"}},
		{"pay-2", "redy", []string{"coord wait pay-2 --for ready"}},
		{"pay-2", "waiting-review", []string{"coord wait pay-2 --for waiting_review"}},
		{"", "qqq.zzz", nil},
	} {
		err := waitFor{task: c.task, what: c.what}.check(time.Minute)
		var e *coord.Error
		if !errors.As(err, &e) || e.Code != coord.CodeBadRequest || !strings.Contains(e.Message, "nothing was done") || len(e.Next) == 0 {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if len(e.Next) < len(c.next) || !slices.Equal(e.Next[:len(c.next)], c.next) {
			t.Errorf("%s: next is %q, want %q first", c.what, e.Next, c.next)
		}
		list := []string{string(coord.StatusReady)}
		if strings.Contains(c.what, ".") {
			list = []string{string(coord.EventDecisionAnswered), string(coord.EventTaskClosed)}
		}
		for _, kind := range list {
			if !strings.Contains(e.Message, kind) {
				t.Errorf("%s: the list of what there is lacks %s: %s", c.what, kind, e.Message)
			}
		}
	}
	for _, what := range coord.EventKinds() {
		if err := (waitFor{what: string(what)}).check(time.Minute); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, what := range statuses {
		if err := (waitFor{task: "pay-2", what: string(what)}).check(time.Minute); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
