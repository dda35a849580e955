package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"coord"
)

// TestFault41_ASecretThatIsGone: the answer to a lost answer has no secret,
// and says how to be rid of the token that nobody can use.
func TestFault41_ASecretThatIsGone(t *testing.T) {
	k := coord.Token{ID: "tok7", Principal: "laptop", Role: coord.RoleAgent, Label: "my laptop"}
	out := issued("token", coord.IssuedToken{Token: k, SecretShown: true}, "https://coord.example.com")
	if coord.CodeOf(out.err) != coord.CodeStateConflict {
		t.Fatalf("it ends with %v", out.err)
	}
	want := []string{`coord token revoke tok7 --reason "secret lost"`, "coord token new --label 'my laptop' --principal laptop"}
	if got := asError(out.err).Next; !slices.Equal(got, want) {
		t.Errorf("next is %q, want %q", got, want)
	}
	var b bytes.Buffer
	out.text(&b)
	if !strings.Contains(b.String(), "tok7") || strings.Contains(b.String(), "COORD_TOKEN") {
		t.Errorf("it prints %q", b.String())
	}
	if out = issued("token", coord.IssuedToken{Token: k, Secret: "coord_agt_x"}, "https://coord.example.com"); out.err != nil {
		t.Errorf("with its secret it ends with %v", out.err)
	}
}
