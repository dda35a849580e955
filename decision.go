package coord

import (
	"slices"
	"strings"
	"time"
)

// DecisionState is what has become of a question.
type DecisionState string

// The states. An answer is never changed; a new decision may supersede it.
const (
	DecisionOpen       DecisionState = "open"
	DecisionAnswered   DecisionState = "answered"
	DecisionExpired    DecisionState = "expired" // nobody answered in time; its tasks stay parked until it is asked anew
	DecisionSuperseded DecisionState = "superseded"
)

// Decision is a question with exact options. The tasks that it names are
// parked until it is answered; everything else goes on. Its text is data,
// never configuration.
type Decision struct {
	ID             DecisionID    `json:"id"`
	Project        ProjectKey    `json:"project"`
	Question       string        `json:"question"`
	Options        []string      `json:"options"`
	Recommendation string        `json:"recommendation,omitempty" doc:"One of the options."`
	RequiredActor  Actor         `json:"required_actor" enum:"agent,human,either"`
	Tasks          []TaskID      `json:"tasks,omitempty" doc:"What it parks."`
	Reopen         string        `json:"reopen,omitempty" doc:"Condition under which the question comes up again."`
	Reversible     bool          `json:"reversible,omitempty"`
	StandsAt       *time.Time    `json:"stands_at,omitempty" doc:"When the recommendation stands if nobody answers and the policy allows it."`
	ExpiresAt      *time.Time    `json:"expires_at,omitempty"`
	Escalation     bool          `json:"escalation,omitempty" doc:"A limit was reached; who contributed to the tasks does not answer it."`
	State          DecisionState `json:"state"`
	Answer         *Answer       `json:"answer,omitempty"`
	Supersedes     DecisionID    `json:"supersedes,omitempty"`
	SupersededBy   DecisionID    `json:"superseded_by,omitempty"`
	AskedBy        string        `json:"asked_by"`
	At             time.Time     `json:"at"`
}

// Answer is what was decided, by whom, and as what.
type Answer struct {
	Option string    `json:"option"`
	By     string    `json:"by"`
	Actor  Actor     `json:"actor" enum:"agent,human,timeout"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// Ask records a question and parks the tasks it names.
type Ask struct {
	Key            Key        `json:"-"`
	Project        ProjectKey `json:"-"`
	Question       string     `json:"question"`
	Options        []string   `json:"options" minItems:"2" maxItems:"20"`
	Recommendation string     `json:"recommendation,omitempty"`
	RequiredActor  Actor      `json:"required_actor,omitempty" enum:"agent,human,either" doc:"Either when empty."`
	Tasks          []TaskID   `json:"tasks,omitempty" maxItems:"100"`
	Reopen         string     `json:"reopen,omitempty"`
	Reversible     bool       `json:"reversible,omitempty"`
	StandsIn       Duration   `json:"stands_in,omitempty" doc:"Let the recommendation stand after this, if nobody answers and the policy allows it."`
	ExpiresIn      Duration   `json:"expires_in,omitempty"`
	Supersedes     DecisionID `json:"supersedes,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c Ask) Validate() error {
	if err := checkText("question", c.Question, 1, 4000); err != nil {
		return err
	}
	if len(c.Options) < 2 || len(c.Options) > 20 {
		return Errorf(CodeBadRequest, "a decision has 2 to 20 options, not %d", len(c.Options)).WithNext("coord ask QUESTION --option A --option B")
	}
	seen := map[string]bool{}
	for _, o := range c.Options {
		if err := checkLine("option", o, 1, 200); err != nil {
			return err
		}
		if o != strings.TrimSpace(o) || seen[o] {
			return Errorf(CodeBadRequest, "option %q is there twice, or has blanks around it", o)
		}
		seen[o] = true
	}
	if c.Recommendation != "" && !seen[c.Recommendation] {
		return Errorf(CodeBadRequest, "the recommendation %q is none of the options", c.Recommendation)
	}
	if c.RequiredActor != "" && c.RequiredActor != ActorAgent && c.RequiredActor != ActorHuman && c.RequiredActor != ActorEither {
		return Errorf(CodeBadRequest, "actor %q is not agent, human or either", string(c.RequiredActor))
	}
	if len(c.Tasks) > 100 {
		return Errorf(CodeBadRequest, "a decision parks at most 100 tasks")
	}
	if err := checkText("reopening condition", c.Reopen, 0, 2000); err != nil {
		return err
	}
	return c.checkTimes()
}

func (c Ask) checkTimes() error {
	const longest = Duration(365 * 24 * time.Hour)
	switch {
	case c.StandsIn < 0 || c.ExpiresIn < 0 || c.StandsIn > longest || c.ExpiresIn > longest:
		return Errorf(CodeBadRequest, "a decision's times are between 0 and 8760h")
	case c.StandsIn > 0 && (!c.Reversible || c.Recommendation == ""):
		return Errorf(CodeBadRequest, "only the recommendation of a reversible decision may stand without an answer").WithNext("coord ask --reversible --recommend OPTION")
	case c.StandsIn > 0 && c.RequiredActor == ActorHuman:
		return Errorf(CodeBadRequest, "an answer that a person must give does not come by itself")
	case c.StandsIn > 0 && c.ExpiresIn > 0 && c.ExpiresIn <= c.StandsIn:
		return Errorf(CodeBadRequest, "the decision would expire before its recommendation stands")
	}
	return nil
}

// Begin is the decision that the command makes at now.
func (c Ask) Begin(now time.Time) Decision {
	d := Decision{
		Project: c.Project, Question: c.Question, Options: c.Options, Recommendation: c.Recommendation, RequiredActor: c.RequiredActor,
		Tasks: c.Tasks, Reopen: c.Reopen, Reversible: c.Reversible, Supersedes: c.Supersedes, State: DecisionOpen, At: now,
	}
	if d.RequiredActor == "" {
		d.RequiredActor = ActorEither
	}
	if c.StandsIn > 0 {
		at := now.Add(time.Duration(c.StandsIn))
		d.StandsAt = &at
	}
	if c.ExpiresIn > 0 {
		at := now.Add(time.Duration(c.ExpiresIn))
		d.ExpiresAt = &at
	}
	return d
}

// Decide answers a decision with exactly one of its options.
type Decide struct {
	Key      Key        `json:"-"`
	Project  ProjectKey `json:"-"`
	Decision DecisionID `json:"-"`
	Option   string     `json:"option"`
	Note     string     `json:"note,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c Decide) Validate() error {
	if err := checkLine("option", c.Option, 1, 200); err != nil {
		return err
	}
	return checkText("note", c.Note, 0, 4000)
}

// Standing is the state at now: an open decision past its time is expired.
func (d Decision) Standing(now time.Time) DecisionState {
	if d.State == DecisionOpen && d.ExpiresAt != nil && !now.Before(*d.ExpiresAt) {
		return DecisionExpired
	}
	return d.State
}

// Decided is the decision with the caller's answer. contributor says that the
// caller's session worked on a task that the decision parks.
func (d Decision) Decided(c Decide, by Caller, contributor bool, now time.Time) (Decision, error) {
	show := "coord decisions " + string(d.ID)
	switch standing := d.Standing(now); {
	case standing == DecisionSuperseded:
		return d, Errorf(CodeStateConflict, "%s is superseded by %s; nothing was changed", d.ID, d.SupersededBy).WithNext("coord decide "+string(d.SupersededBy)+" OPTION", "coord decisions "+string(d.SupersededBy))
	case standing != DecisionOpen:
		return d, Errorf(CodeStateConflict, "%s is %s; nothing was changed", d.ID, standing).WithNext("coord ask --supersedes "+string(d.ID), show)
	case !slices.Contains(d.Options, c.Option):
		return d, Errorf(CodeBadRequest, "%q is none of the options of %s: %s; nothing was changed", c.Option, d.ID, strings.Join(d.Options, " | ")).WithNext(show)
	case !d.RequiredActor.Allows(by.Role):
		return d, Errorf(CodeNotPermitted, "%s is a person's to answer; nothing was changed", d.ID).WithActor("operator").WithNext("coord next")
	case d.Escalation && contributor:
		return d, Errorf(CodeNotIndependent, "this session worked on what %s is about, so another one must answer it; nothing was changed", d.ID).WithNext("coord next")
	}
	d.State = DecisionAnswered
	d.Answer = &Answer{Option: c.Option, By: by.Name, Actor: ActorOf(by.Role), Note: c.Note, At: now}
	return d, nil
}

// Stands reports whether the recommendation is the answer by now, because
// nobody gave one in time and the policy lets that count.
func (d Decision) Stands(p Policy, now time.Time) bool {
	return p.TimedAnswers && d.Standing(now) == DecisionOpen && d.Reversible && d.Recommendation != "" && d.RequiredActor != ActorHuman &&
		d.StandsAt != nil && !now.Before(*d.StandsAt)
}

// StandingAnswer is the answer that a recommendation which stands gives.
func (d Decision) StandingAnswer(now time.Time) Decision {
	d.State = DecisionAnswered
	d.Answer = &Answer{Option: d.Recommendation, By: "nobody", Actor: ActorTimeout, Note: "nobody answered in time, and the recommendation stands", At: now}
	return d
}

// CheckSupersede decides whether the new question c may take the place of d. An
// escalation is somebody's to answer, and stays so: time does not do it.
func (d Decision) CheckSupersede(c Ask, r Role) error {
	switch {
	case d.Escalation && c.StandsIn > 0:
		return Errorf(CodeBadRequest, "%s is to be answered by somebody who did not work on it, so no answer to it comes by itself; nothing was changed", d.ID).
			WithNext("coord ask --supersedes " + string(d.ID))
	case d.State == DecisionSuperseded:
		return Errorf(CodeStateConflict, "%s is superseded by %s already; nothing was changed", d.ID, d.SupersededBy).WithNext("coord decisions " + string(d.SupersededBy))
	case d.RequiredActor == ActorHuman && r != RoleOperator, d.Answer != nil && d.Answer.Actor == ActorHuman && r != RoleOperator:
		return Errorf(CodeNotPermitted, "%s is a person's, so a person has to ask it anew; nothing was changed", d.ID).WithActor("operator").WithNext("coord next")
	}
	return nil
}

// DecisionQuery filters a list: newest first, the open ones before the rest.
type DecisionQuery struct {
	Project ProjectKey
	State   DecisionState // all when empty
	Task    TaskID
	Limit   int // 50 when 0, at most 200
}
