package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"coord"
	"coord/files"
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

func (j *Journal) path() string { return j.stem + ".pending" }

func (j *Journal) lock(ctx context.Context) (func(), error) {
	if err := privateDir(filepath.Dir(j.stem)); err != nil {
		return nil, err
	}
	unlock, err := lockFile(ctx, j.stem+".lock")
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = coord.Errorf(coord.CodeSessionInUse, "another command of this session is still at work; nothing was sent").
			WithDetail("outcome", OutcomeNotSent).WithNext("the same command again", "COORD_SESSION=another coord status")
	}
	return unlock, err
}

// Pending returns the request that waits for an answer, or nil. It takes no
// lock: what it returns may be in flight in another process.
func (j *Journal) Pending() (*Pending, error) {
	b, err := readPrivateFile(j.path())
	if err != nil {
		return nil, err
	}
	p, err := parsePending(b)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "an unanswered request in %s was written by another version: %w; nothing was sent", j.path(), err).
			WithNext("the same command with that version", "remove "+j.path()+", then look with coord status whether it took effect")
	}
	return p, nil
}

// journalBlock is what the file grows by. Writing within its size again costs
// one flush of data, and none of the directory.
const journalBlock = 4096

// A record is the SHA-256 of its JSON in hex, the JSON on the next line, and
// line ends up to the block. Anything else is none: a forgotten record, whose
// first byte is another, or one that was not yet written whole, so that its
// request was not sent.
func parsePending(b []byte) (*Pending, error) {
	sum, rest, _ := bytes.Cut(b, []byte("\n"))
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	if want := sha256.Sum256(text); hex.EncodeToString(want[:]) != string(sum) {
		return nil, nil
	}
	var p Pending
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// write returns when the request is on disk, and only then may it be sent.
// What was there before is gone from the first moment: it must be settled.
func (j *Journal) write(p Pending) error {
	text, err := json.Marshal(p)
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "writing the request down: %w", err)
	}
	sum := sha256.Sum256(text)
	b := append(append(hex.AppendEncode(nil, sum[:]), '\n'), text...)
	b = append(b, bytes.Repeat([]byte("\n"), journalBlock-len(b)%journalBlock)...)
	if err := j.writeSynced(b); err != nil {
		return coord.Errorf(coord.CodeSetup, "the request could not be written to %s: %w; it was not sent", j.path(), err).WithNext("coord doctor")
	}
	return nil
}

func (j *Journal) writeSynced(b []byte) error {
	f, err := os.OpenFile(j.path(), os.O_WRONLY, 0)
	made := errors.Is(err, fs.ErrNotExist)
	if made {
		if err := privateDir(filepath.Dir(j.path())); err != nil {
			return err
		}
		f, err = os.OpenFile(j.path(), os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(b, 0); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && made {
		err = files.SyncDir(filepath.Dir(j.path()))
	}
	return err
}

// clear forgets the pending request. It is not synced: if the machine loses
// power right now, the request is sent once more under the same key, which
// has no second effect.
func (j *Journal) clear() error {
	f, err := os.OpenFile(j.path(), os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteAt([]byte("-"), 0)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return asSetup(j.path(), err)
	}
	return nil
}
