package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"coord"
)

const own = "https://coord.example.com"

// request sends one request to the handler and returns the answer. Edits may
// add headers.
func request(h http.Handler, method, path, body string, edits ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, own+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, edit := range edits {
		edit(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func header(key, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(key, value) }
}

func cookie(token string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookieName, Value: token}) }
}

var sameSite = header("Sec-Fetch-Site", "same-origin")

// door is a dashboard over a fresh fake with one open session.
func door(t *testing.T) (http.Handler, *fake, func(*http.Request)) {
	f := newFake()
	f.sessions["in"] = warden
	return New(optionsOf(t, f)), f, cookie("in")
}

func TestRouterIsItsTable(t *testing.T) {
	f := newFake()
	want := []string{}
	for _, rt := range routes {
		want = append(want, rt.method+" "+rt.pattern)
		if rt.method == http.MethodGet && rt.pattern != "/events" {
			want = append(want, "HEAD "+rt.pattern)
		}
	}
	got := []string{}
	err := chi.Walk(newSite(optionsOf(t, f)).router().(chi.Routes), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		got = append(got, method+" "+pattern)
		return nil
	})
	slices.Sort(want)
	slices.Sort(got)
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("the router has %v, its table %v (%v)", got, want, err)
	}
}

// W6: strangers get one answer, whatever they ask for.
func TestStrangersGetOneAnswer(t *testing.T) {
	h, f, _ := door(t)
	first := request(h, "GET", "/p/pay", "")
	if first.Code != 401 || !strings.Contains(first.Body.String(), `action="/login"`) || !strings.Contains(first.Body.String(), "/setup-help") {
		t.Fatalf("a stranger gets %d: %s", first.Code, first.Body)
	}
	for _, secret := range []string{"pay", "warden", "0.1.0", "Payments", "event"} {
		if strings.Contains(first.Body.String(), secret) {
			t.Errorf("the refusal says %q", secret)
		}
	}
	paths := []string{"/", "/p/nope", "/p/pay/landing", "/p/pay/t/1", "/p/pay/t/999", "/events", "/events?after=1", "/logout", "/login/", "/static/", "/static/x.css", "/static/../login", "/%6cogin", "/api/v1/projects", "/p/pay?next=//evil.test", "/setup-help/x", "//", "/.git/config"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p := ""
		for range 1 + random.IntN(4) {
			p += "/" + []string{"p", "pay", "t", "1", "events", "static", "login", "..", "a%2fb", fmt.Sprint(random.Uint64())}[random.IntN(10)]
		}
		if p != "/login" {
			paths = append(paths, p)
		}
	}
	methods := []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
	tokens := []func(*http.Request){func(*http.Request) {}, cookie("stale"), cookie(strings.Repeat("x", 5000)), header("Authorization", "Bearer in"), header("Authorization", "Basic bWFyYTpwdw==")}
	for i, p := range paths {
		w := request(h, methods[i%len(methods)], p, "", tokens[i%len(tokens)])
		if w.Code != first.Code || w.Body.String() != first.Body.String() || !reflect.DeepEqual(w.Header(), first.Header()) {
			t.Fatalf("%s %s is answered differently: %d %v", methods[i%len(methods)], p, w.Code, w.Header())
		}
	}
	if len(f.callers) > 0 {
		t.Errorf("strangers reached the service as %v", f.callers)
	}
}

func TestOnlyOperatorsComeIn(t *testing.T) {
	h, f, _ := door(t)
	for _, role := range []coord.Role{coord.RoleAgent, coord.RoleSetup, ""} {
		f.sessions["odd"] = coord.Caller{Principal: "x", Role: role}
		if w := request(h, "GET", "/", "", cookie("odd")); w.Code != 401 {
			t.Errorf("a session of role %q gets %d", role, w.Code)
		}
	}
}

// W13: every answer has the headers, whatever it is.
func TestHeadersOnEveryAnswer(t *testing.T) {
	h, f, in := door(t)
	check := func(name string, w *httptest.ResponseRecorder, status int) {
		t.Helper()
		if w.Code != status {
			t.Errorf("%s answers %d, want %d", name, w.Code, status)
		}
		for key, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security":    "max-age=63072000; includeSubDomains",
		} {
			if got := w.Header().Get(key); got != want {
				t.Errorf("%s: %s is %q", name, key, got)
			}
		}
		cache := "no-store"
		if strings.HasPrefix(name, "/static/") && status == 200 {
			cache = "public, max-age=31536000, immutable"
		}
		if got := w.Header().Get("Cache-Control"); got != cache {
			t.Errorf("%s: Cache-Control is %q", name, got)
		}
	}
	for _, p := range []string{"/", "/p/pay", "/p/pay/landing", "/p/pay/knowledge", "/p/pay/t/1", "/login", "/setup-help"} {
		status := 200
		if p == "/login" {
			status = 303 // signed in already
		}
		check(p, request(h, "GET", p, "", in), status)
		check(p, request(h, "HEAD", p, "", in), status)
	}
	for _, url := range assetURLs() {
		check(url, request(h, "GET", url, ""), 200)
	}
	check("/static/nope", request(h, "GET", "/static/nope", "", in), 404)
	check("not found", request(h, "GET", "/nope", "", in), 404)
	check("bad project", request(h, "GET", "/p/PAY", "", in), 404)
	check("bad task", request(h, "GET", "/p/pay/t/0x1", "", in), 404)
	check("unknown task", request(h, "GET", "/p/pay/t/99", "", in), 404)
	check("stranger", request(h, "GET", "/", ""), 401)
	check("method", request(h, "POST", "/p/pay", "", in, sameSite), 405)
	check("cross origin", request(h, "POST", "/logout", "", in), 403)
	check("no start", request(h, "GET", "/events", "", in), 400)
	f.failWith = coord.Errorf(coord.CodeUnavailable, "the disk is away")
	check("unavailable", request(h, "GET", "/", "", in), 503)
	f.failWith = fmt.Errorf("secret cause")
	w := request(h, "GET", "/p/pay", "", in)
	check("internal", w, 500)
	if strings.Contains(w.Body.String(), "secret cause") {
		t.Error("an internal error shows its cause")
	}
	f.boards, f.failWith = nil, nil
	f.over.Projects = nil
	check("empty", request(h, "GET", "/", "", in), 200)
	o := optionsOf(t, newFake())
	o.Secure = false
	if got := request(New(o), "GET", "/login", "").Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("HSTS goes over plain HTTP: %q", got)
	}
}

func assetURLs() []string {
	var urls []string
	for name := range readAssets().served {
		urls = append(urls, "/static/"+name)
	}
	return urls
}

func TestNotAllowedNamesWhatIs(t *testing.T) {
	h, _, in := door(t)
	for path, want := range map[string]string{"/p/pay": "GET", "/logout": "POST", "/login": "GET, POST"} {
		w := request(h, "DELETE", path, "", in, sameSite)
		if w.Code != 405 || w.Header().Get("Allow") != want {
			t.Errorf("DELETE %s: %d, Allow %q, want %q", path, w.Code, w.Header().Get("Allow"), want)
		}
	}
}

// W12: unsafe requests show that they come from a page of ours.
func TestCrossOriginMatrix(t *testing.T) {
	cases := []struct {
		site, origin string
		ok           bool
	}{
		{"", "", false},
		{"same-origin", "", true},
		{"same-origin", "null", true}, // what browsers send under no-referrer
		{"none", "", true},
		{"same-site", "", false},
		{"cross-site", "", false},
		{"cross-site", own, false},
		{"", own, true},
		{"", "null", false},
		{"", "https://evil.test", false},
		{"", "https://coord.example.com.evil.test", false},
	}
	form := "name=warden&password=" + strings.ReplaceAll(password, " ", "+")
	for _, c := range cases {
		for _, path := range []string{"/login", "/logout"} {
			h, f, in := door(t)
			edits := []func(*http.Request){in}
			if c.site != "" {
				edits = append(edits, header("Sec-Fetch-Site", c.site))
			}
			if c.origin != "" {
				edits = append(edits, header("Origin", c.origin))
			}
			w := request(h, "POST", path, form, edits...)
			if c.ok != (w.Code == 303) || !c.ok && w.Code != 403 {
				t.Errorf("POST %s with Sec-Fetch-Site %q and Origin %q: %d", path, c.site, c.origin, w.Code)
			}
			if _, still := f.sessions["in"]; !c.ok && (!still || f.checks > 0) {
				t.Errorf("a refused POST %s had an effect", path)
			}
		}
	}
}

func TestPanicIsAnErrorPage(t *testing.T) {
	s := newSite(optionsOf(t, newFake()))
	h := s.headers(s.handle(public, func(*site, *visit) error { panic("boom") }))
	w := request(h, "GET", "/", "")
	if w.Code != 500 || strings.Contains(w.Body.String(), "boom") || w.Header().Get("X-Content-Type-Options") == "" {
		t.Errorf("a panic is answered with %d: %s", w.Code, w.Body)
	}
}
