package coord

import (
	"strconv"
	"time"
)

// Activity says what a caller should do next.
type Activity string

// The activities, in order of value.
const (
	ActivityContinue  Activity = "continue"  // the session already holds work
	ActivityRecover   Activity = "recover"   // a task whose owner's lease ended
	ActivityResume    Activity = "resume"    // saved work that nobody holds: sent back, or given back
	ActivityRevise    Activity = "revise"    // a submission that cannot land as it is goes back
	ActivityDecide    Activity = "decide"    // a question that parks tasks and that this caller may answer
	ActivityReview    Activity = "review"    // someone's submission
	ActivityIntegrate Activity = "integrate" // an approved submission
	ActivityAccept    Activity = "accept"    // an objective whose children are done
	ActivityImplement Activity = "implement" // a ready task
	ActivityAuthorize Activity = "authorize" // a landing that waits for a person's word
	ActivityUnblock   Activity = "unblock"   // a blocker that a person lifts
	ActivityRelease   Activity = "release"   // a dead owner's task, where the policy has a person give it back
	ActivityNone      Activity = "none"      // nothing eligible: a normal stop
)

// NextAction is the one thing to do now and the command to type. A person is
// told what only a person can do.
type NextAction struct {
	Activity Activity  `json:"activity"`
	Task     *Task     `json:"task,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	Command  string    `json:"command,omitempty"`
	Reason   string    `json:"reason,omitempty" doc:"Why the work comes back, when it was sent back: who said what."`
	Skipped  []Skip    `json:"skipped,omitempty" doc:"Why other work is not for this caller now."`
	AsOf     Seq       `json:"as_of"`
}

// Skip is a reason with how many tasks it holds back.
type Skip struct {
	Reason  string `json:"reason"`
	Count   int    `json:"count" doc:"Counted up to 50."`
	Example TaskID `json:"example,omitempty"`
}

// CountedTo is how far the tasks of a Skip are counted.
const CountedTo = 50

// Text is the reason with its number: "3 tasks blocked".
func (s Skip) Text() string {
	n := strconv.Itoa(s.Count)
	if s.Count >= CountedTo {
		n += "+"
	}
	return n + " " + s.Reason
}

// Brief is the bounded orientation of one caller: what it holds, what binds
// it, what waits for an answer, and what to do next.
type Brief struct {
	Project   Project    `json:"project"`
	Caller    Caller     `json:"caller"`
	Holds     []Task     `json:"holds,omitempty" doc:"Tasks that the session holds, live or expired; at most 10."`
	Rules     []Rule     `json:"rules,omitempty" doc:"At most 20."`
	Decisions []Decision `json:"decisions,omitempty" doc:"Open ones, those that park what the session holds first; at most 5."`
	Lessons   []Lesson   `json:"lessons,omitempty" doc:"Those that apply to what is held, or else the latest verified; at most 3."`
	Next      NextAction `json:"next"`
	AsOf      Seq        `json:"as_of"`
}

// Board is the tasks of a project by status: all open ones up to a bound,
// and the latest closed.
type Board struct {
	Project Project       `json:"project"`
	Columns []BoardColumn `json:"columns"`
	AsOf    Seq           `json:"as_of"`
	Now     time.Time     `json:"now" doc:"The server's clock, for ages."`
}

// BoardColumn holds the tasks of one status. Count may exceed len(Tasks).
type BoardColumn struct {
	Status Status `json:"status"`
	Count  int    `json:"count"`
	Tasks  []Task `json:"tasks"`
}

// Stage is the furthest place where a submission's or an attempt's work is.
type Stage string

// The stages, from one workstation to the target branch.
const (
	StageWorkstation Stage = "workstation" // an attempt without a pushed checkpoint
	StageCheckpoint  Stage = "checkpoint"  // a checkpoint on the remote
	StageCandidate   Stage = "candidate"   // submitted: candidate ref on the remote
	StageApproved    Stage = "approved"
	StageVerified    Stage = "verified" // the merged tree passed its checks
	StageLanded      Stage = "landed"
)

// WorkRow is one task's work in the branch-versus-integrated view.
type WorkRow struct {
	Task       TaskID       `json:"task"`
	Title      string       `json:"title"`
	Target     string       `json:"target"`
	Stage      Stage        `json:"stage"`
	Commit     OID          `json:"commit,omitempty"`
	Tree       OID          `json:"tree,omitempty"`
	Ref        string       `json:"ref,omitempty"`
	By         string       `json:"by" doc:"Who observed it."`
	At         time.Time    `json:"at"`
	Submission SubmissionID `json:"submission,omitempty"`
	LocalOnly  bool         `json:"local_only,omitempty"`
	Distance   *Distance    `json:"distance,omitempty" doc:"Of its candidate from the target, when it was submitted."`
	Drift      int          `json:"drift,omitempty" doc:"Landings on the target since it was submitted or, if it was, verified; counted to 50."`
}

// TargetRow is one target branch: its last known tip, its hold and its queue.
type TargetRow struct {
	Repository RepositoryID `json:"repository"`
	Target     string       `json:"target"`
	Tip        OID          `json:"tip,omitempty" doc:"As observed at the last landing."`
	ObservedAt *time.Time   `json:"observed_at,omitempty"`
	Hold       *Landing     `json:"hold,omitempty"`
	Queue      []TaskID     `json:"queue,omitempty" doc:"Approved submissions' tasks by priority, then age."`
	Outside    []OID        `json:"outside,omitempty" doc:"Commits that came from outside coord, seen at the last hold."`
	Landed     OID          `json:"landed,omitempty" doc:"Result of the last landing, which the branch has to contain."`
	Diverged   *Divergence  `json:"diverged,omitempty" doc:"It was seen without its last recorded landing; nothing lands until that is settled."`
	// Unreconciled is Target's.
	Unreconciled bool `json:"unreconciled,omitempty" doc:"The server was restored, and nobody has looked since what landed after its backup."`
}

// LandingBoard is branch versus integrated.
type LandingBoard struct {
	Project Project     `json:"project"`
	Targets []TargetRow `json:"targets"`
	Work    []WorkRow   `json:"work" doc:"Open work first, then the latest landed; at most 200."`
	AsOf    Seq         `json:"as_of"`
	Now     time.Time   `json:"now"`
}

// Overview is every project at a glance.
type Overview struct {
	Projects []ProjectSummary `json:"projects"`
	AsOf     Seq              `json:"as_of"`
	Now      time.Time        `json:"now"`
}

// ProjectSummary counts a project's tasks by derived status.
type ProjectSummary struct {
	Project        ProjectKey     `json:"project"`
	Name           string         `json:"name"`
	Counts         map[Status]int `json:"counts" doc:"Code tasks by status."`
	LandedThisWeek int            `json:"landed_this_week"`
	OldestReady    *time.Time     `json:"oldest_ready,omitempty"`
	OldestReview   *time.Time     `json:"oldest_review,omitempty"`
	OldestLanding  *time.Time     `json:"oldest_landing,omitempty"`
}
