package servicetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"coord"
)

// verb is what a request of a history asks for.
type verb string

const (
	verbClaim   verb = "claim"
	verbNext    verb = "claim next"
	verbRenew   verb = "renew"
	verbResume  verb = "resume"
	verbRelease verb = "release"
	verbSave    verb = "checkpoint"
	verbSubmit  verb = "submit"
	verbRead    verb = "read"
)

// nobody owns a task.
const nobody = -1

// asked is one request. The server's clock stands still while requests run,
// so at is the time that the server judged it at.
type asked struct {
	verb    verb
	session int
	task    int // index; -1 for the next one
	at      time.Time
	key     coord.Key

	attempt, fence int64 // the generation of the attempt it names, and of the fence it states
	another        bool
	recovery       *coord.Recovery
	commit         coord.OID
	text           string

	repeats *operation // the answered request of the same key
	altered bool       // with the key of repeats, but another body
	late    bool       // made with a fence that was thought to be over
}

// told is the answer to a request.
type told struct {
	code       coord.Code // "" for a success
	about      int        // the task; -1 for none
	generation int64
	standing   coord.Standing
	until      time.Time
	replayed   bool
	number     int64
	submission coord.SubmissionID
	owner      string    // by a read
	saved      coord.OID // by a read
}

// operation is a request with its answer, between two ticks of a counter.
type operation struct {
	asked
	told
	call, back int64
}

// held is the model's state of one task: who holds it, and what is saved.
type held struct {
	generation int64
	owner      int
	until      time.Time
	saves      int64 // checkpoints of this generation
	saved      coord.OID
	submitted  bool
	ended      string // how each generation ended, a letter each
}

// endings are the letters of held.ended.
var endings = map[byte]coord.Standing{'r': coord.StandingReleased, 's': coord.StandingSubmitted, 'x': coord.StandingSuperseded}

func (s held) live(at time.Time) bool { return s.owner != nobody && at.Before(s.until) }

func (s held) free(at time.Time) bool { return !at.Before(s.until.Add(grace)) }

func (s held) standing(generation int64, at time.Time) coord.Standing {
	switch {
	case generation < s.generation || s.owner == nobody:
		return endings[s.ended[generation-1]]
	case s.live(at):
		return coord.StandingLive
	}
	return coord.StandingExpired
}

// authority is what the stated attempt and fence are good for.
func (s held) authority(a asked) coord.Code {
	switch {
	case a.attempt > s.generation:
		return coord.CodeNotFound
	case a.attempt != a.fence || a.fence != s.generation || s.owner != a.session:
		return coord.CodeFenced
	case !s.live(a.at):
		return coord.CodeLeaseExpired
	}
	return ""
}

// claims is what a claim of the task by name answers; mine is that it is held
// already.
func (s held) claims(a asked) (code coord.Code, mine bool) {
	switch {
	case s.live(a.at) && s.owner == a.session:
		return "", true
	case s.submitted || s.owner == a.session:
		return coord.CodeStateConflict, false
	case s.owner != nobody && !s.free(a.at):
		return coord.CodeTaskTaken, false
	case s.owner == nobody && s.saved == "":
		return "", false
	case a.recovery == nil:
		return coord.CodeRecoveryRequired, false
	case a.recovery.Generation != s.generation:
		return coord.CodeFenced, false
	case a.recovery.Disposition == coord.DispositionResume && a.recovery.Commit != s.saved:
		return coord.CodeRecoveryRequired, false
	}
	return "", false
}

// granted is the state after the next generation was granted.
func (s held) granted(a asked) held {
	if s.owner != nobody {
		s.ended += "x"
	}
	if s.owner != a.session && a.recovery != nil && a.recovery.Disposition == coord.DispositionRestart {
		s.saved = ""
	}
	s.generation++
	s.owner, s.until, s.saves = a.session, a.at.Add(historyLease), 0
	return s
}

func (s held) gaveUp(letter string) held {
	s.owner = nobody
	s.ended += letter
	return s
}

// step is the model: whether the request may be answered so in this state,
// and the state after it.
func (s held) step(a asked, r told) (bool, held) {
	if a.repeats != nil {
		return s.repeated(a, r), s
	}
	switch a.verb {
	case verbRead:
		return s.reads(a, r), s
	case verbNext:
		return s.stepNext(a, r)
	case verbClaim:
		code, mine := s.claims(a)
		return s.stepGrant(a, r, code, mine)
	case verbResume:
		code := s.authority(a)
		if code == coord.CodeLeaseExpired {
			return s.stepGrant(a, r, "", false)
		}
		return s.stepGrant(a, r, code, code == "")
	}
	if code := s.authority(a); code != "" || r.code != "" {
		return code == r.code, s
	}
	return s.stepHeld(a, r)
}

// reads judges what a reader saw of the task.
func (s held) reads(a asked, r told) bool {
	if r.code != "" || r.generation != s.generation || r.saved != s.saved {
		return false
	}
	if s.owner == nobody {
		return r.owner == ""
	}
	return r.owner == clientName(s.owner) && r.standing == s.standing(s.generation, a.at) && r.until.Equal(s.until)
}

// stepHeld is a success of the holder.
func (s held) stepHeld(a asked, r told) (bool, held) {
	switch a.verb {
	case verbRenew:
		s.until = a.at.Add(historyLease)
		return r.until.Equal(s.until), s
	case verbRelease:
		s = s.gaveUp("r")
		return r.generation == s.generation && r.standing == coord.StandingReleased, s
	case verbSave:
		s.saves, s.saved = s.saves+1, a.commit
		return r.generation == s.generation && r.number == s.saves, s
	case verbSubmit:
		s = s.gaveUp("s")
		s.submitted, s.saved = true, ""
		return r.submission != "" && !r.replayed, s
	}
	return false, s
}

// stepGrant is a claim or a resumption that must answer code; mine is that
// the caller has what it asks for.
func (s held) stepGrant(a asked, r told, code coord.Code, mine bool) (bool, held) {
	if code != "" || r.code != "" {
		return code == r.code, s
	}
	if !mine {
		s = s.granted(a)
	}
	return r.replayed == mine && r.generation == s.generation && r.standing == coord.StandingLive && r.until.Equal(s.until), s
}

// stepNext is a claim of the next task whose answer is about this one, or
// about none: then this one is not for the caller.
func (s held) stepNext(a asked, r told) (bool, held) {
	ready := s.owner == nobody && !s.submitted
	orphan := s.owner != nobody && s.owner != a.session && s.free(a.at)
	inHand := s.owner == a.session && s.live(a.at) && !a.another
	switch r.code {
	case "":
		if r.replayed != inHand || !inHand && (!ready || s.saved != "") {
			return false, s
		}
		return s.stepGrant(a, r, "", inHand)
	case coord.CodeRecoveryRequired:
		return orphan || ready && s.saved != "", s
	case coord.CodeNothingEligible:
		return !ready && !orphan && !inHand, s
	}
	return false, s
}

// repeated judges the answer to a request that came before: the same one, with
// today's standing. It changes nothing.
func (s held) repeated(a asked, r told) bool {
	first := a.repeats.told
	if a.altered {
		return r.code == coord.CodeIdempotencyMismatch
	}
	if first.code != "" || r.code != "" {
		return r.code == first.code
	}
	switch a.verb {
	case verbSave:
		return r.number == first.number && r.generation == first.generation
	case verbSubmit:
		return r.replayed && r.submission == first.submission
	case verbRelease:
		return r.generation == first.generation && r.standing == s.standing(r.generation, a.at)
	}
	return r.replayed && r.generation == first.generation && r.standing == s.standing(r.generation, a.at) &&
		(r.generation < s.generation || r.until.Equal(s.until))
}

// oneTask is the model as porcupine takes it, for a history of one task.
var oneTask = porcupine.Model{
	Init: func() any { return held{owner: nobody} },
	Step: func(state, input, output any) (bool, any) {
		ok, next := state.(held).step(input.(asked), output.(told))
		return ok, next
	},
}

// manyTasks is the model for a history of n tasks.
func manyTasks(n int) porcupine.Model {
	m := oneTask
	m.Partition = func(history []porcupine.Operation) [][]porcupine.Operation { return byTask(history, n) }
	return m
}

// byTask gives each of n tasks the operations whose answers depend on it. That
// nothing is eligible depends on all of them.
func byTask(history []porcupine.Operation, n int) [][]porcupine.Operation {
	parts := make([][]porcupine.Operation, n)
	for _, o := range history {
		if t := o.Output.(told).about; t >= 0 {
			parts[t] = append(parts[t], o)
			continue
		}
		for t := range parts {
			parts[t] = append(parts[t], o)
		}
	}
	return parts
}

// inOrder says why the operations of one task fit no order; "" when they do.
func inOrder(part []porcupine.Operation) string {
	verdict, info := porcupine.CheckOperationsVerbose(oneTask, part, historyPatience)
	switch verdict {
	case porcupine.Ok:
		return ""
	case porcupine.Unknown:
		return "no verdict in time"
	}
	var longest []porcupine.Operation
	for _, order := range info.PartialLinearizationsOperations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	state, fits := oneTask.Init(), map[int64]bool{}
	for _, o := range longest {
		_, state = oneTask.Step(state, o.Input, o.Output)
		fits[o.Call] = true
	}
	var b strings.Builder
	for _, o := range longest[max(0, len(longest)-6):] {
		fmt.Fprintf(&b, "\n\t%s", describe(o))
	}
	fmt.Fprintf(&b, "\n\tthen %+v, after which none of these can be the next:", state)
	for i, n := 0, 0; i < len(part) && n < 6; i++ {
		if !fits[part[i].Call] {
			fmt.Fprintf(&b, "\n\t%s", describe(part[i]))
			n++
		}
	}
	return b.String()
}

func describe(o porcupine.Operation) string {
	return fmt.Sprintf("%d to %d: %s -> %s", o.Call, o.Return, o.Input.(asked), o.Output.(told))
}

func (a asked) String() string {
	s := fmt.Sprintf("%s by %d at %s", a.verb, a.session, a.at.Format("15:04:05.999999999"))
	switch {
	case a.recovery != nil:
		s += fmt.Sprintf(" %s of %d", a.recovery.Disposition, a.recovery.Generation)
	case a.fence > 0:
		s += fmt.Sprintf(" attempt %d fence %d", a.attempt, a.fence)
	}
	if a.repeats != nil {
		s += " again"
	}
	if a.altered {
		s += ", altered"
	}
	return s
}

func (r told) String() string {
	if r.code != "" {
		return string(r.code)
	}
	s := fmt.Sprintf("%d %s until %s", r.generation, r.standing, r.until.Format("15:04:05.999999999"))
	if r.replayed {
		s += " replayed"
	}
	return s
}
