package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/servicetest"
)

// wire is a server that is spoken to in bytes, as by a client that coord did
// not write.
type wire struct {
	t      *testing.T
	url    string
	tokens map[string]string // by principal
}

func newWire(t *testing.T) *wire {
	t.Helper()
	c := Config{DataDir: t.TempDir(), Version: "test", Now: servicetest.NewClock().Now}.complete()
	st, err := openStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(routes(c, &gated{Store: st}))
	t.Cleanup(func() {
		srv.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &wire{t: t, url: srv.URL, tokens: map[string]string{}}
	for principal, role := range map[string]coord.Role{"agents": coord.RoleAgent, "others": coord.RoleAgent, "setup": coord.RoleSetup} {
		if w.tokens[principal], err = st.IssueToken(context.Background(), coord.PrincipalID(principal), role, "test"); err != nil {
			t.Fatal(err)
		}
	}
	w.want(201, "setup", "/projects", "key-of-the-project-0001", `{"project":"pay","name":"Pay","policy":{"review":"none","lease":"30m","recovery_grace":"30s"},`+
		`"repositories":[{"id":"git.example.com/pay","remote":"https://git.example.com/pay.git","target":"main"}]}`)
	return w
}

// send posts a body and returns the status and the answer.
func (w *wire) send(principal, path, key, body string) (int, map[string]any) {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, w.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return 0, nil
	}
	r.Header.Set("Authorization", "Bearer "+w.tokens[principal])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Error(err)
		return 0, nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	var out map[string]any
	if err != nil || json.Unmarshal(b, &out) != nil {
		w.t.Errorf("%d %s, %v", resp.StatusCode, b, err)
	}
	return resp.StatusCode, out
}

// want sends and asks for a status; it returns the answer.
func (w *wire) want(status int, principal, path, key, body string) map[string]any {
	w.t.Helper()
	got, out := w.send(principal, path, key, body)
	if got != status {
		w.t.Fatalf("POST %s %s: %d %v, want %d", path, body, got, out, status)
	}
	return out
}

const (
	tasksPath = "/projects/pay/tasks"
	someKey   = "key-of-this-intent-0001"
)

// TestK2_Fault33 changes one value under a used key.
func TestK2_Fault33_ABodyThatDiffersIsRefused(t *testing.T) {
	w := newWire(t)
	first := w.want(201, "agents", tasksPath, someKey, `{"title":"a","priority":"high"}`)
	for _, body := range []string{`{"title":"b","priority":"high"}`, `{"title":"a","priority":"low"}`, `{"title":"a"}`, `{"title":"a","priority":"high","planned":true}`} {
		if code := w.want(422, "agents", tasksPath, someKey, body)["code"]; code != string(coord.CodeIdempotencyMismatch) {
			t.Errorf("%s: %v", body, code)
		}
	}
	if again := w.want(201, "agents", tasksPath, someKey, `{"title":"a","priority":"high"}`); again["id"] != first["id"] {
		t.Errorf("the first request again is %v, not %v", again["id"], first["id"])
	}
}

// TestFault34 writes the same body differently.
func TestFault34_TheSameBodyInAnotherForm(t *testing.T) {
	w := newWire(t)
	first := w.want(201, "agents", tasksPath, someKey, `{"title":"a","priority":"high"}`)
	for _, body := range []string{" {\n\"title\" : \"a\",\t\"priority\":\"high\" }\n", `{"priority":"high","title":"a"}`, `{"title":"\u0061","priority":"high"}`} {
		if again := w.want(201, "agents", tasksPath, someKey, body); again["id"] != first["id"] {
			t.Errorf("%q is %v, not %v", body, again["id"], first["id"])
		}
	}
}

// TestFault36 sends one request twenty times at once, as a proxy that retries
// by itself would (fault 43).
func TestFault36_43_OneRequestManyTimesAtOnce(t *testing.T) {
	w := newWire(t)
	ids := make([]any, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			status, out := w.send("agents", tasksPath, someKey, `{"title":"a"}`)
			if ids[i] = out["id"]; status != 201 {
				t.Errorf("%d %v", status, out)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != "pay-1" {
			t.Errorf("got %v", id)
		}
	}
	if next := w.want(201, "agents", tasksPath, someKey+"x", `{"title":"b"}`); next["id"] != "pay-2" {
		t.Errorf("the next task is %v", next["id"])
	}
}

// TestK8_Fault39 uses one key on two routes and under two principals.
func TestK8_Fault39_KeysOfOthersAndOfOtherRoutes(t *testing.T) {
	w := newWire(t)
	w.want(201, "agents", tasksPath, someKey, `{"title":"a"}`)
	w.want(201, "agents", "/projects/pay/lessons", someKey, `{"text":"one line"}`)
	if other := w.want(201, "others", tasksPath, someKey, `{"title":"b"}`); other["id"] != "pay-2" {
		t.Errorf("another principal got %v", other["id"])
	}
}
