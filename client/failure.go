package client

import (
	"encoding/json"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"

	"coord"
)

// The detail "outcome" of an unanswered request, for callers that say more.
const (
	OutcomeUnknown = "unknown"  // it may have taken effect
	OutcomeNotSent = "not_sent" // nothing left this machine
)

// noAnswer is what a request without an answer comes to.
func (c *Client) noAnswer(err error, connected bool) answer {
	var timeout net.Error
	timedOut := errors.As(err, &timeout) && timeout.Timeout()
	err = bare(err)
	if !connected {
		return answer{silent: true, reach: reachNothing, err: coord.
			Errorf(coord.CodeUnavailable, "the server at %s did not answer: %w; nothing was sent", originOf(c.base), err).
			WithDetail("outcome", OutcomeNotSent).WithNext("coord up", "coord doctor")}
	}
	return answer{silent: true, lost: !timedOut, reach: reachUnknown, err: coord.
		Errorf(coord.CodeUnavailable, "the answer of the server at %s was lost: %w; the outcome is unknown, run the same command again", originOf(c.base), err).
		WithDetail("outcome", OutcomeUnknown).WithNext("the same command again")}
}

// bare takes the URL out of a transport error: the sentence names the server.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// foreign is what an answer comes to that coord did not write, such as a
// proxy's page. A proxy that refuses a request (4xx, except a timeout) has not
// passed it on.
func (c *Client) foreign(resp *http.Response) answer {
	refused := resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusRequestTimeout
	if refused {
		return answer{reach: reachNothing, err: coord.
			Errorf(coord.CodeUnavailable, "%s answered %s, but not as coord does; nothing was changed", originOf(c.base), resp.Status).
			WithDetail("outcome", OutcomeNotSent).WithNext("coord doctor")}
	}
	return answer{reach: reachUnknown, err: coord.
		Errorf(coord.CodeUnavailable, "%s answered %s, but not as coord does; the outcome is unknown, run the same command again", originOf(c.base), resp.Status).
		WithDetail("outcome", OutcomeUnknown).WithNext("coord doctor")}
}

// redirected names where a redirect points. It is not followed: the token
// belongs to the configured origin.
func (c *Client) redirected(resp *http.Response) error {
	to := "elsewhere"
	if u, err := resp.Location(); err == nil {
		to = originOf(u) + u.EscapedPath()
	}
	return coord.Errorf(coord.CodeSetup, "%s redirects to %s; the token was not sent there and nothing was changed", originOf(c.base), coord.OneLine(to)).
		WithNext("coord doctor")
}

// problem is an RFC 9457 document as the API writes it.
type problem struct {
	Detail        string            `json:"detail"`
	Code          coord.Code        `json:"code"`
	Next          []string          `json:"next"`
	RequiredActor string            `json:"required_actor"`
	Retry         coord.Retry       `json:"retry"`
	RetryAfterMS  int64             `json:"retry_after_ms"`
	Details       map[string]string `json:"details"`
	RequestID     string            `json:"request_id"`
}

// readProblem reads a problem document of coord; anything else is not one.
func readProblem(resp *http.Response, body []byte) (*coord.Error, bool) {
	var p problem
	if !isType(resp, "application/problem+json") || json.Unmarshal(body, &p) != nil || p.Code == "" {
		return nil, false
	}
	e := &coord.Error{
		Code: p.Code, Message: p.Detail, Next: p.Next, RequiredActor: p.RequiredActor,
		Retry: p.Retry, RetryAfterMS: p.RetryAfterMS, Details: p.Details,
	}
	if p.RequestID != "" && p.Code == coord.CodeInternal {
		e = e.WithDetail("request_id", p.RequestID)
	}
	return e, true
}

func isType(resp *http.Response, want string) bool {
	got, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && got == want
}
