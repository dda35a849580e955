package servicetest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// RunWorkflow walks the whole workflow at random on several implementations at
// once. Each command goes to all of them, under one clock; after each step they
// must have said the same and must show the same record; and what they did must
// keep promises that are checked in words of their own, without the rules (see
// truths). open gives them anew for each walk, all empty. The first is asked
// where the walk only needs to find its way. A hundred walks or more must reach
// every outcome.
func RunWorkflow(t *testing.T, walks int, open func(now func() time.Time) ([]Side, error)) {
	defer walkTimes(t, walks)()
	began, steps, walked := time.Now(), 0, 0
	reached := map[string]int{}
	walkOnce := func(rt *rapid.T) {
		w := &walk{
			ctx: t.Context(), clock: NewClock(), reached: reached, policies: map[coord.ProjectKey]coord.Policy{}, landedOn: map[branch]bool{}, astray: map[branch]bool{}, top: map[coord.TaskID]coord.Fence{},
			holders: map[coord.Fence]map[coord.TaskID]*seat{}, integrations: map[coord.LandingID]coord.TaskID{},
		}
		w.begin(rt, open)
		defer w.end(t)
		for range 3 { // longer walks than rapid's 30 steps
			rt.Repeat(w.actions())
		}
		w.lookWhole(rt)
		steps, walked = steps+w.steps, walked+1
	}
	missing := func(what string) bool { return walks >= 100 && reached[what] == 0 }
	// Walks are random: rounds go on until each outcome was seen, and a walk
	// that cannot reach one fails.
	for round := 0; !t.Failed() && (round == 0 || round < 4 && slices.ContainsFunc(outcomes, missing)); round++ {
		rapid.Check(t, walkOnce)
	}
	for _, what := range outcomes {
		if missing(what) && !t.Failed() {
			t.Errorf("no walk reached %q: %v", what, reached)
		}
	}
	if !t.Failed() {
		t.Logf("proof: %d commands and other steps of %d walks, in %s: every side says and shows the same", steps, walked, time.Since(began).Round(time.Second))
	}
}

// walkTimes has rapid make so many walks until the end of it.
func walkTimes(t *testing.T, walks int) (end func()) {
	const name = "rapid.checks"
	was := flag.Lookup(name).Value.String()
	set := func(n string) {
		if err := flag.Set(name, n); err != nil {
			t.Fatal(err)
		}
	}
	set(strconv.Itoa(walks))
	return func() { set(was) }
}

// outcomes are what the walks must come to, all of it.
var outcomes = []string{
	"created", "claimed", "reconnected", "renewed", "stalled", "resumed", "released", "released as blocked", "saved", "submitted",
	"recovered by resume", "recovered by restart", "recovered by delivered", "recovered by blocked", "operator released",
	"approved", "rejected", "edited", "canceled", "asked", "decided", "escalated", "unblocked",
	"revised conflict", "revised check_failed", "revised candidate_missing", "revised requirements_changed", "revised withdrawn",
	"held", "taken over", "taken over while publishing", "merged", "permitted", "landed", "landed before a permit", "not landed", "conflict", "failed", "given back", "reconciled", "diverged", "settled", "accepted as it is",
	"fenced", "lease_expired", "task_taken", "recovery_required", "quota", "target_held", "state_conflict", "requirement_not_met", "not_permitted", "not_independent",
	"revoked", "void", "epoch_changed", "session_unknown",
	"again", "again refused", "again live", "again expired", "again superseded", "again released", "again submitted", "idempotency_mismatch", "twin",
	"crash", "backup", "restore", "1 ns before expiry", "at expiry",
}

// walk is one walk: the sides, and what it remembers of what they told it.
type walk struct {
	ctx      context.Context
	clock    *Clock
	sides    []Side
	policies map[coord.ProjectKey]coord.Policy
	seats    []*seat // who works now
	sessions int
	epoch    int64
	stakes   []*stake
	deeds    []*deed
	now      record // what the sides show
	kept     record // what they showed at the backup
	backedUp bool
	restored bool
	landedOn map[branch]bool // that have a landing, as far as the walk remembers
	astray   map[branch]bool // that are diverged
	steps    int
	reached  map[string]int

	// What was granted, by what the sides told: the highest fence of each
	// task, and who got which.
	top          map[coord.TaskID]coord.Fence
	holders      map[coord.Fence]map[coord.TaskID]*seat
	integrations map[coord.LandingID]coord.TaskID
}

// branch is a target of a project.
type branch struct {
	project coord.ProjectKey
	name    string
}

// seat is a session that the walk opened.
type seat struct {
	id     coord.SessionID
	name   string
	epoch  int64 // in which it was opened
	closed bool
}

// stake is what a seat was granted: an attempt, now or once.
type stake struct {
	seat    *seat
	task    coord.TaskID
	attempt coord.AttemptID
	fence   coord.Fence
}

// deed is one command as it was sent, and what came of it.
type deed struct {
	by      *seat // nil is the operator
	command any
	epoch   int64
	at      time.Time
	code    string
	told    reply
	again   bool // it was sent before, as it is, and its answer was kept

	was   shown // the task that it is about, before it
	fresh bool  // it was granted something
}

func (d *deed) String() string {
	who := "the operator"
	if d.by != nil {
		who = d.by.name + " as " + string(d.by.id)
	}
	body, err := json.Marshal(d.command) // which shows what is behind pointers, and no ids
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%T %+v %s by %s", d.command, d.command, body, who)
}

var seatNames = []string{"alpha", "bravo", "echo"}

// begin opens the sides, and makes two projects with a few tasks.
func (w *walk) begin(rt *rapid.T, open func(now func() time.Time) ([]Side, error)) {
	var err error
	if w.sides, err = open(w.clock.Now); err != nil {
		rt.Fatal(err)
	}
	w.epoch = 1
	for _, key := range []coord.ProjectKey{"one", "two"} {
		p := drawPolicy(rt)
		w.policies[key] = p
		c := createProject(key, p)
		for _, s := range w.sides {
			if _, err := s.Setup().CreateProject(w.ctx, c); err != nil {
				rt.Fatalf("%s: %v", s.Name(), err)
			}
		}
	}
	w.seats = make([]*seat, len(seatNames))
	for i := range w.seats {
		w.sit(rt, i)
	}
	w.now = w.look(rt)
	for range 4 {
		w.create(rt)
	}
}

func drawPolicy(rt *rapid.T) coord.Policy {
	p := policy(rapid.SampledFrom([]coord.ReviewMode{coord.ReviewAgent, coord.ReviewNone}).Draw(rt, "review"))
	p.Recovery = rapid.SampledFrom([]coord.RecoveryMode{coord.RecoverAgent, coord.RecoverAgent, coord.RecoverAgent, coord.RecoverManual}).Draw(rt, "recovery")
	p.HeldLimit = rapid.SampledFrom([]int{8, 8, 2, 1}).Draw(rt, "held limit")
	p.ProgressCap = coord.Duration(rapid.SampledFrom([]time.Duration{4 * time.Hour, lease / 2}).Draw(rt, "progress cap"))
	p.ReviseLimit = rapid.SampledFrom([]int{3, 1, 1}).Draw(rt, "revise limit")
	return p.Complete()
}

// sit opens a session of its own for a seat.
func (w *walk) sit(rt *rapid.T, i int) {
	w.sessions++
	s := &seat{id: coord.SessionID(fmt.Sprintf("session-%012d", w.sessions)), name: seatNames[i], epoch: w.epoch}
	for _, side := range w.sides {
		if err := side.Open(w.ctx, s.id, s.name); err != nil {
			rt.Fatalf("%s: %v", side.Name(), err)
		}
	}
	w.seats[i] = s
}

func (w *walk) end(t *testing.T) {
	for _, s := range w.sides {
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", s.Name(), err)
		}
	}
}

// do sends a command to every side, once or twice at the same time, compares
// what they say and show, and holds that to the promises.
func (w *walk) do(rt *rapid.T, by *seat, command any) *deed {
	rt.Helper()
	d := &deed{by: by, command: command, epoch: w.epoch, at: w.clock.Now()}
	w.send(rt, d, keyOf(command) != "" && by != nil && by.epoch == w.epoch && rare(rt, 16, "twin"))
	w.deeds = append(w.deeds, d)
	return d
}

func (w *walk) send(rt *rapid.T, d *deed, twin bool) {
	rt.Helper()
	w.steps++
	rt.Logf("%s: %s", w.clock.Now().Format("15:04:05.999999999"), d)
	for i, side := range w.sides {
		got, code := w.sendTo(rt, side, d, twin)
		if i == 0 {
			d.told, d.code = got, code
			continue
		}
		if code != d.code || got != d.told {
			rt.Fatalf("%s\n%s says %q %+v\n%s says %q %+v", d, w.sides[0].Name(), d.code, d.told, side.Name(), code, got)
		}
	}
	if twin && d.code == "" {
		w.reached["twin"]++
	}
	w.after(rt, d)
	w.count(d)
}

// sendTo sends to one side. Sent twice, both answers must be the same.
func (w *walk) sendTo(rt *rapid.T, side Side, d *deed, twin bool) (reply, string) {
	svc := side.Operator()
	if d.by != nil {
		svc = side.As(d.by.id)
	}
	other := make(chan func() (reply, error), 1)
	second := func() {
		got, err := send(w.ctx, svc, d.command)
		other <- func() (reply, error) { return got, err }
	}
	if twin && side != w.sides[0] {
		go second()
	}
	got, err := send(w.ctx, svc, d.command)
	if twin && side == w.sides[0] {
		second()
	}
	code := w.outcome(d, err)
	if twin {
		again, err := (<-other)()
		if c := w.outcome(d, err); c != code || again != got {
			rt.Fatalf("%s, twice at once\n%s says %q %+v\nand %q %+v", d, side.Name(), code, got, c, again)
		}
	}
	return got, code
}

// outcome is the code of a refusal, with who can lift it. How a session of
// before a restore is refused is the transport's to choose.
func (w *walk) outcome(d *deed, err error) string {
	code := coord.CodeOf(err)
	if d.by != nil && d.by.epoch != w.epoch && (code == coord.CodeSessionUnknown || code == coord.CodeEpochChanged) {
		return "void"
	}
	if actor := asError(err).RequiredActor; actor != "" {
		return string(code) + " " + actor
	}
	return string(code)
}
