package api

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"coord"
)

func TestW1_TheRouterIsTheTable(t *testing.T) {
	var table, router []string
	ids := map[string]bool{}
	for _, rt := range routes() {
		table = append(table, rt.method+" "+rt.pattern)
		if ids[rt.id] {
			t.Errorf("operation %s is there twice", rt.id)
		}
		ids[rt.id] = true
	}
	h := New(Options{Backend: newFake(), Now: time.Now})
	err := chi.Walk(h.(chi.Routes), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		router = append(router, method+" "+pattern)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(table)
	slices.Sort(router)
	if !slices.Equal(table, router) {
		t.Errorf("table:\n%s\nrouter:\n%s", strings.Join(table, "\n"), strings.Join(router, "\n"))
	}
}

func TestRowsAreComplete(t *testing.T) {
	for _, rt := range routes() {
		post := rt.method == http.MethodPost
		switch {
		case len(rt.roles) == 0 || rt.summary == "" || rt.status == 0:
			t.Errorf("%s: row is not filled in", rt.id)
		case post != (rt.limit > 0):
			t.Errorf("%s: a body limit goes with a body", rt.id)
		case rt.keyed && !post:
			t.Errorf("%s: a read takes no key", rt.id)
		case post && !rt.keyed && !slices.Contains([]string{"renew-lease", "open-session", "plan-import", "login"}, rt.id):
			t.Errorf("%s: a mutation needs a key", rt.id)
		case rt.session == sessionRequired && !slices.Equal(rt.roles, workers):
			t.Errorf("%s: only agents have sessions", rt.id)
		}
	}
}

// TestSetupRegistersProjects pins what the table may say about the one role
// that is not for the work.
func TestSetupRegistersProjects(t *testing.T) {
	var got []string
	for _, rt := range routes() {
		if slices.Contains(rt.roles, coord.RoleSetup) {
			got = append(got, rt.id)
		}
	}
	if want := []string{"create-project", "list-projects", "get-project", "whoami"}; !slices.Equal(got, want) {
		t.Errorf("a set-up token may %q, want %q", got, want)
	}
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// TestW2_Matrix tries every route with every kind of caller. Whoever is let in
// fails on what follows: a missing key, a missing body, or the fake backend.
func TestW2_Matrix(t *testing.T) {
	tokens := map[coord.Role]string{coord.RoleAgent: agentToken, coord.RoleSetup: setupToken, coord.RoleOperator: operatorToken}
	for _, rt := range routes() {
		path := placeholder.ReplaceAllString(rt.pattern, "x")
		for role, token := range tokens {
			b := newBench()
			query := ""
			if rt.method == http.MethodGet {
				query = "?unknown=1" // refused after the role was judged
			}
			w := b.send(rt.method, path+query, "", with("Authorization", "Bearer "+token))
			allowed := rt.public || slices.Contains(rt.roles, role)
			if allowed == (w.Code == http.StatusForbidden) || w.Code >= 500 || w.Code < 400 {
				t.Errorf("%s as %s: %d %s", rt.id, role, w.Code, w.Body)
			}
			if !allowed {
				p := wantProblem(t, w, 403, coord.CodeNotPermitted)
				if !slices.Contains(rt.roles, coord.Role(p.RequiredActor)) {
					t.Errorf("%s as %s: required actor %q", rt.id, role, p.RequiredActor)
				}
			}
		}
	}
}

func TestFault31_32_IdempotencyKeys(t *testing.T) {
	for _, rt := range routes() {
		if !rt.keyed {
			continue
		}
		token := map[coord.Role]string{coord.RoleAgent: agentToken, coord.RoleSetup: setupToken, coord.RoleOperator: operatorToken}[rt.roles[0]]
		for _, key := range []string{"", "short", "fifteen-letters", strings.Repeat("k", 129), "with space 0123456789", "with-nul-\x000123456789", "schlüssel-0123456789"} {
			w := newBench().send(rt.method, placeholder.ReplaceAllString(rt.pattern, "x"), "{}", with("Authorization", "Bearer "+token), with("Idempotency-Key", key))
			p := wantProblem(t, w, 400, coord.CodeBadRequest)
			if !strings.Contains(strings.ToLower(p.Detail), "idempotency") {
				t.Errorf("%s with key %q: %s", rt.id, key, p.Detail)
			}
		}
	}
	b := newBench()
	if w := b.send("POST", "/projects/pay/tasks", `{"title":"T"}`); w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
	if want := []string{"CreateTask " + fakeKey + " T"}; !slices.Equal(b.calls, want) {
		t.Errorf("the service saw %q, want %q", b.calls, want)
	}
}
