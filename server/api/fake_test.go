package api

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"coord"
)

// fake is a Backend in memory: three credentials, one session, and a log of
// events.
type fake struct {
	mu      sync.Mutex
	tokens  map[string]coord.Caller
	proofs  map[coord.SessionID]string
	events  []coord.Event
	changed chan struct{}
	calls   []string
	asked   int // how often Authenticate was called
	fail    error
}

const (
	fakeSession = coord.SessionID("session-0123456789")
	fakeProof   = "proof-0123456789-0123456789-0123456789"
	fakeKey     = "key-0123456789abcdef"
)

// tokenOf makes the same token for a role in each run.
func tokenOf(role coord.Role) string {
	token, err := coord.NewToken(role, strings.NewReader(strings.Repeat(string(role)+"01234567", 20)))
	if err != nil {
		panic(err)
	}
	return token
}

var (
	agentToken    = tokenOf(coord.RoleAgent)
	setupToken    = tokenOf(coord.RoleSetup)
	operatorToken = tokenOf(coord.RoleOperator)
)

func newFake() *fake {
	return &fake{
		tokens: map[string]coord.Caller{
			agentToken:    {Principal: "alpha", Role: coord.RoleAgent, Name: "alpha"},
			setupToken:    {Principal: "root", Role: coord.RoleSetup, Name: "root"},
			operatorToken: {Principal: "warden", Role: coord.RoleOperator, Name: "warden"},
		},
		proofs:  map[coord.SessionID]string{fakeSession: fakeProof},
		changed: make(chan struct{}),
	}
}

func (f *fake) Authenticate(_ context.Context, token string) (coord.Caller, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if caller, ok := f.tokens[token]; ok {
		return caller, nil
	}
	return coord.Caller{}, coord.Errorf(coord.CodeUnauthenticated, "unknown token %s", token)
}

func (f *fake) VerifySession(_ context.Context, caller coord.Caller, id coord.SessionID, proof string) (coord.Caller, error) {
	if f.proofs[id] != proof {
		return caller, coord.Errorf(coord.CodeSessionUnknown, "the session is not known here")
	}
	caller.Session, caller.Name = id, "worker"
	return caller, nil
}

// SignIn knows one person.
func (f *fake) SignIn(_ context.Context, name, password string) (coord.IssuedToken, error) {
	f.called("SignIn " + name)
	if name != "warden" || password != "correct horse" {
		return coord.IssuedToken{}, coord.Errorf(coord.CodeUnauthenticated, "no operator %s", name)
	}
	return coord.IssuedToken{Token: coord.Token{ID: "tok9"}, Secret: operatorToken}, f.fail
}

func (f *fake) Ready(context.Context) error { return f.fail }

// fakeEpoch is beyond what a JSON number holds exactly.
const fakeEpoch = 1<<53 + 1

func (f *fake) Epoch() int64 { return fakeEpoch }

func (f *fake) As(caller coord.Caller) coord.Service { return &fakeService{fake: f, caller: caller} }

func (f *fake) revoke(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tokens, token)
}

func (f *fake) publish(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		seq := coord.Seq(len(f.events) + 1)
		f.events = append(f.events, coord.Event{Seq: seq, Kind: coord.EventTaskCreated, Project: "pay", Text: "line one\nline two"})
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fake) after(seq coord.Seq, limit int) ([]coord.Event, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := f.events[min(int(seq), len(f.events)):]
	return rest[:min(limit, len(rest))], f.changed
}

func (f *fake) called(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, name)
}

// fakeService implements the methods that the transport's tests use.
type fakeService struct {
	coord.Service
	fake   *fake
	caller coord.Caller
}

func (s *fakeService) Whoami(context.Context) (coord.Caller, error) { return s.caller, s.fake.fail }

func (s *fakeService) CreateTask(_ context.Context, c coord.CreateTask) (coord.Created, error) {
	s.fake.called("CreateTask " + string(c.Key) + " " + c.Title)
	return coord.Created{Task: coord.Task{ID: "pay-1", Title: c.Title}}, s.fake.fail
}

func (s *fakeService) Task(_ context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	if id == "pay-404" {
		return coord.TaskDetail{}, coord.Errorf(coord.CodeNotFound, "there is no task %s", id).WithNext("coord task list")
	}
	return coord.TaskDetail{}, s.fake.fail
}

func (s *fakeService) Renew(context.Context, coord.Renew) (coord.Lease, error) {
	return coord.Lease{RemainingMS: 1000}, nil
}

func (s *fakeService) PlanImport(_ context.Context, r coord.ImportRequest) (coord.ImportPlan, error) {
	return coord.ImportPlan{Digest: string(r.Files[0].Content[:1])}, nil
}

func (s *fakeService) Overview(context.Context) (coord.Overview, error) { panic("a defect") }

func (s *fakeService) Events(_ context.Context, project coord.ProjectKey, after coord.Seq, limit int) ([]coord.Event, error) {
	if project == "nope" {
		return nil, coord.Errorf(coord.CodeNotFound, "there is no project nope")
	}
	events, _ := s.fake.after(after, limit)
	return events, nil
}

func (s *fakeService) WaitEvents(ctx context.Context, _ coord.ProjectKey, after coord.Seq) ([]coord.Event, error) {
	for {
		events, changed := s.fake.after(after, 1000)
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-changed:
		}
	}
}

// bench is an API on a fake backend, mounted as the server mounts it.
type bench struct {
	*fake
	handler http.Handler
	log     *bytes.Buffer
}

func newBench() *bench {
	b := &bench{fake: newFake(), log: new(bytes.Buffer)}
	r := chi.NewRouter()
	r.Mount("/api/v1", New(Options{
		Backend: b.fake, Version: "9.8.7", Now: time.Now, Log: slog.New(slog.NewJSONHandler(b.log, nil)), Throttle: fiveTries{},
	}))
	b.handler = r
	return b
}

// send makes a request by an agent with a session, changed by the edits.
func (b *bench) send(method, path, body string, edits ...func(*http.Request)) *httptest.ResponseRecorder {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, "/api/v1"+path, reader)
	r.Header.Set("Authorization", "Bearer "+agentToken)
	r.Header.Set("Coord-Session", string(fakeSession)+"."+fakeProof)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", fakeKey)
	for _, edit := range edits {
		edit(r)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w
}

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// wantProblem checks the status and the form of a problem document.
func wantProblem(t *testing.T, w *httptest.ResponseRecorder, status int, code coord.Code) Problem {
	t.Helper()
	var p Problem
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != problemType {
		t.Errorf("Content-Type %q", got)
	}
	if err := jsonUnmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if p.Code != code || p.Status != status || p.Detail == "" || p.Title == "" || p.Retry == "" {
		t.Errorf("problem %+v, want code %s", p, code)
	}
	return p
}

// fiveTries lets each name try five times.
type fiveTries map[string]int

func (f fiveTries) Try(name string) bool { f[name]++; return f[name] <= 5 }

func (f fiveTries) Success(name string) { delete(f, name) }
