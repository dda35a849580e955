package coord

import (
	"slices"
	"time"
)

// Kind says what finishing a task means.
type Kind string

// The kinds. Review and integration tasks are made by a submission, never by
// hand.
const (
	KindCode        Kind = "code"        // done when its submission is landed and the landed tree verified
	KindGeneral     Kind = "general"     // done by its accepted submission; nothing lands
	KindObjective   Kind = "objective"   // done when its children are and its own criteria were accepted; nobody claims it
	KindReview      Kind = "review"      // done by a decision on one submission
	KindIntegration Kind = "integration" // done when its submission is landed
)

// Submits reports whether tasks of the kind are done by a submission.
func (k Kind) Submits() bool { return k == KindCode || k == KindGeneral }

// Serves reports whether work of kind k is what is wanted: code stands for
// whatever is done by a submission, and "" for any.
func (k Kind) Serves(wanted Kind) bool {
	return wanted == "" || k == wanted || wanted == KindCode && k.Submits()
}

// ByHand reports whether tasks of the kind are created by a caller, rather
// than by a submission.
func (k Kind) ByHand() bool { return k.Submits() || k == KindObjective }

// Priority orders eligible tasks; the zero value is not valid.
type Priority string

// The priorities, most pressing first.
const (
	PriorityUrgent Priority = "urgent"
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
)

var priorities = []Priority{PriorityUrgent, PriorityHigh, PriorityNormal, PriorityLow}

// Rank is the position in selection order: 0 is served first.
func (p Priority) Rank() int { return slices.Index(priorities, p) }

// PriorityOf is the inverse of Rank.
func PriorityOf(rank int) Priority {
	if rank < 0 || rank >= len(priorities) {
		return PriorityNormal
	}
	return priorities[rank]
}

// Lifecycle is the stored part of a task's state; everything else is derived.
type Lifecycle string

// The lifecycles. Only done satisfies a dependency.
const (
	LifecyclePlanned  Lifecycle = "planned" // recorded, not admitted
	LifecycleOpen     Lifecycle = "open"
	LifecycleDone     Lifecycle = "done"
	LifecycleCanceled Lifecycle = "canceled"
	// LifecycleSuperseded is a task that another one stands for.
	LifecycleSuperseded Lifecycle = "superseded"
)

// Closed reports whether the lifecycle is final.
func (l Lifecycle) Closed() bool {
	return l == LifecycleDone || l == LifecycleCanceled || l == LifecycleSuperseded
}

// Status is derived from records and server time, never written.
type Status string

// The statuses (see DeriveStatus).
const (
	StatusPlanned            Status = "planned"
	StatusReady              Status = "ready"
	StatusInProgress         Status = "in_progress"
	StatusWaitingReview      Status = "waiting_review"
	StatusWaitingIntegration Status = "waiting_integration"
	StatusIntegrating        Status = "integrating"
	StatusValidating         Status = "validating"
	StatusBlocked            Status = "blocked"
	StatusRecoveryRequired   Status = "recovery_required"
	StatusDone               Status = "done"
	StatusCanceled           Status = "canceled"
	StatusSuperseded         Status = "superseded"
)

// Task is an intended outcome with acceptance criteria.
type Task struct {
	ID           TaskID       `json:"id"`
	Project      ProjectKey   `json:"project"`
	Kind         Kind         `json:"kind"`
	Title        string       `json:"title"`
	Outcome      string       `json:"outcome,omitempty" doc:"What will be true when it is done, at more length than the title."`
	Criteria     []string     `json:"criteria,omitempty"`
	Priority     Priority     `json:"priority"`
	Status       Status       `json:"status" doc:"Derived at read time."`
	Lifecycle    Lifecycle    `json:"lifecycle"`
	Repository   RepositoryID `json:"repository"`
	Target       string       `json:"target" doc:"Branch that its work lands on."`
	Source       string       `json:"source,omitempty" doc:"Who or what file asked for it."`
	SourceKey    string       `json:"source_key,omitempty" doc:"Its key in the system that it came from, as namespace:key; unique in the project."`
	Labels       []string     `json:"labels,omitempty"`
	Paths        []string     `json:"paths,omitempty" doc:"Paths that it expects to touch."`
	Capabilities []string     `json:"capabilities,omitempty" doc:"What a session must offer to claim it."`
	Parent       TaskID       `json:"parent,omitempty" doc:"The objective that it is part of."`
	DependsOn    []TaskID     `json:"depends_on,omitempty"`
	WaitsFor     []TaskID     `json:"waits_for,omitempty" doc:"Dependencies, and children of an objective, that are not done."`
	SupersededBy TaskID       `json:"superseded_by,omitempty"`
	Submission   SubmissionID `json:"submission,omitempty" doc:"The submission in review or landing; for a review or integration task the one it is about."`
	Slot         Actor        `json:"slot,omitempty" enum:"agent,human,either" doc:"For a review task: whose approval it waits for."`
	Blockers     []Blocker    `json:"blockers,omitempty" doc:"The open ones, oldest first."`
	Owner        *Owner       `json:"owner,omitempty" doc:"Who holds the current attempt, live or expired."`
	Saved        *Saved       `json:"saved,omitempty" doc:"Saved work that the next attempt must take up or decline."`
	Landed       *LandedFact  `json:"landed,omitempty"`
	Digest       string       `json:"digest" doc:"Digest of title, outcome, criteria and kind: what a review judges."`
	Revision     int64        `json:"revision"`
	Generation   int64        `json:"generation" doc:"Number of its latest attempt, 0 before the first."`
	CreatedAt    time.Time    `json:"created_at"`
	CreatedBy    PrincipalID  `json:"created_by"`
	ReadySince   *time.Time   `json:"ready_since,omitempty"`
	ClosedAt     *time.Time   `json:"closed_at,omitempty"`
}

// Owner is what others may know of the session that holds a task.
type Owner struct {
	Attempt      AttemptID `json:"attempt"`
	Name         string    `json:"name" doc:"The session's display name."`
	Generation   int64     `json:"generation"`
	Standing     Standing  `json:"standing"`
	Since        time.Time `json:"since"`
	ExpiresAt    time.Time `json:"expires_at"`
	LastProgress time.Time `json:"last_progress" doc:"Last checkpoint, or the claim."`
	Stalled      bool      `json:"stalled,omitempty" doc:"A cap was reached: the lease is not renewed any more."`
}

// SavedKind says what saved work was saved as.
type SavedKind string

// The kinds of saved work.
const (
	SavedCheckpoint SavedKind = "checkpoint"
	SavedCandidate  SavedKind = "candidate" // a submission that was sent back
)

// Saved points at work of an earlier generation that is on the remote or on
// one machine.
type Saved struct {
	Generation int64     `json:"generation"`
	Commit     OID       `json:"commit"`
	Tree       OID       `json:"tree"`
	Ref        string    `json:"ref"`
	Note       string    `json:"note,omitempty"`
	Next       string    `json:"next,omitempty"`
	Kind       SavedKind `json:"kind" enum:"checkpoint,candidate"`
	LocalOnly  bool      `json:"local_only,omitempty" doc:"The push failed: only the machine that made it has it."`
}

// LandedFact is where a code task's work is on its target.
type LandedFact struct {
	Landing LandingID `json:"landing"`
	Commit  OID       `json:"commit"`
	Tree    OID       `json:"tree"`
	Target  string    `json:"target"`
	At      time.Time `json:"at"`
}

// Digest binds a submission to what was judged.
func Digest(kind Kind, title, outcome string, criteria []string) string {
	return digestOf(struct {
		Kind     Kind
		Title    string
		Outcome  string
		Criteria []string
	}{kind, title, outcome, criteria})
}

// TaskQuery filters a list. Zero fields do not filter. Open ones come first,
// in selection order; a page has 50 items unless Limit says less, or more up
// to 200.
type TaskQuery struct {
	Project ProjectKey
	Status  Status
	Kind    Kind
	Label   string // one of its labels
	Parent  TaskID // children of an objective
	Owner   string // display name of who holds it
	Text    string // substring of title, ASCII case-insensitive
	Title   string // exact title
	Limit   int
	Cursor  string
}

// TaskDetail is one task with its whole record.
type TaskDetail struct {
	Task
	Attempts    []Attempt    `json:"attempts"`
	Checkpoints []Checkpoint `json:"checkpoints"`
	Receipts    []Receipt    `json:"receipts"`
	Submissions []Submission `json:"submissions"`
	Reviews     []Review     `json:"reviews"`
	Landings    []Landing    `json:"landings"`
	Notes       []Note       `json:"notes"`
	Decisions   []Decision   `json:"decisions" doc:"Those that park it or parked it."`
	// Blocked are all its blockers, lifted ones too, oldest first.
	Blocked        []Blocker       `json:"blocked"`
	Obligations    Obligations     `json:"obligations" doc:"Jobs that may still run and reservations that are still held for it."`
	Authorizations []Authorization `json:"authorizations"`
	Places         []Place         `json:"places,omitempty" doc:"Where its work is: in worktrees, on the remote, verified, landed."`
	Events         []Event         `json:"events" doc:"The latest 200, oldest first."`
	AsOf           Seq             `json:"as_of"`
}
