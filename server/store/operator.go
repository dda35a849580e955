package store

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"

	"coord"
)

// Cost of a password hash: OWASP's floor for argon2id. It stands in each
// stored PHC string, so it can be raised without breaking old ones.
const (
	argonMemory  = 19 * 1024 // KiB
	argonTime    = 2
	argonThreads = 1
	argonKey     = 32
	argonSalt    = 16
)

// CreateOperator registers a person with a password. An existing name is
// CodeStateConflict.
func (s *Store) CreateOperator(ctx context.Context, name, password string) error {
	if err := checkProse("name", name, 80); err != nil || name == "" || strings.TrimSpace(name) != name {
		return coord.Errorf(coord.CodeBadRequest, "an operator's name has 1 to 80 bytes and no blanks around it")
	}
	if len(password) < 8 || len(password) > 1024 {
		return coord.Errorf(coord.CodeBadRequest, "a password has 8 to 1024 bytes")
	}
	salt := make([]byte, argonSalt)
	if _, err := io.ReadFull(s.opt.Random, salt); err != nil {
		return coord.Errorf(coord.CodeInternal, "reading randomness: %w", err)
	}
	hash, err := s.hash(ctx, phc{memory: argonMemory, time: argonTime, threads: argonThreads, salt: salt}, password)
	if err != nil {
		return err
	}
	return s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
		n, err := t.exec("INSERT INTO operators (name, password, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", name, hash.String(), nanos(t.now))
		if err == nil && n == 0 {
			err = coord.Errorf(coord.CodeStateConflict, "there is an operator %q already; nothing was changed", name)
		}
		if err != nil {
			return err
		}
		taken, err := t.get([]any{new(int64)}, "SELECT 1 FROM tokens WHERE principal = ? AND role <> 'operator' LIMIT 1", name)
		if err == nil && taken { // a principal's keys are its own
			err = coord.Errorf(coord.CodeBadRequest, "%q is an agent's principal, and an operator goes by another name; nothing was changed", name)
		}
		return err
	})
}

// CheckPassword returns the operator, or CodeUnauthenticated, at the same
// cost and in the same words whether or not the name exists or is disabled.
func (s *Store) CheckPassword(ctx context.Context, name, password string) (coord.Caller, error) {
	if len(password) > 1024 {
		password = ""
	}
	var stored string
	err := s.read(ctx, func(v *view) error {
		_, err := v.get([]any{&stored}, "SELECT password FROM operators WHERE name = ? AND disabled_at IS NULL", name)
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	want, known := parsePHC(stored)
	got, err := s.hash(ctx, want, password)
	if err != nil {
		return coord.Caller{}, err
	}
	if same := subtle.ConstantTimeCompare(got.key, want.key) == 1; !known || !same {
		return coord.Caller{}, coord.Errorf(coord.CodeUnauthenticated, "the name or the password is not right")
	}
	return operator(name), nil
}

func operator(name string) coord.Caller {
	return coord.Caller{Principal: coord.PrincipalID(name), Role: coord.RoleOperator, Name: name}
}

// phc is a password hash in the PHC string format.
type phc struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

// hash computes the key. At most two run at a time: each takes 19 MiB.
func (s *Store) hash(ctx context.Context, p phc, password string) (phc, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return p, coord.Errorf(coord.CodeUnavailable, "the request ended before its password was checked")
	}
	p.key = argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.threads, argonKey)
	return p, nil
}

func (p phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.time, p.threads, b64.EncodeToString(p.salt), b64.EncodeToString(p.key))
}

// parsePHC reads what String writes. For anything else, such as the empty
// hash of an unknown name, it returns parameters that cost the same and a key
// that nothing matches.
func parsePHC(s string) (p phc, ok bool) {
	dummy := phc{memory: argonMemory, time: argonTime, threads: argonThreads, salt: make([]byte, argonSalt)}
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return dummy, false
	}
	var version int
	_, err1 := fmt.Sscanf(parts[2], "v=%d", &version)
	_, err2 := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads)
	var err3, err4 error
	p.salt, err3 = base64.RawStdEncoding.DecodeString(parts[4])
	p.key, err4 = base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || version != argon2.Version || p.time == 0 || p.threads == 0 {
		return dummy, false
	}
	return p, true
}
