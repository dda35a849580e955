package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestProblems(t *testing.T) {
	held := coord.Errorf(coord.CodeTaskTaken, "pay-1 is held by bo").WithNext("coord next").WithDetail("holder", "bo").WithRetryAfter(1500 * time.Millisecond).WithActor("operator")
	cases := map[string]struct {
		err    error
		status int
		want   Problem
	}{
		"refusal":         {held, 409, Problem{Code: coord.CodeTaskTaken, Detail: "pay-1 is held by bo", Retry: coord.RetryNewKey, RetryAfterMS: 1500, RequiredActor: "operator"}},
		"storage full":    {coord.Errorf(coord.CodeStorageFull, "the disk is full"), 507, Problem{Code: coord.CodeStorageFull, Detail: "the disk is full", Retry: coord.RetrySameKey}},
		"wrapped refusal": {errors.Join(errors.New("outer"), coord.Errorf(coord.CodeFenced, "fenced")), 409, Problem{Code: coord.CodeFenced, Detail: "fenced", Retry: coord.RetryAfterReread}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.fail = c.err
			w := b.send("GET", "/whoami", "")
			got := wantProblem(t, w, c.status, c.want.Code)
			if got.Detail != c.want.Detail || got.Retry != c.want.Retry || got.RetryAfterMS != c.want.RetryAfterMS || got.RequiredActor != c.want.RequiredActor {
				t.Errorf("got %+v", got)
			}
			if got.RequestID == "" || !strings.Contains(b.log.String(), got.RequestID) {
				t.Errorf("request id %q is not in the log", got.RequestID)
			}
			if c.want.RetryAfterMS > 0 && (w.Header().Get("Retry-After") != "2" || got.Details["holder"] != "bo" || got.Next[0] != "coord next") {
				t.Errorf("got %+v %v", got, w.Header())
			}
		})
	}
}

func TestInternalErrorsStayInTheLog(t *testing.T) {
	for name, err := range map[string]error{
		"foreign":  errors.New("sql: secret-table is locked"),
		"internal": coord.Errorf(coord.CodeInternal, "secret-table is broken"),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.fail = err
			w := b.send("GET", "/whoami", "")
			p := wantProblem(t, w, 500, coord.CodeInternal)
			if strings.Contains(w.Body.String(), "secret-table") || !strings.Contains(b.log.String(), "secret-table") {
				t.Errorf("body %s\nlog %s", w.Body, b.log)
			}
			if !strings.Contains(p.Detail, p.RequestID) {
				t.Errorf("detail %q does not name the request", p.Detail)
			}
		})
	}
	b := newBench()
	wantProblem(t, b.send("GET", "/overview", ""), 500, coord.CodeInternal)
	if !strings.Contains(b.log.String(), "a defect") {
		t.Errorf("the panic is not in the log: %s", b.log)
	}
}

func TestPathsAndParameters(t *testing.T) {
	cases := map[string]struct {
		method, path string
		status       int
		code         coord.Code
	}{
		"no such path":      {"GET", "/nowhere", 404, coord.CodeNotFound},
		"no such method":    {"DELETE", "/overview", 405, coord.CodeBadRequest},
		"no such task":      {"GET", "/tasks/pay-404", 404, coord.CodeNotFound},
		"unknown parameter": {"GET", "/projects/pay/tasks?statsu=done", 400, coord.CodeBadRequest},
		"bad value":         {"GET", "/projects/pay/tasks?status=finished", 400, coord.CodeBadRequest},
		"bad number":        {"GET", "/projects/pay/tasks?limit=many", 400, coord.CodeBadRequest},
		"out of range":      {"GET", "/projects/pay/tasks?limit=201", 400, coord.CodeBadRequest},
		"no tree":           {"GET", "/projects/pay/receipts", 400, coord.CodeBadRequest},
		"the document":      {"GET", "/openapi.json", 404, coord.CodeNotFound},
		"the docs":          {"GET", "/docs", 404, coord.CodeNotFound},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { wantProblem(t, newBench().send(c.method, c.path, ""), c.status, c.code) })
	}
}

func TestListsAreNeverNull(t *testing.T) {
	w := newBench().send("GET", "/tasks/pay-1", "")
	if w.Code != 200 || strings.Contains(w.Body.String(), "null") || !strings.Contains(w.Body.String(), `"attempts":[]`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestW13_HeadersOnEveryAnswer(t *testing.T) {
	b := newBench()
	for _, w := range []*httptest.ResponseRecorder{
		b.send("GET", "/whoami", ""), b.send("GET", "/nowhere", ""), b.send("GET", "/overview", ""),
		b.send("GET", "/whoami", "", with("Authorization", "")), b.send("POST", "/projects/pay/tasks", "{"),
	} {
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
			if w.Header().Get(name) != want {
				t.Errorf("%d: %s is %q", w.Code, name, w.Header().Get(name))
			}
		}
	}
}

func TestAccessLog(t *testing.T) {
	b := newBench()
	b.send("POST", "/projects/pay/tasks", `{"title":"very private"}`, with("Coord-Client", "coord/1.2\n"+strings.Repeat("x", 500)))
	log := b.log.String()
	for _, want := range []string{`"route":"/api/v1/projects/{project}/tasks"`, `"status":201`, `"principal":"alpha"`, `"method":"POST"`, `"took":`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	for _, secret := range []string{agentToken, fakeProof, fakeKey, "very private", strings.Repeat("x", 100)} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if n := strings.Count(log, "\n"); n != 1 {
		t.Errorf("%d lines for one request", n)
	}
}

func TestHealth(t *testing.T) {
	f := newFake()
	h := Health(f)
	get := func(path string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if get("/livez") != 200 || get("/readyz") != 200 {
		t.Error("a good backend is not ready")
	}
	f.fail = errors.New("disk")
	if get("/livez") != 200 || get("/readyz") != 503 {
		t.Error("a bad backend is ready")
	}
}
