package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coord"
	"coord/client"
	"coord/markdown"
	"coord/server/store"
)

// BenchmarkChanges compares group commit with one transaction per request,
// through HTTP: durable changes (create, claim, three renewals, release) by so
// many sessions at once, client and server in this process. Both have servers
// of their own and take turns, so that a busy machine is busy for both.
//
//	go test ./server -run '^$' -bench Changes -benchtime 5x
func BenchmarkChanges(b *testing.B) {
	for _, row := range []struct {
		clients int
		goal    float64 // group commit makes at least so many times the changes
	}{{1, 0.9}, {8, 0}, {50, 2.5}} {
		b.Run(fmt.Sprintf("clients=%d", row.clients), func(b *testing.B) {
			single, group := newBenchServer(b, 1, row.clients), newBenchServer(b, 0, row.clients)
			single.changes(b)
			group.changes(b)
			var one, many []float64
			for b.Loop() {
				one = append(one, single.changes(b))
				many = append(many, group.changes(b))
			}
			x := median(many) / median(one)
			b.ReportMetric(x, "group/single")
			b.ReportMetric(median(many), "group/s")
			b.ReportMetric(median(one), "single/s")
			if row.goal > 0 {
				b.Logf("%d clients: group commit makes %.2f times the changes of one transaction per request (goal %.1f)", row.clients, x, row.goal)
			}
		})
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// benchServer is a server whose store commits up to batch changes at once, and
// its clients.
type benchServer struct {
	clients []*client.Client
}

func newBenchServer(b *testing.B, batch, clients int) *benchServer {
	ctx := context.Background()
	c := Config{DataDir: b.TempDir(), Version: "test"}.complete()
	st, err := store.Open(ctx, store.Options{
		Path: filepath.Join(c.DataDir, databaseName), Now: c.Now, Plan: markdown.Plan, Log: c.Log, MaxBatch: batch,
	})
	if err != nil {
		b.Fatal(err)
	}
	_, err = st.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"}).CreateProject(ctx, coord.CreateProject{
		Key: benchKey(), Project: "pay", Name: "pay",
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay", Target: "main"}},
		Policy:       coord.Policy{Review: coord.ReviewNone, Lease: coord.Duration(30 * time.Minute)},
	})
	if err != nil {
		b.Fatal(err)
	}
	token, err := st.IssueToken(ctx, "machine", coord.RoleAgent, "test")
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(routes(c, &gated{Store: st}))
	s := &benchServer{}
	for i := range clients {
		session, err := client.NewSession(fmt.Sprintf("agent-%d", i), "m1", rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		s.clients = append(s.clients, client.New(client.Options{Server: srv.URL, Token: token, Session: session, Version: "test"}))
	}
	b.Cleanup(func() {
		for _, c := range s.clients {
			c.Close()
		}
		srv.Close()
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// round is how long the clients of one server have the machine.
const round = 700 * time.Millisecond

// changes is how many changes a second all clients make, counted as they are
// answered. Each ends the cycle that it is in, and the clock runs until then.
func (s *benchServer) changes(b *testing.B) float64 {
	var made atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for _, c := range s.clients {
		wg.Go(func() {
			for time.Since(began) < round {
				if err := cycle(c, &made); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(made.Load()) / time.Since(began).Seconds()
}

func cycle(c *client.Client, made *atomic.Int64) error {
	ctx := context.Background()
	t, err := c.CreateTask(ctx, coord.CreateTask{Key: benchKey(), Project: "pay", Title: strings.Repeat("x", 40), SameTitle: true})
	if err != nil {
		return err
	}
	made.Add(1)
	got, err := c.Claim(ctx, coord.Claim{Key: benchKey(), Project: "pay", Task: t.ID})
	if err != nil {
		return err
	}
	made.Add(1)
	for range 3 {
		if _, err := c.Renew(ctx, coord.Renew{Attempt: got.Attempt.ID, Fence: got.Attempt.Fence}); err != nil {
			return err
		}
		made.Add(1)
	}
	_, err = c.Release(ctx, coord.Release{Key: benchKey(), Attempt: got.Attempt.ID, Fence: got.Attempt.Fence, Reason: "done"})
	made.Add(1)
	return err
}

func benchKey() coord.Key { return coord.Key(rand.Text()) }
