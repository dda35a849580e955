package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"coord"
)

const (
	longestWait = time.Minute // of a long poll
	eventBatch  = 200
)

func eventRoutes() []route {
	project := func(a huma.API, op huma.Operation) {
		huma.Register(a, eventAnswers(a, op), func(ctx context.Context, in *projectEvents) (*huma.StreamResponse, error) {
			return in.answer(ctx, in.Project)
		})
	}
	all := func(a huma.API, op huma.Operation) {
		huma.Register(a, eventAnswers(a, op), func(ctx context.Context, in *allEvents) (*huma.StreamResponse, error) {
			return in.answer(ctx, "")
		})
	}
	return []route{
		read("/projects/{project}/events", "project-events", "Events of a project, as a stream or a long poll", readers, project),
		read("/events", "all-events", "Events of all projects, as a stream or a long poll", readers, all),
	}
}

// EventFilter is the query of both event routes; exported for huma, which
// reads embedded fields by reflection.
type EventFilter struct {
	After string `query:"after" pattern:"^(0|[1-9][0-9]{0,18})$" doc:"Only events after this sequence."`
	Last  string `header:"Last-Event-ID" pattern:"^(0|[1-9][0-9]{0,18})$" doc:"As a browser sends it on reconnecting; it stands before after."`
	Wait  string `query:"wait" doc:"Answer in JSON: at once when there are events, else after this long, such as 30s; at most 1m. Without it the events are streamed."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" doc:"Most events in a JSON answer; 200 when absent."`
}

type projectEvents struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	EventFilter
}

type allEvents struct{ EventFilter }

// eventAnswers documents the two forms of the answer.
func eventAnswers(a huma.API, op huma.Operation) huma.Operation {
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A stream whose event ids are sequences, names are kinds and data are events; or with wait a list.",
		Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/json":  {Schema: a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[list[coord.Event]](), true, "ListEvent")},
		},
	}}
	return op
}

// after is the sequence to start behind.
func (f EventFilter) after() (coord.Seq, error) {
	var seq coord.Seq
	for _, stated := range []string{f.Last, f.After} {
		if stated != "" {
			return seq, seq.UnmarshalText([]byte(stated))
		}
	}
	return 0, nil
}

// answer decides between the two forms. The first read happens before any
// byte is written, so that a refusal is a problem document.
func (f EventFilter) answer(ctx context.Context, project coord.ProjectKey) (*huma.StreamResponse, error) {
	x := exchangeOf(ctx)
	after, err := f.after()
	if err != nil {
		return nil, x.problem(err)
	}
	limit := eventBatch
	if f.Limit > 0 {
		limit = f.Limit
	}
	first, err := x.service.Events(ctx, project, after, limit)
	if err != nil {
		return nil, x.problem(err)
	}
	if f.Wait == "" {
		s := stream{x: x, project: project, after: after}
		return &huma.StreamResponse{Body: func(hc huma.Context) { s.run(hc, first) }}, nil
	}
	wait, err := time.ParseDuration(f.Wait)
	if err != nil || wait < 0 {
		return nil, x.problem(coord.Errorf(coord.CodeBadRequest, "wait must be a duration such as 30s"))
	}
	if len(first) == 0 && wait > 0 {
		if first, err = x.waitEvents(ctx, project, after, wait); err != nil {
			return nil, x.problem(err)
		}
	}
	return &huma.StreamResponse{Body: jsonList(first[:min(len(first), limit)])}, nil
}

// waitEvents returns events, or none after the wait.
func (x *exchange) waitEvents(ctx context.Context, project coord.ProjectKey, after coord.Seq, wait time.Duration) ([]coord.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, min(wait, longestWait))
	defer cancel()
	_ = x.conn.SetReadDeadline(time.Time{}) // the server's deadlines are for requests that do not wait
	_ = x.conn.SetWriteDeadline(time.Time{})
	events, err := x.service.WaitEvents(ctx, project, after)
	if ctx.Err() != nil && len(events) == 0 {
		return nil, nil
	}
	return events, err
}

func jsonList(events []coord.Event) func(huma.Context) {
	return func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		hc.SetStatus(http.StatusOK)
		_ = huma.DefaultJSONFormat.Marshal(hc.BodyWriter(), lists(list[coord.Event]{Items: events})) // the client has gone
	}
}
