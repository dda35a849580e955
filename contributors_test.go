package coord_test

import (
	"testing"

	"coord"
)

// TestV5_Fault59 puts the reviewer among the contributors, first, between and
// last: one who held an early attempt is no more independent than the author.
func TestV5_Fault59_EveryContributorCounts(t *testing.T) {
	others := func(n int) (all []coord.Identity) {
		for i := range n {
			all = append(all, coord.Identity{Session: coord.SessionID("another-" + string(rune('0'+i)) + "-0123456789"), Principal: "grey", Machine: "loom"})
		}
		return all
	}
	me := coord.Identity{Session: alpha, Principal: "red", Machine: "forge"}
	for _, degree := range []coord.Independence{coord.IndependentSession, coord.IndependentAgent, coord.IndependentMachine} {
		for before := range 3 {
			for after := range 3 {
				all := append(append(others(before), me), others(after)...)
				if err := coord.CheckIndependent(degree, "pay-1", me, all); coord.CodeOf(err) != coord.CodeNotIndependent {
					t.Errorf("independence %s, %d before and %d after: %v", degree, before, after, err)
				}
				if err := coord.CheckIndependent(degree, "pay-1", me, append(others(before), others(after)...)); err != nil {
					t.Errorf("independence %s, not among %d others: %v", degree, before+after, err)
				}
			}
		}
	}
}
