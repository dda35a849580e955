package coord

import "time"

// SettleJob says how a job ended that nobody observes any more: its guardian is
// gone, and with it the session that registered it. Evidence is what that rests
// on.
type SettleJob struct {
	Key      Key      `json:"-"`
	Job      JobID    `json:"-"`
	State    JobState `json:"state" enum:"succeeded,failed,interrupted,not_started"`
	Exit     *int     `json:"exit,omitempty" doc:"Needed for succeeded and failed."`
	Evidence string   `json:"evidence" doc:"What was looked at, and what it showed."`
}

// Validate checks everything that needs no stored record.
func (c SettleJob) Validate() error {
	if !c.State.Final() {
		return Errorf(CodeBadRequest, "a job is settled as succeeded, failed, interrupted or not_started, not as %q; nothing was changed", string(c.State))
	}
	if err := checkText("evidence", c.Evidence, 1, 2000); err != nil {
		return err
	}
	return c.observation(1).Validate()
}

// observation is the settlement as an observation of the sequence.
func (c SettleJob) observation(sequence int64) ObserveJob {
	return ObserveJob{Job: c.Job, Sequence: sequence, State: c.State, Exit: c.Exit, Note: c.Evidence}
}

// Settle applies a settlement to a job that nobody observes at now, and returns
// the observation that it is. Whoever still observes the job knows better.
func (j Job) Settle(c SettleJob, now time.Time) (Job, ObserveJob, error) {
	show := "coord job show " + string(j.ID)
	if j.State.Final() {
		return j, ObserveJob{}, Errorf(CodeStateConflict, "%s is %s, and that is final; nothing was changed", j.ID, j.State).WithNext(show)
	}
	if j.Standing(now) != JobUnknown {
		until := j.ObservedAt.Add(time.Duration(j.ObserveEvery))
		return j, ObserveJob{}, Errorf(CodeStateConflict, "%s was seen %s at %s, and how it goes on is its observer's to say until %s; nothing was changed", j.ID, j.State, clock(j.ObservedAt), clock(until)).
			WithRetryAfter(until.Sub(now)).WithNext(show)
	}
	o := c.observation(j.Sequence + 1)
	next, _, err := j.Observe(o, false, now)
	return next, o, err
}

// CheckSettle decides whether the claimant may say how a job of the task ended:
// a person, the task's owner, and any agent that could recover the task. Nobody
// owns a task that is closed or was given back.
func (f TaskFacts) CheckSettle(c Claimant, p Policy, now time.Time) error {
	if c.Role == RoleOperator || f.Attempt == nil {
		return nil
	}
	if f.Attempt.Session == c.Session && f.Attempt.Standing(now, f.Generation) == StandingLive {
		return nil
	}
	return f.recoverable(c.Session, p, now)
}
