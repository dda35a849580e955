package coord

import (
	"slices"
	"time"
)

// BlockerKind says what a task met.
type BlockerKind string

// The kinds of blocker. A dependency blocks without a blocker of its own: see
// Task.WaitsFor.
const (
	BlockedByConflict   BlockerKind = "conflict"     // a landing met a merge conflict
	BlockedByCheck      BlockerKind = "check_failed" // a landing met a failed check
	BlockedByDecision   BlockerKind = "decision"
	BlockedByCapability BlockerKind = "capability"
	BlockedByResource   BlockerKind = "resource"
	BlockedByEvidence   BlockerKind = "verification" // what was reported cannot be true as it stands
	BlockedByUpstream   BlockerKind = "upstream"
	BlockedByPermission BlockerKind = "permission"
)

// reportable are the kinds that a caller may record. The others come with
// what caused them.
var reportable = []BlockerKind{BlockedByCapability, BlockedByResource, BlockedByEvidence, BlockedByUpstream, BlockedByPermission}

// Blocker is a structured reason why a task cannot go on. While it is open,
// nobody claims, submits or lands what it names.
type Blocker struct {
	ID       BlockerID   `json:"id"`
	Task     TaskID      `json:"task"`
	Kind     BlockerKind `json:"kind" enum:"conflict,check_failed,decision,capability,resource,verification,upstream,permission"`
	Text     string      `json:"text"`
	Reopen   string      `json:"reopen" doc:"What lifts it: a command, or the condition in words."`
	Actor    Actor       `json:"actor" enum:"agent,human,either" doc:"Who may lift it."`
	Decision DecisionID  `json:"decision,omitempty"`
	By       string      `json:"by"`
	At       time.Time   `json:"at"`
	LiftedAt *time.Time  `json:"lifted_at,omitempty"`
	LiftedBy string      `json:"lifted_by,omitempty"`
	Reason   string      `json:"reason,omitempty" doc:"Why it was lifted."`
}

// NewBlocker is what a caller reports of the task that it works on.
type NewBlocker struct {
	Kind   BlockerKind `json:"kind" enum:"capability,resource,verification,upstream,permission"`
	Text   string      `json:"text"`
	Reopen string      `json:"reopen,omitempty" doc:"Condition under which the task can go on."`
	Actor  Actor       `json:"actor,omitempty" enum:"agent,human,either" doc:"Who may lift it; either when empty."`
}

// Of is the blocker of the task that b reports.
func (b NewBlocker) Of(task TaskID) Blocker {
	out := Blocker{Task: task, Kind: b.Kind, Text: b.Text, Reopen: b.Reopen, Actor: b.Actor}
	fill(&out.Actor, ActorEither)
	fill(&out.Reopen, "coord task unblock "+string(task)+" -m REASON")
	return out
}

// Validate checks everything that needs no stored record.
func (b NewBlocker) Validate() error {
	if !slices.Contains(reportable, b.Kind) {
		return Errorf(CodeBadRequest, "blocker %q is not capability, resource, verification, upstream or permission", string(b.Kind))
	}
	if b.Actor != "" && b.Actor != ActorAgent && b.Actor != ActorHuman && b.Actor != ActorEither {
		return Errorf(CodeBadRequest, "actor %q is not agent, human or either", string(b.Actor))
	}
	if err := checkText("reason", b.Text, 1, 2000); err != nil {
		return err
	}
	return checkText("reopening condition", b.Reopen, 0, 2000)
}

// Unblock lifts one blocker of a task, or its only one.
type Unblock struct {
	Key     Key       `json:"-"`
	Task    TaskID    `json:"-"`
	Blocker BlockerID `json:"blocker,omitempty"`
	Reason  string    `json:"reason"`
}

// Validate checks everything that needs no stored record.
func (c Unblock) Validate() error { return checkText("reason", c.Reason, 1, 2000) }

// liftable is a blocker that the command can lift, if there is one: the others
// go with what caused them.
func liftable(open []Blocker) Blocker {
	i := slices.IndexFunc(open, func(b Blocker) bool { return slices.Contains(reportable, b.Kind) })
	return open[max(i, 0)]
}

// Which is the open blocker that the command means.
func (c Unblock) Which(open []Blocker) (Blocker, error) {
	show := "coord task show " + string(c.Task)
	switch {
	case c.Blocker != "":
		for _, b := range open {
			if b.ID == c.Blocker {
				return b, nil
			}
		}
		return Blocker{}, Errorf(CodeNotFound, "%s has no open blocker %s; nothing was changed", c.Task, c.Blocker).WithNext(show)
	case len(open) == 0:
		return Blocker{}, Errorf(CodeStateConflict, "%s has no open blocker; nothing was changed", c.Task).WithNext(show)
	case len(open) > 1:
		return Blocker{}, Errorf(CodeAmbiguous, "%s has %d open blockers; nothing was changed", c.Task, len(open)).
			WithNext("coord task unblock "+string(c.Task)+" --blocker "+string(liftable(open).ID)+" -m REASON", show)
	}
	return open[0], nil
}

// CheckLift decides whether the role may lift the blocker. What a landing or a
// decision put there goes with it.
func (b Blocker) CheckLift(r Role) error {
	switch b.Kind {
	case BlockedByDecision:
		return Errorf(CodeStateConflict, "%s is parked by %s, and its answer lifts that; nothing was changed", b.Task, b.Decision).WithNext(b.Reopen, "coord decisions "+string(b.Decision))
	case BlockedByConflict, BlockedByCheck:
		return Errorf(CodeStateConflict, "%s is lifted by sending the submission back; nothing was changed", b.ID).WithNext(b.Reopen)
	}
	if !b.Actor.Allows(r) {
		return Errorf(CodeNotPermitted, "%s is to be lifted by a person; nothing was changed", b.ID).WithActor("operator").WithNext("coord next")
	}
	return nil
}
