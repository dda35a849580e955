package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"coord"
)

// streamPulse is the longest silence of a stream: then it shows that it lives,
// and that its credential still does.
const streamPulse = 15 * time.Second

// stream is one reader of the event stream (HTML standard, section 9.2).
type stream struct {
	x       *exchange
	project coord.ProjectKey
	after   coord.Seq
}

// run writes events until the client goes, the server shuts down, or the
// credential ends. The client comes back with Last-Event-ID.
func (s *stream) run(hc huma.Context, events []coord.Event) {
	r, w := humachi.Unwrap(hc)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	for {
		if err := s.send(w, events); err != nil {
			return
		}
		var err error
		if events, err = s.x.waitEvents(r.Context(), s.project, s.after, streamPulse); err != nil || r.Context().Err() != nil {
			return
		}
		if s.x.recheck(r.Context()) != nil {
			return
		}
	}
}

// send writes the events, or a comment when there are none.
func (s *stream) send(w http.ResponseWriter, events []coord.Event) error {
	_ = s.x.conn.SetWriteDeadline(s.x.now().Add(streamPulse)) // a client that does not read is let go
	if len(events) == 0 {
		if _, err := fmt.Fprint(w, ": no news\n\n"); err != nil {
			return err
		}
	}
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, data); err != nil {
			return err
		}
		s.after = e.Seq
	}
	return s.x.conn.Flush()
}
