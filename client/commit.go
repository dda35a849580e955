package client

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"coord"
)

// intentKey is the context key of WithIntent.
type intentKey struct{}

// WithIntent names what the next mutation under ctx is meant to do, for
// commands whose request differs from one run to the next (a commit made
// anew, a duration). A pending request of the same intent is then sent again
// as it was written, and its outcome is the call's outcome. Put into the text
// whatever makes it the same deed, such as the tree that is saved. Without
// an intent, the same path and body is the same deed.
func WithIntent(ctx context.Context, intent string) context.Context {
	return context.WithValue(ctx, intentKey{}, intent)
}

func (r request) sameDeed(p *Pending, intent string) bool {
	switch {
	case p.Request.Method != r.Method || p.Request.Path != r.Path:
		return false
	case r.Key != "":
		return p.Request.Key == r.Key && bytes.Equal(p.Request.Body, r.Body)
	case intent != "":
		return p.Intent == intent
	}
	return p.Intent == "" && bytes.Equal(p.Request.Body, r.Body)
}

// Outcome is what became of an earlier request that was settled. Err is the
// refusal; without one, Body is the resource.
type Outcome struct {
	Path      string // below /api/v1
	WrittenAt time.Time
	Body      json.RawMessage
	Err       error
}

// commit sends a mutation: written to disk first, under the session's lock,
// after an earlier unanswered one is settled.
func (c *Client) commit(ctx context.Context, r request) answer {
	if c.invalid != nil {
		return answer{err: c.invalid}
	}
	if c.opts.Journal == nil {
		if err := c.compose(ctx, &r); err != nil {
			return answer{err: err}
		}
		return c.deliver(ctx, r)
	}
	wait, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	unlock, err := c.opts.Journal.lock(wait)
	if err != nil {
		return answer{err: err}
	}
	defer unlock()
	return c.commitLocked(ctx, r)
}

func (c *Client) commitLocked(ctx context.Context, r request) answer {
	intent, _ := ctx.Value(intentKey{}).(string)
	pending, err := c.opts.Journal.Pending()
	if err != nil {
		return answer{err: err}
	}
	if pending != nil && !c.tooOld(pending) && r.sameDeed(pending, intent) {
		return c.finish(ctx, pending.Request, true)
	}
	if pending != nil {
		outcome, err := c.settle(ctx, pending)
		if err != nil {
			return answer{err: err}
		}
		c.report(outcome)
		if coord.CodeOf(outcome.Err) == coord.CodeEpochChanged {
			return answer{err: outcome.Err, reach: reachDecided} // what r was made from is to be read again first
		}
	}
	if r.Key, err = c.keyFor(r); err != nil {
		return answer{err: err}
	}
	if err := c.compose(ctx, &r); err != nil {
		return answer{err: err}
	}
	if err := c.opts.Journal.write(Pending{Intent: intent, WrittenAt: c.opts.Now(), Request: r}); err != nil {
		return answer{err: err}
	}
	return c.finish(ctx, r, false)
}

// compose states the epoch in a new request. A session that is to be opened
// is opened before, so that its epoch is known; a client that has heard nothing
// yet asks. A request that is sent again goes on stating the one that it was
// composed under.
func (c *Client) compose(ctx context.Context, r *request) error {
	if err := c.prepareSession(ctx, r.Session); err != nil {
		return err
	}
	if c.knownEpoch() == 0 {
		if err := c.learnEpoch(ctx); err != nil {
			return err
		}
	}
	r.Epoch = c.knownEpoch()
	return nil
}

// finish sends a request that is on disk and forgets it when it is settled.
func (c *Client) finish(ctx context.Context, r request, resent bool) answer {
	a := c.deliver(ctx, r)
	a.resent = a.resent || resent
	if a.definite() {
		if err := c.opts.Journal.clear(); err != nil && a.err == nil {
			a.err = err
		}
	}
	return a
}

// settle finds out what became of a pending request, so that another may
// follow. A request that is too old, or that the server fails on each time, is
// given up and its outcome says so: it must not block the session for ever.
func (c *Client) settle(ctx context.Context, p *Pending) (Outcome, error) {
	o := Outcome{Path: p.Request.Path, WrittenAt: p.WrittenAt}
	if c.tooOld(p) {
		o.Err = coord.Errorf(coord.CodeUnavailable, "a request of %s was never answered and is too old to be sent again; its outcome is unknown", p.WrittenAt.UTC().Format(time.RFC3339))
		return o, c.opts.Journal.clear()
	}
	a := c.finish(ctx, p.Request, true)
	if !a.definite() && coord.CodeOf(a.err) != coord.CodeInternal {
		return o, a.err
	}
	o.Body, o.Err = a.body, a.err
	return o, c.opts.Journal.clear()
}

// tooOld also covers a request from the future: a clock was wrong, and the
// server's memory of the key is no longer certain.
func (c *Client) tooOld(p *Pending) bool {
	age := c.opts.Now().Sub(p.WrittenAt)
	return age > journalHorizon || age < -journalHorizon
}

func (c *Client) report(o Outcome) {
	if c.opts.OnSettled != nil {
		c.opts.OnSettled(o)
	}
}

// keyFor is the request's own key, or a new one.
func (c *Client) keyFor(r request) (coord.Key, error) {
	if r.Key != "" {
		return r.Key, nil
	}
	text, err := coord.RandomText(32, c.opts.Random)
	return coord.Key(text), err
}
