package coord

import (
	"slices"
	"time"
)

// Kind says what finishing a task means.
type Kind string

// The kinds of this version. Review and integration tasks are made by a
// submission, never by hand.
const (
	KindCode        Kind = "code"        // done when its submission is landed and the landed tree verified
	KindReview      Kind = "review"      // done by a decision on one submission
	KindIntegration Kind = "integration" // done when its submission is landed
)

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
)

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
)

// Task is an intended outcome with acceptance criteria.
type Task struct {
	ID         TaskID       `json:"id"`
	Project    ProjectKey   `json:"project"`
	Kind       Kind         `json:"kind"`
	Title      string       `json:"title"`
	Outcome    string       `json:"outcome,omitempty" doc:"What will be true when it is done, at more length than the title."`
	Criteria   []string     `json:"criteria,omitempty"`
	Priority   Priority     `json:"priority"`
	Status     Status       `json:"status" doc:"Derived at read time."`
	Lifecycle  Lifecycle    `json:"lifecycle"`
	Repository RepositoryID `json:"repository"`
	Target     string       `json:"target" doc:"Branch that its work lands on."`
	Source     string       `json:"source,omitempty" doc:"Who or what file asked for it."`
	DependsOn  []TaskID     `json:"depends_on,omitempty"`
	WaitsFor   []TaskID     `json:"waits_for,omitempty" doc:"Dependencies that are not done."`
	Submission SubmissionID `json:"submission,omitempty" doc:"The submission in review or landing; for a review or integration task the one it is about."`
	Blocker    *Blocker     `json:"blocker,omitempty"`
	Owner      *Owner       `json:"owner,omitempty" doc:"Who holds the current attempt, live or expired."`
	Saved      *Saved       `json:"saved,omitempty" doc:"Saved work that the next attempt must take up or decline."`
	Landed     *LandedFact  `json:"landed,omitempty"`
	Digest     string       `json:"digest" doc:"Digest of title, outcome, criteria and kind: what a review judges."`
	Revision   int64        `json:"revision"`
	Generation int64        `json:"generation" doc:"Number of its latest attempt, 0 before the first."`
	CreatedAt  time.Time    `json:"created_at"`
	CreatedBy  PrincipalID  `json:"created_by"`
	ReadySince *time.Time   `json:"ready_since,omitempty"`
	ClosedAt   *time.Time   `json:"closed_at,omitempty"`
}

// BlockerKind says what a task met.
type BlockerKind string

// The kinds of blocker. Each is what a landing ended with.
const (
	BlockedByConflict BlockerKind = "conflict"
	BlockedByCheck    BlockerKind = "check_failed"
)

// Blocker is a structured reason why a task cannot go on.
type Blocker struct {
	Kind   BlockerKind `json:"kind" enum:"conflict,check_failed"`
	Text   string      `json:"text"`
	Reopen string      `json:"reopen" doc:"What lifts it."`
	At     time.Time   `json:"at"`
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

// CreateTask records a code task, open for claiming at once unless Planned. An
// unfinished task of the same title is CodeStateConflict, naming it, unless
// SameTitle.
type CreateTask struct {
	Key       Key        `json:"-"`
	Project   ProjectKey `json:"-"`
	Title     string     `json:"title"`
	Outcome   string     `json:"outcome,omitempty"`
	Criteria  []string   `json:"criteria,omitempty" maxItems:"50"`
	Priority  Priority   `json:"priority,omitempty" enum:"urgent,high,normal,low"`
	Target    string     `json:"target,omitempty" doc:"Branch to land on; the repository's default when empty."`
	DependsOn []TaskID   `json:"depends_on,omitempty" maxItems:"100"`
	Planned   bool       `json:"planned,omitempty" doc:"Record without admitting it."`
	SameTitle bool       `json:"same_title,omitempty" doc:"Create it although an unfinished task has the same title."`
}

// Validate checks everything that needs no stored record.
func (c CreateTask) Validate() error {
	if err := checkLine("title", c.Title, 1, 200); err != nil {
		return err
	}
	if err := checkText("outcome", c.Outcome, 0, 16<<10); err != nil {
		return err
	}
	if len(c.Criteria) > 50 || len(c.DependsOn) > 100 {
		return Errorf(CodeBadRequest, "a task takes at most 50 criteria and 100 dependencies")
	}
	for _, k := range c.Criteria {
		if err := checkLine("criterion", k, 1, 2000); err != nil {
			return err
		}
	}
	if c.Priority != "" && c.Priority.Rank() < 0 {
		return Errorf(CodeBadRequest, "priority %q is not urgent, high, normal or low", string(c.Priority))
	}
	if c.Target != "" {
		return CheckBranch(c.Target)
	}
	return nil
}

// TaskQuery filters a list. Zero fields do not filter. Open ones come first,
// in selection order; a page has 50 items unless Limit says less, or more up
// to 200.
type TaskQuery struct {
	Project ProjectKey
	Status  Status
	Kind    Kind
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
	Events      []Event      `json:"events" doc:"The latest 200, oldest first."`
	AsOf        Seq          `json:"as_of"`
}
