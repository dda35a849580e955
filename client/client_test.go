package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		l := newLossy(t)
		l.answerWith(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, thief.URL+"/landing?secret=1", status)
			return true
		})
		m := newMachine(t, l.URL)
		_, err := m.process().CreateTask(t.Context(), task("a"))
		e := wantCode(t, err, coord.CodeSetup, thief.URL+"/landing", "nothing was changed")
		if strings.Contains(e.Message, "secret") {
			t.Errorf("message %q repeats the query", e.Message)
		}
		_, err = m.process().Overview(t.Context())
		wantCode(t, err, coord.CodeSetup)
		if m.pending() != nil {
			t.Errorf("%d: a redirected request is pending", status)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("the redirect was followed with %q", stolen)
	}
}

func TestAnswersThatAreNotOfCoord(t *testing.T) {
	cases := map[string]struct {
		status      int
		contentType string
		body        string
		pending     bool
	}{
		"proxy's bad gateway": {502, "text/html", "<h1>Bad Gateway</h1>", true},
		"proxy's timeout":     {408, "text/html", "", true},
		"proxy's refusal":     {403, "text/html", "<h1>Blocked</h1>", false},
		"a page":              {200, "text/html", "<h1>Welcome</h1>", true},
		"cut off":             {201, "application/json", `{"id":"pay-`, true},
		"foreign problem":     {500, "application/problem+json", `{"title":"other"}`, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
				return true
			})
			m := newMachine(t, l.URL)
			_, err := m.process().CreateTask(t.Context(), task("a"))
			wantCode(t, err, coord.CodeUnavailable, "not as coord does")
			if (m.pending() != nil) != c.pending {
				t.Errorf("pending %v, want %v", m.pending() != nil, c.pending)
			}
			if n := len(l.keys()); n != 1 {
				t.Errorf("sent %d times; only a lost connection is tried again", n)
			}
		})
	}
}

func TestTimeoutLeavesTheOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		deaf := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			dials++
			near, far := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, far) }() // reads and never answers
			return near, nil
		}}
		start := time.Now()
		c := New(Options{Server: "http://coord.example.com", HTTP: &http.Client{Transport: deaf}, Timeout: 10 * time.Second, Now: time.Now})
		defer c.Close()
		c.epoch.Store(1) // it has heard of the server before
		_, err := c.CreateTask(t.Context(), task("a"))
		wantCode(t, err, coord.CodeUnavailable, "outcome is unknown")
		if took := time.Since(start); took != 10*time.Second || dials != 1 {
			t.Errorf("gave up after %s and %d connections", took, dials)
		}
	})
}

func TestSessionIsOpenedWhenNeeded(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	if _, err := m.process().Overview(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(l.all()) != 1 || l.all()[0].session != "" {
		t.Errorf("a read opened a session: %+v", l.all())
	}
	claim := func() {
		t.Helper()
		if _, err := m.process().Claim(t.Context(), coord.Claim{Project: "pay"}); err != nil {
			t.Fatal(err)
		}
	}
	paths := func() (out string) {
		for _, a := range l.takeAll() {
			out += a.path + " "
		}
		return out
	}
	paths()
	claim()
	if got := paths(); got != "/sessions /projects/pay/claims " {
		t.Errorf("first claim: %s", got)
	}
	claim()
	if got := paths(); got != "/projects/pay/claims " {
		t.Errorf("second claim: %s", got)
	}
	l.forgetSessions()
	claim()
	if got := paths(); got != "/projects/pay/claims /sessions /projects/pay/claims " {
		t.Errorf("after the loss: %s", got)
	}
	if len(l.hadEffect()) != 3 {
		t.Errorf("%d effects of 3 claims", len(l.hadEffect()))
	}
}

func TestSessionLostForGoodIsReportedOnce(t *testing.T) {
	l := newLossy(t)
	l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool {
		refuse(w, 401, coord.CodeSessionUnknown)
		return true
	})
	m := newMachine(t, l.URL)
	_, err := m.process().Claim(t.Context(), coord.Claim{Project: "pay"})
	wantCode(t, err, coord.CodeSessionUnknown)
	if len(l.all()) != 4 {
		t.Errorf("%d requests, want open, claim, open, claim", len(l.all()))
	}
}

func TestHeaders(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	c := m.process()
	if c.ServerVersion() != "" {
		t.Error("a version before any answer")
	}
	if _, err := c.Claim(t.Context(), coord.Claim{Project: "a/b?c"}); err != nil {
		t.Fatal(err)
	}
	a := l.all()[1]
	if a.token != "Bearer coord_agt_x" || a.session != string(c.opts.Session.ID)+"."+c.opts.Session.Proof || coord.Key(a.key).Validate() != nil {
		t.Errorf("%+v", a)
	}
	if a.path != "/projects/a/b?c/claims" || a.query != "" {
		t.Errorf("path %q query %q", a.path, a.query)
	}
	if c.ServerVersion() != "1.2.3" {
		t.Errorf("server version %q", c.ServerVersion())
	}
}

func TestBadServers(t *testing.T) {
	for _, server := range []string{"", "coord.example.com", "ftp://coord.example.com", "https://", "https://user:pw@coord.example.com", "https://coord.example.com?x=1", "https://coord.example.com#x", "http://[::1"} {
		_, err := New(Options{Server: server}).Overview(t.Context())
		e := wantCode(t, err, coord.CodeSetup)
		if strings.Contains(e.Message, "pw") {
			t.Errorf("%q: message %q repeats the password", server, e.Message)
		}
	}
}

func TestOrigin(t *testing.T) {
	for server, want := range map[string]string{
		"https://Coord.Example.com:443/sub/": "https://coord.example.com",
		"http://127.0.0.1:8080":              "http://127.0.0.1:8080",
		"http://example.com:80":              "http://example.com",
		"https://example.com:80":             "https://example.com:80",
		"http://[::1]:9":                     "http://[::1]:9",
	} {
		if got, err := Origin(server); got != want || err != nil {
			t.Errorf("Origin(%q) = %q, %v; want %q", server, got, err, want)
		}
	}
}

func TestW7_TokensAreBoundToTheirOrigin(t *testing.T) {
	agent, _ := coord.NewToken(coord.RoleAgent, zeros{})
	setup, _ := coord.NewToken(coord.RoleSetup, zeros{})
	c := Credentials{Dir: t.TempDir()}
	for _, k := range []Credential{{Agent: agent}, {Setup: setup}} {
		if err := c.Keep("https://coord.example.com/sub", k); err != nil {
			t.Fatal(err)
		}
	}
	for server, want := range map[string]Credential{
		"https://coord.example.com":      {Agent: agent, Setup: setup},
		"https://COORD.example.com:443/": {Agent: agent, Setup: setup},
		"http://coord.example.com":       {},
		"https://coord.example.com:8443": {},
		"https://evil.example.com":       {},
	} {
		if got, err := c.For(server); got != want || err != nil {
			t.Errorf("For(%q) = %+v, %v", server, got, err)
		}
	}
	wantCode(t, c.Keep("https://coord.example.com", Credential{Agent: "hunter2"}), coord.CodeSetup, "nothing was kept")
	if got, err := c.For("https://coord.example.com"); got != (Credential{Agent: agent, Setup: setup}) || err != nil {
		t.Errorf("after a refusal %+v, %v", got, err)
	}
}

func TestPrivateFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing on Windows")
	}
	l := newLossy(t)
	m := newMachine(t, l.URL)
	m.key.Dir = filepath.Join(m.key.Dir, "config", "coord")
	agent, _ := coord.NewToken(coord.RoleAgent, zeros{})
	creds := Credentials{Dir: m.key.Dir}
	if err := creds.Keep(l.URL, Credential{Agent: agent}); err != nil {
		t.Fatal(err)
	}
	l.loseNext(2)
	if _, err := m.process().Claim(t.Context(), coord.Claim{Project: "pay"}); err == nil {
		t.Fatal("no answer, no error")
	}
	files := 0
	err := filepath.Walk(m.key.Dir, func(path string, info os.FileInfo, err error) error {
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode().Perm())
		}
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files, %v", files, err)
	}
	if err := os.Chmod(filepath.Join(m.key.Dir, "credentials.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = creds.For(l.URL)
	if e := wantCode(t, err, coord.CodeSetup, "others may access it"); !strings.HasPrefix(e.Next[0], "chmod 600 ") {
		t.Errorf("next %q", e.Next)
	}
}

func TestSessionsAreKept(t *testing.T) {
	key := SessionKey{Dir: t.TempDir(), Origin: "https://a", Name: "one"}
	load := func(k SessionKey) *Session {
		t.Helper()
		s, err := LoadSession(k, "one", "box", reader(t.Name()))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, again := load(key), load(key)
	if first.ID != again.ID || first.Proof != again.Proof || again.Machine != "box" || again.isOpen() {
		t.Errorf("%+v, then %+v", first, again)
	}
	if err := first.setOpened(time.Unix(1, 0), 7); err != nil || !load(key).isOpen() {
		t.Errorf("opened is not kept: %v", err)
	}
	if err := (coord.OpenSession{ID: first.ID, Verifier: coord.SessionVerifier(first.Proof), Name: first.Name, Machine: first.Machine}).Validate(); err != nil {
		t.Error(err)
	}
	for _, other := range []SessionKey{{key.Dir, "https://b", "one"}, {key.Dir, "https://a", "two"}} {
		if s := load(other); s.isOpen() {
			t.Errorf("%+v shares the session of %+v", other, key)
		}
	}
	for _, text := range []string{"{}", "", `{"id":`, "\x00"} {
		if err := os.WriteFile(key.stem()+".json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadSession(key, "one", "box", zeros{})
		wantCode(t, err, coord.CodeSetup, "damaged")
		if next := err.(*coord.Error).Next; len(next) != 1 || !strings.HasPrefix(next[0], "remove "+key.stem()) {
			t.Errorf("%q: next is %q", text, next)
		}
	}
}

func reader(seed string) *strings.Reader { return strings.NewReader(strings.Repeat(seed, 100)) }

func TestWaitEvents(t *testing.T) {
	l := newLossy(t)
	polls := 0
	l.answerWith(func(w http.ResponseWriter, r *http.Request) bool {
		polls++
		if r.URL.Query().Get("after") != "7" {
			t.Errorf("query %q", r.URL.RawQuery)
		}
		if polls < 3 {
			reply(w, 200, `{"items":[]}`)
			return true
		}
		reply(w, 200, `{"items":[{"seq":"8"}]}`)
		return true
	})
	c := New(Options{Server: l.URL})
	events, err := c.WaitEvents(t.Context(), "pay", 7)
	if err != nil || len(events) != 1 || events[0].Seq != 8 || polls != 3 {
		t.Errorf("%v, %v after %d polls", events, err, polls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool {
		cancel()
		reply(w, 200, `{"items":[]}`)
		return true
	})
	if events, err := c.WaitEvents(ctx, "", 7); err != nil || len(events) != 0 {
		t.Errorf("after the context ended: %v, %v", events, err)
	}
}
