package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"coord"
)

// maxAnswer bounds how much of an answer is read.
const maxAnswer = 64 << 20

// request is one fixed request: sent again, it is the same bytes under the
// same key.
type request struct {
	Method  string     `json:"method"`
	Path    string     `json:"path"`
	Session sessionUse `json:"session"`
	Key     coord.Key  `json:"key,omitempty"`
	Epoch   int64      `json:"epoch,omitempty"` // that it was composed under; 0 is not stated
	Body    []byte     `json:"body,omitempty"`

	query url.Values // reads only; a mutation has none
}

// reach is how far a request is known to have come.
type reach int

const (
	reachNothing reach = iota // this sending had no effect: not sent, or turned away at the door
	reachUnknown              // it may have had its effect
	reachDecided              // coord answered for it
)

// answer is what became of a request. With err nil the body is the resource.
type answer struct {
	body   []byte
	err    error
	reach  reach
	silent bool  // nobody answered
	lost   bool  // the connection broke before an answer
	resent bool  // an earlier sending of it may have taken effect
	epoch  int64 // the server's; 0 when no answer carried one
}

func (a answer) into(out any) error {
	if a.err != nil {
		return a.err
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return coord.Errorf(coord.CodeInternal, "the server's answer does not fit this client: %w", err).WithNext("coord version", "coord doctor")
	}
	return nil
}

// definite reports whether the answer settles the request. That one sending
// had no effect says nothing about an earlier one.
func (a answer) definite() bool {
	return a.reach == reachDecided || a.reach == reachNothing && !a.resent
}

// deliver sends a request, opens the session when the server asks for it, and
// after a lost connection tries once more at once with the same key, never a
// third time. It waits only for a server that says when to come again.
func (c *Client) deliver(ctx context.Context, r request) answer {
	if c.invalid != nil {
		return answer{err: c.invalid}
	}
	if err := c.prepareSession(ctx, r.Session); err != nil {
		return answer{err: err}
	}
	a := c.try(ctx, r)
	if err := c.sawRestore(a); err != nil {
		return answer{err: err, reach: reachDecided, epoch: a.epoch}
	}
	if coord.CodeOf(a.err) != coord.CodeSessionUnknown || c.opts.Session == nil || r.Session == sessionNone {
		return a
	}
	if SessionClosed(a.err) {
		a.reach, a.err = reachDecided, c.opts.Session.lost(a.err)
		return a
	}
	if err := c.openSession(ctx); err != nil {
		return answer{err: err, resent: a.resent}
	}
	again := c.try(ctx, r)
	again.resent = again.resent || a.resent
	return again
}

// try sends, and for as long as the server turns it away for coming too often
// sends again under the same key when the server said, within the client's time
// and the caller's.
func (c *Client) try(ctx context.Context, r request) answer {
	a := c.attempt(ctx, r)
	for left := c.opts.Timeout; ; {
		wait := comeAgain(a)
		if left -= wait; wait == 0 || left < 0 || !rest(ctx, wait) {
			return a
		}
		again := c.attempt(ctx, r)
		again.resent = again.resent || a.resent
		a = again
	}
}

// comeAgain is how long to wait before a request is sent again that was turned
// away for coming too often, a little longer than the server said so that those
// who were turned away together do not return together; 0 for any other answer.
func comeAgain(a answer) time.Duration {
	var e *coord.Error
	if !errors.As(a.err, &e) || e.Code != coord.CodeRateLimited || e.RetryAfterMS <= 0 {
		return 0
	}
	wait := time.Duration(e.RetryAfterMS) * time.Millisecond
	return wait + rand.N(wait/4+1)
}

// rest reports false when ctx ended first.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// attempt sends once, and once more if the connection was lost without an
// answer.
func (c *Client) attempt(ctx context.Context, r request) answer {
	a := c.once(ctx, r)
	if !a.lost || ctx.Err() != nil {
		return a
	}
	again := c.once(ctx, r)
	again.resent = true
	if again.silent && again.reach == reachNothing {
		again.reach, again.err = a.reach, a.err // the first sending may have got through
	}
	return again
}

// once sends a request and reads its answer.
func (c *Client) once(ctx context.Context, r request) answer {
	ctx, cancel := context.WithTimeout(ctx, c.timeoutFor(r))
	defer cancel()
	var connected atomic.Bool // without a connection nothing can have been sent
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := c.build(ctx, r)
	if err != nil {
		return answer{err: err}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.noAnswer(err, connected.Load())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.noAnswer(err, true)
	}
	a := c.judge(resp, body)
	if a.epoch = epochOf(resp); a.epoch != 0 {
		c.epoch.Store(a.epoch)
	}
	return a
}

// timeoutFor is the bound of one request; a long poll adds its wait.
func (c *Client) timeoutFor(r request) time.Duration {
	wait, err := time.ParseDuration(r.query.Get("wait"))
	if err != nil {
		return c.opts.Timeout
	}
	return c.opts.Timeout + wait
}

func (c *Client) build(ctx context.Context, r request) (*http.Request, error) {
	address := c.base.String() + "/api/v1" + r.Path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, coord.Errorf(coord.CodeInternal, "building the request: %w", err)
	}
	req.GetBody = nil // or net/http would repeat keyed requests by itself, unseen
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	req.Header.Set("Coord-Client", c.opts.Version)
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", string(r.Key))
	}
	if r.Epoch != 0 {
		req.Header.Set(epochHeader, strconv.FormatInt(r.Epoch, 10))
	}
	if header, ok := c.sessionHeader(r.Session); ok {
		req.Header.Set("Coord-Session", header)
	}
	return req, nil
}

// judge turns an HTTP answer into a resource or an error.
func (c *Client) judge(resp *http.Response, body []byte) answer {
	if v := resp.Header.Get("Coord-Version"); v != "" {
		c.serverVersion.Store(v)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return answer{err: c.redirected(resp), reach: reachNothing}
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		if isType(resp, "application/json") && json.Valid(body) {
			return answer{body: body, reach: reachDecided}
		}
		return c.foreign(resp)
	}
	problem, ok := readProblem(resp, body)
	if !ok {
		return c.foreign(resp)
	}
	return answer{err: problem, reach: reachOf(problem.Code)}
}

// reachOf tells refusals of a request apart from failures to decide it.
func reachOf(code coord.Code) reach {
	switch code {
	case coord.CodeUnavailable, coord.CodeInternal:
		return reachUnknown
	case coord.CodeUnauthenticated, coord.CodeSessionUnknown, coord.CodeSessionInUse, coord.CodeRateLimited, coord.CodeStorageFull:
		return reachNothing
	}
	return reachDecided
}
