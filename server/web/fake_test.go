package web

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

// fake is a backend with one operator and data that tests fill in. Its
// events can be added while pages are open.
type fake struct {
	mu       sync.Mutex
	now      time.Time
	sessions map[string]coord.Caller
	opened   int
	checks   int
	failWith error // of every view
	callers  []coord.Caller

	over    coord.Overview
	boards  map[coord.ProjectKey]coord.Board
	landing map[coord.ProjectKey]coord.LandingBoard
	tasks   map[coord.TaskID]coord.TaskDetail
	lessons []coord.LessonDetail
	rules   []coord.Rule
	notes   []coord.HandoffNote
	sought  []coord.LessonQuery
	queries []coord.TaskQuery
	log     []coord.Event
	added   chan struct{} // closed and renewed with each event
}

var warden = coord.Caller{Principal: "u1", Role: coord.RoleOperator, Name: "warden"}

const password = "correct horse"

func (f *fake) As(c coord.Caller) coord.Service {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.callers = append(f.callers, c)
	return service{fake: f}
}

func (f *fake) CheckPassword(_ context.Context, name, pass string) (coord.Caller, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checks++
	if name == "warden" && pass == password {
		return warden, nil
	}
	return coord.Caller{}, coord.Errorf(coord.CodeUnauthenticated, "no")
}

func (f *fake) OpenWebSession(_ context.Context, c coord.Caller) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	token := fmt.Sprintf("token-%d", f.opened)
	f.sessions[token] = c
	return token, nil
}

func (f *fake) WebSession(_ context.Context, token string) (coord.Caller, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.sessions[token]
	if !ok {
		return c, coord.Errorf(coord.CodeUnauthenticated, "no session")
	}
	return c, nil
}

func (f *fake) CloseWebSession(_ context.Context, token string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sessions, token)
	return nil
}

// emit appends an event and wakes who waits.
func (f *fake) emit(p coord.ProjectKey, t coord.TaskID, kind coord.EventKind, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seq := coord.Seq(len(f.log) + 1)
	f.log = append(f.log, coord.Event{Seq: seq, At: f.now, Kind: kind, Project: p, Task: t, Actor: "alpha", Text: text})
	f.over.AsOf = seq
	for k, b := range f.boards {
		b.AsOf = seq
		f.boards[k] = b
	}
	close(f.added)
	f.added = make(chan struct{})
}

// change edits the data under the lock.
func (f *fake) change(edit func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit()
}

// service answers the views; anything else is a nil call and a panic.
type service struct {
	coord.Service
	*fake
}

func (s service) Overview(context.Context) (coord.Overview, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over, s.failWith
}

func (s service) Board(_ context.Context, key coord.ProjectKey) (coord.Board, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return found(s.boards, key, s.failWith)
}

func (s service) LandingBoard(_ context.Context, key coord.ProjectKey) (coord.LandingBoard, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return found(s.fake.landing, key, s.failWith)
}

func (s service) Task(_ context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return found(s.tasks, id, s.failWith)
}

func (s service) Project(_ context.Context, key coord.ProjectKey) (coord.Project, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := found(s.boards, key, s.failWith)
	return b.Project, err
}

func found[K ~string, V any](m map[K]V, key K, fail error) (V, error) {
	v, ok := m[key]
	if fail == nil && !ok {
		fail = coord.Errorf(coord.CodeNotFound, "there is no %s", string(key))
	}
	return v, fail
}

func (s service) ListTasks(_ context.Context, q coord.TaskQuery) (coord.Page[coord.Task], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = append(s.queries, q)
	page := coord.Page[coord.Task]{AsOf: s.over.AsOf}
	for _, c := range s.boards[q.Project].Columns {
		for _, t := range c.Tasks {
			fits := (q.Status == "" || t.Status == q.Status) && (q.Kind == "" || t.Kind == q.Kind)
			if !fits || !strings.Contains(strings.ToLower(t.Title), strings.ToLower(q.Text)) {
				continue
			}
			if len(page.Items) == q.Limit {
				page.NextCursor = "next+1"
				return page, s.failWith
			}
			page.Items = append(page.Items, t)
		}
	}
	return page, s.failWith
}

func (s service) Lessons(_ context.Context, q coord.LessonQuery) ([]coord.Lesson, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sought = append(s.sought, q)
	var out []coord.Lesson
	for _, l := range s.fake.lessons {
		fits := q.Shared || l.Project == q.Project
		fits = fits && (q.Kind == "" || l.Kind == q.Kind) && (q.All || q.Status == l.Status || q.Status == "" && l.InForce(s.now))
		if fits && strings.Contains(strings.ToLower(l.Text), strings.ToLower(q.Text)) && len(out) < q.Limit {
			out = append(out, l.Lesson)
		}
	}
	return out, s.failWith
}

func (s service) Lesson(_ context.Context, p coord.ProjectKey, id coord.LessonID) (coord.LessonDetail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.fake.lessons {
		if l.Project == p && l.ID == id {
			return l, s.failWith
		}
	}
	return coord.LessonDetail{}, coord.Errorf(coord.CodeNotFound, "there is no lesson %s", id)
}

func (s service) RuleRevisions(_ context.Context, p coord.ProjectKey) (out []coord.Rule, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.Project == p {
			out = append(out, r)
		}
	}
	return out, s.failWith
}

func (s service) Handoffs(_ context.Context, q coord.HandoffQuery) (page coord.Page[coord.HandoffNote], _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notes {
		if n.Project == q.Project {
			page.Items = append(page.Items, n)
		}
	}
	return page, s.failWith
}

func (s service) Events(_ context.Context, p coord.ProjectKey, after coord.Seq, limit int) ([]coord.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after(p, after, limit), s.failWith
}

func (s service) after(p coord.ProjectKey, after coord.Seq, limit int) []coord.Event {
	var out []coord.Event
	for _, e := range s.log {
		if e.Seq > after && (p == "" || p == e.Project) && len(out) < limit {
			out = append(out, e)
		}
	}
	return out
}

func (s service) WaitEvents(ctx context.Context, p coord.ProjectKey, after coord.Seq) ([]coord.Event, error) {
	for {
		s.mu.Lock()
		events, added := s.after(p, after, 100), s.added
		s.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-added:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// clock is a hand-set time.
func (f *fake) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func newFake() *fake {
	f := &fake{
		now: time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC), sessions: map[string]coord.Caller{}, added: make(chan struct{}),
		boards: map[coord.ProjectKey]coord.Board{}, landing: map[coord.ProjectKey]coord.LandingBoard{}, tasks: map[coord.TaskID]coord.TaskDetail{},
	}
	f.fill()
	return f
}

func optionsOf(t *testing.T, f *fake) Options {
	return Options{
		Backend: f, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), PublicURL: "https://coord.example.com",
		Version: "0.1.0", Secure: true, Now: f.clock,
	}
}
