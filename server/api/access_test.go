package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coord"
)

func jsonUnmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }

func randomPath(r *rand.Rand) string {
	words := []string{"projects", "pay", "tasks", "pay-1", "overview", "whoami", "events", "x", "..", "%2e", "admin", ".git", "sessions", "claims"}
	path := ""
	for range r.IntN(5) {
		path += "/" + words[r.IntN(len(words))]
	}
	return path
}

func TestW6_NoCredentialTheSameAnswerEverywhere(t *testing.T) {
	b := newBench()
	r := rand.New(rand.NewPCG(1, 2))
	methods := []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"}
	want := b.send("GET", "/overview", "", with("Authorization", ""))
	wantProblem(t, want, 401, coord.CodeUnauthenticated)
	if !strings.Contains(want.Body.String(), "/setup-help") {
		t.Errorf("it does not say where access comes from: %s", want.Body)
	}
	for name, forbidden := range map[string]string{"version": "9.8.7", "request id": "request_id"} {
		if strings.Contains(want.Body.String()+fmt.Sprint(want.Header()), forbidden) {
			t.Errorf("it leaks the %s", name)
		}
	}
	outside := httptest.NewRecorder()
	Unauthenticated(outside)
	for i := range 200 {
		method, path := methods[i%len(methods)], randomPath(r)
		got := b.send(method, path, "", with("Authorization", ""))
		if got.Code != 401 || got.Body.String() != want.Body.String() {
			t.Fatalf("%s %s: %d %s", method, path, got.Code, got.Body)
		}
		if diff := cmp.Diff(got.Header(), outside.Header()); diff != "" {
			t.Fatalf("%s %s: headers differ from the answer outside the API: %s", method, path, diff)
		}
	}
}

func TestW3_CredentialsOnlyInTheHeader(t *testing.T) {
	unknown, _ := coord.NewToken(coord.RoleAgent, strings.NewReader(strings.Repeat("stranger", 20)))
	cases := map[string]struct {
		edit   func(*http.Request)
		asks   int
		report string
	}{
		"none":              {with("Authorization", ""), 0, ""},
		"garbage":           {with("Authorization", "Bearer coord_agt_garbage"), 0, ""},
		"empty":             {with("Authorization", "Bearer "), 0, ""},
		"unknown":           {with("Authorization", "Bearer "+unknown), 1, ""},
		"wrong checksum":    {with("Authorization", "Bearer "+agentToken[:len(agentToken)-1]+"-"), 0, ""},
		"two headers":       {func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+agentToken) }, 0, ""},
		"basic":             {func(r *http.Request) { r.SetBasicAuth("token", agentToken) }, 0, "basic"},
		"query":             {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + agentToken }, 0, "query"},
		"query and header":  {func(r *http.Request) { r.URL.RawQuery = "token=" + agentToken }, 0, "query"},
		"cookie":            {func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", "token="+agentToken) }, 0, "cookie"},
		"cookie and header": {with("Cookie", "session="+agentToken), 0, "cookie"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			wantProblem(t, b.send("GET", "/whoami", "", c.edit), 401, coord.CodeUnauthenticated)
			if b.asked != c.asks {
				t.Errorf("the backend was asked %d times, want %d", b.asked, c.asks)
			}
			if strings.Contains(b.log.String(), `"place":"`) != (c.report != "") || !strings.Contains(b.log.String(), c.report) {
				t.Errorf("report of an exposed token: %s", b.log)
			}
			if strings.Contains(b.log.String(), agentToken) {
				t.Errorf("the log has the token: %s", b.log)
			}
		})
	}
}

func TestK4_RevokedTokenIsRefusedAtOnce(t *testing.T) {
	b := newBench()
	if w := b.send("GET", "/whoami", ""); w.Code != 200 || w.Header().Get("Coord-Version") != "9.8.7" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	b.revoke(agentToken)
	wantProblem(t, b.send("GET", "/whoami", ""), 401, coord.CodeUnauthenticated)
}

func TestSessions(t *testing.T) {
	renew := `{"fence":"1.1"}`
	cases := map[string]struct {
		path, session string
		status        int
		code          coord.Code
	}{
		"needed and good":      {"/attempts/pay-1.a1/renewals", string(fakeSession) + "." + fakeProof, 200, ""},
		"needed and absent":    {"/attempts/pay-1.a1/renewals", "", 401, coord.CodeSessionUnknown},
		"needed and malformed": {"/attempts/pay-1.a1/renewals", "x.y", 401, coord.CodeSessionUnknown},
		"needed, wrong proof":  {"/attempts/pay-1.a1/renewals", string(fakeSession) + "." + strings.Repeat("z", 40), 401, coord.CodeSessionUnknown},
		"optional and absent":  {"/whoami", "", 200, ""},
		"optional, wrong":      {"/whoami", string(fakeSession) + "." + strings.Repeat("z", 40), 401, coord.CodeSessionUnknown},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			method, body := "GET", ""
			if c.path != "/whoami" {
				method, body = "POST", renew
			}
			w := b.send(method, c.path, body, with("Coord-Session", c.session))
			if c.code == "" {
				if w.Code != c.status {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				return
			}
			p := wantProblem(t, w, c.status, c.code)
			if p.Retry != coord.RetrySameKey {
				t.Errorf("retry %q", p.Retry)
			}
		})
	}
}
