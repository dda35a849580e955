package client

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// journalHorizon is how long an unanswered request may be sent again. The
// server remembers keys for longer.
const journalHorizon = 24 * time.Hour

// Journal is the on-disk memory of the one mutation of a session that was
// sent and not yet answered. Its lock is held from before the request is
// written until its answer is known, so there is never more than one and two
// processes of a session do not interleave.
type Journal struct {
	stem string
}

// OpenJournal returns the journal of a session. A set-up credential, which
// has no session, uses a key of its own name.
func OpenJournal(k SessionKey) *Journal { return &Journal{stem: k.stem()} }

// Pending is a request that was written before it was sent.
type Pending struct {
	Intent    string    `json:"intent"`
	WrittenAt time.Time `json:"written_at"`
	Request   request   `json:"request"`
}

func (j *Journal) path() string { return j.stem + ".pending.json" }

func (j *Journal) lock(ctx context.Context) (func(), error) {
	if err := privateDir(filepath.Dir(j.stem)); err != nil {
		return nil, err
	}
	return lockFile(ctx, j.stem+".lock")
}

// Pending returns the request that waits for an answer, or nil. It takes no
// lock: what it returns may be in flight in another process.
func (j *Journal) Pending() (*Pending, error) {
	var p Pending
	if found, err := readPrivate(j.path(), &p); !found || err != nil {
		return nil, err
	}
	return &p, nil
}

func (j *Journal) write(p Pending) error { return writePrivate(j.path(), p) }

// clear forgets the pending request. It is not synced: if the machine loses
// power right now, the request is sent once more under the same key, which
// has no second effect.
func (j *Journal) clear() error {
	if err := os.Remove(j.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return asSetup(j.path(), err)
	}
	return nil
}
