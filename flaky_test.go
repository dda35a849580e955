package coord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

var again = coord.Rerun{Task: "pay-1", Command: "coord check"}

var runAt = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// runs are receipts of unitTest on the tree from a word of letters, oldest
// first: passed, Failed, skipped, interrupted, changed its input, and D, a pass
// under a decision, d, a failure under one.
func runs(tree coord.OID, word string) (all []coord.Receipt) {
	for _, letter := range word {
		r := passed(tree)
		switch letter {
		case 'F', 'd':
			r.Result = coord.ResultFailed
		case 's':
			r.Result = coord.ResultSkipped
		case 'i':
			r.Result = coord.ResultInterrupted
		case 'c':
			r.Changed = []string{"out.txt"}
		}
		if letter == 'D' || letter == 'd' {
			r.Decision = "D1"
		}
		all = append(all, r)
	}
	return all
}

// TestI14_RunsOfOneTree: one failure and a pass are evidence and flaky; more
// failures are not undone by running it again.
func TestI14_RunsOfOneTree(t *testing.T) {
	for _, c := range []struct {
		word                 string
		passed, flaky, spent bool
	}{
		{"", false, false, false},
		{"p", true, false, false},
		{"ppp", true, false, false},
		{"F", false, false, false},
		{"Fp", true, true, false},
		{"pF", true, true, false},
		{"FF", false, false, true},
		{"FFp", false, true, true},
		{"FpF", false, true, true},
		{"pFF", false, true, true},
		{"FFFFppppp", false, true, true},
		{"siccs", false, false, false},
		{"sp", true, false, false},
		{"ps", true, false, false},
		{"FsicF", false, false, true},
		{"Fsip", true, true, false},
		{"FFD", true, true, false},
		{"FFDp", true, true, false},
		{"FFDF", true, true, false},
		{"FFDFF", false, true, true},
		{"FFDFFD", true, true, false},
		{"FFd", false, false, true},
		{"FFdp", false, true, true},
		{"FFdD", true, true, false},
		{"FFpD", true, true, false},
		{"D", true, false, false},
	} {
		s := coord.StateOf(unitTest.Require(), runs(oid(1), c.word), oid(1))
		if s.Passed != c.passed || s.Flaky != c.flaky || s.Spent() != c.spent {
			t.Errorf("%q: passed %v, flaky %v, spent %v, want %v, %v, %v", c.word, s.Passed, s.Flaky, s.Spent(), c.passed, c.flaky, c.spent)
		}
		missing := coord.MissingChecks([]coord.RequiredCheck{unitTest.Require()}, runs(oid(1), c.word), oid(1))
		if (len(missing) == 0) != c.passed {
			t.Errorf("%q: missing %v", c.word, missing)
		}
		err := coord.RefuseMissing([]coord.RequiredCheck{unitTest.Require()}, runs(oid(1), c.word), oid(1), "nothing was done", again)
		if (err == nil) != c.passed || strings.Contains(fmt.Sprint(err), "only with a decision") != c.spent {
			t.Errorf("%q: %v", c.word, err)
		}
	}
}

// TestI14_NoRunMakesEvidenceOfTooManyFailures: without a decision, whatever is
// run on whichever trees, a tree on which a check failed twice stays without
// evidence; what happens on another tree or to another check changes nothing.
func TestI14_NoRunMakesEvidenceOfTooManyFailures(t *testing.T) {
	other := coord.Check{Name: "lint", Shell: "make lint"}
	rapid.Check(t, func(t *rapid.T) {
		var all, own []coord.Receipt
		failures := 0
		for range rapid.IntRange(0, 12).Draw(t, "runs") {
			tree := oid(rapid.IntRange(1, 2).Draw(t, "tree"))
			r := runs(tree, rapid.SampledFrom([]string{"p", "F", "s", "i", "c"}).Draw(t, "result"))[0]
			if rapid.Bool().Draw(t, "other check") {
				r.Check, r.Definition = other.Name, other.Digest()
			}
			all = append(all, r)
			if r.Check == "test" && tree == oid(1) {
				own = append(own, r)
				if r.Result == coord.ResultFailed {
					failures++
				}
			}
		}
		got := coord.StateOf(unitTest.Require(), all, oid(1))
		if alone := coord.StateOf(unitTest.Require(), own, oid(1)); got != alone {
			t.Fatalf("among others %+v, alone %+v", got, alone)
		}
		if failures > coord.AllowedFailures && got.Passed || got.Failures != failures {
			t.Fatalf("%d failures, and it is %+v", failures, got)
		}
		coord.MarkRuns(all)
		for _, r := range all {
			if s := coord.StateOf(coord.RequiredCheck{Name: r.Check, Digest: r.Definition}, all, r.Tree); r.Flaky != s.Flaky || r.Spent != s.Spent() {
				t.Fatalf("marked %v, %v of %+v", r.Flaky, r.Spent, s)
			}
		}
	})
}

// TestI14_WhatToTypeNext: the refusal names the check and the exact question.
func TestI14_WhatToTypeNext(t *testing.T) {
	tree := oid(1)
	for word, want := range map[string]string{
		"":   "check test has not passed on tree 0000000; nothing was done | coord check",
		"F":  "check test has not passed on tree 0000000: its latest run failed; nothing was done | coord check",
		"s":  "check test has not passed on tree 0000000: its latest run was skipped; nothing was done | coord check",
		"i":  "check test has not passed on tree 0000000: its latest run was interrupted; nothing was done | coord check",
		"c":  "check test has not passed on tree 0000000: it changed files; nothing was done | coord check",
		"FF": `check test failed 2 times on tree 0000000, so a pass counts only with a decision; nothing was done | coord ask "Check test failed 2 times on tree 0000000; may it run again and count?" --option "run again" --option "mend it" --task pay-1 | coord check --decision DECISION`,
		"FFp": `check test failed 2 times and also passed on tree 0000000, so a pass counts only with a decision; nothing was done | ` +
			`coord ask "Check test failed 2 times on tree 0000000; may it run again and count?" --option "run again" --option "mend it" --task pay-1 | coord check --decision DECISION`,
	} {
		err := coord.RefuseMissing([]coord.RequiredCheck{unitTest.Require()}, runs(tree, word), tree, "nothing was done", again)
		if e, ok := err.(*coord.Error); !ok || e.Code != coord.CodeRequirement || e.Details["check"] != "test" || strings.Join(append([]string{e.Message}, e.Next...), " | ") != want {
			t.Errorf("%q: %v %q", word, err, e.Next)
		}
	}
}

// TestI14_ADecisionAllowsOneCheckOnOneTree of the task that it is about, when
// it was answered so.
func TestI14_ADecisionAllowsOneCheckOnOneTree(t *testing.T) {
	answered := func(option string) coord.Decision {
		return coord.Decision{ID: "D3", State: coord.DecisionAnswered, Tasks: []coord.TaskID{"pay-2", "pay-1"}, Answer: &coord.Answer{Option: option}}
	}
	run := coord.Run{Check: "test", Definition: unitTest.Digest(), Tree: oid(1), Decision: "D3"}
	for _, c := range []struct {
		name string
		d    coord.Decision
		task coord.TaskID
		used []coord.Receipt
		ok   bool
	}{
		{"it", answered("run again"), "pay-1", nil, true},
		{"a second time", answered("run again"), "pay-1", runs(oid(1), "dD"), true},
		{"for another tree", answered("run again"), "pay-1", runs(oid(2), "D"), false},
		{"for another task", answered("run again"), "pay-3", nil, false},
		{"answered otherwise", answered("mend it"), "pay-1", nil, false},
		{"not answered", coord.Decision{ID: "D3", State: coord.DecisionOpen, Tasks: []coord.TaskID{"pay-1"}}, "pay-1", nil, false},
		{"superseded", func() coord.Decision {
			d := answered("run again")
			d.State = coord.DecisionSuperseded
			return d
		}(), "pay-1", nil, false},
	} {
		err := c.d.CheckRerun(c.task, run, c.used)
		if (err == nil) != c.ok || err != nil && coord.CodeOf(err) != coord.CodeRequirement {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestFault57_TimesOfARun: a machine's clock may be some minutes ahead.
func TestFault57_TimesOfARun(t *testing.T) {
	for _, c := range []struct {
		name       string
		start, end time.Time
		ok         bool
	}{
		{"none", time.Time{}, time.Time{}, true},
		{"long ago", runAt.AddDate(-10, 0, 0), runAt.AddDate(-10, 0, 0), true},
		{"within the skew", runAt.Add(coord.Skew), runAt.Add(coord.Skew), true},
		{"an end beyond it", runAt, runAt.Add(coord.Skew + 1), false},
		{"both beyond it", runAt.Add(coord.Skew + 1), runAt.Add(coord.Skew + 1), false},
	} {
		err := coord.Run{StartedAt: c.start, EndedAt: c.end}.CheckTimes(runAt)
		if (err == nil) != c.ok || err != nil && coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
