package work_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"coord"
)

var keys atomic.Int64

func newKey() coord.Key { return coord.Key(fmt.Sprintf("key-%020d", keys.Add(1))) }

func next(err error) []string {
	var e *coord.Error
	if errors.As(err, &e) {
		return e.Next
	}
	return nil
}

// service is coord.Service as a client sees it: it gives each mutation its
// key, remembers one that was not answered if it has a journal, and can be told
// to lose requests and answers.
type service struct {
	coord.Service
	journal bool

	mu      sync.Mutex
	calls   []string
	around  func(call string, n int) fault // n counts the calls from 1
	pending *deed
}

// fault is what becomes of one call.
type fault struct {
	before, after bool   // the request, or its answer, is lost
	during        func() // runs before the request is sent
	then          func() // runs before its answer comes
}

type deed struct {
	call    string
	command any
	key     coord.Key
	again   func()
}

var errLost = coord.Errorf(coord.CodeUnavailable, "the answer was lost; the outcome is unknown, run the same command again")

// call sends one request.
func call[T any](s *service, name string, do func() (T, error)) (T, error) {
	var none T
	s.mu.Lock()
	s.calls = append(s.calls, name)
	n, around := len(s.calls), s.around
	s.mu.Unlock()
	var f fault
	if around != nil {
		f = around(name, n)
	}
	if f.during != nil {
		f.during()
	}
	if f.before {
		return none, errLost
	}
	out, err := do()
	if f.then != nil {
		f.then()
	}
	if f.after {
		return none, errLost
	}
	return out, err
}

// mutate is call with a key, as the HTTP client's journal gives it.
func mutate[T any](s *service, name string, command any, do func(coord.Key) (T, error)) (T, error) {
	key := newKey()
	if p := s.pending; s.journal && p != nil {
		if p.call == name && reflect.DeepEqual(p.command, command) {
			key = p.key
		} else {
			p.again()
		}
	}
	s.pending = &deed{name, command, key, func() { _, _ = do(key) }}
	out, err := call(s, name, func() (T, error) { return do(key) })
	if err != errLost {
		s.pending = nil
	}
	return out, err
}

func (s *service) called(name string) bool { return slices.Contains(s.calls, name) }

func (s *service) Project(ctx context.Context, k coord.ProjectKey) (coord.Project, error) {
	return call(s, "Project", func() (coord.Project, error) { return s.Service.Project(ctx, k) })
}

func (s *service) Task(ctx context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	return call(s, "Task", func() (coord.TaskDetail, error) { return s.Service.Task(ctx, id) })
}

func (s *service) Renew(ctx context.Context, c coord.Renew) (coord.Lease, error) {
	return call(s, "Renew", func() (coord.Lease, error) { return s.Service.Renew(ctx, c) })
}

func (s *service) ReceiptsFor(ctx context.Context, p coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	return call(s, "ReceiptsFor", func() ([]coord.Receipt, error) { return s.Service.ReceiptsFor(ctx, p, tree) })
}

func (s *service) Claim(ctx context.Context, c coord.Claim) (coord.Claimed, error) {
	return mutate(s, "Claim", c, func(k coord.Key) (coord.Claimed, error) { c.Key = k; return s.Service.Claim(ctx, c) })
}

func (s *service) BindWorktree(ctx context.Context, c coord.BindWorktree) (coord.Attempt, error) {
	return mutate(s, "BindWorktree", c, func(k coord.Key) (coord.Attempt, error) { c.Key = k; return s.Service.BindWorktree(ctx, c) })
}

func (s *service) Resume(ctx context.Context, c coord.Resume) (coord.Claimed, error) {
	return mutate(s, "Resume", c, func(k coord.Key) (coord.Claimed, error) { c.Key = k; return s.Service.Resume(ctx, c) })
}

func (s *service) Release(ctx context.Context, c coord.Release) (coord.Attempt, error) {
	return mutate(s, "Release", c, func(k coord.Key) (coord.Attempt, error) { c.Key = k; return s.Service.Release(ctx, c) })
}

func (s *service) RecordCheckpoint(ctx context.Context, c coord.RecordCheckpoint) (coord.Checkpoint, error) {
	return mutate(s, "RecordCheckpoint", c, func(k coord.Key) (coord.Checkpoint, error) { c.Key = k; return s.Service.RecordCheckpoint(ctx, c) })
}

func (s *service) RecordReceipt(ctx context.Context, c coord.RecordReceipt) (coord.Receipt, error) {
	return mutate(s, "RecordReceipt", c, func(k coord.Key) (coord.Receipt, error) { c.Key = k; return s.Service.RecordReceipt(ctx, c) })
}

func (s *service) Submit(ctx context.Context, c coord.Submit) (coord.Submitted, error) {
	return mutate(s, "Submit", c, func(k coord.Key) (coord.Submitted, error) { c.Key = k; return s.Service.Submit(ctx, c) })
}

func (s *service) Review(ctx context.Context, c coord.RecordReview) (coord.Review, error) {
	return mutate(s, "Review", c, func(k coord.Key) (coord.Review, error) { c.Key = k; return s.Service.Review(ctx, c) })
}

func (s *service) Revise(ctx context.Context, c coord.Revise) (coord.Task, error) {
	return mutate(s, "Revise", c, func(k coord.Key) (coord.Task, error) { c.Key = k; return s.Service.Revise(ctx, c) })
}

func (s *service) Hold(ctx context.Context, c coord.Hold) (coord.Held, error) {
	return mutate(s, "Hold", c, func(k coord.Key) (coord.Held, error) { c.Key = k; return s.Service.Hold(ctx, c) })
}

func (s *service) RecordMerge(ctx context.Context, c coord.RecordMerge) (coord.Merged, error) {
	return mutate(s, "RecordMerge", c, func(k coord.Key) (coord.Merged, error) { c.Key = k; return s.Service.RecordMerge(ctx, c) })
}

func (s *service) Permit(ctx context.Context, c coord.Permit) (coord.Landing, error) {
	return mutate(s, "Permit", c, func(k coord.Key) (coord.Landing, error) { c.Key = k; return s.Service.Permit(ctx, c) })
}

func (s *service) RecordObservation(ctx context.Context, c coord.RecordObservation) (coord.Landed, error) {
	return mutate(s, "RecordObservation", c, func(k coord.Key) (coord.Landed, error) { c.Key = k; return s.Service.RecordObservation(ctx, c) })
}

func (s *service) FailLanding(ctx context.Context, c coord.FailLanding) (coord.Landing, error) {
	return mutate(s, "FailLanding", c, func(k coord.Key) (coord.Landing, error) { c.Key = k; return s.Service.FailLanding(ctx, c) })
}

func (s *service) DivergeTarget(ctx context.Context, c coord.DivergeTarget) (coord.Target, error) {
	return mutate(s, "DivergeTarget", c, func(k coord.Key) (coord.Target, error) { c.Key = k; return s.Service.DivergeTarget(ctx, c) })
}

func (s *service) SettleTarget(ctx context.Context, c coord.SettleTarget) (coord.Target, error) {
	return mutate(s, "SettleTarget", c, func(k coord.Key) (coord.Target, error) { c.Key = k; return s.Service.SettleTarget(ctx, c) })
}

func (s *service) Reconcile(ctx context.Context, c coord.Reconcile) (coord.Reconciled, error) {
	return mutate(s, "Reconcile", c, func(k coord.Key) (coord.Reconciled, error) { c.Key = k; return s.Service.Reconcile(ctx, c) })
}
