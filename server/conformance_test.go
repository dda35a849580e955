package server

import (
	"context"
	"crypto/rand"
	"net/http/httptest"
	"testing"

	"coord"
	"coord/client"
	"coord/server/store"
	"coord/servicetest"
)

// TestConformance holds client → API → store to what coord.Service promises.
func TestConformance(t *testing.T) { servicetest.Run(t, overHTTP) }

// overHTTP is a server on the loopback and clients of it. The operator is the
// dashboard, which is at the store's side of the wire.
func overHTTP(t *testing.T) *servicetest.Harness {
	clock := servicetest.NewClock()
	ctx := context.Background()
	c := Config{DataDir: t.TempDir(), Version: "test", Now: clock.Now}.complete()
	st, err := openStore(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(routes(c, &gated{Store: st}))
	t.Cleanup(func() {
		srv.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	tokens := map[coord.Role]string{}
	for _, role := range []coord.Role{coord.RoleAgent, coord.RoleSetup} {
		if tokens[role], err = st.IssueToken(ctx, coord.PrincipalID(role), role, "test"); err != nil {
			t.Fatal(err)
		}
	}
	setup := harnessClient(t, srv.URL, tokens[coord.RoleSetup], "setup")
	return &servicetest.Harness{
		As: func(t testing.TB, name string) coord.Service {
			return opened(t, harnessClient(t, srv.URL, tokens[coord.RoleAgent], name))
		},
		Able: func(t testing.TB, name string, capabilities ...string) coord.Service {
			return opened(t, harnessClient(t, srv.URL, tokens[coord.RoleAgent], name, capabilities...))
		},
		AsOperator: func() coord.Service { return asOperator(st) },
		AsSetup:    func() coord.Service { return setup },
		AsPerson: func(t testing.TB) coord.Service {
			return person(t, st, srv.URL)
		},
		Under: func(t testing.TB, token, name string) coord.Service {
			return opened(t, harnessClient(t, srv.URL, token, name))
		},
		AsReporter: func(t testing.TB, credential string) coord.Service {
			c := client.New(client.Options{Server: srv.URL, Token: credential})
			t.Cleanup(c.Close)
			return c
		},
		Clock: clock, Planner: true,
	}
}

func asOperator(st *store.Store) coord.Service {
	return st.As(coord.Caller{Principal: "operator", Role: coord.RoleOperator, Name: "operator"})
}

// person signs the operator in as coord login does.
func person(t testing.TB, st *store.Store, url string) coord.Service {
	t.Helper()
	const name, password = "operator", "correct horse battery"
	if err := st.CreateOperator(t.Context(), name, password); err != nil && coord.CodeOf(err) != coord.CodeStateConflict {
		t.Fatal(err)
	}
	made, err := client.New(client.Options{Server: url}).Login(t.Context(), name, password)
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Options{Server: url, Token: made.Secret})
	t.Cleanup(c.Close)
	return c
}

// harnessClient is a client as a command has it: with a session and a journal
// of its own.
func harnessClient(t testing.TB, url, token, name string, capabilities ...string) *client.Client {
	t.Helper()
	s, err := client.NewSession(name, "m1", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.Capabilities = capabilities
	c := client.New(client.Options{
		Server: url, Token: token, Session: s, Version: "test",
		Journal: client.OpenJournal(client.SessionKey{Dir: t.TempDir(), Origin: url, Name: string(s.ID)}),
	})
	t.Cleanup(c.Close)
	return c
}

// opened makes the one kind of request that has a client open its session:
// one that needs it. What it asks for does not exist.
func opened(t testing.TB, c *client.Client) coord.Service {
	t.Helper()
	if _, err := c.Renew(t.Context(), coord.Renew{Attempt: "none-1.a1"}); coord.CodeOf(err) != coord.CodeNotFound {
		t.Fatalf("renewing nothing: %v", err)
	}
	return c
}
