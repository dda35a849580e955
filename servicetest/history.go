package servicetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"coord"
)

// Each round of a history is historyRound requests of historyClients sessions
// for historyTasks new tasks, or so few that there is nothing left to claim.
// Histories of that size are judged at once.
const (
	historyRound   = 1000
	historyClients = 16
	historyTasks   = 40
	historyScarce  = 8

	historyLease    = 2 * time.Minute
	historyPatience = time.Minute // for the verdict on one task

	// One request in so many has the clock moved after it, on average.
	historyPace = 16
)

// findings are the defects that a history showed, by what they break.
type findings struct {
	mu sync.Mutex
	of map[string][]string
}

// What a history proves, each under the numbers of its invariants.
const (
	oneOwner   = "L1 L2 grants follow each other and never overlap"
	oneOrder   = "L4 L8 L9 L11 L12 K2 K3 L18 every answer fits one order of the requests"
	oneEffect  = "K1 D2 one key has one effect, and each effect one event"
	denseLog   = "D6 the log is dense, chained and in the order of the answers"
	sameRecord = "D2 the record is what the log says"
	allReached = "every outcome was reached, and a tenth of the requests was stale"
)

func (f *findings) add(what, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[what] = append(f.of[what], fmt.Sprintf(format, args...))
}

func (f *findings) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.of) > 0
}

// history is a service under many sessions at once, with everything that they
// asked and were told.
type history struct {
	findings
	t        *testing.T
	h        *Harness
	sessions []coord.Service
	reader   coord.Service
	log      *Log
	reached  map[string]int

	gate sync.RWMutex // held for reading by a request, for writing by the clock
	tick atomic.Int64
	left atomic.Int64
	move chan struct{} // asks for the clock to be moved

	project coord.ProjectKey
	tasks   []coord.TaskID
	beliefs []*belief
}

// RunHistory has many sessions claim, renew, resume, recover, save, release
// and submit the same tasks at once, while leases run out and stale requests
// come again; then it proves by porcupine and by the event log that what they
// were told fits one order of the requests.
func RunHistory(t *testing.T, open func(t *testing.T) *Harness, operations int) {
	began := time.Now()
	h := open(t)
	w := &history{t: t, h: h, reader: h.AsOperator(), log: NewLog(), reached: map[string]int{}}
	w.of = map[string][]string{}
	for i := range historyClients {
		w.sessions = append(w.sessions, h.As(t, clientName(i)))
	}
	asked := 0
	for round := uint64(0); asked < operations && !w.any() && !t.Failed(); round++ {
		asked += w.round(round, min(historyRound, operations-asked))
	}
	w.enough(asked)
	for _, what := range []string{oneOwner, oneOrder, oneEffect, denseLog, sameRecord, allReached} {
		t.Run(what, func(t *testing.T) {
			for _, f := range w.of[what][:min(5, len(w.of[what]))] {
				t.Error(f)
			}
		})
	}
	if t.Failed() {
		return
	}
	t.Logf("proof: %d requests of %d sessions, %d of them stale, %d events, in %s: one order, one effect each",
		asked, len(w.sessions), w.reached["stale"], w.log.Seq, time.Since(began).Round(time.Second))
}

func clientName(session int) string { return fmt.Sprintf("client-%d", session) }

// enough wants histories that could have shown something. In few rounds not
// everything comes to pass.
func (w *history) enough(asked int) {
	if w.any() {
		return
	}
	if w.reached["stale"]*10 < asked {
		w.add(allReached, "%d of %d requests were stale", w.reached["stale"], asked)
	}
	if asked < 10*historyRound {
		return
	}
	for _, what := range []string{
		"claim", "claim next", "renew", "resume", "release", "checkpoint", "submit", "read", "recovered", "reconnected",
		"fenced", "lease_expired", "task_taken", "recovery_required", "state_conflict", "nothing_eligible", "idempotency_mismatch",
		"again live", "again expired", "again superseded", "again released", "again submitted", "again refused", "twin",
	} {
		if w.reached[what] == 0 {
			w.add(allReached, "no request reached %q: %v", what, w.reached)
		}
	}
}

// round plays one history on new tasks and judges it. It returns how many
// requests it was.
func (w *history) round(seed uint64, operations int) int {
	if err := w.prepare(seed); err != nil {
		w.t.Fatal(err)
	}
	w.left.Store(int64(operations))
	w.move = make(chan struct{}, 1)
	var clients, clock sync.WaitGroup
	all := make([][]*operation, len(w.sessions))
	for i := range w.sessions {
		clients.Go(func() { all[i] = w.client(i, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	clock.Go(func() { w.moveClock(rand.New(rand.NewPCG(seed, ^uint64(0)))) })
	clients.Wait()
	close(w.move)
	clock.Wait()
	ops := slices.Concat(all...)
	slices.SortFunc(ops, func(a, b *operation) int { return int(a.call - b.call) })
	w.judge(ops)
	return len(ops)
}

// prepare makes the tasks of a round, in a project of its own. Every other
// one has its submissions reviewed.
func (w *history) prepare(seed uint64) error {
	review := []coord.ReviewMode{coord.ReviewNone, coord.ReviewAgent}[seed%2]
	long := coord.Duration(24 * time.Hour)
	w.project = w.h.Project(w.t, coord.Policy{
		Review: review, Lease: coord.Duration(historyLease), RecoveryGrace: coord.Duration(grace), ProgressCap: long, AttemptCap: long, HeldLimit: 1000,
	})
	w.tasks, w.beliefs = nil, nil
	tasks := historyTasks
	if seed%4 == 3 {
		tasks = historyScarce
	}
	for i := range tasks {
		task, err := w.sessions[0].CreateTask(w.t.Context(), coord.CreateTask{Key: newKey(), Project: w.project, Title: fmt.Sprintf("task %d", i)})
		if err != nil {
			return err
		}
		w.tasks, w.beliefs = append(w.tasks, task.ID), append(w.beliefs, &belief{owner: nobody})
	}
	return nil
}

// judge compares the answers with the model and with the log.
func (w *history) judge(ops []*operation) {
	w.count(ops)
	var asOne []porcupine.Operation
	for _, o := range ops {
		asOne = append(asOne, porcupine.Operation{ClientId: o.session, Input: o.asked, Call: o.call, Output: o.told, Return: o.back})
	}
	if porcupine.CheckOperationsTimeout(manyTasks(len(w.tasks)), asOne, historyPatience) != porcupine.Ok {
		for i, part := range byTask(asOne, len(w.tasks)) {
			if why := inOrder(part); why != "" {
				w.add(oneOrder, "%s: %s", w.tasks[i], why)
			}
		}
	}
	w.witness(ops)
}

// count notes which outcomes were reached.
func (w *history) count(ops []*operation) {
	counts := map[string]int{}
	for _, o := range ops {
		again := o.repeats != nil && !o.altered
		switch {
		case again && o.code != "":
			counts["again refused"]++
		case again && o.standing != "":
			counts["again "+string(o.standing)]++
		case o.code != "":
			counts[string(o.code)]++
		case o.replayed:
			counts["reconnected"]++
		default:
			counts[string(o.verb)]++
		}
		if again || o.late && (o.code == coord.CodeFenced || o.code == coord.CodeLeaseExpired) {
			counts["stale"]++
		}
	}
	for what, n := range counts {
		w.reached[what] += n
	}
}
