package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/markdown"
	"coord/servicetest"
)

func TestConformance(t *testing.T) {
	servicetest.Run(t, openHarness)
}

// openHarness is the store as the conformance suite wants it.
func openHarness(t *testing.T) *servicetest.Harness {
	clock := servicetest.NewClock()
	s := openPlanned(t, filepath.Join(t.TempDir(), "coord.db"), clock.Now, markdown.Plan)
	t.Cleanup(func() { checkRecord(t, s) }) // before Close
	agent := coord.Caller{Principal: "agents", Role: coord.RoleAgent, Name: "agents"}
	return &servicetest.Harness{
		As: func(t testing.TB, name string) coord.Service { return session(t, s, agent, name) },
		Able: func(t testing.TB, name string, capabilities ...string) coord.Service {
			return session(t, s, agent, name, capabilities...)
		},
		AsOperator: func() coord.Service {
			return s.As(coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"})
		},
		AsSetup: func() coord.Service {
			return s.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"})
		},
		AsPerson: func(t testing.TB) coord.Service { return person(t, s) },
		Under: func(t testing.TB, token, name string) coord.Service {
			c, err := s.Authenticate(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			return session(t, s, c, name)
		},
		AsReporter: func(t testing.TB, credential string) coord.Service {
			c, err := s.Authenticate(t.Context(), credential)
			if err != nil {
				t.Fatal(err)
			}
			return s.As(c)
		},
		Clock:   clock,
		Planner: true,
	}
}

// person is an operator who signed in.
func person(t testing.TB, s *Store) coord.Service {
	t.Helper()
	const name, password = "warden", "correct horse battery"
	if err := s.CreateOperator(t.Context(), name, password); err != nil && coord.CodeOf(err) != coord.CodeStateConflict {
		t.Fatal(err)
	}
	made, err := s.SignIn(t.Context(), name, password)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Authenticate(t.Context(), made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	return s.As(c)
}

func openAt(t testing.TB, path string, now func() time.Time) *Store {
	t.Helper()
	return openPlanned(t, path, now, linePlan)
}

func openPlanned(t testing.TB, path string, now func() time.Time, plan coord.Planner) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Path: path, Now: now, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a test that closed it is done with it
	return s
}

const proof = "proof-of-0123456789abcdef0123456789"

// session opens a session of its own for the principal.
func session(t testing.TB, s *Store, c coord.Caller, name string, capabilities ...string) coord.Service {
	t.Helper()
	text, err := coord.RandomText(24, s.opt.Random)
	if err != nil {
		t.Fatal(err)
	}
	id := coord.SessionID(text)
	_, err = s.As(c).OpenSession(context.Background(), coord.OpenSession{ID: id, Verifier: coord.SessionVerifier(proof), Name: name, Machine: "m1", Capabilities: capabilities})
	if err != nil {
		t.Fatal(err)
	}
	c, err = s.VerifySession(context.Background(), c, id, proof)
	if err != nil {
		t.Fatal(err)
	}
	return s.As(c)
}

// linePlan makes a task of each line "- [ ] TITLE" that was not imported.
func linePlan(base coord.ImportBase, files []coord.SourceFile) (coord.ImportPlan, error) {
	p := coord.ImportPlan{Project: base.Project, AsOf: base.AsOf, Admit: base.Admit}
	for _, f := range files {
		sum := sha256.Sum256(f.Content)
		p.Files = append(p.Files, coord.ImportFile{Path: f.Path, As: f.As, Digest: hex.EncodeToString(sum[:]), Revision: f.Revision, At: f.At})
		for n, line := range strings.Split(string(bytes.TrimSpace(f.Content)), "\n") {
			title, ok := strings.CutPrefix(line, "- [ ] ")
			key := fmt.Sprintf("%s#%s", f.Path, title)
			if !ok || slices.ContainsFunc(base.Records, func(a coord.ImportAnchor) bool { return a.Key == key }) {
				continue
			}
			c := coord.ImportChange{
				State: coord.ImportNew, Action: coord.ActionCreateTask, Key: key, Path: f.Path, Line: n + 1, Title: title, Lifecycle: coord.LifecyclePlanned,
				Anchor: &coord.ImportAnchor{Key: key, Kind: coord.RecordTask, Path: f.Path, Line: n + 1},
			}
			if base.Admit {
				c.Lifecycle = coord.LifecycleOpen
			}
			p.Changes = append(p.Changes, c)
		}
	}
	return p.Sealed(), nil
}
