package servicetest

import (
	"context"
	"crypto/sha1" // object ids of the usual kind
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"coord"
)

// stage is where one scene plays: a project of its own.
type stage struct {
	*testing.T
	h       *Harness
	ctx     context.Context
	project coord.ProjectKey
}

const (
	lease = 30 * time.Minute
	grace = 30 * time.Second
)

func policy(review coord.ReviewMode) coord.Policy {
	return coord.Policy{Review: review, Lease: coord.Duration(lease), RecoveryGrace: coord.Duration(grace)}
}

func newStage(t *testing.T, h *Harness) *stage {
	return &stage{T: t, h: h, ctx: t.Context(), project: h.Project(t, policy(coord.ReviewAgent))}
}

// withoutReview goes on in a project whose submissions need no review.
func (s *stage) withoutReview() { s.project = s.h.Project(s.T, policy(coord.ReviewNone)) }

// broken is an error where a scene needed none.
type broken struct {
	err   error
	where string
}

// must returns v, or ends the scene.
func must[V any](v V, err error) V {
	if err != nil {
		where := ""
		for skip := 1; skip <= 3; skip++ {
			_, file, line, _ := runtime.Caller(skip)
			where += fmt.Sprintf(" %s:%d", filepath.Base(file), line)
		}
		panic(broken{err, where})
	}
	return v
}

func (s *stage) run(play func(*stage)) {
	s.Helper()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case broken:
			s.Fatalf("%s: %v%s", coord.CodeOf(r.err), r.err, r.where)
		default:
			panic(r)
		}
	}()
	play(s)
}

// refused wants one of the codes, and what every refusal owes: a sentence.
func (s *stage) refused(err error, codes ...coord.Code) {
	s.Helper()
	if err == nil {
		s.Errorf("allowed; want %v", codes)
		return
	}
	if got := coord.CodeOf(err); !slices.Contains(codes, got) {
		s.Errorf("refused with %s (%v); want %v", got, err, codes)
	}
	if err.Error() == "" {
		s.Error("a refusal without a sentence")
	}
}

// detail is one detail of a refusal.
func detail(err error, key string) string { return asError(err).Details[key] }

func asError(err error) *coord.Error {
	var e *coord.Error
	if errors.As(err, &e) {
		return e
	}
	return &coord.Error{}
}

// is compares and reports.
func is[V any](s *stage, what string, got, want V) {
	s.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		s.Errorf("%s (- want, + got):\n%s", what, d)
	}
}

var counter atomic.Int64

// newKey is a key that no other intent has.
func newKey() coord.Key { return coord.Key(fmt.Sprintf("key-%020d", counter.Add(1))) }

// newOID is an object id that nothing else has.
func newOID() coord.OID {
	return coord.OID(fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "object %d", counter.Add(1)))))
}

// task reads a task's whole record.
func (s *stage) task(id coord.TaskID) coord.TaskDetail { return must(s.h.AsOperator().Task(s.ctx, id)) }

func (s *stage) status(id coord.TaskID, want coord.Status) {
	s.Helper()
	if got := s.task(id).Status; got != want {
		s.Errorf("%s is %s, want %s", id, got, want)
	}
}

// unchanged wants the record of the task to be the same after f; only the
// audit log may have grown.
func (s *stage) unchanged(id coord.TaskID, f func()) {
	s.Helper()
	before := s.task(id)
	f()
	after := s.task(id)
	if d := cmp.Diff(before, after, cmpopts.IgnoreFields(coord.TaskDetail{}, "Events", "AsOf"), cmpopts.EquateEmpty()); d != "" {
		s.Errorf("%s changed (- before, + after):\n%s", id, d)
	}
}

// actor is one agent session.
type actor struct {
	coord.Service
	s    *stage
	name string
}

func (s *stage) as(name string) *actor { return &actor{s.h.As(s.T, name), s, name} }

// newTask records a code task.
func (a *actor) newTask(title string, edits ...func(*coord.CreateTask)) coord.Task {
	c := coord.CreateTask{Key: newKey(), Project: a.s.project, Title: title, SameTitle: true}
	for _, edit := range edits {
		edit(&c)
	}
	return must(a.CreateTask(a.s.ctx, c)).Task
}

func priority(p coord.Priority) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Priority = p }
}

func after(ids ...coord.TaskID) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.DependsOn = ids }
}

func target(name string) func(*coord.CreateTask) {
	return func(c *coord.CreateTask) { c.Target = name }
}

func planned(c *coord.CreateTask) { c.Planned = true }

// try claims with a fresh key.
func (a *actor) try(id coord.TaskID, r *coord.Recovery) (coord.Claimed, error) {
	return a.Claim(a.s.ctx, coord.Claim{Key: newKey(), Project: a.s.project, Task: id, Recovery: r})
}

func (a *actor) next(k coord.Kind) (coord.Claimed, error) {
	return a.Claim(a.s.ctx, coord.Claim{Key: newKey(), Project: a.s.project, Kind: k})
}

// work is a claim in its owner's hands.
type work struct {
	a *actor
	coord.Claimed
}

func (a *actor) start(id coord.TaskID) work { return work{a, must(a.try(id, nil))} }

func (w work) id() coord.AttemptID { return w.Attempt.ID }

func (w work) renew() (coord.Lease, error) {
	return w.a.Renew(w.a.s.ctx, coord.Renew{Attempt: w.id(), Fence: w.Attempt.Fence})
}

func (w work) resume() (work, error) {
	c, err := w.a.Resume(w.a.s.ctx, coord.Resume{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence})
	return work{w.a, c}, err
}

func (w work) release() (coord.Attempt, error) {
	return w.a.Release(w.a.s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Reason: "someone else knows this better"})
}

func (w work) checkpoint() (coord.Checkpoint, error) {
	return w.a.RecordCheckpoint(w.a.s.ctx, coord.RecordCheckpoint{
		Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "half of it", Next: "the other half",
		Commit: newOID(), Tree: newOID(), Ref: "refs/coord/attempts/" + string(w.Task.ID), Pushed: true,
	})
}

func (w work) record(r coord.Run) (coord.Receipt, error) {
	return w.a.RecordReceipt(w.a.s.ctx, coord.RecordReceipt{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Run: r})
}

var (
	testCheck = coord.Check{Name: "test", Shell: "make test", Timeout: coord.Duration(15 * time.Minute)}
	lintCheck = coord.Check{Name: "lint", Argv: []string{"make", "lint"}, Timeout: coord.Duration(time.Minute)}
)

// passing is a run of the test check that counts for the tree.
func passing(tree coord.OID) coord.Run {
	return coord.Run{Check: testCheck.Name, Definition: testCheck.Digest(), Tree: tree, Result: coord.ResultPassed, Machine: "m1", Toolchain: "linux/amd64 go1", DurationMS: 1200}
}

func failing(tree coord.OID) coord.Run {
	r := passing(tree)
	r.Result, r.ExitStatus, r.Reason = coord.ResultFailed, 1, "TestParse fails"
	return r
}

// candidate is a submission of a new commit that requires the test check.
func (w work) candidate() coord.Submit {
	commit := newOID()
	return coord.Submit{
		Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Commit: commit, Tree: newOID(), Base: newOID(),
		Ref: "refs/coord/candidates/" + string(commit), Summary: "It works.", Required: []coord.RequiredCheck{testCheck.Require()},
	}
}

// submit checks a candidate and hands it over.
func (w work) submit() coord.Submission {
	c := w.candidate()
	must(w.record(passing(c.Tree)))
	return must(w.a.Submit(w.a.s.ctx, c)).Submission
}

func (w work) review(v coord.Verdict) (coord.Review, error) {
	return w.a.Review(w.a.s.ctx, coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: coord.Judgement{Verdict: v, Note: "read and run"}})
}

// approve reviews the submission as a fresh session.
func (s *stage) approve(sub coord.Submission) {
	must(s.as("reviewer").start(sub.Reviews[0]).review(coord.VerdictApproved))
}

// approved is a code task whose submission waits for its landing.
func (s *stage) approved(title string, edits ...func(*coord.CreateTask)) coord.Submission {
	author := s.as("author")
	sub := author.start(author.newTask(title, edits...).ID).submit()
	if len(sub.Reviews) > 0 {
		s.approve(sub)
	}
	return sub
}
