package coord_test

import (
	"testing"

	"coord"
)

// TestI2_ResultHasTheStrategysParents: what is recorded as merged is what the
// strategy makes of the approved candidate on the tip, and nothing else.
func TestI2_ResultHasTheStrategysParents(t *testing.T) {
	base, of, other := oid(10), candidate.Commit, oid(7)
	for _, c := range []struct {
		name    string
		by      coord.Strategy
		result  coord.OID
		parents []coord.OID
		ok      bool
	}{
		{"merge", coord.StrategyMerge, oid(11), []coord.OID{base, of}, true},
		{"merge the other way round", coord.StrategyMerge, oid(11), []coord.OID{of, base}, false},
		{"merge of another commit", coord.StrategyMerge, oid(11), []coord.OID{base, other}, false},
		{"merge onto another commit", coord.StrategyMerge, oid(11), []coord.OID{other, of}, false},
		{"merge that is none", coord.StrategyMerge, oid(11), []coord.OID{base}, false},
		{"merge of three", coord.StrategyMerge, oid(11), []coord.OID{base, of, other}, false},
		{"squash", coord.StrategySquash, oid(11), []coord.OID{base}, true},
		{"squash onto another commit", coord.StrategySquash, oid(11), []coord.OID{other}, false},
		{"squash that keeps the branch", coord.StrategySquash, oid(11), []coord.OID{base, of}, false},
		{"rebase", coord.StrategyRebase, oid(11), []coord.OID{other}, true},
		{"rebase of nothing to move", coord.StrategyRebase, of, []coord.OID{other}, true},
		{"rebase to a merge", coord.StrategyRebase, oid(11), []coord.OID{base, of}, false},
		{"fast-forward", coord.StrategyFF, of, []coord.OID{other}, true},
		{"fast-forward to a merge", coord.StrategyFF, of, []coord.OID{base, other}, true},
		{"fast-forward to another commit", coord.StrategyFF, oid(11), []coord.OID{base}, false},
		{"no parents", coord.StrategyFF, of, nil, false},
	} {
		l := landingIn(coord.LandingHeld)
		l.Strategy = c.by
		_, err := l.Merge(coord.RecordMerge{Base: base, Result: c.result, Tree: oid(12), Parents: c.parents}, of)
		checkValid(t, c.name, err, c.ok)
	}
}

// A fast-forward or a rebase may have no result although no path conflicts.
func TestConflictWithoutPaths(t *testing.T) {
	for s, ok := range map[coord.Strategy]bool{coord.StrategyMerge: false, coord.StrategySquash: false, coord.StrategyRebase: true, coord.StrategyFF: true} {
		l := landingIn(coord.LandingHeld)
		l.Strategy = s
		_, err := l.Fail(coord.FailLanding{State: coord.LandingConflict, Reason: "it is behind"})
		checkValid(t, string(s), err, ok)
	}
}
