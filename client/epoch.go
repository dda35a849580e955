package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"coord"
)

// epochHeader carries the server's epoch in its answers, and in a mutation the
// epoch that it was composed under. It changes when the server is restored
// from a backup: then nobody knows what the server still knows, and nothing is
// sent again before somebody has looked.
const epochHeader = "Coord-Epoch"

// epochOf is the epoch that an answer carries; 0 when it carries none.
func epochOf(resp *http.Response) int64 {
	n, err := strconv.ParseInt(resp.Header.Get(epochHeader), 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// knownEpoch is what a new mutation states: the epoch that the session was
// opened in, or without a session the one of the latest answer. 0 is not
// stated.
func (c *Client) knownEpoch() int64 {
	if s := c.opts.Session; s != nil {
		if epoch := s.openedIn(); epoch != 0 {
			return epoch
		}
	}
	return c.epoch.Load()
}

// learnEpoch asks the server who the caller is, for the epoch that any answer
// to a known caller carries. A server that states none has none to be held to.
func (c *Client) learnEpoch(ctx context.Context) error {
	a := c.try(ctx, request{Method: http.MethodGet, Path: "/whoami"})
	if a.err == nil || c.knownEpoch() != 0 {
		return nil
	}
	var e *coord.Error
	if errors.As(a.err, &e) && e.Code == coord.CodeUnavailable && e.Details["outcome"] != OutcomeNotSent {
		return coord.Errorf(coord.CodeUnavailable, "the server at %s was asked who this is before the change, and gave no answer; the change was not sent", originOf(c.base)).
			WithDetail("outcome", OutcomeNotSent).WithNext("the same command again", "coord doctor")
	}
	return a.err
}

// sawRestore looks at an answer for an epoch that is not the session's. Such a
// session is forgotten, since the server closed it or does not know it any
// more, and its next command opens another. The error is the refusal of a request that only
// failed for that.
func (c *Client) sawRestore(a answer) error {
	s := c.opts.Session
	if s == nil || a.epoch == 0 {
		return nil
	}
	known := s.openedIn()
	if known == 0 || known == a.epoch {
		return nil
	}
	refusal := coord.EpochChanged(known, a.epoch)
	if err := s.forget(refusal, c.opts.Random); err != nil && a.err != nil {
		return err // after a good answer it is tried again at the next one
	}
	if coord.CodeOf(a.err) == coord.CodeSessionUnknown {
		return refusal
	}
	return nil
}

func (s *Session) openedIn() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// forgotten is why the session is of no use any more; nil while it is.
func (s *Session) forgotten() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.void == nil {
		return nil
	}
	return s.void
}

// forget ends the session for this process with the refusal. Its file, unless
// that holds another session by now, gets one that descends from it: who worked
// on something is still no independent reviewer of it.
func (s *Session) forget(refusal *coord.Error, random io.Reader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened, s.epoch, s.void = time.Time{}, 0, refusal
	if s.path == "" {
		return nil
	}
	unlock, err := lockFile(context.Background(), strings.TrimSuffix(s.path, ".json")+".new")
	if err != nil {
		return err
	}
	defer unlock()
	var f sessionFile
	if found, err := readPrivate(s.path, &f); err != nil || !found || f.ID != s.ID {
		return err
	}
	next, err := NewSession(f.Name, f.Machine, random)
	if err != nil {
		return err
	}
	return writePrivate(s.path, sessionFile{
		Origin: f.Origin, Session: f.Session, ID: next.ID, Proof: next.Proof, Name: f.Name, Machine: f.Machine, Former: f.ID,
	})
}
