package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"coord"
)

// intent is one keyed request: what makes two requests the same.
type intent[T any] struct {
	operation string
	key       coord.Key
	ids       []string // the path's ids, which the command's JSON leaves out
	command   any
	session   bool // needs an opened session
	// current brings a replayed outcome's standing up to date; nil when the
	// outcome has none.
	current func(*tx, *T) error
	// listed says that current reads each item of the outcome's lists again, by
	// its id: a pointer keeps those.
	listed bool
}

// fingerprint binds a key to its request: SHA-256 over operation, ids, the
// JSON of the command, stated fence included, and the session whose authority
// it needs: what was granted to one session is no answer to another.
func (i intent[T]) fingerprint(caller coord.Caller) string {
	parts := []any{i.operation, i.ids, i.command}
	if i.session {
		parts = append(parts, caller.Session)
	}
	sum := sha256.Sum256([]byte(toJSON(parts)))
	return hex.EncodeToString(sum[:])
}

// mutate runs fn once per key. The outcome, or a refusal that is a decision
// about stored state, is kept in the transaction of the effect; a repetition
// gets it back and has no effect.
func mutate[T any](ctx context.Context, s *service, i intent[T], fn func(*tx) (T, error)) (out T, err error) {
	if err := i.key.Validate(); err != nil {
		return out, err
	}
	digest := i.fingerprint(s.caller)
	replayed := false
	r := &request{caller: s.caller}
	r.run = func(t *tx) (err error) {
		if err := t.checkSession(i.session); err != nil {
			return err
		}
		if replayed, err = t.replay(i.operation, i.key, digest, &out); err != nil {
			return err
		}
		if replayed {
			return i.refresh(t, &out)
		}
		if out, err = fn(t); err != nil {
			return err
		}
		return t.remember(i.operation, i.key, digest, false, i.kept(out))
	}
	r.refuse = func(t *tx, err error) error {
		var e *coord.Error
		if replayed || !errors.As(err, &e) || !e.Code.Business() {
			return nil
		}
		return t.remember(i.operation, i.key, digest, true, toJSON(e))
	}
	err = s.writer.submit(ctx, r)
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// keepWhole is the length up to which an outcome is kept as it was.
const keepWhole = 64 << 10

// kept is what is stored of an outcome: its JSON, or of a longer one that can
// be read again a pointer.
func (i intent[T]) kept(out T) string {
	text := toJSON(out)
	if len(text) <= keepWhole || i.current == nil {
		return text
	}
	return pointerTo(text, i.listed)
}

func (i intent[T]) refresh(t *tx, out *T) error {
	if i.current == nil {
		return nil
	}
	return i.current(t, out)
}

// replay looks the key up. It returns true with the outcome, the refusal of
// the first time, or CodeIdempotencyMismatch.
func (t *tx) replay(operation string, key coord.Key, digest string, out any) (bool, error) {
	var stored, outcome string
	var refused bool
	found, err := t.get([]any{&stored, &refused, &outcome}, "SELECT fingerprint, refused, outcome FROM idempotency WHERE principal = ? AND operation = ? AND key = ?",
		string(t.caller.Principal), operation, string(key))
	if err != nil || !found {
		return false, err
	}
	if stored != digest {
		return true, coord.Errorf(coord.CodeIdempotencyMismatch, "this idempotency key came before with another request; nothing was changed")
	}
	if outcome == "" {
		return true, coord.Errorf(coord.CodeKeyExpired, "this idempotency key was used more than %d days ago and its answer is not kept any more; nothing was changed", int(keepAnswers.Hours()/24)).
			WithNext("coord status", "coord board")
	}
	if !refused {
		return true, fromJSON(strings.TrimPrefix(outcome, pointerMark), out)
	}
	e := &coord.Error{}
	if err := fromJSON(outcome, e); err != nil {
		return true, err
	}
	return true, e
}

func (t *tx) remember(operation string, key coord.Key, digest string, refused bool, outcome string) error {
	return t.change("INSERT INTO idempotency (principal, operation, key, fingerprint, refused, outcome, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		string(t.caller.Principal), operation, string(key), digest, refused, outcome, nanos(t.now))
}

// A pointer begins with what no JSON begins with. It is the outcome without
// its lists and long texts: the ids in it say what to read again. Of lists that
// are read again item by item, the ids are kept.
const (
	pointerMark = "@"
	pointerText = 256 // the longest text in one
)

func pointerTo(outcome string, listed bool) string {
	var v any
	d := json.NewDecoder(strings.NewReader(outcome))
	d.UseNumber() // as it was, to the last digit
	if err := d.Decode(&v); err != nil {
		panic(err) // it was encoded just now
	}
	if items, ok := v.([]any); ok && listed {
		v = onlyIDs(items)
	}
	return pointerMark + toJSON(withoutBulk(v, listed))
}

// withoutBulk takes lists and long texts out of objects; of a list whose items
// have ids it leaves those when told to.
func withoutBulk(v any, listed bool) any {
	fields, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, field := range fields {
		switch f := field.(type) {
		case []any:
			delete(fields, name)
			if ids := onlyIDs(f); listed && ids != nil {
				fields[name] = ids
			}
		case string:
			if len(f) > pointerText {
				delete(fields, name)
			}
		default:
			fields[name] = withoutBulk(f, listed)
		}
	}
	return fields
}

// onlyIDs is a list of objects with nothing left in them but their ids; nil for
// any other.
func onlyIDs(items []any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		fields, _ := item.(map[string]any)
		id, ok := fields["id"].(string)
		if !ok {
			return nil
		}
		out[i] = map[string]any{"id": id}
	}
	return out
}
