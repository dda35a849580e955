package work_test

import (
	"context"
	"strings"
	"testing"

	"coord"
	"coord/work"
)

// results has the checks of a desk end as the letters say, in turn: passed,
// Failed, skipped, interrupted. After the last they pass.
func (a *agent) results(letters string) (ran *int) {
	ran = new(int)
	a.RunCheck = func(context.Context, string, coord.Check) coord.Run {
		letter := 'p'
		if *ran < len(letters) {
			letter = rune(letters[*ran])
		}
		*ran++
		r := coord.Run{Toolchain: "test", Result: coord.ResultPassed}
		switch letter {
		case 'F':
			r.Result, r.ExitStatus = coord.ResultFailed, 1
		case 's':
			r.Result, r.ExitStatus = coord.ResultSkipped, 77
		case 'i':
			r.Result, r.ExitStatus, r.Reason = coord.ResultInterrupted, -1, "no such program"
		}
		return r
	}
	return ran
}

// toLand is a submission whose merge has another tree than its own.
func (w *world) toLand(a *agent) coord.TaskID {
	w.t.Helper()
	id := w.task("x")
	a.finish(a.start(id), "of-"+string(id), "1")
	w.pushed("besides-"+string(id), "1")
	return id
}

// outcome is the results of all receipts on the trees of a task's landings.
func (w *world) outcome(id coord.TaskID) string {
	w.t.Helper()
	words := ""
	for _, l := range w.detail(id).Landings {
		for _, r := range w.detail(id).Receipts {
			if r.Tree == l.Tree && l.Tree != "" && !strings.Contains(words, string(r.ID)) {
				words += string(r.ID) + ":" + string(r.Result) + " "
			}
		}
	}
	var out []string
	for _, f := range strings.Fields(words) {
		_, result, _ := strings.Cut(f, ":")
		out = append(out, result)
	}
	return strings.Join(out, " ")
}

// TestI14_ALandingRunsAFailedCheckOnceMore by itself, and no more than that,
// whatever was interrupted in between. All runs have receipts.
func TestI14_ALandingRunsAFailedCheckOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	for _, c := range []struct {
		name, runs string // of each call of integrate, separated by blanks
		ran        int
		receipts   string
		code       coord.Code
	}{
		{"fault 75: flaky", "Fp", 2, "failed passed", ""},
		{"twice red", "FF", 2, "failed failed", coord.CodeCheckFailed},
		{"red, then interrupted, then green", "Fi p", 3, "failed passed", ""},
		{"red, then interrupted, then red", "Fi F", 3, "failed failed", coord.CodeCheckFailed},
		{"skipped, then green", "s p", 2, "skipped passed", ""},
		{"could not run, then green", "i p", 2, "passed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.results("")
			id := w.toLand(a)
			calls := strings.Fields(c.runs)
			ran := a.results(strings.Join(calls, ""))
			for range len(calls) - 1 {
				_, err := a.land(id)
				refused(t, err, coord.CodeCheckFailed, "which says nothing about "+string(id))
			}
			_, err := a.land(id)
			equal(t, "code", coord.CodeOf(err), c.code)
			equal(t, "runs", *ran, c.ran)
			equal(t, "receipts", w.outcome(id), c.receipts)
			if c.code != "" {
				equal(t, "state", w.landing(id).State, coord.LandingFailed)
			}
		})
	}
}

// TestI14_WhatFailedTwiceIsNotRunAgain at a landing, unless a decision says so.
func TestI14_WhatFailedTwiceIsNotRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	id := w.toLand(a)
	a.results("Fi")
	_, err := a.land(id)
	refused(t, err, coord.CodeCheckFailed)
	merged := w.landing(id).Tree
	// Somebody else's work has the same tree, and fails on it too.
	b := a.start(w.task("y"))
	_, err = a.Service.RecordReceipt(t.Context(), coord.RecordReceipt{Key: newKey(), Attempt: b.Attempt, Fence: b.Fence, Run: coord.Run{
		Check: theCheck.Name, Definition: theCheck.Digest(), Tree: merged, Result: coord.ResultFailed, ExitStatus: 1,
	}})
	must(t, err)
	ran := a.results("")
	_, err = a.land(id)
	refused(t, err, coord.CodeRequirement, "failed 2 times on tree "+merged.Short(), "coord ask ", "--task "+string(id), "coord integrate "+string(id)+" --decision DECISION", "the target is free again")
	equal(t, "runs", *ran, 0)
	equal(t, "state", w.landing(id).State, coord.LandingReleased)

	d, err := a.Service.Ask(t.Context(), coord.Ask{Key: newKey(), Project: "pay", Question: "Again?", Options: []string{coord.RunAgain, "mend it"}, Tasks: []coord.TaskID{id}})
	must(t, err)
	_, err = a.Service.Decide(t.Context(), coord.Decide{Key: newKey(), Project: "pay", Decision: d.ID, Option: coord.RunAgain})
	must(t, err)
	a.Decision = d.ID
	_, err = a.Land(t.Context(), work.LandOptions{Task: id})
	must(t, err)
	equal(t, "runs", *ran, 1)
}

// TestI14_ADecisionIsStatedWhereItIsNeeded: a check that did not fail too often
// does not use it up.
func TestI14_ADecisionIsStatedWhereItIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	a.Decision = "D9" // there is none
	_, err := a.Check(t.Context(), b, nil, nil)
	must(t, err)
	a.results("FF")
	for range 2 {
		w.write(b.Path, "x.txt", "2")
		_, err = a.Check(t.Context(), b, nil, nil)
		refused(t, err, coord.CodeCheckFailed)
	}
	_, err = a.Check(t.Context(), b, nil, nil)
	refused(t, err, coord.CodeNotFound, "D9")
	s, err := a.State(t.Context(), b)
	must(t, err)
	equal(t, "failures", s.Checks[0].Failures, 2)
	equal(t, "missing", len(s.Missing), 1)
}
