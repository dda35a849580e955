package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coord"
)

// listener reads an event stream one event at a time.
type listener struct {
	t      *testing.T
	lines  chan string
	status int
	head   http.Header
}

func listen(t *testing.T, s *site, path string, edits ...func(*http.Request)) *listener {
	t.Helper()
	srv := httptest.NewServer(s.router())
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", srv.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range edits {
		edit(r)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, lines: make(chan string), status: res.StatusCode, head: res.Header}
	go func() {
		defer close(l.lines)
		defer res.Body.Close()
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			select {
			case l.lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// next is the next event, its lines joined; ok is false at the end.
func (l *listener) next() (event string, ok bool) {
	var lines []string
	for line := range l.lines {
		if line == "" {
			return strings.Join(lines, "|"), true
		}
		lines = append(lines, line)
	}
	return "", false
}

// change skips beats.
func (l *listener) change() string {
	for {
		e, ok := l.next()
		if !ok {
			return "end"
		}
		if !strings.Contains(e, "event: beat") {
			return e
		}
	}
}

func streaming(t *testing.T) (*site, *fake) {
	f := newFake()
	f.sessions["in"] = warden
	return newSite(optionsOf(t, f)), f
}

func TestEventsTellEveryChange(t *testing.T) {
	s, f := streaming(t)
	l := listen(t, s, "/events?project=pay&after=7", cookie("in"))
	if l.status != 200 || l.head.Get("Content-Type") != "text/event-stream; charset=utf-8" || l.head.Get("Cache-Control") != "no-store" {
		t.Fatalf("the stream begins with %d %v", l.status, l.head)
	}
	if e, _ := l.next(); e != "retry: 2000|event: beat|data: {}" {
		t.Errorf("the first event is %s", e)
	}
	want := []string{
		`id: 8|event: change|data: {"seq":"8","kind":"landing.merged","project":"pay","task":"pay-9"}`,
		`id: 9|event: change|data: {"seq":"9","kind":"receipt.recorded","project":"pay","task":"pay-4"}`,
		`id: 11|event: change|data: {"seq":"11","kind":"task.created","project":"pay","task":"pay-50"}`,
	}
	for i, w := range want {
		if i == 2 {
			f.emit("web", "web-1", coord.EventTaskCreated, "elsewhere")
			f.emit("pay", "pay-50", coord.EventTaskCreated, "a secret text")
		}
		if e := l.change(); e != w {
			t.Errorf("event %d is %s, want %s", i, e, w)
		}
	}
}

func TestEventsGoOnFromTheLastOne(t *testing.T) {
	s, _ := streaming(t)
	l := listen(t, s, "/events?after=1", cookie("in"), header("Last-Event-ID", "8"))
	if e := l.change(); !strings.HasPrefix(e, "id: 9|") {
		t.Errorf("after 8 comes %s", e)
	}
}

func TestEventsBeat(t *testing.T) {
	s, _ := streaming(t)
	s.beat = time.Millisecond
	l := listen(t, s, "/events?after=9", cookie("in"))
	for i := range 3 {
		if e, ok := l.next(); !ok || !strings.HasSuffix(e, "event: beat|data: {}") {
			t.Errorf("event %d is %q", i, e)
		}
	}
}

// A stream does not outlive its time, nor tell anything after the login ends.
func TestEventsEnd(t *testing.T) {
	s, _ := streaming(t)
	s.stay = time.Millisecond
	if e := listen(t, s, "/events?after=9", cookie("in")).change(); e != "end" {
		t.Errorf("after its time the stream says %s", e)
	}
	s, f := streaming(t)
	l := listen(t, s, "/events?after=9", cookie("in"))
	l.next()
	f.change(func() { delete(f.sessions, "in") })
	f.emit("pay", "pay-1", coord.EventTaskUpdated, "not for you")
	if e := l.change(); e != "end" {
		t.Errorf("after the login ended the stream says %s", e)
	}
}

func TestEventsRefuse(t *testing.T) {
	s, f := streaming(t)
	for path, want := range map[string]int{"/events": 400, "/events?after=x": 400, "/events?after=-1": 400, "/events?after=1&project=nope": 404} {
		if w := request(s.router(), "GET", path, "", cookie("in")); w.Code != want {
			t.Errorf("%s answers %d, want %d", path, w.Code, want)
		}
	}
	s.streams.Store(maxStreams)
	if w := request(s.router(), "GET", "/events?after=1", "", cookie("in")); w.Code != 503 || s.streams.Load() != maxStreams {
		t.Errorf("one stream too many answers %d, %d are counted", w.Code, s.streams.Load())
	}
	if f.failWith != nil {
		t.Error(f.failWith)
	}
}
