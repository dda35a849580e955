package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"coord"
)

// chain is the end of the event log: each entry's hash covers the one before.
type chain struct {
	seq  coord.Seq
	hash string
}

// next is the hash of an event that follows the chain: SHA-256, in hex, over
// the hash before it and the JSON of the event without its own.
func (c chain) next(e coord.Event) string {
	e.Hash = ""
	h := sha256.New()
	h.Write([]byte(c.hash))
	h.Write([]byte(toJSON(e)))
	return hex.EncodeToString(h.Sum(nil))
}

// record appends an event to the log, in the transaction of its effect. It
// fills in sequence, time, actor and hash.
func (t *tx) record(e coord.Event) error {
	e.Seq, e.At = t.head.seq+1, t.now
	if e.Actor == "" {
		e.Actor = t.actor()
	}
	e.Hash = t.head.next(e)
	err := t.change("INSERT INTO events (seq, at, kind, project, task, actor, text, data, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		int64(e.Seq), nanos(e.At), string(e.Kind), string(e.Project), string(e.Task), e.Actor, e.Text, toJSON(e.Data), e.Hash)
	if err != nil {
		return err
	}
	t.head = chain{seq: e.Seq, hash: e.Hash}
	if t.fresh == nil {
		t.fresh = map[coord.ProjectKey]coord.Seq{}
	}
	t.fresh[e.Project] = e.Seq
	return nil
}

func (t *tx) actor() string {
	if t.caller.Name != "" {
		return t.caller.Name
	}
	return string(t.caller.Principal)
}

// lastSeq is the sequence that the view reflects.
func (v *view) lastSeq() (seq coord.Seq, err error) {
	_, err = v.get([]any{&seq}, "SELECT coalesce(max(seq), 0) FROM events")
	return seq, err
}

// lastSeqs is the last sequence of each project, and of the log under "".
func (v *view) lastSeqs() (map[coord.ProjectKey]coord.Seq, error) {
	rows, err := v.query("SELECT key, coalesce((SELECT max(seq) FROM events WHERE project = key), 0) FROM projects UNION ALL SELECT '', coalesce(max(seq), 0) FROM events")
	if err != nil {
		return nil, err
	}
	defer discard(rows)
	out := map[coord.ProjectKey]coord.Seq{}
	for rows.Next() {
		var key coord.ProjectKey
		var seq coord.Seq
		if err := rows.Scan(&key, &seq); err != nil {
			return nil, err
		}
		out[key] = seq
	}
	return out, rows.Err()
}

const eventColumns = "seq, at, kind, project, task, actor, text, data, hash"

func scanEvent(r scanner) (e coord.Event, err error) {
	var at int64
	var data string
	if err = r.Scan(&e.Seq, &at, &e.Kind, &e.Project, &e.Task, &e.Actor, &e.Text, &data, &e.Hash); err != nil {
		return e, err
	}
	e.At = instant(at)
	err = fromJSON(data, &e.Data)
	return e, err
}

const maxEvents = 1000

// Events returns at most limit events after a sequence, or 1,000 for a limit
// outside 1 to 1,000.
func (s *service) Events(ctx context.Context, project coord.ProjectKey, after coord.Seq, limit int) ([]coord.Event, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxEvents {
		limit = maxEvents
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Event, error) {
		if project == "" {
			return list(v, scanEvent, "SELECT "+eventColumns+" FROM events WHERE seq > ? ORDER BY seq LIMIT ?", int64(after), limit)
		}
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		return list(v, scanEvent, "SELECT "+eventColumns+" FROM events WHERE project = ? AND seq > ? ORDER BY seq LIMIT ?", string(project), int64(after), limit)
	})
}

// WaitEvents waits without polling: a commit with events wakes it.
func (s *service) WaitEvents(ctx context.Context, project coord.ProjectKey, after coord.Seq) ([]coord.Event, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	if !s.feed.knows(project) {
		return nil, unknownProject(project)
	}
	for {
		woken := s.feed.after(project, after)
		if woken == nil {
			events, err := s.Events(ctx, project, after, maxEvents)
			if ctx.Err() != nil {
				return nil, nil
			}
			if err != nil || len(events) > 0 {
				return events, err
			}
			return nil, coord.Errorf(coord.CodeUnavailable, "the server is stopping")
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return nil, nil
		}
	}
}
