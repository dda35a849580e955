package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"coord"
)

// Session is one harness instance as this machine knows it. Proof is its
// secret; only a verifier of it goes to the server.
type Session struct {
	ID      coord.SessionID
	Proof   string
	Name    string
	Machine string

	// Parent and Capabilities are told to the server when it opens the session.
	Parent       coord.SessionID
	Capabilities []string

	mu     sync.Mutex
	opened time.Time       // zero: the server is not known to know it
	epoch  int64           // of the server when it was opened; 0 is not known
	void   *coord.Error    // set once the server was restored
	path   string          // of its file; "" is kept in memory only
	former coord.SessionID // that it continues since a restore of the server
}

// sessionFile is how a Session is kept.
type sessionFile struct {
	Origin   string          `json:"origin"`
	Session  string          `json:"session"`
	ID       coord.SessionID `json:"id"`
	Proof    string          `json:"proof"`
	Name     string          `json:"name"`
	Machine  string          `json:"machine"`
	OpenedAt time.Time       `json:"opened_at,omitzero"`
	Epoch    int64           `json:"epoch,omitempty"`
	Former   coord.SessionID `json:"former,omitempty"`
}

// NewSession makes a session that lives in memory only.
func NewSession(name, machine string, random io.Reader) (*Session, error) {
	id, err := coord.RandomText(22, random)
	if err != nil {
		return nil, err
	}
	proof, err := coord.RandomText(43, random)
	if err != nil {
		return nil, err
	}
	return &Session{ID: coord.SessionID(id), Proof: proof, Name: name, Machine: machine}, nil
}

// SessionKey names a session on this machine: an origin, and the name that
// the user or the harness process gives it.
type SessionKey struct {
	Dir    string // the configuration directory
	Origin string // as Origin writes it
	Name   string // ASCII or not; any text
}

// stem is the path of the key's files without their ending. The name is
// hashed: it may hold anything.
func (k SessionKey) stem() string {
	sum := sha256.Sum256([]byte(k.Origin + "\x00" + k.Name))
	return filepath.Join(k.Dir, "sessions", hex.EncodeToString(sum[:16]))
}

// LoadSession returns the kept session of the key, or makes and keeps one
// with display name and machine. Two processes that ask at once get the same.
func LoadSession(k SessionKey, display, machine string, random io.Reader) (*Session, error) {
	path := k.stem() + ".json"
	if s, err := readSession(path); s != nil || err != nil {
		return s, err
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	unlock, err := lockFile(context.Background(), k.stem()+".new")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s, err := readSession(path); s != nil || err != nil {
		return s, err
	}
	s, err := NewSession(strings.TrimSpace(display), machine, random)
	if err != nil {
		return nil, err
	}
	s.path = path
	return s, writePrivate(path, s.file(k))
}

func (s *Session) file(k SessionKey) sessionFile {
	return sessionFile{Origin: k.Origin, Session: k.Name, ID: s.ID, Proof: s.Proof, Name: s.Name, Machine: s.Machine, OpenedAt: s.opened, Epoch: s.epoch}
}

// readSession returns nil without an error when there is no file.
func readSession(path string) (*Session, error) {
	var f sessionFile
	if found, err := readPrivate(path, &f); !found || err != nil {
		return nil, err
	}
	if f.ID == "" || f.Proof == "" {
		return nil, damaged(path, errors.New("it names no session"))
	}
	return &Session{ID: f.ID, Proof: f.Proof, Name: f.Name, Machine: f.Machine, opened: f.OpenedAt, epoch: f.Epoch, former: f.Former, path: path}, nil
}

// setOpened remembers that the server knows the session, and since which
// epoch.
func (s *Session) setOpened(at time.Time, epoch int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened, s.epoch = at, epoch
	if s.path == "" {
		return nil
	}
	var f sessionFile
	if found, err := readPrivate(s.path, &f); !found || err != nil {
		return err // removed meanwhile: nothing to keep
	}
	f.OpenedAt, f.Epoch = at, epoch
	return writePrivate(s.path, f)
}

func (s *Session) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.opened.IsZero()
}

// sessionHeader is the Coord-Session value of a request, if it takes one.
func (c *Client) sessionHeader(use sessionUse) (string, bool) {
	s := c.opts.Session
	if s == nil || use == sessionNone || use == sessionIfOpen && !s.isOpen() {
		return "", false
	}
	return string(s.ID) + "." + s.Proof, true
}

// prepareSession opens the session ahead of a call that needs it. Without a
// session the server says what is missing, or that the role is the wrong one.
func (c *Client) prepareSession(ctx context.Context, use sessionUse) error {
	if use != sessionNeeded || c.opts.Session == nil || c.opts.Session.isOpen() {
		return nil
	}
	if err := c.opts.Session.forgotten(); err != nil {
		return err
	}
	return c.openSession(ctx)
}

// openSession tells the server of the client's own session. Doing it again
// changes nothing there.
func (c *Client) openSession(ctx context.Context) error {
	c.opening.Lock()
	defer c.opening.Unlock()
	s := c.opts.Session
	a := c.tellSession(ctx, cmp.Or(s.former, s.Parent))
	if s.former != "" && coord.CodeOf(a.err) == coord.CodeNotFound {
		a = c.tellSession(ctx, s.Parent) // the former one was lost in the restore, and all that it did
	}
	if a.err != nil {
		return s.lost(a.err)
	}
	return s.setOpened(c.opts.Now(), a.epoch)
}

func (c *Client) tellSession(ctx context.Context, parent coord.SessionID) answer {
	s := c.opts.Session
	body, err := json.Marshal(coord.OpenSession{
		ID: s.ID, Verifier: coord.SessionVerifier(s.Proof), Name: s.Name, Machine: s.Machine, Parent: parent, Capabilities: s.Capabilities,
	})
	if err != nil {
		return answer{err: coord.Errorf(coord.CodeInternal, "writing the session: %w", err)}
	}
	return c.try(ctx, request{Method: "POST", Path: "/sessions", Body: body})
}

// lost says how to begin anew after a refusal of the session itself: it was
// closed, or the proof of its file is not the session's.
func (s *Session) lost(err error) error {
	var e *coord.Error
	if SessionClosed(err) && errors.As(err, &e) {
		return e.WithNext("coord session close, then the same command again")
	}
	if errors.As(err, &e) && (e.Code == coord.CodeSessionUnknown || e.Code == coord.CodeSessionInUse) && s.path != "" {
		return e.WithNext("remove " + s.path + ", then the same command again")
	}
	if e != nil && e.Code == coord.CodeNotFound && s.Parent != "" {
		return e.WithNext("unset COORD_PARENT_SESSION")
	}
	return err
}

// Forget ends the use of the kept session: the next command under its key
// begins another one, which descends from it.
func (s *Session) Forget(random io.Reader) error { return s.forget(nil, random) }

// KeptSession is the id of the session that is kept under the key, or "".
func KeptSession(k SessionKey) (coord.SessionID, error) {
	s, err := readSession(k.stem() + ".json")
	if s == nil || err != nil {
		return "", err
	}
	return s.ID, nil
}
