package coord_test

import (
	"errors"
	"strings"
	"testing"

	"coord"
)

// TestGrantSuitsTheSession asks for tasks as sessions that can do more or
// less, and that hold more or less already.
func TestGrantSuitsTheSession(t *testing.T) {
	needs := func(all ...string) func(*coord.TaskFacts) {
		return func(f *coord.TaskFacts) { f.Capabilities = all }
	}
	limit := coord.DefaultPolicy().HeldLimit
	for _, c := range []struct {
		name   string
		f      coord.TaskFacts
		offers []string
		held   int
		want   coord.Code
	}{
		{"nothing needed, nothing offered", with(), nil, 0, ""},
		{"nothing needed, something offered", with(), []string{"gpu"}, 0, ""},
		{"needed, nothing offered", with(needs("gpu")), nil, 0, coord.CodeRequirement},
		{"needed, another offered", with(needs("gpu")), []string{"gpu-0", "windows"}, 0, coord.CodeRequirement},
		{"two needed, the first offered", with(needs("gpu", "windows")), []string{"gpu"}, 0, coord.CodeRequirement},
		{"two needed, the second offered", with(needs("gpu", "windows")), []string{"windows"}, 0, coord.CodeRequirement},
		{"two needed, more offered", with(needs("gpu", "windows")), []string{"arm", "gpu", "windows"}, 0, ""},
		{"needed, of a dead owner", with(needs("gpu"), owned), nil, 0, coord.CodeRequirement},
		{"one short of the limit", with(), nil, limit - 1, ""},
		{"at the limit", with(), nil, limit, coord.CodeQuota},
		{"above a limit that was lowered", with(), nil, limit + 1, coord.CodeQuota},
		{"at the limit, a review", with(kind(coord.KindReview)), nil, limit, coord.CodeQuota},
	} {
		who := coord.Claimant{Session: bravo, Role: coord.RoleAgent, Capabilities: c.offers, Held: c.held}
		_, err := c.f.Grant(who, nil, coord.DefaultPolicy(), noon)
		if coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", c.name, err, c.want)
		} else if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

// TestFault30_TheRefusalNamesWhatIsHeld: a few by name, more by number, and the
// command that frees the oldest.
func TestFault30_TheRefusalNamesWhatIsHeld(t *testing.T) {
	p := coord.DefaultPolicy()
	p.HeldLimit = 12
	all := []coord.Holding{{Task: "pay-3", Kind: coord.KindCode}, {Task: "web-7", Kind: coord.KindReview}}
	for _, c := range []struct {
		held     int
		holdings []coord.Holding
		says     string
		details  string
	}{
		{12, all[:1], "pay-3 (code) and 11 more", "pay-3"},
		{13, all, "pay-3 (code), web-7 (review) and 11 more", "pay-3 web-7"},
	} {
		err := coord.Claimant{Held: c.held, Holdings: c.holdings}.CheckQuota(p)
		var e *coord.Error
		if !errors.As(err, &e) || e.Code != coord.CodeQuota || !strings.Contains(e.Message, c.says) || e.Details["holdings"] != c.details || e.Next[0] != "coord release --task pay-3 -m REASON" {
			t.Errorf("%d: %+v", c.held, e)
		}
	}
	if err := (coord.Claimant{Held: 11, Holdings: all}).CheckQuota(p); err != nil {
		t.Error(err)
	}
}
