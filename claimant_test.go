package coord_test

import (
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
