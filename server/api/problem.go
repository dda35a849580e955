package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"coord"
)

// problemType is the media type of RFC 9457.
const problemType = "application/problem+json"

// Problem is an error as the wire carries it: RFC 9457 with type about:blank,
// and coord's own members.
type Problem struct {
	Title         string            `json:"title" doc:"The HTTP status in words."`
	Status        int               `json:"status"`
	Detail        string            `json:"detail" doc:"What was wrong and whether anything changed."`
	Code          coord.Code        `json:"code" doc:"Stable name of the kind of refusal."`
	Next          []string          `json:"next,omitempty" doc:"What to type, best first."`
	RequiredActor string            `json:"required_actor,omitempty" doc:"Who alone can lift the refusal."`
	Retry         coord.Retry       `json:"retry" enum:"same_key,new_key,after_reread,never"`
	RetryAfterMS  int64             `json:"retry_after_ms,omitempty"`
	Details       map[string]string `json:"details,omitempty"`
	RequestID     string            `json:"request_id,omitempty"`
}

// Error makes a Problem an error that huma writes as it is.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType replaces application/json.
func (p *Problem) ContentType(string) string { return problemType }

// GetHeaders gives Retry-After (RFC 9110, in whole seconds) where the refusal
// says when to look again.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.RetryAfterMS > 0 {
		h.Set("Retry-After", strconv.FormatInt((p.RetryAfterMS+999)/1000, 10))
	}
	return h
}

func newProblem(status int, e *coord.Error, requestID string) *Problem {
	return &Problem{
		Title: http.StatusText(status), Status: status, Detail: e.Message, Code: e.Code, Next: e.Next,
		RequiredActor: e.RequiredActor, Retry: e.Retry, RetryAfterMS: e.RetryAfterMS, Details: e.Details, RequestID: requestID,
	}
}

// problem turns any error into a problem document. What is not a *coord.Error,
// or is one about a defect of ours, keeps its text in the log.
func (x *exchange) problem(err error) *Problem {
	var known *coord.Error
	if !errors.As(err, &known) || known.Code == coord.CodeInternal {
		x.log.Error("request failed", slog.String("request", x.id), slog.String("error", err.Error()))
		known = coord.Errorf(coord.CodeInternal, "the server failed on this request; its log has the reason under %s; run the same command again", x.id)
	}
	x.code = known.Code
	return newProblem(known.Code.HTTPStatus(), known, x.id)
}

// refuse writes the problem document of err.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	x := exchangeOf(r.Context())
	write(w, x.problem(err))
}

// writeProblem writes e under a status that its code alone does not say.
func writeProblem(w http.ResponseWriter, x *exchange, status int, e *coord.Error) {
	x.code = e.Code
	write(w, newProblem(status, e, x.id))
}

func write(w http.ResponseWriter, p *Problem) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // the client has gone; the access log tells
}

// Huma keeps the error constructor, and a few rules, in package variables.
func init() {
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		return exchangeOf(ctx.Context()).frameworkProblem(status, message, errs)
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newProblem(status, coord.Errorf(coord.CodeBadRequest, "%s", message), "")
	}
}

// frameworkProblem is for what huma finds wrong itself: a value outside its
// schema. The values are not repeated, they may be secret.
func (x *exchange) frameworkProblem(status int, message string, errs []error) *Problem {
	if status >= 500 {
		return x.problem(errors.Join(append(errs, errors.New(message))...))
	}
	var found []string
	for _, err := range errs {
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			found = append(found, strings.TrimPrefix(d.Location, "body.")+": "+d.Message)
		}
	}
	if len(found) == 0 {
		found = []string{message}
	}
	e := coord.Errorf(coord.CodeBadRequest, "%s; nothing was changed", strings.Join(found, "; "))
	return x.problem(e)
}
