package coord

import "time"

// Standing is what an attempt may still do, judged at read time.
type Standing string

// The standings. Only a live attempt has authority.
const (
	StandingLive       Standing = "live"
	StandingExpired    Standing = "expired"    // the lease ran out; nobody else has taken the task
	StandingSuperseded Standing = "superseded" // a later generation exists
	StandingReleased   Standing = "released"
	StandingRevoked    Standing = "revoked" // its session was closed, or its credential ended
	StandingSubmitted  Standing = "submitted"
	StandingFinished   Standing = "finished" // a review or an integration that ended
)

// Attempt is one session's effort at one task.
type Attempt struct {
	ID          AttemptID  `json:"id"`
	Task        TaskID     `json:"task"`
	Generation  int64      `json:"generation"`
	Fence       Fence      `json:"fence" doc:"To be stated by every request that uses the attempt's authority."`
	Owner       string     `json:"owner" doc:"The session's display name."`
	Standing    Standing   `json:"standing"`
	Lease       Lease      `json:"lease"`
	StartedAt   time.Time  `json:"started_at"`
	EndedAt     *time.Time `json:"ended_at,omitempty"`
	EndReason   string     `json:"end_reason,omitempty"`
	Worktree    *Worktree  `json:"worktree,omitempty"`
	StartedFrom OID        `json:"started_from,omitempty" doc:"Saved commit that it resumed."`
}

// Lease is time-limited authority by the server's clock. Clients count
// RemainingMS from before they sent the request.
type Lease struct {
	ExpiresAt   time.Time `json:"expires_at"`
	RemainingMS int64     `json:"remaining_ms"`
	Stalled     bool      `json:"stalled,omitempty" doc:"A cap was reached: it is not extended any more; a checkpoint lifts the progress cap."`
}

// Worktree is where an attempt works.
type Worktree struct {
	Machine string `json:"machine"`
	Path    string `json:"path"`
	GitDir  string `json:"git_dir" doc:"The worktree's own Git directory on that machine."`
	Branch  string `json:"branch"`
	Base    OID    `json:"base" doc:"Commit that the branch started from."`
}

// Disposition says what becomes of an earlier generation's saved work.
type Disposition string

// The dispositions.
const (
	DispositionResume    Disposition = "resume"    // go on from the recorded commit
	DispositionRestart   Disposition = "restart"   // begin anew; needs a reason
	DispositionDelivered Disposition = "delivered" // the work is on the target already, at the stated commit: submit that
	DispositionBlocked   Disposition = "blocked"   // the task cannot go on: the attempt ends at once, with a blocker
)

// Recovery answers CodeRecoveryRequired: it names the generation whose work
// is taken up or declined.
type Recovery struct {
	Generation  int64       `json:"generation" doc:"The latest generation, as the refusal named it."`
	Disposition Disposition `json:"disposition" enum:"resume,restart,delivered,blocked"`
	Commit      OID         `json:"commit,omitempty" doc:"For resume: the saved commit, fetched by the caller. For delivered: the commit on the target."`
	Reason      string      `json:"reason,omitempty" doc:"For restart."`
	Blocker     *NewBlocker `json:"blocker,omitempty" doc:"For blocked."`
}

// Claim takes a task: the named one, or the next eligible one of the kind.
// When no task is named and the session already holds a live attempt of the
// kind, that one is returned as a replay, unless Another is set.
type Claim struct {
	Key     Key        `json:"-"`
	Project ProjectKey `json:"-"`
	Task    TaskID     `json:"task,omitempty"`
	Kind    Kind       `json:"kind,omitempty" enum:"code,general,review,integration" doc:"Kind of the next task when none is named; code or general when empty."`
	Another bool       `json:"another,omitempty" doc:"Take a further task although the session holds one."`
	// Repository is where the caller works. A task of another one is refused:
	// its work would end up in the wrong remote.
	Repository RepositoryID `json:"repository,omitempty"`
	Recovery   *Recovery    `json:"recovery,omitempty"`
}

// Claimed is a granted claim, or its replay: then Attempt.Standing is today's
// and nothing was granted again.
type Claimed struct {
	Task       Task        `json:"task"`
	Attempt    Attempt     `json:"attempt"`
	Project    Project     `json:"project"`
	Submission *Submission `json:"submission,omitempty" doc:"For a review or integration task: what it is about."`
	Returned   *Review     `json:"returned,omitempty" doc:"The decision that sent the work back, if it was."`
	// ReturnedReason says in a sentence why the latest submission was sent
	// back, when a landing or its author rather than a reviewer did it.
	ReturnedReason string   `json:"returned_reason,omitempty"`
	Lessons        []Lesson `json:"lessons,omitempty" doc:"The few that apply."`
	Rules          []Rule   `json:"rules,omitempty" doc:"Binding rules of the project."`
	// Obligations are the jobs and reservations that earlier attempts left; a
	// new attempt starts with them unadopted.
	Obligations Obligations `json:"obligations"`
	Replayed    bool        `json:"replayed,omitempty"`
}

// Resume gives the session that let its lease expire a new generation, if
// nobody recovered the task meanwhile.
type Resume struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
}

// BindWorktree registers where a live attempt works.
type BindWorktree struct {
	Key      Key       `json:"-"`
	Attempt  AttemptID `json:"-"`
	Fence    Fence     `json:"fence"`
	Worktree Worktree  `json:"worktree"`
}

// Renew extends a live lease as Policy.Extend says. It never shortens and
// never revives, and it is not an event.
type Renew struct {
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
}

// Release ends a live attempt and keeps what it saved; with Blocker the task is
// blocked from then on. An operator may release an attempt that is not live,
// and states no fence.
type Release struct {
	Key     Key         `json:"-"`
	Attempt AttemptID   `json:"-"`
	Fence   Fence       `json:"fence,omitzero"`
	Reason  string      `json:"reason"`
	Blocker *NewBlocker `json:"blocker,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c Release) Validate() error {
	if err := checkText("reason", c.Reason, 0, 2000); err != nil {
		return err
	}
	if c.Blocker != nil {
		return c.Blocker.Validate()
	}
	return nil
}

// Checkpoint is saved progress: a note and a snapshot commit.
type Checkpoint struct {
	Task       TaskID    `json:"task"`
	Attempt    AttemptID `json:"attempt"`
	Generation int64     `json:"generation"`
	Number     int64     `json:"number" doc:"From 1 within the attempt."`
	Note       string    `json:"note"`
	Next       string    `json:"next,omitempty"`
	Commit     OID       `json:"commit"`
	Tree       OID       `json:"tree"`
	Ref        string    `json:"ref"`
	Pushed     bool      `json:"pushed" doc:"The ref was read back from the remote at this commit."`
	Automatic  bool      `json:"automatic,omitempty" doc:"Made without the agent's doing: it saves work and is no progress."`
	At         time.Time `json:"at"`
}

// RecordCheckpoint reports a checkpoint that the client made.
type RecordCheckpoint struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
	Note    string    `json:"note"`
	Next    string    `json:"next,omitempty"`
	Commit  OID       `json:"commit"`
	Tree    OID       `json:"tree"`
	Ref     string    `json:"ref"`
	Pushed  bool      `json:"pushed"`
	// Automatic is one that nobody asked for: it is saved like any other, and
	// lifts no cap.
	Automatic bool `json:"automatic,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c RecordCheckpoint) Validate() error {
	if err := checkText("note", c.Note, 1, 4000); err != nil {
		return err
	}
	if err := checkText("next", c.Next, 0, 2000); err != nil {
		return err
	}
	if c.Pushed && c.Ref == "" {
		return Errorf(CodeBadRequest, "a pushed checkpoint names the ref that it was pushed to")
	}
	return checkOIDs(c.Commit, c.Tree)
}
