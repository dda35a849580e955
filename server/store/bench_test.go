package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"coord"
	"coord/servicetest"
)

// BenchmarkCommit compares group commit with one transaction per request:
// durable task creations by so many clients at once.
//
//	go test ./server/store -run '^$' -bench Commit
func BenchmarkCommit(b *testing.B) {
	for _, clients := range []int{1, 8, 50} {
		for _, mode := range []struct {
			name     string
			maxBatch int
		}{{"single", 1}, {"group", 256}} {
			b.Run(fmt.Sprintf("clients=%d/%s", clients, mode.name), func(b *testing.B) {
				s, err := Open(b.Context(), Options{
					Path: filepath.Join(b.TempDir(), "coord.db"), Now: servicetest.NewClock().Now, Plan: linePlan, MaxBatch: mode.maxBatch,
				})
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = s.Close() }()
				project(b, s, "pay")
				svc := s.As(agents)
				spread(b, clients, func() {
					if _, err := svc.CreateTask(context.Background(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true}); err != nil {
						b.Error(err)
					}
				})
			})
		}
	}
}

// spread runs b.N operations on so many goroutines and reports the rate.
func spread(b *testing.B, clients int, do func()) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				do()
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkNext compares what agents do all day in a small, a large and a huge
// history: 20 projects, 95 of 100 tasks done, and 40 of 100 open ones blocked
// and urgent, ahead of every queue.
//
//	go test ./server/store -run '^$' -bench Next
func BenchmarkNext(b *testing.B) {
	for _, tasks := range []int{1_000, 100_000, 1_000_000} {
		s := openAt(b, filepath.Join(b.TempDir(), "coord.db"), servicetest.NewClock().Now)
		for p := range 20 {
			project(b, s, coord.ProjectKey(fmt.Sprintf("p%d", p)))
		}
		seedTasks(b, s, tasks)
		for _, v := range daily(b, s) {
			b.Run(fmt.Sprintf("tasks=%d/%s", tasks, v.name), func(b *testing.B) {
				for b.Loop() {
					if err := v.do(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// verb is one thing that is measured.
type verb struct {
	name string
	do   func(context.Context) error
}

// daily are the verbs of an agent that works in p7.
func daily(b *testing.B, s *Store) []verb {
	svc, idle := session(b, s, agents, "alpha"), session(b, s, agents, "bravo")
	for range 3 { // where few tasks are, too
		if _, err := svc.CreateTask(b.Context(), coord.CreateTask{Key: newKey(), Project: "p7", Title: "x", SameTitle: true}); err != nil {
			b.Fatal(err)
		}
	}
	held, err := svc.Claim(b.Context(), coord.Claim{Key: newKey(), Project: "p7"})
	if err != nil {
		b.Fatal(err)
	}
	return []verb{
		{"claim+release", func(ctx context.Context) error {
			c, err := idle.Claim(ctx, coord.Claim{Key: newKey(), Project: "p7"})
			if err != nil {
				return err
			}
			_, err = idle.Release(ctx, coord.Release{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: "x"})
			return err
		}},
		{"heartbeat", func(ctx context.Context) error {
			_, err := svc.Renew(ctx, coord.Renew{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence})
			return err
		}},
		{"next", func(ctx context.Context) error { _, err := idle.Next(ctx, "p7"); return err }},
		{"brief", func(ctx context.Context) error { _, err := svc.Brief(ctx, "p7"); return err }},
		{"list", func(ctx context.Context) error {
			_, err := idle.ListTasks(ctx, coord.TaskQuery{Project: "p7"})
			return err
		}},
		{"create", func(ctx context.Context) error {
			_, err := idle.CreateTask(ctx, coord.CreateTask{Key: newKey(), Project: "p7", Title: "Refuse a token past its expiry", SameTitle: true})
			return err
		}},
	}
}

func seedTasks(b *testing.B, s *Store, n int) {
	b.Helper()
	_, err := s.writer.conn.ExecContext(b.Context(), `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO tasks (id, project, number, kind, title, outcome, criteria, priority, lifecycle, repository, target, source, digest,
			open_dependencies, created_at, created_by, ready_since, closed_at, created_seq, edited_seq)
		SELECT 'p' || (i % 20) || '-' || (i / 20 + 1), 'p' || (i % 20), i / 20 + 1, 'code', 'Task ' || i, printf('%.200c', 'x'), '["it works"]',
			CASE WHEN i / 20 % 20 = 0 AND i / 400 % 5 < 2 THEN 0 ELSE 2 END, CASE WHEN i / 20 % 20 = 0 THEN 'open' ELSE 'done' END,
			'git.example.com/p' || (i % 20), 'main', 'seed', 'd', CASE WHEN i / 20 % 20 = 0 AND i / 400 % 5 < 2 THEN 1 ELSE 0 END,
			i, 'seed', i, CASE WHEN i / 20 % 20 = 0 THEN NULL ELSE i END, i + 1000000000, i + 1000000000 FROM n`, n)
	if err != nil {
		b.Fatal(err)
	}
	// One word in five tasks, one in each hundredth, one of its own.
	_, err = s.writer.conn.ExecContext(b.Context(), `INSERT INTO task_words (rowid, words, task)
		SELECT created_seq, project || '.n' || number || CASE WHEN number % 5 = 0 THEN ' ' || project || '.token' ELSE '' END ||
			CASE WHEN number % 100 = 0 THEN ' ' || project || '.expiry' ELSE '' END, id FROM tasks`)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.writer.conn.ExecContext(b.Context(), "UPDATE projects SET last_task = ?", n); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpen is what a start costs: with a new database, and with one
// whose schema is current.
func BenchmarkOpen(b *testing.B) {
	open := func(path string) {
		s, err := Open(b.Context(), Options{Path: path, Now: servicetest.NewClock().Now, Plan: linePlan})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			open(filepath.Join(b.TempDir(), "coord.db"))
		}
	})
	b.Run("current", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "coord.db")
		for b.Loop() {
			open(path)
		}
	})
}
