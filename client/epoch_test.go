package client

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

// restorable is a lossy server with an epoch. A restore brings back what it
// knew when the backup was made: here, nothing.
type restorable struct {
	*lossy
	front  *httptest.Server
	mu     sync.Mutex
	epoch  int64
	closed map[string]bool // sessions from before a restore
	stated []string        // the epochs of keyed requests, in order
	opens  func(coord.OpenSession) bool
}

// opening has sessions opened only where known says so.
func (r *restorable) opening(known func(coord.OpenSession) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opens = known
}

// refusesParent reads a request to open a session, and puts it back.
func (r *restorable) refusesParent(req *http.Request) bool {
	if r.opens == nil || !strings.HasSuffix(req.URL.Path, "/sessions") {
		return false
	}
	var c coord.OpenSession
	body, _ := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	return json.Unmarshal(body, &c) != nil || !r.opens(c)
}

func newRestorable(t *testing.T) *restorable {
	r := &restorable{lossy: newLossy(t), epoch: 1, closed: map[string]bool{}}
	r.front = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.front.Close)
	return r
}

func (r *restorable) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	current := strconv.FormatInt(r.epoch, 10)
	stated := req.Header.Get("Coord-Epoch")
	if req.Header.Get("Idempotency-Key") != "" {
		r.stated = append(r.stated, stated)
	}
	id, _, _ := strings.Cut(req.Header.Get("Coord-Session"), ".")
	closed := r.closed[id]
	orphan := r.refusesParent(req)
	r.mu.Unlock()
	w.Header().Set("Coord-Epoch", current)
	switch {
	case stated != "" && stated != current:
		refuse(w, 409, coord.CodeEpochChanged)
	case orphan:
		refuse(w, 404, coord.CodeNotFound)
	case closed:
		refuse(w, 401, coord.CodeSessionUnknown)
	default:
		r.lossy.serve(w, req)
	}
}

func (r *restorable) restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lossy.mu.Lock()
	defer r.lossy.mu.Unlock()
	r.epoch += 1000
	for id := range r.sessions {
		r.closed[id] = true
	}
	r.done = map[string]string{}
}

func (r *restorable) takeStated() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := strings.Join(r.stated, " ")
	r.stated = nil
	return out
}

// anew is a process of a machine whose sessions differ.
func (m *machine) anew() *Client {
	m.t.Helper()
	s, err := LoadSession(m.key, "worker", "box", rand.Reader)
	if err != nil {
		m.t.Fatal(err)
	}
	c := m.process()
	c.opts.Session = s
	return c
}

// TestK7_ARetryStatesItsOwnEpoch loses the answer of a mutation, and restores
// the server before the retry: the key is forgotten there, and the effect must
// not come twice.
func TestK7_ARetryStatesItsOwnEpoch(t *testing.T) {
	for name, next := range map[string]string{"the same command": "a", "another command": "b"} {
		t.Run(name, func(t *testing.T) {
			r := newRestorable(t)
			m := newMachine(t, r.front.URL)
			r.loseNext(2)
			before := m.anew()
			if _, err := before.CreateTask(t.Context(), task("a")); err == nil {
				t.Fatal("no answer, no error")
			}
			if got := r.takeStated(); got != "1 1" || m.pending().Request.Epoch != 1 {
				t.Fatalf("the first request and its retry stated %q; the journal has %d", got, m.pending().Request.Epoch)
			}
			r.restore()
			if _, err := m.anew().Overview(t.Context()); coord.CodeOf(err) != coord.CodeEpochChanged {
				t.Errorf("a read under the old session: %v", err)
			}
			// The session is new by now, and the request still the old one.
			_, err := m.anew().CreateTask(t.Context(), task(next))
			wantCode(t, err, coord.CodeEpochChanged)
			if got := r.takeStated(); got != "1" || m.pending() != nil {
				t.Errorf("the retry stated %q; pending %+v", got, m.pending())
			}
			if len(r.hadEffect()) != 1 {
				t.Fatalf("effects %q", r.hadEffect())
			}
			// A person or agent has been told. What it sends now is new.
			after := m.anew()
			if _, err := after.CreateTask(t.Context(), task(next)); err != nil {
				t.Fatal(err)
			}
			if got := r.takeStated(); got != "1001" || len(r.hadEffect()) != 2 {
				t.Errorf("the new request stated %q; effects %q", got, r.hadEffect())
			}
			if s := after.opts.Session; s.ID == before.opts.Session.ID || s.Proof == before.opts.Session.Proof || s.former != before.opts.Session.ID {
				t.Errorf("session %s after %s continues %q", s.ID, before.opts.Session.ID, s.former)
			}
		})
	}
}

// TestK7_ASessionEndsWithItsEpoch restores the server between two commands of
// a session.
func TestK7_ASessionEndsWithItsEpoch(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(t *testing.T, c *Client) error
		stated string
	}{
		"mutation": {func(t *testing.T, c *Client) error {
			_, err := c.CreateTask(t.Context(), task("b"))
			return err
		}, "1"},
		"renewal": {func(t *testing.T, c *Client) error {
			_, err := c.Renew(t.Context(), coord.Renew{Attempt: "pay-1.a1"})
			return err
		}, ""},
		"read": {func(t *testing.T, c *Client) error {
			_, err := c.Overview(t.Context())
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRestorable(t)
			m := newMachine(t, r.front.URL)
			if _, err := m.anew().CreateTask(t.Context(), task("a")); err != nil {
				t.Fatal(err)
			}
			r.takeStated()
			r.restore()
			old := m.anew()
			r.takeAll()
			wantCode(t, c.do(t, old), coord.CodeEpochChanged)
			if got := r.takeStated(); got != c.stated || m.pending() != nil {
				t.Errorf("stated %q, pending %+v", got, m.pending())
			}
			if all := r.takeAll(); len(all) != 0 {
				t.Errorf("the server saw %+v: a session was opened by itself, or something was sent without the epoch", all)
			}
			// The process that was told goes no further.
			_, err := old.CreateTask(t.Context(), task("b"))
			wantCode(t, err, coord.CodeEpochChanged)
			if len(r.hadEffect()) != 1 {
				t.Fatalf("effects %q", r.hadEffect())
			}
			if _, err := m.anew().CreateTask(t.Context(), task("b")); err != nil {
				t.Error(err)
			}
			if got := r.takeStated(); got != "1001" {
				t.Errorf("the next process stated %q", got)
			}
		})
	}
}

// TestK7_ANewSessionSurvivesAnOldProcess: a process from before the restore
// does not take away the session that a later one made.
func TestK7_ANewSessionSurvivesAnOldProcess(t *testing.T) {
	r := newRestorable(t)
	m := newMachine(t, r.front.URL)
	old := m.anew()
	if _, err := old.CreateTask(t.Context(), task("a")); err != nil {
		t.Fatal(err)
	}
	slow := m.anew()
	r.restore()
	if _, err := old.Overview(t.Context()); coord.CodeOf(err) != coord.CodeEpochChanged {
		t.Fatal(err)
	}
	fresh := m.anew()
	if _, err := fresh.CreateTask(t.Context(), task("b")); err != nil {
		t.Fatal(err)
	}
	_, err := slow.CreateTask(t.Context(), task("c"))
	wantCode(t, err, coord.CodeEpochChanged)
	if again := m.anew(); again.opts.Session.ID != fresh.opts.Session.ID || again.opts.Session.openedIn() != 1001 {
		t.Errorf("session %+v, want %s", again.opts.Session, fresh.opts.Session.ID)
	}
}

// TestK7_WithoutASession: a set-up credential or a person asks for the epoch
// before the first change, and then states what it last heard.
func TestK7_WithoutASession(t *testing.T) {
	r := newRestorable(t)
	c := New(Options{Server: r.front.URL, Token: "x"})
	create := func() error {
		_, err := c.CreateProject(t.Context(), coord.CreateProject{Key: "key-of-the-project-01", Project: "pay"})
		return err
	}
	if err := create(); err != nil { // it has heard nothing yet
		t.Fatal(err)
	}
	if all := r.takeAll(); len(all) != 2 || all[0].path != "/whoami" || all[0].key != "" {
		t.Errorf("asked %+v", all)
	}
	r.restore()
	wantCode(t, create(), coord.CodeEpochChanged)
	if got := r.takeStated(); got != "1 1" || len(r.hadEffect()) != 1 {
		t.Errorf("stated %q, effects %q", got, r.hadEffect())
	}
	if err := create(); err != nil { // it has heard the new epoch, and was told
		t.Fatal(err)
	}
}

// TestK7_AFirstRequestIsNotSwallowed loses the answer of the first request of
// a process without a session, and restores the server to before it: the next
// process sends it again under the epoch that it was composed in, and is told.
func TestK7_AFirstRequestIsNotSwallowed(t *testing.T) {
	r := newRestorable(t)
	key := SessionKey{Dir: t.TempDir(), Origin: r.front.URL, Name: "operator"}
	process := func() *Client {
		return New(Options{Server: r.front.URL, Token: "x", Journal: OpenJournal(key), Now: time.Now})
	}
	revoke := func() error {
		_, err := process().RevokeToken(t.Context(), coord.RevokeToken{ID: "tok7", Reason: "leaked"})
		return err
	}
	r.lossy.loseNext(2)
	r.lossy.answerWith(knowing)
	if err := revoke(); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Fatal(err)
	}
	r.restore()
	wantCode(t, revoke(), coord.CodeEpochChanged)
	if got := r.takeStated(); got != "1 1 1" || len(r.hadEffect()) != 1 {
		t.Fatalf("stated %q, effects %q", got, r.hadEffect())
	}
	if err := revoke(); err != nil { // it was told: this is new
		t.Fatal(err)
	}
	if got := r.takeStated(); got != "1001" || len(r.hadEffect()) != 2 {
		t.Errorf("stated %q, effects %q", got, r.hadEffect())
	}
}

// knowing answers who the caller is, which loses no answer.
func knowing(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/whoami") {
		return false
	}
	reply(w, 200, `{"principal":"warden","role":"operator"}`)
	return true
}

// TestK7_WithoutAnEpochNothingIsSent: where the server does not answer the
// question for its epoch, the change is not sent, and nothing is pending.
func TestK7_WithoutAnEpochNothingIsSent(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"no answer": func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"refused": func(w http.ResponseWriter, _ *http.Request) bool {
			refuse(w, 401, coord.CodeUnauthenticated)
			return true
		},
		"ending": func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, 503, coord.CodeUnavailable); return true },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			l.answerWith(answer)
			j := OpenJournal(SessionKey{Dir: t.TempDir(), Origin: l.URL, Name: "operator"})
			_, err := New(Options{Server: l.URL, Token: "x", Journal: j, Now: time.Now}).RevokeToken(t.Context(), coord.RevokeToken{ID: "tok7", Reason: "leaked"})
			if e, _ := err.(*coord.Error); e == nil || e.Code == coord.CodeUnavailable && (e.Details["outcome"] != OutcomeNotSent || strings.Contains(e.Message, "unknown")) {
				t.Errorf("got %v", err)
			}
			for _, a := range l.all() {
				if a.method != http.MethodGet {
					t.Errorf("sent %+v", a)
				}
			}
			if p, err := j.Pending(); p != nil || err != nil {
				t.Errorf("pending %+v, %v", p, err)
			}
		})
	}
}

// TestV5_ASessionDescendsFromItsFormer opens the session of after a restore:
// as a child of the one before, if the server still knows that.
func TestV5_ASessionDescendsFromItsFormer(t *testing.T) {
	for name, known := range map[string]bool{"in the backup": true, "opened after the backup": false} {
		t.Run(name, func(t *testing.T) {
			r := newRestorable(t)
			m := newMachine(t, r.front.URL)
			before := m.anew()
			if _, err := before.CreateTask(t.Context(), task("a")); err != nil {
				t.Fatal(err)
			}
			r.restore()
			if _, err := m.anew().Overview(t.Context()); coord.CodeOf(err) != coord.CodeEpochChanged {
				t.Fatal(err)
			}
			var parents []coord.SessionID
			r.opening(func(c coord.OpenSession) bool {
				parents = append(parents, c.Parent)
				return known || c.Parent == ""
			})
			if _, err := m.anew().CreateTask(t.Context(), task("b")); err != nil {
				t.Fatal(err)
			}
			want := []coord.SessionID{before.opts.Session.ID}
			if !known {
				want = append(want, "")
			}
			if !slices.Equal(parents, want) {
				t.Errorf("opened under %q, want %q", parents, want)
			}
		})
	}
}

func TestEpochOfAnAnswer(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "0": 0, "-1": 0, "x": 0, "1.5": 0, "1": 1, "1893553445000": 1893553445000, "99999999999999999999": 0} {
		if got := epochOf(&http.Response{Header: http.Header{"Coord-Epoch": {text}}}); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
