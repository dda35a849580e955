package server

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/client"
	"coord/servicetest"
)

// office is a server on the loopback with its log, a person who signed in, and
// a project.
type office struct {
	t      *testing.T
	url    string
	log    *lockedLog
	person coord.Service
}

// lockedLog is written by requests that run at the same time.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, log: &lockedLog{}}
	c := Config{DataDir: t.TempDir(), Version: "test", Now: servicetest.NewClock().Now, Log: slog.New(slog.NewJSONHandler(o.log, nil))}.complete()
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
	o.url, o.person = srv.URL, person(t, st, srv.URL)
	setup, err := o.person.IssueToken(t.Context(), coord.IssueToken{Key: "key-of-the-set-up-token-01", Principal: "root", Role: coord.RoleSetup, Label: "set-up"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = harnessClient(t, o.url, setup.Secret, "setup").CreateProject(t.Context(), coord.CreateProject{
		Project: "pay", Name: "Pay", Policy: coord.DefaultPolicy(),
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay.git", Target: "main"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// hire issues a token for a principal of its own and opens a session under it.
func (o *office) hire(name string) (coord.IssuedToken, *client.Client) {
	o.t.Helper()
	k, err := o.person.IssueToken(o.t.Context(), coord.IssueToken{
		Key: coord.Key("key-of-the-token-of-" + name), Principal: coord.PrincipalID(name + "-machine"), Role: coord.RoleAgent, Label: name,
	})
	if err != nil {
		o.t.Fatal(err)
	}
	c := harnessClient(o.t, o.url, k.Secret, name)
	opened(o.t, c)
	return k, c
}

// post sends a body under a token and returns the status and the answer.
func (o *office) post(token, path, key, body string) (int, string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestK4_Fault42_AReplayIsAuthorisedAgain: a stored answer is no way in.
func TestK4_Fault42_AReplayIsAuthorisedAgain(t *testing.T) {
	o := newOffice(t)
	k, _ := o.hire("alpha")
	const path, key, body = "/projects/pay/tasks", "key-of-one-task-00000001", `{"title":"a"}`
	for range 2 {
		if status, answer := o.post(k.Secret, path, key, body); status != http.StatusCreated {
			t.Fatalf("%d %s", status, answer)
		}
	}
	if _, err := o.person.RevokeToken(t.Context(), coord.RevokeToken{Key: "key-of-the-revocation-01", ID: k.Token.ID, Reason: "sold"}); err != nil {
		t.Fatal(err)
	}
	status, answer := o.post(k.Secret, path, key, body)
	stranger, wanted := o.post("", "/nothing/at/all", key, body)
	if status != http.StatusUnauthorized || status != stranger || answer != wanted {
		t.Errorf("%d %s, and a stranger gets %d %s", status, answer, stranger, wanted)
	}
}

// TestFault25_CopiedLeaseData: the attempt and its fence, read from another
// agent's file, are refused, and the log says who tried.
func TestFault25_CopiedLeaseData(t *testing.T) {
	o := newOffice(t)
	_, alpha := o.hire("alpha")
	thief, bravo := o.hire("bravo")
	if _, err := alpha.CreateTask(t.Context(), coord.CreateTask{Project: "pay", Title: "a"}); err != nil {
		t.Fatal(err)
	}
	held, err := alpha.Claim(t.Context(), coord.Claim{Project: "pay", Task: "pay-1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = bravo.Release(t.Context(), coord.Release{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Reason: "mine now"})
	if coord.CodeOf(err) != coord.CodeFenced {
		t.Errorf("%v", err)
	}
	if _, err := alpha.Renew(t.Context(), coord.Renew{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence}); err != nil {
		t.Errorf("the owner lost its lease: %v", err)
	}
	who, err := bravo.Whoami(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(o.log.String()) {
		var entry struct{ Msg, Code, Principal, Token, Session string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Code == string(coord.CodeFenced) {
			found = entry.Principal == "bravo-machine" && entry.Token == string(thief.Token.ID) && entry.Session == string(who.Session.Short())
		}
	}
	if !found {
		t.Errorf("the log does not say who tried: %s", o.log)
	}
}

// TestW23_TheLogHoldsNoSecret runs what makes and uses secrets, and looks for
// each of them in the log.
func TestW23_TheLogHoldsNoSecret(t *testing.T) {
	o := newOffice(t)
	k, _ := o.hire("alpha")
	next, err := o.person.RotateToken(t.Context(), coord.RotateToken{Key: "key-of-the-rotation-0001", ID: k.Token.ID})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = o.post(k.Secret, "/whoami?token="+k.Secret, "key-of-one-task-00000001", `{}`)
	for _, secret := range []string{k.Secret, next.Secret, "correct horse battery"} {
		if strings.Contains(o.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestLoginSharesTheThrottle: guessing at one sign-in slows the other.
func TestLoginSharesTheThrottle(t *testing.T) {
	o := newOffice(t)
	for range 6 {
		_, err := client.New(client.Options{Server: o.url}).Login(t.Context(), "operator", "a wrong guess")
		if coord.CodeOf(err) != coord.CodeUnauthenticated {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.url+"/login", strings.NewReader("name=operator&password=correct+horse+battery"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := (&http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) != 0 {
		t.Errorf("the dashboard answers %s during the delay", resp.Status)
	}
}
