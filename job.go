package coord

import (
	"strconv"
	"time"
)

// JobState is what is known of a job's process.
type JobState string

// The states. Succeeded, failed, interrupted and not started are final.
// Unknown is never reported: it is what a job is when nobody has observed it
// within its deadline.
const (
	JobRegistered  JobState = "registered"
	JobRunning     JobState = "running"
	JobSucceeded   JobState = "succeeded"
	JobFailed      JobState = "failed"
	JobInterrupted JobState = "interrupted"
	JobNotStarted  JobState = "not_started"
	JobUnknown     JobState = "unknown"
)

// Final reports whether no later observation changes the state.
func (s JobState) Final() bool {
	return s == JobSucceeded || s == JobFailed || s == JobInterrupted || s == JobNotStarted
}

// Job is a run of a local program with a record of its own, which outlives the
// agent's turn. It is registered before it is launched, and launched at most
// once.
type Job struct {
	ID           JobID      `json:"id"`
	Project      ProjectKey `json:"project"`
	Task         TaskID     `json:"task"`
	Attempt      AttemptID  `json:"attempt" doc:"The attempt that answers for it: the one that registered it, or adopted it since."`
	Name         string     `json:"name"`
	External     string     `json:"external,omitempty" doc:"The caller's own id of it; unique in the project."`
	Argv         string     `json:"argv" doc:"SHA-256 of the command, hex."`
	Machine      string     `json:"machine"`
	Tree         OID        `json:"tree,omitempty" doc:"Snapshot that it runs on."`
	State        JobState   `json:"state" doc:"Unknown when nobody observed it within observe_every."`
	Process      *Process   `json:"process,omitempty"`
	Sequence     int64      `json:"sequence" doc:"Of the last observation that counted."`
	Exit         *int       `json:"exit,omitempty"`
	LogDigest    string     `json:"log_digest,omitempty"`
	ObserveEvery Duration   `json:"observe_every" doc:"Without an observation for this long its state is unknown."`
	RegisteredAt time.Time  `json:"registered_at"`
	ObservedAt   time.Time  `json:"observed_at"`
	EndedAt      *time.Time `json:"ended_at,omitempty"`
	Conflict     bool       `json:"conflict,omitempty" doc:"A later observation contradicts the final state."`
	// Evidence is the latest observation that did not count.
	Evidence *JobObservation `json:"evidence,omitempty" doc:"The latest observation that did not count: of a superseded attempt, or against the final state."`
	Settled  *JobObservation `json:"settled,omitempty" doc:"Who said how it ended although nobody had seen it, and what that rests on."`
}

// JobObservation is an observation that was kept and changed no state, or one
// that settled the job.
type JobObservation struct {
	State  JobState  `json:"state"`
	Effect Effect    `json:"effect" enum:"counted,evidence,conflict"`
	Exit   *int      `json:"exit,omitempty"`
	Note   string    `json:"note,omitempty"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// Process identifies a process on its machine for as long as it runs.
type Process struct {
	PID   int64  `json:"pid"`
	Start string `json:"start" doc:"When it started, as its system tells it; opaque."`
}

// RegisterJob records a job before it is launched. The same External id again
// answers with the job of the first time.
type RegisterJob struct {
	Key          Key       `json:"-"`
	Attempt      AttemptID `json:"-"`
	Fence        Fence     `json:"fence"`
	Name         string    `json:"name"`
	External     string    `json:"external,omitempty"`
	Argv         string    `json:"argv" doc:"SHA-256 of the command, hex."`
	Machine      string    `json:"machine"`
	Tree         OID       `json:"tree,omitempty"`
	ObserveEvery Duration  `json:"observe_every,omitempty" doc:"5m when left out."`
}

// RegisteredJob answers RegisterJob. Reporter is a credential that can observe
// this job and nothing else; it is shown once.
type RegisteredJob struct {
	Job           Job    `json:"job"`
	Reporter      string `json:"reporter,omitempty"`
	ReporterShown bool   `json:"reporter_shown,omitempty" doc:"The credential was shown before and is not kept."`
}

// Validate checks everything that needs no stored record.
func (c RegisterJob) Validate() error {
	if err := checkLine("name", c.Name, 1, 120); err != nil {
		return err
	}
	if err := checkLine("external id", c.External, 0, 200); err != nil {
		return err
	}
	if err := checkLine("machine", c.Machine, 1, 120); err != nil {
		return err
	}
	if !written(c.Argv, hexDigits, 64, 64) {
		return Errorf(CodeBadRequest, "the command's digest is a SHA-256 in hex")
	}
	if c.ObserveEvery < 0 || c.ObserveEvery > Duration(24*time.Hour) {
		return Errorf(CodeBadRequest, "a job is observed at least once in 24h")
	}
	return checkOIDs(stated(c.Tree)...)
}

// CheckSame refuses an external id for another run than the one that has it: a
// job is launched once, whoever registers it again.
func (j Job) CheckSame(task TaskID, c RegisterJob) error {
	if j.Task == task && j.Argv == c.Argv {
		return nil
	}
	return Errorf(CodeStateConflict, "the external id %s is that of %s of %s, which is another run; nothing was registered", OneLine(c.External), j.ID, j.Task).WithNext("coord job show " + string(j.ID))
}

// ObserveJob reports what a job's process was seen to be. Sequence rises with
// each observation of one observer.
type ObserveJob struct {
	Key       Key      `json:"-"`
	Job       JobID    `json:"-"`
	Fence     Fence    `json:"fence,omitzero" doc:"Of the attempt that answers for the job; left out by its reporter."`
	Sequence  int64    `json:"sequence" minimum:"1"`
	State     JobState `json:"state" enum:"running,succeeded,failed,interrupted,not_started"`
	Process   *Process `json:"process,omitempty"`
	Exit      *int     `json:"exit,omitempty" doc:"Needed for succeeded and failed."`
	EndedAgo  Duration `json:"ended_ago,omitempty" doc:"How long ago it ended, by the observer's clock."`
	LogDigest string   `json:"log_digest,omitempty"`
	Note      string   `json:"note,omitempty" doc:"What the observation rests on."`
}

// Validate checks everything that needs no stored record.
func (c ObserveJob) Validate() error {
	switch {
	case c.Sequence < 1:
		return Errorf(CodeBadRequest, "an observation's sequence counts from 1")
	case c.State != JobRunning && !c.State.Final():
		return Errorf(CodeBadRequest, "state %q is not running, succeeded, failed, interrupted or not_started", string(c.State))
	case c.State == JobRunning && (c.Process == nil || c.Process.PID < 1 || c.Process.Start == ""):
		return Errorf(CodeBadRequest, "a running job is identified by its process id and when that started")
	case c.State == JobSucceeded && (c.Exit == nil || *c.Exit != 0):
		return Errorf(CodeBadRequest, "a job that succeeded has exit status 0")
	case c.State == JobFailed && (c.Exit == nil || *c.Exit == 0):
		return Errorf(CodeBadRequest, "a job that failed has an exit status other than 0")
	case c.EndedAgo < 0:
		return Errorf(CodeBadRequest, "a job does not end in the future")
	case c.LogDigest != "" && !written(c.LogDigest, hexDigits, 64, 64):
		return Errorf(CodeBadRequest, "a log's digest is a SHA-256 in hex")
	}
	return checkText("note", c.Note, 0, 2000)
}

// Observed answers ObserveJob.
type Observed struct {
	Job    Job    `json:"job"`
	Effect Effect `json:"effect" enum:"counted,evidence,conflict"`
}

// Effect is what an observation did to its job.
type Effect string

// The effects. Every observation is kept.
const (
	EffectCounted  Effect = "counted"  // it is the job's state now
	EffectEvidence Effect = "evidence" // it is stored and changes nothing: its attempt does not answer for the job any more
	EffectConflict Effect = "conflict" // it contradicts the final state, which stays; the task is blocked
)

// Standing is the job's state at now. Losing the observer makes it unknown,
// never failed.
func (j Job) Standing(now time.Time) JobState {
	if !j.State.Final() && !now.Before(j.ObservedAt.Add(time.Duration(j.ObserveEvery))) {
		return JobUnknown
	}
	return j.State
}

// MayRun reports whether the job's process may still be there.
func (j Job) MayRun() bool { return !j.State.Final() }

// Stale reports whether what an observer says is evidence only. observer is
// the attempt that its session holds or held, or "" for the job's reporter, who
// speaks for the attempt that answers for the job. latest is the generation of
// the job's task: an attempt before it was superseded, and its jobs wait to be
// adopted.
func (j Job) Stale(observer AttemptID, latest int64) bool {
	return j.Attempt != NewAttemptID(j.Task, latest) || observer != "" && observer != j.Attempt
}

// Observe applies an observation at now. stale is what Stale says of its
// observer.
func (j Job) Observe(c ObserveJob, stale bool, now time.Time) (Job, Effect, error) {
	if stale {
		return j, EffectEvidence, nil
	}
	if j.State.Final() {
		switch {
		case c.State == j.State && sameExit(c.Exit, j.Exit):
			return j, EffectCounted, nil
		case c.State.Final():
			j.Conflict = true
			return j, EffectConflict, nil
		}
		return j, "", Errorf(CodeStateConflict, "%s is %s, and that is final; nothing was changed", j.ID, j.State).WithNext("coord job show " + string(j.ID))
	}
	switch {
	case c.Sequence <= j.Sequence:
		return j, "", Errorf(CodeStateConflict, "observation %d of %s came after observation %d; nothing was changed", c.Sequence, j.ID, j.Sequence).
			WithDetail("sequence", strconv.FormatInt(j.Sequence, 10)).WithNext("coord job show " + string(j.ID))
	case c.State == JobNotStarted && j.State != JobRegistered:
		return j, "", Errorf(CodeStateConflict, "%s was seen running, so it was started; nothing was changed", j.ID).WithNext("coord job show " + string(j.ID))
	case j.Process != nil && c.Process != nil && *j.Process != *c.Process:
		return j, "", Errorf(CodeStateConflict, "%s is process %d that started at %s, not process %d of %s; nothing was changed", j.ID, j.Process.PID, j.Process.Start, c.Process.PID, c.Process.Start).
			WithNext("coord job show " + string(j.ID))
	}
	j.State, j.Sequence, j.ObservedAt = c.State, c.Sequence, now
	if c.Process != nil {
		j.Process = c.Process
	}
	if c.LogDigest != "" {
		j.LogDigest = c.LogDigest
	}
	if c.State.Final() {
		ended := now.Add(-time.Duration(c.EndedAgo))
		if ended.Before(j.RegisteredAt) {
			ended = j.RegisteredAt
		}
		j.Exit, j.EndedAt = c.Exit, &ended
	}
	return j, EffectCounted, nil
}

func sameExit(a, b *int) bool { return a == nil || b == nil || *a == *b }

// JobQuery filters a list, newest first.
type JobQuery struct {
	Project ProjectKey
	Task    TaskID
	Open    bool // only those that may still run
	Limit   int  // 50 when 0, at most 200
}
