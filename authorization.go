package coord

import "time"

// ActionLand is the action of bringing a task's submission into its target.
const ActionLand = "land"

// Authorization records what a person allowed: an action on one task or any,
// perhaps only in one environment or for one revision, until when. Claiming a
// task authorizes nothing outside it.
type Authorization struct {
	ID          AuthorizationID `json:"id"`
	Project     ProjectKey      `json:"project"`
	Task        TaskID          `json:"task,omitempty"`
	Action      string          `json:"action"`
	Environment string          `json:"environment,omitempty" doc:"Only there. A landing's is its target branch."`
	Revision    OID             `json:"revision,omitempty" doc:"Only this commit."`
	Until       time.Time       `json:"until"`
	By          string          `json:"by"`
	Note        string          `json:"note,omitempty"`
	At          time.Time       `json:"at"`
}

// Authorize records an authorization: an operator's act.
type Authorize struct {
	Key         Key        `json:"-"`
	Project     ProjectKey `json:"-"`
	Task        TaskID     `json:"task,omitempty" doc:"Any task when empty."`
	Action      string     `json:"action,omitempty" doc:"land when empty."`
	Environment string     `json:"environment,omitempty"`
	Revision    OID        `json:"revision,omitempty"`
	For         Duration   `json:"for,omitempty" doc:"How long it holds; 24h when left out."`
	Note        string     `json:"note,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c Authorize) Validate() error {
	if c.For < 0 || c.For > Duration(90*24*time.Hour) {
		return Errorf(CodeBadRequest, "an authorization holds for at most 2160h")
	}
	if c.Action != "" && !written(c.Action, lower+digits+"-", 1, 64) {
		return Errorf(CodeBadRequest, "an action has 1 to 64 of a-z 0-9 -")
	}
	if err := checkLine("environment", c.Environment, 0, 80); err != nil {
		return err
	}
	if err := checkText("note", c.Note, 0, 2000); err != nil {
		return err
	}
	return checkOIDs(stated(c.Revision)...)
}

// CheckTask refuses a task of which nothing can be authorized: an objective is
// not worked on, its children are.
func (c Authorize) CheckTask(t Task) error {
	if t.Kind != KindObjective {
		return nil
	}
	return Errorf(CodeStateConflict, "%s is an objective, which is neither worked on nor landed itself: its children are, and each is authorized by its own id; nothing was allowed", t.ID).
		WithNext("coord task show "+string(t.ID), "coord authorize TASK")
}

// Landable is a submission on its way to its target, as far as a person's word
// for it is concerned.
type Landable struct {
	Task   TaskID
	Commit OID
	Target string
}

// Covers reports whether a lets x land at now. One for an environment lets
// land nothing elsewhere: the environment of a landing is its target.
func (a Authorization) Covers(x Landable, now time.Time) bool {
	return a.Action == ActionLand && (a.Task == "" || a.Task == x.Task) && (a.Revision == "" || a.Revision == x.Commit) &&
		(a.Environment == "" || a.Environment == x.Target) && now.Before(a.Until)
}

// CheckAuthorized refuses a landing that needs a person's word and has none.
func (p Policy) CheckAuthorized(x Landable, all []Authorization, now time.Time) error {
	if p.Integration != IntegrateHuman {
		return nil
	}
	for _, a := range all {
		if a.Covers(x, now) {
			return nil
		}
	}
	return Errorf(CodeNotPermitted, "the policy lets %s land only with a person's authorization, and there is none for %s on %s; nothing was changed", x.Task, x.Commit.Short(), x.Target).
		WithActor("operator").WithNext("coord authorize "+string(x.Task), "coord next")
}
