package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/client"
)

// ledger is what the server acknowledged to one worker.
type ledger struct {
	tasks       map[coord.TaskID]string // their titles
	attempts    []coord.Attempt
	checkpoints []coord.Checkpoint
}

// worker creates, claims and checkpoints tasks over the API. Every request is
// repeated under its key until the server has answered it.
type worker struct {
	name string
	svc  *client.Client
	ctx  context.Context
	acks chan<- struct{}
	ledger
}

func (w *proofWorld) worker(ctx context.Context, name string, acks chan<- struct{}) *worker {
	w.t.Helper()
	session, err := client.NewSession(name, "test", rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	svc := client.New(client.Options{Server: w.url, Token: w.token, Session: session, Timeout: 10 * time.Second})
	return &worker{name: name, svc: svc, ctx: ctx, acks: acks, ledger: ledger{tasks: map[coord.TaskID]string{}}}
}

// until repeats a request that is not answered. Any other error is the
// server's answer.
func until[T any](w *worker, send func() (T, error)) (T, error) {
	for {
		out, err := send()
		if coord.CodeOf(err) != coord.CodeUnavailable {
			if err == nil {
				w.acks <- struct{}{}
			}
			return out, err
		}
		select {
		case <-w.ctx.Done():
			return out, w.ctx.Err()
		case <-time.After(20 * time.Millisecond): // the server is away
		}
	}
}

// work does n tasks and returns the first refusal: there should be none.
func (w *worker) work(n int) error {
	for i := range n {
		key := func(what string) coord.Key {
			return coord.Key(fmt.Sprintf("%s-%s-%06d-%s", "proof-kill", w.name, i, what))
		}
		title := fmt.Sprintf("%s makes %d", w.name, i)
		task, err := until(w, func() (coord.Task, error) {
			return w.svc.CreateTask(w.ctx, coord.CreateTask{Key: key("task"), Project: "pay", Title: title})
		})
		if err != nil {
			return err
		}
		w.tasks[task.ID] = title
		claimed, err := until(w, func() (coord.Claimed, error) {
			return w.svc.Claim(w.ctx, coord.Claim{Key: key("claim"), Project: "pay", Task: task.ID})
		})
		if err != nil {
			return err
		}
		w.attempts = append(w.attempts, claimed.Attempt)
		oid := func(n int) coord.OID { return coord.OID(fmt.Sprintf("%040x", 1+n)) }
		saved, err := until(w, func() (coord.Checkpoint, error) {
			return w.svc.RecordCheckpoint(w.ctx, coord.RecordCheckpoint{
				Key: key("save"), Attempt: claimed.Attempt.ID, Fence: claimed.Attempt.Fence, Note: title,
				Commit: oid(2 * i), Tree: oid(2*i + 1), Ref: "refs/coord/attempts/" + string(task.ID) + "/1", Pushed: true,
			})
		})
		if err != nil {
			return err
		}
		w.checkpoints = append(w.checkpoints, saved)
	}
	return nil
}

// prove compares the ledger with the record.
func (l ledger) prove(w *proofWorld) {
	w.t.Helper()
	for id, title := range l.tasks {
		if d := w.taskDetail(id); d.Title != title || len(d.Attempts) > 1 || len(d.Checkpoints) > 1 {
			w.t.Errorf("%s %q has %d attempts and %d checkpoints", id, d.Title, len(d.Attempts), len(d.Checkpoints))
		}
	}
	for _, a := range l.attempts {
		d := w.taskDetail(a.Task)
		if len(d.Attempts) != 1 || d.Attempts[0].ID != a.ID || d.Attempts[0].Fence != a.Fence ||
			!d.Attempts[0].Lease.ExpiresAt.Equal(a.Lease.ExpiresAt) || d.Attempts[0].Standing != coord.StandingLive {
			w.t.Errorf("acknowledged %+v, on record %+v", a, d.Attempts)
		}
	}
	for _, c := range l.checkpoints {
		d := w.taskDetail(c.Task)
		if len(d.Checkpoints) != 1 || d.Checkpoints[0].Commit != c.Commit || d.Saved == nil || d.Saved.Commit != c.Commit {
			w.t.Errorf("acknowledged %+v, on record %+v", c, d.Checkpoints)
		}
	}
}

// kill ends the server without warning and starts it again on its data.
func (w *proofWorld) killAndRestart() {
	w.t.Helper()
	w.killServer()
	var again upDone
	if err := w.json(w.dir, &again, "up"); err != nil || !again.Started || again.Server != w.url {
		w.t.Fatalf("up after the kill: %v, %+v", err, again)
	}
}

// kills is how often the server is killed, after how many acknowledged
// changes each time.
const kills, between = 8, 100

// The server is killed under load, again and again: everything that it
// acknowledged is there, every request has one effect, no lease was granted
// or lost, and the log has no gap.
func TestProofKilledServer(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	acks := make(chan struct{})
	workers := make([]*worker, 6)
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = w.worker(ctx, fmt.Sprintf("worker-%d", i), acks)
		wg.Go(func() {
			if err := workers[i].work(kills * between / len(workers) / 2); err != nil {
				t.Errorf("%s: %v", workers[i].name, err)
			}
		})
	}
	titles := 0
	wg.Go(func() { titles = w.typeTasks(ctx) })
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running, n, killed := true, 0, 0; running; {
		select {
		case <-acks:
			if n++; n%between == 0 && killed < kills {
				killed++
				w.killAndRestart()
			}
		case <-done:
			running = false
			if killed < kills {
				t.Errorf("only %d kills", killed)
			}
		}
	}
	made := titles
	for _, k := range workers {
		k.prove(w)
		made += len(k.tasks)
	}
	events := w.events()
	if n := ofKind(events, coord.EventTaskCreated); n != made {
		t.Errorf("%d tasks were made, %d acknowledged", n, made)
	}
	if n := ofKind(events, coord.EventAttemptClaimed); n != made-titles {
		t.Errorf("%d attempts were granted, %d acknowledged", n, made-titles)
	}
	w.noServerErrors()
}

// typeTasks types coord task new, each until its outcome is known.
func (w *proofWorld) typeTasks(ctx context.Context) int {
	n := 0
	for n < 12 && ctx.Err() == nil {
		r := w.as("typist", w.dir, "task", "new", fmt.Sprintf("Typed %d", n))
		switch r.status {
		case 0:
			n++
		case 7:
			if !strings.Contains(r.err, "run the same command again") && !strings.Contains(r.err, "nothing was sent") {
				w.t.Errorf("status 7: %s", r.err)
			}
		default:
			w.t.Errorf("status %d: %s", r.status, r.err)
			return n
		}
	}
	return n
}
