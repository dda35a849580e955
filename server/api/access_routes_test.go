package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"coord"
)

// TestK4_ARevokedTokenOnEveryRoute: the table has no way round, and the answer
// is the one of every stranger.
func TestK4_ARevokedTokenOnEveryRoute(t *testing.T) {
	for _, rt := range routes() {
		if rt.public {
			continue
		}
		b := newBench()
		stranger := b.send(rt.method, "/nothing", "", with("Authorization", ""))
		for _, token := range []string{agentToken, setupToken, operatorToken} {
			b.revoke(token)
			w := b.send(rt.method, placeholder.ReplaceAllString(rt.pattern, "x"), "{}", with("Authorization", "Bearer "+token))
			if w.Code != http.StatusUnauthorized || w.Body.String() != stranger.Body.String() {
				t.Errorf("%s: %d %s", rt.id, w.Code, w.Body)
			}
		}
		if len(b.calls) != 0 {
			t.Errorf("%s: the service saw %q", rt.id, b.calls)
		}
	}
}

// TestLoginIsTheOnePublicRoute pins what the table lets strangers do.
func TestLoginIsTheOnePublicRoute(t *testing.T) {
	var public []string
	for _, rt := range routes() {
		if rt.public {
			public = append(public, rt.method+" "+rt.pattern)
		}
	}
	if !slices.Equal(public, []string{"POST /login"}) {
		t.Errorf("public routes are %q", public)
	}
	b := newBench()
	for _, path := range []string{"/login", "/login/", "/x/login", "/login/x"} {
		for _, method := range []string{"GET", "PUT", "POST"} {
			if path == "/login" && method == "POST" {
				continue
			}
			wantProblem(t, b.send(method, path, "", with("Authorization", "")), 401, coord.CodeUnauthenticated)
		}
	}
}

func TestLogin(t *testing.T) {
	b := newBench()
	stranger := with("Authorization", "")
	w := b.send("POST", "/login", `{"name":"warden","password":"correct horse"}`, stranger)
	if w.Code != 201 || !strings.Contains(w.Body.String(), operatorToken) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var said []string
	for _, body := range []string{
		`{"name":"warden","password":"wrong"}`, `{"name":"nobody","password":"correct horse"}`, `{"name":"","password":"x"}`, `{"name":"warden","password":""}`,
	} {
		p := wantProblem(t, b.send("POST", "/login", body, stranger), 401, coord.CodeUnauthenticated)
		p.RequestID = ""
		said = append(said, p.Detail+strings.Join(p.Next, " ")+p.RequiredActor)
	}
	if len(slices.Compact(said)) != 1 {
		t.Errorf("strangers learn from %q", said)
	}
	for range 10 {
		b.send("POST", "/login", `{"name":"warden","password":"wrong"}`, stranger)
	}
	before := len(b.calls)
	wantProblem(t, b.send("POST", "/login", `{"name":"warden","password":"correct horse"}`, stranger), 401, coord.CodeUnauthenticated)
	if len(b.calls) != before {
		t.Error("a throttled password was looked at")
	}
	for _, secret := range []string{"correct horse", "wrong", operatorToken} {
		if strings.Contains(b.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestFault92_LongPasswords are refused before anything is computed.
func TestFault92_LongPasswords(t *testing.T) {
	for size, status := range map[int]int{1025: 400, 5000: 413, 1 << 20: 413} {
		b := newBench()
		w := b.send("POST", "/login", `{"name":"warden","password":"`+strings.Repeat("x", size)+`"}`, with("Authorization", ""))
		if w.Code != status {
			t.Errorf("%d bytes: %d %s", size, w.Code, w.Body)
		}
		if len(b.calls) != 0 {
			t.Errorf("%d bytes: the service saw %q", size, b.calls)
		}
	}
}

// TestW23_TheLogNamesTheTokenAndTheSession, and neither secret.
func TestW23_TheLogNamesTheTokenAndTheSession(t *testing.T) {
	b := newBench()
	b.tokens[agentToken] = coord.Caller{Principal: "alpha", Role: coord.RoleAgent, Name: "alpha", Token: "tok7"}
	b.send("POST", "/attempts/pay-1.a1/renewals", `{"fence":"1.1"}`)
	for _, want := range []string{`"token":"tok7"`, `"session":"` + string(fakeSession.Short()) + `"`, `"principal":"alpha"`} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, b.log)
		}
	}
	for _, secret := range []string{agentToken, fakeProof, string(fakeSession)} {
		if strings.Contains(b.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}
