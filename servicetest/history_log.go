package servicetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"coord"
)

// Effect names one change of the record, as the log and the answer that
// acknowledged it both tell it. It happens once.
type Effect struct {
	What EffectKind
	Task coord.TaskID
	Mark string // generation, commit or submission
}

// EffectKind is what a change did.
type EffectKind string

// The effects that a log is read for.
const (
	Created   EffectKind = "created"
	Granted   EffectKind = "granted"
	Released  EffectKind = "released"
	Saved     EffectKind = "saved"
	Submitted EffectKind = "submitted"
)

// Done is an effect with its event.
type Done struct {
	Effect
	coord.Event
}

// Log is the record as the event log alone tells it.
type Log struct {
	Seq   coord.Seq
	Tasks map[coord.TaskID]*LoggedTask

	hash string
	done map[Effect]bool
	made []coord.Event // tasks that were created just now, one after the other
}

// LoggedTask is one task by the log. The grant of generation n is the nth.
type LoggedTask struct {
	Grants      []LoggedGrant
	Saves       []coord.OID
	Submissions []coord.SubmissionID
	Saved       coord.OID // what a successor is offered
	follows     bool      // made by a submission
}

// LoggedGrant is one attempt by the log. Ended is empty while nothing ended it.
type LoggedGrant struct {
	Actor   string
	Kind    coord.EventKind
	At      time.Time
	Ended   coord.Standing
	EndedAt time.Time
}

// NewLog is the log before its first event.
func NewLog() *Log {
	return &Log{Tasks: map[coord.TaskID]*LoggedTask{}, done: map[Effect]bool{}}
}

// Add takes the next event. It is an error when it does not follow from the
// one before, repeats an effect, or cannot be after what the log says so far.
// Effects that the log is not read for are returned as none.
func (l *Log) Add(e coord.Event) (d Done, err error) {
	bare := e
	bare.Hash = ""
	text, err := json.Marshal(bare)
	if err != nil {
		return d, err
	}
	sum := sha256.Sum256(append([]byte(l.hash), text...))
	if e.Seq != l.Seq+1 || e.Hash != hex.EncodeToString(sum[:]) {
		return d, fmt.Errorf("event %d does not follow from event %d", e.Seq, l.Seq)
	}
	l.Seq, l.hash = e.Seq, e.Hash
	d = Done{Event: e}
	if e.Kind == coord.EventTaskCreated && l.Tasks[e.Task] != nil {
		return d, fmt.Errorf("event %d, %s: it was created before", e.Seq, e.Text)
	}
	if d.Effect, err = l.apply(e); err != nil {
		return d, fmt.Errorf("event %d, %s: %w", e.Seq, e.Text, err)
	}
	if d.What != "" && l.done[d.Effect] {
		return d, fmt.Errorf("event %d, %s: %v happened before", e.Seq, e.Text, d.Effect)
	}
	l.done[d.Effect] = true
	return d, nil
}

func (l *Log) apply(e coord.Event) (Effect, error) {
	if e.Task == "" {
		return Effect{}, nil
	}
	if e.Kind == coord.EventTaskCreated {
		l.Tasks[e.Task] = &LoggedTask{}
		l.made = append(l.made, e)
		return Effect{Created, e.Task, ""}, nil
	}
	defer func() { l.made = nil }()
	t := l.Tasks[e.Task]
	if t == nil {
		return Effect{}, fmt.Errorf("%s was never created", e.Task)
	}
	switch e.Kind {
	case coord.EventAttemptClaimed, coord.EventAttemptRecovered, coord.EventAttemptResumed:
		return Effect{Granted, e.Task, strconv.Itoa(len(t.Grants) + 1)}, t.grant(e)
	case coord.EventAttemptReleased:
		return Effect{Released, e.Task, strconv.Itoa(len(t.Grants))}, t.end(e, coord.StandingReleased)
	case coord.EventCheckpointRecorded:
		return Effect{Saved, e.Task, e.Data["commit"]}, t.save(e)
	case coord.EventSubmissionCreated:
		return Effect{Submitted, e.Task, e.Data["submission"]}, l.submit(t, e)
	}
	return Effect{}, nil
}

// open is the grant that was not ended, or nil.
func (t *LoggedTask) open() *LoggedGrant {
	if n := len(t.Grants); n > 0 && t.Grants[n-1].Ended == "" {
		return &t.Grants[n-1]
	}
	return nil
}

// grant supersedes a grant that was not ended; only its own session resumes
// it, and only another one recovers it.
func (t *LoggedTask) grant(e coord.Event) error {
	before := t.open()
	switch {
	case before == nil && e.Kind == coord.EventAttemptResumed:
		return fmt.Errorf("there was nothing to resume")
	case before == nil && (t.Saved != "") != (e.Kind == coord.EventAttemptRecovered):
		return fmt.Errorf("%q was saved", t.Saved)
	case before != nil && e.Kind == coord.EventAttemptClaimed:
		return fmt.Errorf("%s held it", before.Actor)
	case before != nil && (before.Actor == e.Actor) != (e.Kind == coord.EventAttemptResumed):
		return fmt.Errorf("%s held it", before.Actor)
	case before != nil:
		before.Ended, before.EndedAt = coord.StandingSuperseded, e.At
	}
	if e.Data["disposition"] == string(coord.DispositionRestart) {
		t.Saved = ""
	}
	t.Grants = append(t.Grants, LoggedGrant{Actor: e.Actor, Kind: e.Kind, At: e.At})
	return nil
}

func (t *LoggedTask) end(e coord.Event, how coord.Standing) error {
	g := t.open()
	if g == nil || g.Actor != e.Actor {
		return fmt.Errorf("%s did not hold it", e.Actor)
	}
	g.Ended, g.EndedAt = how, e.At
	return nil
}

func (t *LoggedTask) save(e coord.Event) error {
	if g := t.open(); g == nil || g.Actor != e.Actor {
		return fmt.Errorf("%s did not hold it", e.Actor)
	}
	t.Saved = coord.OID(e.Data["commit"])
	t.Saves = append(t.Saves, t.Saved)
	return nil
}

// submit ends the attempt. The tasks that a submission makes are created right
// before its event, in the same transaction.
func (l *Log) submit(t *LoggedTask, e coord.Event) error {
	follower := false
	for _, c := range l.made {
		if c.At.Equal(e.At) && c.Actor == e.Actor {
			l.Tasks[c.Task].follows = true
			follower = follower || string(c.Task) == e.Data["integration"]
		}
	}
	if !follower {
		return fmt.Errorf("its integration task was not made for it")
	}
	t.Saved = ""
	t.Submissions = append(t.Submissions, coord.SubmissionID(e.Data["submission"]))
	return t.end(e, coord.StandingSubmitted)
}

// Follows reports whether a submission made the task.
func (l *Log) Follows(id coord.TaskID) bool {
	t := l.Tasks[id]
	return t != nil && t.follows
}

// Differs says where a stored task differs from what the log makes of it; "".
func (l *Log) Differs(d coord.TaskDetail) string {
	t := l.Tasks[d.ID]
	if t == nil {
		return fmt.Sprintf("%s is not in the log", d.ID)
	}
	if d.Generation != int64(len(t.Grants)) || len(d.Attempts) != len(t.Grants) {
		return fmt.Sprintf("%s is at generation %d with %d attempts; the log granted %d", d.ID, d.Generation, len(d.Attempts), len(t.Grants))
	}
	for i, g := range t.Grants {
		if !g.is(d.Attempts[i]) {
			return fmt.Sprintf("%s: the log says %+v of attempt %d, which is %+v", d.ID, g, i+1, d.Attempts[i])
		}
	}
	if g := t.open(); (g == nil) != (d.Owner == nil) || g != nil && (g.Actor != d.Owner.Name || d.Owner.Generation != d.Generation) {
		return fmt.Sprintf("%s: the log says %+v holds it; it is %+v", d.ID, g, d.Owner)
	}
	var saves []coord.OID
	for _, c := range d.Checkpoints {
		saves = append(saves, c.Commit)
	}
	var submissions []coord.SubmissionID
	for _, s := range d.Submissions {
		submissions = append(submissions, s.ID)
	}
	saved := coord.OID("")
	if d.Saved != nil {
		saved = d.Saved.Commit
	}
	if !slices.Equal(saves, t.Saves) || saved != t.Saved || d.Kind == coord.KindCode && !slices.Equal(submissions, t.Submissions) {
		return fmt.Sprintf("%s has checkpoints %v, saved %q, submissions %v; the log says %+v", d.ID, saves, saved, submissions, *t)
	}
	return ""
}

// is compares a grant with the stored attempt.
func (g LoggedGrant) is(a coord.Attempt) bool {
	ended := g.Ended
	if g.Ended == "" && (a.Standing == coord.StandingLive || a.Standing == coord.StandingExpired) {
		ended = a.Standing
	}
	return a.Owner == g.Actor && a.StartedAt.Equal(g.At) && a.Standing == ended && (a.EndedAt == nil) == (g.Ended == "") &&
		(a.EndedAt == nil || a.EndedAt.Equal(g.EndedAt))
}
