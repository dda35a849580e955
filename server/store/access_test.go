package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

func TestTokens(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	agent, err := s.IssueToken(t.Context(), "agents", coord.RoleAgent, "laptop")
	if err != nil {
		t.Fatal(err)
	}
	setupToken, err := s.IssueToken(t.Context(), "up", coord.RoleSetup, "up")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]coord.Caller{
		agent:      {Principal: "agents", Role: coord.RoleAgent, Name: "agents", Token: "tok1"},
		setupToken: {Principal: "up", Role: coord.RoleSetup, Name: "up", Token: "tok2"},
	} {
		if got, err := s.Authenticate(t.Context(), token); err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	foreign, err := coord.NewToken(coord.RoleAgent, bytes.NewReader(bytes.Repeat([]byte{7, 99, 3}, 99)))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "x", foreign, agent + "x", agent[:len(agent)-1]} {
		if _, err := s.Authenticate(t.Context(), bad); coord.CodeOf(err) != coord.CodeUnauthenticated || err.Error() != "the credential is not valid" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := s.IssueToken(t.Context(), "warden", coord.RoleOperator, ""); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("a token for an operator: %v", err)
	}
}

func TestVerifySession(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	const id, mine = "session-of-alpha-01", "a-proof-of-at-least-32-characters"
	open := coord.OpenSession{ID: id, Verifier: coord.SessionVerifier(mine), Name: "alpha", Machine: "m1"}
	for range 2 { // again changes nothing
		if _, err := s.As(agents).OpenSession(t.Context(), open); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.VerifySession(t.Context(), agents, id, mine)
	if want := (coord.Caller{Principal: "agents", Role: coord.RoleAgent, Session: id, Name: "alpha"}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	other := coord.Caller{Principal: "others", Role: coord.RoleAgent}
	for name, try := range map[string]func() (coord.Code, error){
		"wrong proof": func() (coord.Code, error) {
			_, err := s.VerifySession(t.Context(), agents, id, mine+"x")
			return coord.CodeSessionInUse, err
		},
		"unknown session": func() (coord.Code, error) {
			_, err := s.VerifySession(t.Context(), agents, "session-of-nobody", mine)
			return coord.CodeSessionUnknown, err
		},
		"other credential": func() (coord.Code, error) {
			_, err := s.VerifySession(t.Context(), other, id, mine)
			return coord.CodeSessionUnknown, err
		},
		"other verifier": func() (coord.Code, error) {
			o := open
			o.Verifier = coord.SessionVerifier("other")
			_, err := s.As(agents).OpenSession(t.Context(), o)
			return coord.CodeSessionInUse, err
		},
		"taken id": func() (coord.Code, error) {
			_, err := s.As(other).OpenSession(t.Context(), open)
			return coord.CodeSessionUnknown, err
		},
		"stated but never opened": func() (coord.Code, error) {
			c := agents
			c.Session = "session-of-nobody"
			_, err := s.As(c).Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"})
			return coord.CodeSessionUnknown, err
		},
	} {
		if want, err := try(); coord.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestOperators(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	if err := s.CreateOperator(t.Context(), "warden", "correct horse"); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateOperator(t.Context(), "warden", "another one"); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("again: %v", err)
	}
	if err := s.CreateOperator(t.Context(), "otto", "short"); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("a short password: %v", err)
	}
	got, err := s.CheckPassword(t.Context(), "warden", "correct horse")
	if want := (coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	var first string
	for _, c := range [][2]string{{"warden", "wrong"}, {"nobody", "correct horse"}, {"", ""}, {"warden", strings.Repeat("x", 2000)}} {
		_, err := s.CheckPassword(t.Context(), c[0], c[1])
		if coord.CodeOf(err) != coord.CodeUnauthenticated {
			t.Fatalf("%q: %v", c, err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Errorf("%q reads %q, not %q", c, err, first)
		}
	}
	if p, ok := parsePHC(""); ok || p.memory != argonMemory || p.time != argonTime || p.threads != argonThreads {
		t.Errorf("an unknown name does not cost the same: %+v", p)
	}
	s.hashing <- struct{}{}
	s.hashing <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CheckPassword(ctx, "warden", "correct horse"); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("a third hash at a time: %v", err)
	}
}

func TestWebSessions(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	if err := s.CreateOperator(t.Context(), "warden", "correct horse"); err != nil {
		t.Fatal(err)
	}
	open := func() string {
		t.Helper()
		token, err := s.OpenWebSession(t.Context(), operator("warden"))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	check := func(token string, want coord.Code, when string) {
		t.Helper()
		got, err := s.WebSession(t.Context(), token)
		if coord.CodeOf(err) != want || err == nil && got != operator("warden") {
			t.Errorf("%s: %+v, %v", when, got, err)
		}
	}
	idle := open()
	check(idle, "", "at once")
	clock.Advance(webSessionIdle - 1)
	check(idle, "", "just before it is idle")
	clock.Advance(webSessionIdle)
	check(idle, coord.CodeUnauthenticated, "idle")
	used := open()
	for age := time.Duration(0); age < webSessionAge; age += webSessionIdle / 2 {
		check(used, "", "in use")
		clock.Advance(webSessionIdle / 2)
	}
	check(used, coord.CodeUnauthenticated, "12 hours old")
	closed := open()
	for range 2 {
		if err := s.CloseWebSession(t.Context(), closed); err != nil {
			t.Error(err)
		}
	}
	check(closed, coord.CodeUnauthenticated, "closed")
	check("never opened", coord.CodeUnauthenticated, "unknown")
	if _, err := s.OpenWebSession(t.Context(), agents); coord.CodeOf(err) != coord.CodeNotPermitted {
		t.Errorf("an agent signs in: %v", err)
	}
}

// TestK6_SecretsAreNotStored looks for every secret in the bytes on the disk.
func TestK6_SecretsAreNotStored(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "coord.db"), servicetest.NewClock().Now)
	token, err := s.IssueToken(t.Context(), "agents", coord.RoleAgent, "laptop-label")
	if err != nil {
		t.Fatal(err)
	}
	session(t, s, agents, "alpha")
	if err := s.CreateOperator(t.Context(), "warden", "correct horse"); err != nil {
		t.Fatal(err)
	}
	cookie, err := s.OpenWebSession(t.Context(), operator("warden"))
	if err != nil {
		t.Fatal(err)
	}
	var stored []byte
	for _, name := range []string{"coord.db", "coord.db-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, b...)
	}
	if !bytes.Contains(stored, []byte("laptop-label")) {
		t.Fatal("the look-up does not find what is stored")
	}
	for _, secret := range []string{token, cookie, proof, "correct horse"} {
		if bytes.Contains(stored, []byte(secret)) {
			t.Errorf("%q is stored", secret)
		}
	}
}
