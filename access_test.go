package coord_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

func TestTokenIDs(t *testing.T) {
	for _, n := range []int64{1, 7, 1 << 40} {
		if got, err := coord.NewTokenID(n).Number(); got != n || err != nil {
			t.Errorf("%d: %d, %v", n, got, err)
		}
	}
	for _, bad := range []coord.TokenID{"", "tok", "tok0", "tok07", "tok-1", "7", "TOK7", "tok7x"} {
		if _, err := bad.Number(); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTokenValidity(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	before, after := now.Add(-1), now.Add(1)
	for name, c := range map[string]struct {
		token coord.Token
		want  bool
	}{
		"without end":     {coord.Token{}, true},
		"later":           {coord.Token{ExpiresAt: &after}, true},
		"this instant":    {coord.Token{ExpiresAt: &now}, false},
		"earlier":         {coord.Token{ExpiresAt: &before}, false},
		"revoked":         {coord.Token{RevokedAt: &before}, false},
		"revoked in time": {coord.Token{RevokedAt: &before, ExpiresAt: &after}, false},
	} {
		if got := c.token.Valid(now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestL12_MayClose: nobody but an operator closes what is not its own, and a
// caller without a session owns none.
func TestL12_MayClose(t *testing.T) {
	for name, c := range map[string]struct {
		caller coord.Caller
		id     coord.SessionID
		want   bool
	}{
		"own":               {coord.Caller{Role: coord.RoleAgent, Session: "s1"}, "s1", true},
		"another's":         {coord.Caller{Role: coord.RoleAgent, Session: "s1"}, "s2", false},
		"without a session": {coord.Caller{Role: coord.RoleAgent}, "", false},
		"set-up":            {coord.Caller{Role: coord.RoleSetup}, "s1", false},
		"operator":          {coord.Caller{Role: coord.RoleOperator}, "s1", true},
	} {
		if got := c.caller.MayClose(c.id) == nil; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCanonicalCapabilities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9._:/-]{1,64}`), 0, 40).Draw(t, "given")
		got, err := coord.CanonicalCapabilities(given)
		if err != nil {
			if len(given) <= coord.MaxCapabilities {
				t.Fatalf("%q: %v", given, err)
			}
			return
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%q became %q", given, got)
		}
		for _, c := range given {
			if !slices.Contains(got, c) {
				t.Fatalf("%q lacks %q", got, c)
			}
		}
	})
	for _, bad := range []string{"", "GPU", "a b", "ä", "a\n", strings.Repeat("x", 65)} {
		if _, err := coord.CanonicalCapabilities([]string{bad}); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOpenSessionLineage(t *testing.T) {
	good := coord.OpenSession{ID: "session-of-alpha-01", Verifier: coord.SessionVerifier("x"), Name: "alpha", Machine: "m1", Parent: "session-of-bravo-01"}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, edit := range map[string]func(*coord.OpenSession){
		"its own parent":    func(c *coord.OpenSession) { c.Parent = c.ID },
		"no id":             func(c *coord.OpenSession) { c.Parent = "bravo" },
		"a bad capability":  func(c *coord.OpenSession) { c.Capabilities = []string{"GPU"} },
		"a forged name":     func(c *coord.OpenSession) { c.Name = "alpha\nbravo" },
		"a parent too long": func(c *coord.OpenSession) { c.Parent = coord.SessionID(strings.Repeat("s", 65)) },
	} {
		c := good
		edit(&c)
		if err := c.Validate(); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
