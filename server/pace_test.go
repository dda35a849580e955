package server

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"coord"
	"coord/server/api"
	"coord/servicetest"
)

// TestFault26_AnEagerClientIsSlowedDown renews a lease far faster than the
// server's pace, by a client that waits as it is told: each renewal is served
// in its time, and the lease is that of the last one.
func TestFault26_AnEagerClientIsSlowedDown(t *testing.T) {
	ctx, clock := t.Context(), servicetest.NewClock()
	stop := make(chan struct{})
	defer close(stop)
	go func() { // the server's time passes, a hundred times as fast
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				clock.Advance(100 * time.Millisecond)
			}
		}
	}()
	c := Config{DataDir: t.TempDir(), Version: "test", Now: clock.Now, Renewals: api.Pace{Burst: 5, Every: 200 * time.Millisecond}}.complete()
	st, err := openStore(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(routes(c, &gated{Store: st}))
	t.Cleanup(func() { srv.Close(); _ = st.Close() })
	setup, err := st.IssueToken(context.Background(), "setup", coord.RoleSetup, "test")
	if err != nil {
		t.Fatal(err)
	}
	token, err := st.IssueToken(context.Background(), "agents", coord.RoleAgent, "test")
	if err != nil {
		t.Fatal(err)
	}
	h := &servicetest.Harness{AsSetup: func() coord.Service { return harnessClient(t, srv.URL, setup, "setup") }}
	project := h.Project(t, coord.DefaultPolicy())
	alpha := harnessClient(t, srv.URL, token, "alpha")
	task, err := alpha.CreateTask(ctx, coord.CreateTask{Key: "key-of-the-task-0001", Project: project, Title: "x"})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := alpha.Claim(ctx, coord.Claim{Key: "key-of-the-claim-0001", Project: project, Task: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	renew := coord.Renew{Attempt: claimed.Attempt.ID, Fence: claimed.Attempt.Fence}
	began := clock.Now()
	last := claimed.Attempt.Lease.ExpiresAt
	const n = 15
	for range n {
		l, err := alpha.Renew(ctx, renew)
		if err != nil || l.ExpiresAt.Before(last) {
			t.Fatalf("a client that waits is told %+v, %v", l, err)
		}
		last = l.ExpiresAt
	}
	if took, least := clock.Now().Sub(began), (n-5)*200*time.Millisecond; took < least {
		t.Errorf("%d renewals in %s of the server's time, which are %s", n, took, least)
	}
	d, err := alpha.Task(ctx, task.ID)
	if err != nil || d.Owner == nil || d.Owner.Standing != coord.StandingLive || d.Owner.ExpiresAt.Before(last) {
		t.Errorf("owner %+v, %v", d.Owner, err)
	}
}

// TestRunKeepsAPace: a server that runs bounds callers although nobody says so.
func TestRunKeepsAPace(t *testing.T) {
	c := Config{}.complete().paced()
	for name, p := range map[string]api.Pace{"requests": c.Requests, "renewals": c.Renewals} {
		if p.Burst < 50 || p.Every <= 0 || p.Every > 200*time.Millisecond {
			t.Errorf("%s: %+v", name, p)
		}
	}
	own := api.Pace{Burst: 7, Every: time.Second}
	if c := (Config{Requests: own}).paced(); c.Requests != own {
		t.Errorf("what was said is %+v", c.Requests)
	}
}
