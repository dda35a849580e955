package coord_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"coord"
)

func newToken(t interface{ Fatal(...any) }, role coord.Role, seed byte) string {
	token, err := coord.NewToken(role, bytes.NewReader(bytes.Repeat([]byte{seed, seed + 7, seed + 100}, 200)))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTokens(t *testing.T) {
	agent, setup, operator := newToken(t, coord.RoleAgent, 1), newToken(t, coord.RoleSetup, 1), newToken(t, coord.RoleOperator, 1)
	for token, prefix := range map[string]string{agent: "coord_agt_", setup: "coord_set_", operator: "coord_opr_"} {
		if !strings.HasPrefix(token, prefix) || len(token) != len(prefix)+32+6 {
			t.Errorf("token %q has another form", token)
		}
		if err := coord.CheckToken(token); err != nil {
			t.Errorf("%q: %v", token, err)
		}
	}
	if coord.TokenVerifier(agent) == coord.TokenVerifier(setup) || len(coord.TokenVerifier(agent)) != 64 {
		t.Error("a verifier is the SHA-256 of one token")
	}
	if _, err := coord.NewToken("guardian", bytes.NewReader(nil)); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("another role has no token: %v", err)
	}
	if got := coord.MaskToken(coord.TokenRole(agent), coord.TokenTail(agent)); got != "coord_agt_…"+agent[len(agent)-4:] {
		t.Errorf("a masked token is %q", got)
	}
	if _, err := coord.NewToken(coord.RoleAgent, iotest.ErrReader(errors.New("dry"))); coord.CodeOf(err) != coord.CodeInternal {
		t.Errorf("without randomness there is no token: %v", err)
	}
}

func TestTokenChecksumRefusesEveryTypo(t *testing.T) {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	rapid.Check(t, func(t *rapid.T) {
		token := newToken(t, coord.RoleAgent, rapid.Byte().Draw(t, "seed"))
		at := rapid.IntRange(0, len(token)-1).Draw(t, "at")
		to := rapid.SampledFrom([]byte(digits)).Draw(t, "to")
		typo := token[:at] + string(to) + token[at+1:]
		if err := coord.CheckToken(typo); (err == nil) != (typo == token) {
			t.Fatalf("%q, mistyped from %q: %v", typo, token, err)
		}
	})
	token := newToken(t, coord.RoleAgent, 1)
	for _, bad := range []string{"", "coord_agt_", token[:len(token)-1], token + "0", " " + token, token + "\n", strings.Replace(token, "agt", "set", 1), strings.ToLower(token)} {
		if err := coord.CheckToken(bad); coord.CodeOf(err) != coord.CodeUnauthenticated {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestRandomTextHasNoBias feeds every byte value once: the 248 that are used
// must give each digit exactly four times.
func TestRandomTextHasNoBias(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	text, err := coord.RandomText(248, bytes.NewReader(append(all, all...)))
	if err != nil {
		t.Fatal(err)
	}
	count := map[rune]int{}
	for _, r := range text {
		count[r]++
	}
	for r, n := range count {
		if n != 4 || len(count) != 62 {
			t.Errorf("%q came %d times, %d digits in all", r, n, len(count))
		}
	}
}

func TestSessionHeader(t *testing.T) {
	id, proof := strings.Repeat("s", 16), strings.Repeat("p", 32)
	gotID, gotProof, err := coord.ParseSessionHeader(id + "." + proof)
	if string(gotID) != id || gotProof != proof || err != nil {
		t.Errorf("got %q %q %v", gotID, gotProof, err)
	}
	for _, bad := range []string{"", id, "." + proof, id + ".", id + "." + proof[1:], id[1:] + "." + proof, id + " ." + proof, strings.Repeat("s", 65) + "." + proof, id + "." + strings.Repeat("p", 129)} {
		if _, _, err := coord.ParseSessionHeader(bad); coord.CodeOf(err) != coord.CodeSessionUnknown {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, ok := range map[string]bool{
		strings.Repeat("k", 16): true, strings.Repeat("K", 128): true, "abc-DEF_012345678": true,
		strings.Repeat("k", 15): false, strings.Repeat("k", 129): false, "": false, "0123456789 abcdef": false,
		"0123456789\x00abcdef": false, "0123456789äabcdef": false, strings.Repeat("k", 16) + "\n": false,
	} {
		if got := coord.Key(key).Validate() == nil; got != ok {
			t.Errorf("key %q accepted: %v", key, got)
		}
	}
}
