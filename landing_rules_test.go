package coord_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coord"
)

// candidate is an approved submission; its landing merges it onto oid(10).
var candidate = coord.Submission{ID: "pay-1.s1", Commit: oid(1), Tree: oid(2)}

func landingIn(s coord.LandingState) coord.Landing {
	l := coord.Landing{ID: "pay-1.l1", Task: "pay-1", Submission: candidate.ID, Strategy: coord.StrategyMerge, State: s}
	if s != coord.LandingHeld {
		l.Tries, l.Base, l.Result, l.Tree = 1, oid(10), oid(11), oid(12)
		l.Required = []coord.RequiredCheck{unitTest.Require()}
	}
	l.Verified = s == coord.LandingPublishing || s == coord.LandingLanded
	return l
}

var (
	allLandings = []coord.LandingState{
		coord.LandingHeld, coord.LandingMerged, coord.LandingPublishing, coord.LandingLanded,
		coord.LandingConflict, coord.LandingFailed, coord.LandingReleased,
	}
	merge  = coord.RecordMerge{Base: oid(10), Result: oid(11), Tree: oid(12), Parents: []coord.OID{oid(10), candidate.Commit}, Required: []coord.RequiredCheck{unitTest.Require()}}
	permit = coord.Permit{Base: oid(10), Result: oid(11), Tree: oid(12)}
	landed = coord.RecordObservation{Tip: oid(11), Contained: true, Tree: oid(12)}
	red    = coord.Run{Check: "test", Definition: unitTest.Digest(), Tree: oid(12), Result: coord.ResultFailed, ExitStatus: 1}
)

// TestLandingStates tries every command in every state: what is not listed is
// refused and changes nothing.
func TestLandingStates(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(coord.Landing) (coord.Landing, error)
		from map[coord.LandingState]coord.LandingState
	}{
		{"merge", func(l coord.Landing) (coord.Landing, error) { return l.Merge(merge, candidate.Commit) }, map[coord.LandingState]coord.LandingState{
			coord.LandingHeld: coord.LandingMerged, coord.LandingMerged: coord.LandingMerged,
		}},
		{"permit", func(l coord.Landing) (coord.Landing, error) {
			return l.Allow(permit, []coord.Receipt{passed(oid(12))})
		}, map[coord.LandingState]coord.LandingState{coord.LandingMerged: coord.LandingPublishing}},
		{"observe the result", func(l coord.Landing) (coord.Landing, error) { return l.Observe(landed, candidate) }, map[coord.LandingState]coord.LandingState{
			coord.LandingPublishing: coord.LandingLanded,
		}},
		{"observe the candidate", func(l coord.Landing) (coord.Landing, error) {
			return l.Observe(coord.RecordObservation{Tip: oid(20), Contained: true, Tree: oid(2)}, candidate)
		}, map[coord.LandingState]coord.LandingState{coord.LandingHeld: coord.LandingLanded, coord.LandingMerged: coord.LandingLanded}},
		{"observe something else", func(l coord.Landing) (coord.Landing, error) {
			return l.Observe(coord.RecordObservation{Tip: oid(20)}, candidate)
		}, map[coord.LandingState]coord.LandingState{
			coord.LandingHeld: coord.LandingHeld, coord.LandingMerged: coord.LandingMerged, coord.LandingPublishing: coord.LandingHeld,
		}},
		{"conflict", func(l coord.Landing) (coord.Landing, error) {
			return l.Fail(coord.FailLanding{State: coord.LandingConflict, Conflicts: []string{"a.go"}})
		}, map[coord.LandingState]coord.LandingState{coord.LandingHeld: coord.LandingConflict, coord.LandingMerged: coord.LandingConflict}},
		{"failed check", func(l coord.Landing) (coord.Landing, error) {
			return l.Fail(coord.FailLanding{State: coord.LandingFailed, Runs: []coord.Run{red}})
		}, map[coord.LandingState]coord.LandingState{coord.LandingMerged: coord.LandingFailed}},
		{"give back", func(l coord.Landing) (coord.Landing, error) {
			return l.Fail(coord.FailLanding{State: coord.LandingReleased})
		}, map[coord.LandingState]coord.LandingState{
			coord.LandingHeld: coord.LandingReleased, coord.LandingMerged: coord.LandingReleased,
		}},
	} {
		for _, state := range allLandings {
			l := landingIn(state)
			got, err := c.do(l)
			want, allowed := c.from[state]
			if allowed && (err != nil || got.State != want) {
				t.Errorf("%s from %s: %s, %v; want %s", c.name, state, got.State, err, want)
			}
			if !allowed && err == nil {
				t.Errorf("%s from %s was allowed and gave %s", c.name, state, got.State)
			}
			if !allowed && !cmp.Equal(got, l) {
				t.Errorf("%s from %s was refused and changed the record: %s", c.name, state, cmp.Diff(l, got))
			}
		}
	}
}

func TestLandingReserves(t *testing.T) {
	for _, s := range allLandings {
		want := slices.Contains([]coord.LandingState{coord.LandingHeld, coord.LandingMerged, coord.LandingPublishing}, s)
		if s.Reserves() != want {
			t.Errorf("%s reserves its target: %v", s, s.Reserves())
		}
	}
	if coord.LandingState("").Reserves() {
		t.Error("no landing reserves a target")
	}
}

func TestMergeRecordsWhatItGave(t *testing.T) {
	l := landingIn(coord.LandingHeld)
	l.Verified = true // of an earlier result
	parents := []coord.OID{oid(10), candidate.Commit}
	got, err := l.Merge(coord.RecordMerge{Base: oid(10), Result: oid(11), Tree: oid(12), Parents: parents, Required: merge.Required, Outside: []coord.OID{oid(9)}}, candidate.Commit)
	if err != nil || got.Base != oid(10) || got.Result != oid(11) || got.Tree != oid(12) || got.Tries != 1 || got.Verified || len(got.Required) != 1 || len(got.Outside) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, c := range map[string]coord.RecordMerge{
		"no base":             {Result: oid(11), Tree: oid(12), Parents: parents},
		"no result":           {Base: oid(10), Tree: oid(12), Parents: parents},
		"no tree":             {Base: oid(10), Result: oid(11), Parents: parents},
		"abbreviated":         {Base: oid(10), Result: "abc1234", Tree: oid(12), Parents: parents},
		"garbage as outsider": {Base: oid(10), Result: oid(11), Tree: oid(12), Parents: parents, Outside: []coord.OID{"\x1b[2J"}},
	} {
		_, err := l.Merge(c, candidate.Commit)
		checkValid(t, name, err, false)
	}
}

// TestI13_MergeTries: three merges, also across permits that did not land,
// then the target goes to others.
func TestI13_MergeTries(t *testing.T) {
	l := landingIn(coord.LandingHeld)
	var err error
	for i := range coord.MaxTries {
		if l, err = l.Merge(merge, candidate.Commit); err != nil {
			t.Fatalf("merge %d: %v", i+1, err)
		}
		if l, err = l.Allow(permit, []coord.Receipt{passed(oid(12))}); err != nil {
			t.Fatal(err)
		}
		if l, err = l.Observe(coord.RecordObservation{Tip: oid(20), Refusal: "stale info"}, candidate); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Merge(merge, candidate.Commit); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("merge %d: %v", coord.MaxTries+1, err)
	}
	if given, err := l.Fail(coord.FailLanding{State: coord.LandingReleased}); err != nil || given.State.Reserves() {
		t.Errorf("the target cannot be given back: %+v, %v", given, err)
	}
}

func TestI3_PermitNamesTheVerifiedMerge(t *testing.T) {
	ok := []coord.Receipt{passed(oid(12))}
	red := passed(oid(12))
	red.Result = coord.ResultFailed
	for _, c := range []struct {
		name     string
		permit   coord.Permit
		receipts []coord.Receipt
		want     coord.Code
	}{
		{"the recorded merge with its receipt", permit, ok, ""},
		{"another base", coord.Permit{Base: oid(9), Result: oid(11), Tree: oid(12)}, ok, coord.CodeStateConflict},
		{"another result", coord.Permit{Base: oid(10), Result: oid(9), Tree: oid(12)}, ok, coord.CodeStateConflict},
		{"another tree", coord.Permit{Base: oid(10), Result: oid(11), Tree: oid(9)}, []coord.Receipt{passed(oid(9))}, coord.CodeStateConflict},
		{"no receipt", permit, nil, coord.CodeRequirement},
		{"receipt for the candidate's tree", permit, []coord.Receipt{passed(candidate.Tree)}, coord.CodeRequirement},
		{"failed run", permit, []coord.Receipt{red}, coord.CodeRequirement},
	} {
		l := landingIn(coord.LandingMerged)
		got, err := l.Allow(c.permit, c.receipts)
		if coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", c.name, err, c.want)
		}
		if err != nil && !cmp.Equal(got, l) {
			t.Errorf("%s: refused, and the record changed: %s", c.name, cmp.Diff(l, got))
		}
		if err == nil && !got.Verified {
			t.Errorf("%s: permitted and not verified", c.name)
		}
	}
	_, err := landingIn(coord.LandingMerged).Allow(permit, nil)
	if detail(err, "check") != "test" {
		t.Errorf("the refusal does not name the check: %v", err)
	}
}

func TestI7_Observe(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  coord.LandingState
		seen  coord.RecordObservation
		state coord.LandingState
		want  coord.Code
	}{
		{"result is the tip", coord.LandingPublishing, landed, coord.LandingLanded, ""},
		{"someone built on it", coord.LandingPublishing, coord.RecordObservation{Tip: oid(30), Contained: true, Tree: oid(12)}, coord.LandingLanded, ""},
		{"another tree landed", coord.LandingPublishing, coord.RecordObservation{Tip: oid(11), Contained: true, Tree: oid(13)}, coord.LandingPublishing, coord.CodeStateConflict},
		{"contained without a tree", coord.LandingPublishing, coord.RecordObservation{Tip: oid(11), Contained: true}, coord.LandingPublishing, coord.CodeStateConflict},
		{"the push did not arrive", coord.LandingPublishing, coord.RecordObservation{Tip: oid(10)}, coord.LandingHeld, ""},
		{"no tip", coord.LandingPublishing, coord.RecordObservation{Contained: true, Tree: oid(12)}, coord.LandingPublishing, coord.CodeBadRequest},
		{"I8 candidate already in", coord.LandingHeld, coord.RecordObservation{Tip: oid(30), Contained: true, Tree: oid(2)}, coord.LandingLanded, ""},
		{"candidate said to be in, with another tree", coord.LandingHeld, coord.RecordObservation{Tip: oid(30), Contained: true, Tree: oid(3)}, coord.LandingHeld, coord.CodeStateConflict},
		{"unverified result before a permit", coord.LandingMerged, landed, coord.LandingMerged, coord.CodeStateConflict},
		{"tip moved before a permit", coord.LandingMerged, coord.RecordObservation{Tip: oid(30)}, coord.LandingMerged, ""},
	} {
		l := landingIn(c.from)
		got, err := l.Observe(c.seen, candidate)
		if coord.CodeOf(err) != c.want || got.State != c.state {
			t.Errorf("%s: %s, %v; want %s, %q", c.name, got.State, err, c.state, c.want)
		}
		if err != nil && !cmp.Equal(got, l) {
			t.Errorf("%s: refused, and the record changed: %s", c.name, cmp.Diff(l, got))
		}
		if err == nil && got.ObservedTip != c.seen.Tip {
			t.Errorf("%s: the tip was not recorded", c.name)
		}
	}
}

func TestObserveKeepsWhatItMeans(t *testing.T) {
	got, err := landingIn(coord.LandingHeld).Observe(coord.RecordObservation{Tip: oid(30), Contained: true, Tree: oid(2)}, candidate)
	if err != nil || !got.AlreadyIn || got.Result != candidate.Commit || got.Tree != candidate.Tree {
		t.Errorf("already in: %+v, %v", got, err)
	}
	got, err = landingIn(coord.LandingPublishing).Observe(coord.RecordObservation{Tip: oid(10), Weak: true, Refusal: "hook\x1b[2J said\nno"}, candidate)
	if err != nil || got.Reason != `hook\u001b[2J said no` || !got.Weak {
		t.Errorf("refused push: %+v, %v", got, err)
	}
	if got, err = got.Observe(coord.RecordObservation{Tip: oid(10)}, candidate); err != nil || !got.Weak {
		t.Errorf("a weak remote stays weak: %+v, %v", got, err)
	}
}

func TestFailReportsWhatHappened(t *testing.T) {
	with := func(edit func(*coord.Run)) []coord.Run { r := red; edit(&r); return []coord.Run{r} }
	for _, c := range []struct {
		name string
		fail coord.FailLanding
		ok   bool
	}{
		{"conflict", coord.FailLanding{State: coord.LandingConflict, Conflicts: []string{"a.go"}, Base: oid(10)}, true},
		{"conflict without paths", coord.FailLanding{State: coord.LandingConflict}, false},
		{"conflict on garbage", coord.FailLanding{State: coord.LandingConflict, Conflicts: []string{"a.go"}, Base: "main"}, false},
		{"failed check", coord.FailLanding{State: coord.LandingFailed, Runs: []coord.Run{red}}, true},
		{"interrupted check", coord.FailLanding{State: coord.LandingFailed, Runs: with(func(r *coord.Run) { r.Result = coord.ResultInterrupted })}, true},
		{"check that changes files", coord.FailLanding{State: coord.LandingFailed, Runs: with(func(r *coord.Run) {
			r.Result, r.ExitStatus, r.Changed = coord.ResultPassed, 0, []string{"out.txt"}
		})}, true},
		{"failed without a run", coord.FailLanding{State: coord.LandingFailed}, false},
		{"failed with a passing run", coord.FailLanding{State: coord.LandingFailed, Runs: with(func(r *coord.Run) { r.Result, r.ExitStatus = coord.ResultPassed, 0 })}, false},
		{"failed on another tree", coord.FailLanding{State: coord.LandingFailed, Runs: with(func(r *coord.Run) { r.Tree = oid(2) })}, false},
		{"failed a check that is not required", coord.FailLanding{State: coord.LandingFailed, Runs: with(func(r *coord.Run) { r.Check = "extra" })}, false},
		{"given back", coord.FailLanding{State: coord.LandingReleased, Reason: "lunch"}, true},
		{"I6 declared landed", coord.FailLanding{State: coord.LandingLanded}, false},
		{"declared held", coord.FailLanding{State: coord.LandingHeld}, false},
		{"nothing said", coord.FailLanding{}, false},
	} {
		l := landingIn(coord.LandingMerged)
		got, err := l.Fail(c.fail)
		checkValid(t, c.name, err, c.ok)
		if err != nil && !cmp.Equal(got, l) {
			t.Errorf("%s: refused, and the record changed: %s", c.name, cmp.Diff(l, got))
		}
		if err == nil && got.State.Reserves() {
			t.Errorf("%s: the target is still held", c.name)
		}
	}
}

// TestI6_AnObservationIsOfOneTry: what was seen of an earlier publication, by a
// process that came late, says nothing about the one that is under way.
func TestI6_AnObservationIsOfOneTry(t *testing.T) {
	l := landingIn(coord.LandingPublishing)
	l.Tries = 2
	for try, want := range map[int]coord.LandingState{0: coord.LandingHeld, 1: coord.LandingPublishing, 2: coord.LandingHeld} {
		next, err := l.Observe(coord.RecordObservation{Tip: oid(20), Try: try}, candidate)
		if next.State != want || (try == 1) != (coord.CodeOf(err) == coord.CodeStateConflict) {
			t.Errorf("seen of try %d: %s, %v", try, next.State, err)
		}
	}
	seen := landed
	seen.Try = 1
	if next, err := l.Observe(seen, candidate); coord.CodeOf(err) != coord.CodeStateConflict || next.State != coord.LandingPublishing {
		t.Errorf("a landing seen of try 1: %s, %v", next.State, err)
	}
}
