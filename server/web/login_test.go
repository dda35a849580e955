package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func signIn(h http.Handler, name, pass string, more ...string) (status int, body string, head http.Header) {
	v := url.Values{"name": {name}, "password": {pass}}
	if len(more) > 0 {
		v.Set("next", more[0])
	}
	w := request(h, "POST", "/login", v.Encode(), sameSite)
	return w.Code, w.Body.String(), w.Header()
}

// W11: the cookie is the browser's strictest, the session new at each login.
func TestLoginOpensANewSession(t *testing.T) {
	h, f, in := door(t)
	v := url.Values{"name": {"warden"}, "password": {password}}
	w := request(h, "POST", "/login", v.Encode(), sameSite, in)
	if w.Code != 303 || w.Header().Get("Location") != "/" {
		t.Fatalf("login: %d to %q", w.Code, w.Header().Get("Location"))
	}
	want := "__Host-coord=token-1; Path=/; HttpOnly; Secure; SameSite=Strict"
	if got := w.Header().Get("Set-Cookie"); got != want {
		t.Errorf("the cookie is %q, want %q", got, want)
	}
	if _, old := f.sessions["in"]; old {
		t.Error("the session from before the login is still open")
	}
	if w := request(h, "GET", "/", "", cookie("token-1")); w.Code != 200 || !strings.Contains(w.Body.String(), "warden") {
		t.Errorf("the new session opens the overview with %d", w.Code)
	}
	w = request(h, "POST", "/logout", "", sameSite, cookie("token-1"))
	if w.Code != 303 || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") || len(f.sessions) != 0 {
		t.Errorf("logout: %d, %v, sessions %v", w.Code, w.Header(), f.sessions)
	}
}

func TestLoginGoesOnlyToOwnPages(t *testing.T) {
	for next, want := range map[string]string{
		"": "/", "/": "/", "/p/pay": "/p/pay", "/p/pay/landing?stage=landed": "/p/pay/landing?stage=landed", "/p/pay/t/12": "/p/pay/t/12",
		"//evil.test": "/", `/\evil.test`: "/", "https://evil.test/p/pay": "/", "/p/pay\r\nX: y": "/", "/p/..//evil.test": "/", "/logout": "/", "/p/pay?" + strings.Repeat("a", 600): "/",
	} {
		h, _, _ := door(t)
		status, _, head := signIn(h, "warden", password, next)
		if got := head.Get("Location"); status != 303 || got != want {
			t.Errorf("next %q leads to %d %q, want %q", next, status, got, want)
		}
	}
}

// W9, W10: one message; delays grow per account and hide the right password.
func TestLoginThrottle(t *testing.T) {
	h, f, _ := door(t)
	_, unknown, _ := signIn(h, "nobody", "x")
	status, wrong, head := signIn(h, "warden", "x")
	if status != 401 || wrong != unknown || head.Get("Retry-After") != "" {
		t.Fatalf("unknown name and wrong password differ: %d %s\n%s", status, wrong, unknown)
	}
	for range 4 {
		signIn(h, "warden", "x")
	}
	refused := func(after time.Duration) bool {
		f.change(func() { f.now = f.now.Add(after) })
		checks := f.checks
		status, body, _ := signIn(h, "warden", "x")
		if status != 401 || body != unknown {
			t.Fatalf("during the throttle: %d %s", status, body)
		}
		return f.checks == checks
	}
	for _, delay := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900} {
		delay *= time.Second
		if !refused(delay - 1) {
			t.Fatalf("a try within the delay of %v was looked at", delay)
		}
		if refused(1) {
			t.Fatalf("a try after the delay of %v was not looked at", delay)
		}
	}
	checks := f.checks
	if status, body, _ := signIn(h, "WARDEN", password); status != 401 || body != unknown || f.checks != checks {
		t.Errorf("the right password during the delay: %d, looked at: %v", status, f.checks != checks)
	}
	if status, _, _ := signIn(h, "other", "x"); status != 401 || f.checks == checks {
		t.Error("another account is delayed too")
	}
	f.change(func() { f.now = f.now.Add(15 * time.Minute) })
	if status, _, _ := signIn(h, "warden", password); status != 303 {
		t.Errorf("after the delay the right password gets %d", status)
	}
	if status, _, _ := signIn(h, "warden", "x"); status != 401 || refused(0) {
		t.Error("success did not take the failures back")
	}
}

func TestThrottleCountsWhatRunsAtOnce(t *testing.T) {
	now := time.Unix(0, 0)
	th := NewThrottle(func() time.Time { return now })
	var wg sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 100 {
		wg.Go(func() {
			if th.Try("warden") {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if passed != freeTries {
		t.Errorf("%d of 100 tries at the same moment were looked at, want %d", passed, freeTries)
	}
}

func TestThrottleIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	th := NewThrottle(func() time.Time { return now })
	for i := range maxNames + 50 {
		now = now.Add(time.Millisecond)
		th.Try(fmt.Sprint("name", i))
	}
	if len(th.tries) > maxNames {
		t.Errorf("the throttle keeps %d names", len(th.tries))
	}
	if _, newest := th.tries[fmt.Sprint("name", maxNames+49)]; !newest {
		t.Error("the newest name was dropped instead of the oldest")
	}
}

func TestLoginBounds(t *testing.T) {
	h, f, _ := door(t)
	for name, body := range map[string]string{
		"empty": "", "no password": "name=warden", "long name": "password=x&name=" + strings.Repeat("a", 81), "long password": "name=warden&password=" + strings.Repeat("a", 1025),
	} {
		if w := request(h, "POST", "/login", body, sameSite); w.Code != 401 || f.checks != 0 {
			t.Errorf("%s: %d, looked at %d times", name, w.Code, f.checks)
		}
	}
	if w := request(h, "POST", "/login", "name=warden&password="+strings.Repeat("a", 9000), sameSite); w.Code != 400 || f.checks != 0 {
		t.Errorf("a body over the limit: %d", w.Code)
	}
	// The password in the query is no login.
	if w := request(h, "POST", "/login?name=warden&password="+url.QueryEscape(password), "", sameSite); w.Code != 401 {
		t.Errorf("a password in the query: %d", w.Code)
	}
}

// W22: what strangers may read says how access is set up and nothing else.
func TestSetupHelpTellsNothingOfWhatExists(t *testing.T) {
	h, f, _ := door(t)
	w := request(h, "GET", "/setup-help", "")
	for _, want := range []string{"coord up", "coord init", "COORD_TOKEN", "person", own} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, secret := range []string{"Payments", "warden", "0.1.0"} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("the page says %q", secret)
		}
	}
	if len(f.callers) != 0 {
		t.Error("the page asked the service")
	}
}
