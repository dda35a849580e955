package coord

import (
	"strconv"
	"strings"
	"time"
)

// Reservation is a number of units that an attempt holds. A lease that ends
// frees none: the attempt's own end, a release or an adoption does.
type Reservation struct {
	ID         ReservationID `json:"id"`
	Task       TaskID        `json:"task"`
	Attempt    AttemptID     `json:"attempt" doc:"The attempt that answers for it."`
	Resource   string        `json:"resource"`
	Scope      Scope         `json:"scope" enum:"shared,machine,checkout"`
	Place      string        `json:"place,omitempty" doc:"The machine or the checkout, unless it is shared."`
	Units      int           `json:"units"`
	Holder     string        `json:"holder" doc:"Display name of the session."`
	Job        JobID         `json:"job,omitempty" doc:"While this job may still run, the end of its attempt does not free it."`
	At         time.Time     `json:"at"`
	ReleasedAt *time.Time    `json:"released_at,omitempty"`
}

// Want is a number of units of one resource.
type Want struct {
	Resource string `json:"resource"`
	Units    int    `json:"units,omitempty" doc:"1 when left out."`
}

// Reserve takes a set of resources for a live attempt, all or none, and does
// not wait. What the attempt holds already it keeps; the set adds to it. With
// Line the caller that finds one busy gets a ticket, and comes again with it;
// one that lapsed is answered with another, at the end of the line.
type Reserve struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
	Wants   []Want    `json:"wants" minItems:"1" maxItems:"100"`
	Job     JobID     `json:"job,omitempty" doc:"The job of this attempt that they are for."`
	Line    bool      `json:"line,omitempty" doc:"Stand in line when one is busy."`
	Ticket  TicketID  `json:"ticket,omitempty" doc:"The ticket of an earlier answer; the set is the same."`
}

// Reserved answers Reserve: what was taken, or the caller's place in line.
type Reserved struct {
	Reservations []Reservation `json:"reservations,omitempty"`
	Ticket       *Ticket       `json:"ticket,omitempty"`
}

// Ticket is a place in line for a set of resources. It lapses when it is not
// asked about for TicketLife, and with its attempt's authority. An attempt has
// one place in line: to ask for another set gives it up.
type Ticket struct {
	ID      TicketID  `json:"id"`
	Attempt AttemptID `json:"attempt"`
	Wants   []Want    `json:"wants"`
	Ahead   int       `json:"ahead" doc:"Tickets before this one that want one of the same."`
	Busy    []string  `json:"busy" doc:"What is not free now."`
	At      time.Time `json:"at"`
	SeenAt  time.Time `json:"seen_at"`
	AsOf    Seq       `json:"as_of" doc:"Event sequence that the answer reflects: what is given back is an event after it."`
}

// TicketLife is how long a ticket stands without being asked about.
const TicketLife = 2 * time.Minute

// Stands reports whether the ticket of a live attempt keeps its place at now.
func (t Ticket) Stands(now time.Time) bool { return now.Before(t.SeenAt.Add(TicketLife)) }

// Validate checks everything that needs no stored record.
func (c Reserve) Validate() error {
	_, err := CanonicalWants(c.Wants)
	return err
}

// CanonicalWants is the set with canonical names and counted units, in the
// order given. An empty set, one of more than 100, and one that names a
// resource twice are refused.
func CanonicalWants(wants []Want) ([]Want, error) {
	if len(wants) == 0 || len(wants) > 100 {
		return nil, Errorf(CodeBadRequest, "a reservation names 1 to 100 resources, not %d; nothing was reserved", len(wants))
	}
	out := make([]Want, len(wants))
	seen, all := map[string]bool{}, 0
	for i, w := range wants {
		name, err := CanonicalResource(w.Resource)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, Errorf(CodeBadRequest, "resource %s is named twice; nothing was reserved", name)
		}
		seen[name] = true
		fill(&w.Units, 1)
		if w.Units < 1 || w.Units > 10_000 {
			return nil, Errorf(CodeBadRequest, "%d units of %s are outside 1 to 10000; nothing was reserved", w.Units, name)
		}
		if all += w.Units; all > 10_000 {
			return nil, Errorf(CodeBadRequest, "the set has more than 10000 units in all; nothing was reserved")
		}
		out[i] = Want{name, w.Units}
	}
	return out, nil
}

// String is how the want is typed: NAME, or NAME=UNITS.
func (w Want) String() string {
	if w.Units <= 1 {
		return w.Resource
	}
	return w.Resource + "=" + strconv.Itoa(w.Units)
}

func typed(wants []Want) string {
	words := make([]string, len(wants))
	for i, w := range wants {
		words[i] = w.String()
	}
	return strings.Join(words, " ")
}

// Stock is how much of one wanted resource is there.
type Stock struct {
	Want
	Capacity int
	Taken    int // held by reservations
	Own      int // of them, what the asking attempt holds already: the set adds to it
	Queued   int // wanted by tickets that are ahead in line
}

// Allot decides whether all of the set can be taken now. Whoever stands in
// line is served first: what earlier tickets want counts as taken. busy names
// what is in the way; a want that exceeds a capacity, together with what the
// attempt holds, can never be met, however long anybody waits.
func Allot(set []Stock) (busy []string, err error) {
	for _, s := range set {
		if s.Own+s.Units > s.Capacity {
			return nil, s.never()
		}
		if s.Taken+s.Queued+s.Units > s.Capacity {
			busy = append(busy, s.Resource)
		}
	}
	return busy, nil
}

// never is the refusal of a want that no waiting fulfils.
func (s Stock) never() error {
	if s.Own == 0 {
		return Errorf(CodeRequirement, "%s has %d units, and %d were asked for; nothing was reserved", s.Resource, s.Capacity, s.Units).WithNext("coord resource list")
	}
	e := Errorf(CodeRequirement, "%s has %d units, of which this attempt holds %d, and %d more were asked for; nothing was reserved", s.Resource, s.Capacity, s.Own, s.Units)
	if rest := s.Capacity - s.Own; rest > 0 {
		return e.WithNext("coord reserve "+Want{s.Resource, rest}.String(), "coord resource list")
	}
	return e.WithNext("coord resource list")
}

// Busy is the refusal of a set that cannot be taken now. holder is the display
// name of who has the first of them; empty when it is kept for those in line.
func Busy(wants []Want, busy []string, holder string) *Error {
	e := Errorf(CodeResourceBusy, "%s; nothing was reserved", taken(busy, holder)).
		WithDetail("busy", strings.Join(busy, " ")).WithNext("coord reserve --wait "+typed(wants), "coord resource list")
	if holder != "" {
		e = e.WithDetail("holder", holder)
	}
	return e
}

func taken(busy []string, holder string) string {
	all := strings.Join(busy, ", ")
	switch {
	case holder == "":
		return isOrAre(busy) + " kept for those who stand in line"
	case len(busy) == 1:
		return all + " is taken by " + OneLine(holder)
	}
	return all + " are taken, " + busy[0] + " by " + OneLine(holder)
}

// CheckWait refuses a place in line to an attempt that holds something: two
// that did could wait for each other for ever.
func CheckWait(wants []Want, busy []string, held []Reservation) error {
	if len(held) == 0 {
		return nil
	}
	all := make([]Want, 0, len(held)+len(wants))
	for _, r := range held {
		all = append(all, Want{r.Resource, r.Units})
	}
	return Errorf(CodeResourceBusy, "%s not free, and an attempt that holds %s does not wait for more, since two could wait for each other; nothing was reserved", isOrAre(busy), typed(all)).
		WithDetail("busy", strings.Join(busy, " ")).WithNext("coord unreserve", "coord reserve --wait "+typed(merged(all, wants)))
}

func isOrAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, ", ") + " are"
}

// merged adds up the units of what is named twice.
func merged(sets ...[]Want) []Want {
	var out []Want
	at := map[string]int{}
	for _, set := range sets {
		for _, w := range set {
			i, ok := at[w.Resource]
			if !ok {
				at[w.Resource] = len(out)
				out = append(out, w)
				continue
			}
			out[i].Units += w.Units
		}
	}
	return out
}

// Unreserve gives reservations of the caller's attempt back. When none is
// named, it is all of them but those of a job that may still run; one that is
// named is refused only while somebody sees its job alive.
type Unreserve struct {
	Key          Key             `json:"-"`
	Attempt      AttemptID       `json:"-"`
	Fence        Fence           `json:"fence"`
	Reservations []ReservationID `json:"reservations,omitempty" maxItems:"100"`
}

// Adopt makes the caller's live attempt answer for what an earlier generation
// of the same task left: jobs, with what is reserved for them, and
// reservations; all of both when none is named.
type Adopt struct {
	Key          Key             `json:"-"`
	Attempt      AttemptID       `json:"-"`
	Fence        Fence           `json:"fence"`
	Jobs         []JobID         `json:"jobs,omitempty" maxItems:"100"`
	Reservations []ReservationID `json:"reservations,omitempty" maxItems:"100"`
}

// Obligations are what earlier attempts of a task left open. A new attempt
// starts with them unadopted.
type Obligations struct {
	Jobs         []Job         `json:"jobs,omitempty"`
	Reservations []Reservation `json:"reservations,omitempty"`
}

// CheckRelease refuses to give back what a job is seen to use: its job is
// observed, or has only just been registered.
func (r Reservation) CheckRelease(job *Job, now time.Time) error {
	if job == nil || !job.MayRun() || job.Standing(now) == JobUnknown {
		return nil
	}
	return Errorf(CodeStateConflict, "%s is used by %s, which is %s; nothing was changed", r.Resource, job.ID, job.State).WithNext("coord job show " + string(job.ID))
}
