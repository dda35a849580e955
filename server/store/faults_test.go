package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// killed is the store that a kill right now would leave behind.
func killed(t *testing.T, s *Store) *Store {
	t.Helper()
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(s.opt.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "coord.db"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return openAt(t, filepath.Join(dir, "coord.db"), s.opt.Now)
}

func whoami(t *testing.T, s coord.Service) coord.Caller {
	t.Helper()
	c, err := s.Whoami(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func seqOf(t *testing.T, s *Store) coord.Seq {
	t.Helper()
	seq, err := reading(t.Context(), s, func(v *view) (coord.Seq, error) { return v.lastSeq() })
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestFault26: a thousand renewals at one moment harm nobody.
func TestFault26_AFloodOfRenewalsLeavesTheLeaseAlone(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha := session(t, s, agents, "alpha")
	c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Minute)
	seq, want := seqOf(t, s), c.Attempt.Lease.ExpiresAt.Add(time.Minute)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 100 {
				l, err := alpha.Renew(context.Background(), coord.Renew{Attempt: c.Attempt.ID, Fence: c.Attempt.Fence})
				if coord.CodeOf(err) != coord.CodeRateLimited && (err != nil || !l.ExpiresAt.Equal(want)) {
					t.Errorf("got %+v, %v", l, err)
					return
				}
			}
		})
	}
	wg.Wait()
	d, err := alpha.Task(t.Context(), c.Task.ID)
	if err != nil || d.Owner == nil || d.Owner.Standing != coord.StandingLive || !d.Owner.ExpiresAt.Equal(want) {
		t.Errorf("owner %+v, %v", d.Owner, err)
	}
	if now := seqOf(t, s); now != seq {
		t.Errorf("a flood of renewals is %d events", now-seq)
	}
}

// TestFault37: the commit is there and the answer is not.
func TestK1_Fault37_AReplayAfterAKill(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha := session(t, s, agents, "alpha")
	claim := coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")}
	first, err := alpha.Claim(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	after := killed(t, s)
	again, err := after.As(whoami(t, alpha)).Claim(t.Context(), claim)
	if err != nil || !again.Replayed || again.Attempt.ID != first.Attempt.ID || again.Attempt.Fence != first.Attempt.Fence || !again.Attempt.Lease.ExpiresAt.Equal(first.Attempt.Lease.ExpiresAt) {
		t.Errorf("got %+v, replayed %v, %v", again.Attempt, again.Replayed, err)
	}
	checkRecord(t, after)
}

// TestFault38: the kill comes when everything is written and nothing is
// committed.
func TestK1_Fault38_AKillBeforeTheCommit(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha := session(t, s, agents, "alpha")
	claim := coord.Claim{Key: newKey(), Project: "pay", Kind: coord.KindCode, Task: newTask(t, alpha, "pay")}
	me, seq := whoami(t, alpha), seqOf(t, s)
	var after *Store
	undo := errors.New("the process is gone")
	err := s.writer.do(t.Context(), me, func(x *tx) error {
		if _, err := x.claim(claim); err != nil {
			return err
		}
		after = killed(t, s)
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	if now := seqOf(t, after); now != seq {
		t.Errorf("%d events of a change that was not committed", now-seq)
	}
	for i, replayed := range []bool{false, true} {
		got, err := after.As(me).Claim(t.Context(), claim)
		if err != nil || got.Replayed != replayed || got.Attempt.Generation != 1 {
			t.Errorf("sending %d: %+v, replayed %v, %v", i+1, got.Attempt, got.Replayed, err)
		}
	}
	checkRecord(t, after)
}

// TestFault45: with no room for new keys, what was decided is still told.
func TestD4_Fault45_ReplaysAreServedWithoutRoom(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha := session(t, s, agents, "alpha")
	c := coord.CreateTask{Key: newKey(), Project: "pay", Title: "x"}
	first, err := alpha.CreateTask(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	limitPages(t, s, 1)
	for i := range 200 { // until the free room of the last pages is used up
		_, err = alpha.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: strings.Repeat("y", 100+i)})
		if err != nil {
			break
		}
	}
	if coord.CodeOf(err) != coord.CodeStorageFull {
		t.Fatalf("a new request: %v", err)
	}
	if again, err := alpha.CreateTask(t.Context(), c); err != nil || again.ID != first.ID {
		t.Errorf("the replay: %+v, %v", again, err)
	}
}

// TestL18 reads back what was acknowledged, from another connection than wrote
// it, while others write.
func TestL18_AReadReflectsWhatWasAcknowledged(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	var wg sync.WaitGroup
	for range 4 {
		agent := session(t, s, agents, "alpha")
		wg.Go(func() {
			var seen coord.Seq
			for range 25 {
				task, err := agent.CreateTask(context.Background(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := agent.Task(context.Background(), task.ID); err != nil {
					t.Errorf("what was acknowledged is not there: %v", err)
				}
				board, err := agent.Board(context.Background(), "pay")
				if err != nil || board.AsOf <= seen {
					t.Errorf("the board is as of %d after %d and another change, %v", board.AsOf, seen, err)
				}
				seen = board.AsOf
			}
		})
	}
	wg.Wait()
}

// TestV6 takes an approval back between the merge and the push: the permit
// looks again.
func TestV6_APermitNeedsTheApprovalStill(t *testing.T) {
	s, me := guardedWorld(t)
	alpha := s.As(me)
	oid := func(digit string) coord.OID { return coord.OID(strings.Repeat(digit, 40)) }
	l, err := reading(t.Context(), s, func(v *view) (landingRow, error) { return v.landing("pay-4.l1") })
	if err != nil {
		t.Fatal(err)
	}
	x, err := reading(t.Context(), s, func(v *view) (submissionRow, error) { return v.submission(l.Submission) })
	if err != nil {
		t.Fatal(err)
	}
	merge := coord.RecordMerge{Key: newKey(), Landing: l.ID, Fence: l.Fence, Base: oid("4"), Parents: []coord.OID{oid("4"), x.Commit}, Result: oid("5"), Tree: oid("6")}
	if _, err := alpha.RecordMerge(t.Context(), merge); err != nil {
		t.Fatal(err)
	}
	set := func(state string) {
		t.Helper()
		err := s.writer.do(t.Context(), me, func(x *tx) error {
			return x.change("UPDATE submissions SET state = ? WHERE id = 'pay-4.s1' AND state <> ?", state, state)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	permit := func() error {
		c := coord.Permit{Key: newKey(), Landing: l.ID, Fence: l.Fence, Base: merge.Base, Result: merge.Result, Tree: merge.Tree}
		_, err := alpha.Permit(t.Context(), c)
		return err
	}
	for _, state := range []string{"in_review", "returned"} {
		set(state)
		if err := permit(); coord.CodeOf(err) != coord.CodeStateConflict || !strings.Contains(err.Error(), "nothing was") {
			t.Errorf("%s: %v", state, err)
		}
	}
	set("approved")
	if err := permit(); err != nil {
		t.Errorf("approved: %v", err)
	}
}

// TestD1 asks SQLite, not our table of settings, what a commit waits for.
func TestD1_EveryCommitIsSynced(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "mmap_size": "0", "foreign_keys": "1"} {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, not %s, %v", pragma, got, want, err)
		}
	}
}

// TestD2 makes one change after the other under a lease: each is told.
func TestD2_EachChangeIsAnEvent(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha := session(t, s, agents, "alpha")
	id := newTask(t, alpha, "pay")
	oid := func(digit string) coord.OID { return coord.OID(strings.Repeat(digit, 40)) }
	var c coord.Claimed
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"claim", func() (err error) {
			c, err = alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
			return err
		}},
		{"bind", func() error {
			w := coord.Worktree{Machine: "m", Path: "/w", GitDir: "/g", Branch: "b", Base: oid("1")}
			_, err := alpha.BindWorktree(t.Context(), coord.BindWorktree{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Worktree: w})
			return err
		}},
		{"checkpoint", func() error {
			_, err := alpha.RecordCheckpoint(t.Context(), coord.RecordCheckpoint{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Note: "n", Commit: oid("2"), Tree: oid("3"), Ref: "refs/coord/x", Pushed: true})
			return err
		}},
		{"resume", func() (err error) {
			clock.Advance(time.Hour)
			c, err = alpha.Resume(t.Context(), coord.Resume{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence})
			return err
		}},
		{"release", func() error {
			_, err := alpha.Release(t.Context(), coord.Release{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: "x"})
			return err
		}},
	} {
		seq := seqOf(t, s)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if seqOf(t, s) == seq {
			t.Errorf("%s is no event", step.name)
		}
	}
}

// TestD6: one event after two different pasts has two hashes.
func TestD6_AHashCoversItsPast(t *testing.T) {
	e := coord.Event{Seq: 2, Kind: coord.EventTaskCreated, Text: "x"}
	if (chain{seq: 1, hash: "a"}).next(e) == (chain{seq: 1, hash: "b"}).next(e) {
		t.Error("a change of the past does not show")
	}
	edited := e
	edited.Text = "y"
	if (chain{seq: 1, hash: "a"}).next(e) == (chain{seq: 1, hash: "a"}).next(edited) {
		t.Error("a change of the event does not show")
	}
}

// TestL9: the session's own expired task is for it to resume, by name; next
// goes on to what it may take.
func TestL9_NextLeavesASessionsOwnExpiredTask(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha := session(t, s, agents, "alpha")
	newTask(t, alpha, "pay")
	if _, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(24 * time.Hour)
	second := newTask(t, alpha, "pay")
	if c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"}); err != nil || c.Task.ID != second {
		t.Errorf("got %s, %v", c.Task.ID, err)
	}
}
