package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"coord"
)

// maxStreams bounds the event streams that are open at once.
const maxStreams = 200

// change is what a page is told of an event: enough to know that it is out
// of date.
type change struct {
	Seq     coord.Seq        `json:"seq"`
	Kind    coord.EventKind  `json:"kind"`
	Project coord.ProjectKey `json:"project,omitempty"`
	Task    coord.TaskID     `json:"task,omitempty"`
}

// events streams a change event per event of the log as server-sent events
// (WHATWG HTML, section 9.2), and a beat while there are none. It begins
// after the event that the page shows, or after Last-Event-ID. It ends after
// a while, and the browser comes back with its credential.
func (s *site) events(v *visit) error {
	project := coord.ProjectKey(v.r.URL.Query().Get("project"))
	after, err := startOf(v.r)
	if err != nil {
		return err
	}
	if s.streams.Add(1) > maxStreams {
		s.streams.Add(-1)
		return coord.Errorf(coord.CodeUnavailable, "Too many pages are live at once.")
	}
	defer s.streams.Add(-1)
	if project != "" {
		if _, err := s.service(v).Project(v.ctx(), project); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(v.ctx(), s.stay)
	defer cancel()
	st := stream{site: s, v: v, out: http.NewResponseController(v.w), project: project, after: after}
	if err := st.begin(); err != nil {
		return ignoreGone(err)
	}
	for err == nil && ctx.Err() == nil {
		err = st.next(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		s.Log.Warn("event stream ended", "error", err.Error())
	}
	return nil
}

func startOf(r *http.Request) (coord.Seq, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	var after coord.Seq
	if text == "" {
		return 0, coord.Errorf(coord.CodeBadRequest, "An event stream begins after a stated event.")
	}
	err := after.UnmarshalText([]byte(text))
	return after, err
}

// errGone is a client that went away or whose login is over.
var errGone = errors.New("nobody listens")

type stream struct {
	site    *site
	v       *visit
	out     *http.ResponseController
	project coord.ProjectKey
	after   coord.Seq
}

func (st *stream) begin() error {
	h := st.v.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	// A stream outlives the server's write timeout.
	if err := st.out.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return st.send([]byte("retry: 2000\nevent: beat\ndata: {}\n\n"))
}

// next waits for a change or the time of a beat, and sends it. The login is
// checked again before anything is told.
func (st *stream) next(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, st.site.beat)
	defer cancel()
	events, err := st.site.service(st.v).WaitEvents(wait, st.project, st.after)
	if err != nil && wait.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		return errGone
	}
	if len(events) == 0 {
		return st.send([]byte("event: beat\ndata: {}\n\n"))
	}
	if _, err := st.site.signedIn(st.v.r); err != nil {
		return errGone
	}
	var b bytes.Buffer
	for _, e := range events {
		data, err := json.Marshal(change{e.Seq, e.Kind, e.Project, e.Task})
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "id: %d\nevent: change\ndata: %s\n\n", e.Seq, data)
		st.after = e.Seq
	}
	return st.send(b.Bytes())
}

func (st *stream) send(b []byte) error {
	if _, err := st.v.w.Write(b); err != nil {
		return errGone
	}
	if err := st.out.Flush(); err != nil {
		return errGone
	}
	return nil
}
