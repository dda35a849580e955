package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coord"
)

// open starts a stream over a real connection and returns a function that
// reads the next event's id and data.
func open(t *testing.T, b *bench, path string, edits ...func(*http.Request)) (next func() (id, data string, ok bool)) {
	t.Helper()
	srv := httptest.NewServer(b.handler)
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", srv.URL+"/api/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+agentToken)
	for _, edit := range edits {
		edit(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || ct != "text/event-stream" {
		t.Fatalf("%s %s", resp.Status, ct)
	}
	lines := bufio.NewScanner(resp.Body)
	return func() (id, data string, ok bool) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id = value
			case "data":
				data = value
			case "":
				if id != "" {
					return id, data, true
				}
			}
		}
		return "", "", false
	}
}

func TestStream(t *testing.T) {
	b := newBench()
	b.publish(3)
	next := open(t, b, "/projects/pay/events?after=1")
	for _, want := range []string{"2", "3"} {
		id, data, ok := next()
		var e coord.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || id != want || e.Text != "line one\nline two" {
			t.Fatalf("event %q %q (%v), want %s", id, data, err, want)
		}
	}
	b.publish(1)
	if id, _, _ := next(); id != "4" {
		t.Errorf("live event %q, want 4", id)
	}
	b.revoke(agentToken)
	b.publish(1)
	if id, _, ok := next(); ok {
		t.Errorf("a revoked token still got event %s", id)
	}
}

func TestStreamGoesOnFromLastEventID(t *testing.T) {
	b := newBench()
	b.publish(5)
	next := open(t, b, "/events?after=1", with("Last-Event-ID", "4"))
	if id, _, _ := next(); id != "5" {
		t.Errorf("first event %q, want 5", id)
	}
}

func TestEventsInJSON(t *testing.T) {
	b := newBench()
	ids := func(w *httptest.ResponseRecorder) (out []coord.Seq) {
		var l list[coord.Event]
		if err := jsonUnmarshal(w.Body.Bytes(), &l); err != nil || w.Code != 200 || l.Items == nil {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for _, e := range l.Items {
			out = append(out, e.Seq)
		}
		return out
	}
	if got := ids(b.send("GET", "/projects/pay/events?wait=1ms", "")); len(got) != 0 {
		t.Errorf("an empty log gave %v", got)
	}
	b.publish(3)
	if got := ids(b.send("GET", "/projects/pay/events?wait=0s&limit=2", "")); len(got) != 2 || got[0] != 1 {
		t.Errorf("limit 2 gave %v", got)
	}
	done := make(chan []coord.Seq)
	go func() { done <- ids(b.send("GET", "/projects/pay/events?after=3&wait=1m", "")) }()
	b.publish(1)
	if got := <-done; len(got) != 1 || got[0] != 4 {
		t.Errorf("the long poll gave %v", got)
	}
}

func TestEventRefusals(t *testing.T) {
	for path, code := range map[string]coord.Code{
		"/projects/nope/events":              coord.CodeNotFound,
		"/projects/nope/events?wait=1s":      coord.CodeNotFound,
		"/projects/pay/events?after=x":       coord.CodeBadRequest,
		"/projects/pay/events?after=-1":      coord.CodeBadRequest,
		"/projects/pay/events?wait=soon":     coord.CodeBadRequest,
		"/projects/pay/events?wait=-5s":      coord.CodeBadRequest,
		"/events?after=99999999999999999999": coord.CodeBadRequest,
		"/events?after=9999999999999999999":  coord.CodeBadRequest,
	} {
		wantProblem(t, newBench().send("GET", path, ""), code.HTTPStatus(), code)
	}
}
