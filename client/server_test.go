package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

// arrival is one request as the server saw it.
type arrival struct {
	method, path, query, key, session, token, body string
}

// lossy is a server that knows sessions and keys, and loses answers on
// demand: the effect has happened when the connection breaks.
type lossy struct {
	*httptest.Server
	mu       sync.Mutex
	lose     int // how many answers are still to be lost
	sessions map[string]bool
	effects  []string          // bodies that had an effect, in order
	done     map[string]string // answers by key
	arrived  []arrival
	answer   func(w http.ResponseWriter, r *http.Request) bool // handles all but sessions instead
}

func newLossy(t *testing.T) *lossy {
	l := &lossy{sessions: map[string]bool{}, done: map[string]string{}}
	l.Server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(l.Close)
	return l
}

func (l *lossy) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	a := arrival{r.Method, path, r.URL.RawQuery, r.Header.Get("Idempotency-Key"), r.Header.Get("Coord-Session"), r.Header.Get("Authorization"), string(body)}
	l.arrived = append(l.arrived, a)
	if path == "/sessions" {
		var c coord.OpenSession
		_ = json.Unmarshal(body, &c)
		l.sessions[string(c.ID)] = true
		reply(w, 201, `{}`)
		return
	}
	if l.answer != nil && l.answer(w, r) {
		return
	}
	id, _, _ := strings.Cut(a.session, ".")
	if a.session != "" && !l.sessions[id] {
		refuse(w, 401, coord.CodeSessionUnknown)
		return
	}
	answer, known := l.done[a.key]
	if !known && a.key != "" {
		l.effects = append(l.effects, string(body))
		answer = `{"id":"pay-1","title":"effect ` + string(rune('0'+len(l.effects))) + `"}`
		l.done[a.key] = answer
	}
	if a.key == "" {
		answer = `{}`
	}
	if l.lose > 0 {
		l.lose--
		panic(http.ErrAbortHandler) // the connection is closed without an answer
	}
	reply(w, 201, answer)
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Coord-Version", "1.2.3")
	if w.Header().Get(epochHeader) == "" {
		w.Header().Set(epochHeader, "1")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func refuse(w http.ResponseWriter, status int, code coord.Code) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "detail": "refused: " + string(code), "retry": "never", "next": []string{"coord next"}, "details": map[string]string{"holder": "bo"}})
}

func (l *lossy) loseNext(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = n
}

func (l *lossy) answerWith(f func(http.ResponseWriter, *http.Request) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = f
}

func (l *lossy) forgetSessions() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions = map[string]bool{}
}

func (l *lossy) hadEffect() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.effects)
}

func (l *lossy) all() []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.arrived)
}

func (l *lossy) takeAll() []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.arrived
	l.arrived = nil
	return all
}

func (l *lossy) keys() (keys []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.arrived {
		if a.key != "" {
			keys = append(keys, a.key)
		}
	}
	return keys
}

// machine is the local state of one session; each client made from it is a
// process of its own.
type machine struct {
	t       *testing.T
	key     SessionKey
	server  string
	now     time.Time
	settled []Outcome
}

func newMachine(t *testing.T, server string) *machine {
	origin, err := Origin(server)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, server: server, key: SessionKey{Dir: t.TempDir(), Origin: origin, Name: "harness"}, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (m *machine) process() *Client {
	m.t.Helper()
	s, err := LoadSession(m.key, "worker", "box", zeros{})
	if err != nil {
		m.t.Fatal(err)
	}
	c := New(Options{
		Server: m.server, Token: "coord_agt_x", Session: s, Journal: OpenJournal(m.key), Version: "1.2.0",
		Now: func() time.Time { return m.now }, OnSettled: func(o Outcome) { m.settled = append(m.settled, o) },
	})
	m.t.Cleanup(c.Close)
	return c
}

func (m *machine) pending() *Pending {
	m.t.Helper()
	p, err := OpenJournal(m.key).Pending()
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

// zeros is a source of the worst randomness, for sessions whose id does not
// matter.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func wantCode(t *testing.T, err error, code coord.Code, words ...string) *coord.Error {
	t.Helper()
	if coord.CodeOf(err) != code {
		t.Fatalf("error %v (%s), want %s", err, coord.CodeOf(err), code)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
	e, _ := err.(*coord.Error)
	return e
}
