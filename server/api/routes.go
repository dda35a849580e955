package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"coord"
)

// route is one row of the table that the router is built from: nothing is
// reachable that is not in it.
type route struct {
	method  string
	pattern string // below /api/v1
	id      string // of the operation, for the OpenAPI document
	summary string
	roles   []coord.Role // who may use it; the first is named in a refusal
	session sessionUse
	public  bool  // needs no credential
	keyed   bool  // needs an Idempotency-Key
	limit   int64 // of the body in bytes; 0: takes no body
	status  int   // of success

	register func(huma.API, huma.Operation)
}

// sessionUse says what a route does with the Coord-Session header.
type sessionUse int

const (
	sessionIgnored  sessionUse = iota
	sessionOptional            // verified when it is there
	sessionRequired
)

// Limits of bodies.
const (
	bodyLimit   = 1 << 20
	importLimit = 16 << 20
)

// Who may use a route.
var (
	anyone  = []coord.Role{coord.RoleAgent, coord.RoleOperator, coord.RoleSetup}
	readers = []coord.Role{coord.RoleAgent, coord.RoleOperator}
	workers = []coord.Role{coord.RoleAgent}
	setup   = []coord.Role{coord.RoleSetup}
	// A job's reporter observes that job and nothing else.
	observers = []coord.Role{coord.RoleAgent, coord.RoleReporter}

	operators = []coord.Role{coord.RoleOperator}
)

// routes is the table.
func routes() []route {
	return slices.Concat(projectRoutes(), accessRoutes(), policyRoutes(), taskRoutes(), taskPlanRoutes(), attemptRoutes(), noteRoutes(), judgementRoutes(), decisionRoutes(), jobRoutes(), resourceRoutes(), landingRoutes(), knowledgeRoutes(), importRoutes(), viewRoutes(), eventRoutes())
}

// read is a row for a resource or a view.
func read(pattern, id, summary string, roles []coord.Role, register func(huma.API, huma.Operation)) route {
	return route{
		method: http.MethodGet, pattern: pattern, id: id, summary: summary, roles: roles,
		session: sessionOptional, status: http.StatusOK, register: register,
	}
}

// command is a row for a mutation under an idempotency key.
func command(pattern, id, summary string, roles []coord.Role, register func(huma.API, huma.Operation)) route {
	return route{
		method: http.MethodPost, pattern: pattern, id: id, summary: summary, roles: roles,
		session: sessionOptional, keyed: true, limit: bodyLimit, status: http.StatusCreated, register: register,
	}
}

// work is a row for a mutation of a session's own work.
func work(pattern, id, summary string, register func(huma.API, huma.Operation)) route {
	rt := command(pattern, id, summary, workers, register)
	rt.session = sessionRequired
	return rt
}

// operation is the row as huma documents and serves it. The body is read, and
// bounded, before huma sees it.
func (rt route) operation() huma.Operation {
	op := huma.Operation{
		Method: rt.method, Path: rt.pattern, OperationID: rt.id, Summary: rt.summary, DefaultStatus: rt.status,
		MaxBodyBytes: -1, BodyReadTimeout: -1, Security: rt.security(),
	}
	if rt.keyed {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Required: true,
			Description: "One per intent. The same key and body again has no second effect and answers with the first outcome; kept for at least 7 days.",
			Schema:      &huma.Schema{Type: huma.TypeString, Pattern: "^[A-Za-z0-9_-]{16,128}$"},
		}, &huma.Param{
			Name: epochHeader, In: "header",
			Description: "As the latest answer carried it when the request was first composed; repeated unchanged with the key. After a restore of the server the request is refused as epoch_changed.",
			Schema:      &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]{1,19}$"},
		})
	}
	return op
}

func (rt route) security() []map[string][]string {
	if rt.public {
		return []map[string][]string{}
	}
	switch rt.session {
	case sessionRequired:
		return []map[string][]string{{"token": {}, "session": {}}}
	case sessionOptional:
		return []map[string][]string{{"token": {}}, {"token": {}, "session": {}}}
	}
	return []map[string][]string{{"token": {}}}
}

// output is what an operation of huma returns.
type output[T any] struct{ Body T }

// list wraps a list that has no pages.
type list[T any] struct {
	Items []T `json:"items"`
}

// nothing is the input of an operation without any.
type nothing struct{}

// inProject names a project and nothing else.
type inProject struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
}

// projectCommand is a command C in a project.
type projectCommand[C any] struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Body    C
}

// attemptCommand is a command C under an attempt's authority.
type attemptCommand[C any] struct {
	Attempt coord.AttemptID `path:"attempt" doc:"Such as pay-42.a3."`
	Body    C
}

// taskCommand is a command C about one task.
type taskCommand[C any] struct {
	Task coord.TaskID `path:"task" doc:"Such as pay-42."`
	Body C
}

// landingCommand is a command C of a landing's holder.
type landingCommand[C any] struct {
	Landing coord.LandingID `path:"landing" doc:"Such as pay-42.l1."`
	Body    C
}

// call is what an operation does: with the service of its caller, the key of
// its request, and its input.
type call[I, O any] func(ctx context.Context, s coord.Service, key coord.Key, in *I) (O, error)

// serve makes an operation of huma from a call.
func serve[I, O any](do call[I, O]) func(huma.API, huma.Operation) {
	return func(a huma.API, op huma.Operation) {
		huma.Register(a, op, func(ctx context.Context, in *I) (*output[O], error) {
			x := exchangeOf(ctx)
			out, err := do(ctx, x.service, x.key, in)
			if err != nil {
				return nil, x.problem(err)
			}
			return &output[O]{Body: lists(out)}, nil
		})
	}
}

// listOf wraps what a service method returns.
func listOf[T any](all []T, err error) (list[T], error) { return list[T]{Items: all}, err }
