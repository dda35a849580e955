package coord

import (
	"slices"
	"strings"
	"time"
)

// Verdict is the outcome of a review.
type Verdict string

// The verdicts.
const (
	VerdictApproved         Verdict = "approved"
	VerdictChangesRequested Verdict = "changes_requested"
)

// Severity says whether a finding must be resolved.
type Severity string

// The severities.
const (
	SeverityRequired Severity = "required"
	SeverityAdvisory Severity = "advisory"
)

// Finding is one thing a reviewer saw. Findings of one class are counted
// across all attempts of a task, whatever the texts say.
type Finding struct {
	ID         FindingID `json:"id,omitempty" readOnly:"true" doc:"Stable within the task: pay-42.f3."`
	Class      string    `json:"class,omitempty" doc:"What sort of thing it is, such as tests or naming; general when empty."`
	Severity   Severity  `json:"severity" enum:"required,advisory"`
	Text       string    `json:"text"`
	Remedy     string    `json:"remedy,omitempty"`
	Resolution string    `json:"resolution,omitempty" readOnly:"true" doc:"The review that found it dealt with, once one did."`
}

// DefaultClass is the class of a finding that names none.
const DefaultClass = "general"

// Review is a decision on one submission by someone who did not contribute
// to it.
type Review struct {
	ID         ReviewID     `json:"id"`
	Submission SubmissionID `json:"submission"`
	Task       TaskID       `json:"task" doc:"The review task that it decided."`
	Commit     OID          `json:"commit" doc:"The commit judged; no other has this decision."`
	Digest     string       `json:"digest" doc:"Of the task as it was judged."`
	Verdict    Verdict      `json:"verdict"`
	Actor      Actor        `json:"actor" enum:"agent,human"`
	Reviewer   string       `json:"reviewer"`
	Note       string       `json:"note"`
	Findings   []Finding    `json:"findings,omitempty"`
	Voided     string       `json:"voided,omitempty" doc:"Why it counts no more: it was withdrawn, or its reviewer lost access."`
	At         time.Time    `json:"at"`
}

// Wants is what has to change before the review would be another: its required
// findings or, where it names none, its note, as one of the default class.
func (r Review) Wants() []Finding {
	if r.Verdict != VerdictChangesRequested {
		return nil
	}
	var out []Finding
	for _, f := range r.Findings {
		if f.Severity == SeverityRequired {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		out = []Finding{{Class: DefaultClass, Severity: SeverityRequired, Text: r.Note}}
	}
	return out
}

// RecordReview decides under a live attempt at the review task.
type RecordReview struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
	Judgement
}

// Judge is a person's decision on a submission, without an attempt. An
// approval fills one open slot, a person's before another.
type Judge struct {
	Key        Key          `json:"-"`
	Submission SubmissionID `json:"-"`
	Judgement
}

// Judgement is what a reviewer says.
type Judgement struct {
	Verdict   Verdict          `json:"verdict" enum:"approved,changes_requested"`
	Note      string           `json:"note"`
	Findings  []Finding        `json:"findings,omitempty" maxItems:"50"`
	Resolved  []FindingID      `json:"resolved,omitempty" maxItems:"50" doc:"Findings of earlier reviews that are dealt with."`
	Amendment AmendmentVerdict `json:"amendment,omitempty" enum:"accepted,rejected" doc:"Needed to approve a submission that proposes an amendment."`
}

// Validate checks everything that needs no stored record. Changes requested
// need a note or a required finding: the author must know what to do.
func (c Judgement) Validate() error {
	if c.Verdict != VerdictApproved && c.Verdict != VerdictChangesRequested {
		return Errorf(CodeBadRequest, "verdict %q is not approved or changes_requested", string(c.Verdict))
	}
	if c.Amendment != "" && c.Amendment != AmendmentAccepted && c.Amendment != AmendmentRejected {
		return Errorf(CodeBadRequest, "an amendment is accepted or rejected, not %q", string(c.Amendment))
	}
	if len(c.Findings) > 50 || len(c.Resolved) > 50 {
		return Errorf(CodeBadRequest, "a review takes at most 50 findings")
	}
	if err := checkText("note", c.Note, 1, 8000); err != nil {
		return err
	}
	for _, f := range c.Findings {
		if err := f.validate(c.Verdict); err != nil {
			return err
		}
	}
	return nil
}

func (f Finding) validate(v Verdict) error {
	switch {
	case f.ID != "" || f.Resolution != "":
		return Errorf(CodeBadRequest, "a new finding has no id and no resolution yet")
	case f.Severity != SeverityRequired && f.Severity != SeverityAdvisory:
		return Errorf(CodeBadRequest, "severity %q is not required or advisory", string(f.Severity))
	case f.Class != "" && !written(f.Class, lower+digits+"-", 1, 40):
		return Errorf(CodeBadRequest, "class %q is not made of 1 to 40 of a-z 0-9 -", f.Class)
	case v == VerdictApproved && f.Severity == SeverityRequired:
		return Errorf(CodeBadRequest, "an approval cannot carry a required finding; request changes instead").WithNext("coord reject -m NOTE")
	}
	if err := checkText("remedy", f.Remedy, 0, 4000); err != nil {
		return err
	}
	return checkText("finding", f.Text, 1, 4000)
}

// CheckJudge decides whether the submission may get this judgement now. t is
// the task that it is of.
func (c Judgement) CheckJudge(x Submission, t Task) error {
	if x.State != SubmissionInReview {
		return Errorf(CodeStateConflict, "%s is %s and waits for no review; nothing was changed", x.ID, x.State).WithNext("coord next")
	}
	if err := c.checkAmendment(x, t); err != nil {
		return err
	}
	if c.Verdict != VerdictApproved {
		return nil
	}
	if err := x.CheckCurrent(t); err != nil {
		return err
	}
	if x.Amendment != nil && x.Amendment.Verdict == "" && c.Amendment == "" {
		return Errorf(CodeRequirement, "%s proposes other criteria, and an approval says what becomes of them; nothing was changed", x.ID).
			WithNext("coord approve --accept-amendment -m NOTE", "coord approve --reject-amendment -m NOTE")
	}
	return nil
}

// checkAmendment decides whether the submission's amendment may get this
// verdict. It gets one; a second reviewer may only say the same.
func (c Judgement) checkAmendment(x Submission, t Task) error {
	switch {
	case c.Amendment == "":
		return nil
	case x.Amendment == nil:
		return Errorf(CodeRequirement, "%s proposes no other criteria; nothing was changed", x.ID).WithNext("coord approve -m NOTE")
	case x.Amendment.Verdict != "" && x.Amendment.Verdict != c.Amendment:
		return Errorf(CodeStateConflict, "the other criteria that %s proposes are %s already; nothing was changed", x.ID, x.Amendment.Verdict).WithNext("coord task show " + string(t.ID))
	case c.Amendment == AmendmentAccepted && x.Amendment.Verdict == "":
		return x.CheckCurrent(t)
	}
	return nil
}

// CheckCurrent refuses a submission whose task was edited since: nobody judged
// it by what is asked for now. t is the task that it is of.
func (x Submission) CheckCurrent(t Task) error {
	if x.Judged == t.Digest {
		return nil
	}
	return Errorf(CodeStateConflict, "%s was edited since %s was submitted, so there is nothing to approve or land it by; nothing was changed", t.ID, x.ID).
		WithNext("coord revise --requirements-changed "+string(t.ID), "coord task show "+string(t.ID))
}

// CheckApproved refuses a submission that lacks an approval which counts.
func (x Submission) CheckApproved(have []SlotFacts) error {
	show := "coord task show " + string(x.Task)
	if x.State != SubmissionApproved {
		return Errorf(CodeStateConflict, "%s is %s and not approved; nothing was changed and nothing was published", x.ID, x.State).WithNext(show)
	}
	for _, h := range have {
		if h.Approved == "" {
			return Errorf(CodeStateConflict, "%s waits for the approval of %s; nothing was changed and nothing was published", x.ID, h.Review).WithNext("coord start "+string(h.Review), show)
		}
	}
	return nil
}

// CheckDistinct refuses a second approval of a submission by one principal:
// each slot wants another pair of eyes.
func (c Judgement) CheckDistinct(x SubmissionID, reviewer PrincipalID, approvers []PrincipalID) error {
	if c.Verdict != VerdictApproved || !slices.Contains(approvers, reviewer) {
		return nil
	}
	return Errorf(CodeNotIndependent, "%s approved %s already, and another must fill the slot that is left; nothing was changed", reviewer, x).WithNext("coord next")
}

// WithdrawApproval takes a reviewer's own approval back before the submission
// is pushed to its target; an operator may take back any.
type WithdrawApproval struct {
	Key    Key      `json:"-"`
	Review ReviewID `json:"-"`
	Reason string   `json:"reason"`
}

// Validate checks everything that needs no stored record.
func (c WithdrawApproval) Validate() error { return checkText("reason", c.Reason, 1, 2000) }

// WithdrawFacts is what taking an approval back is judged by.
type WithdrawFacts struct {
	Review     Review
	Own        bool // the caller gave it, or is an operator
	Submission SubmissionState
	Landing    LandingState // of the submission's latest landing
}

// CheckWithdraw decides whether an approval may be taken back. Once the push
// is permitted it is too late: the remote may have it.
func (f WithdrawFacts) CheckWithdraw() error {
	r := f.Review
	show := "coord task show " + string(r.Submission.Task())
	switch {
	case r.Verdict != VerdictApproved:
		return Errorf(CodeStateConflict, "%s is no approval; nothing was changed", r.ID).WithNext(show)
	case !f.Own:
		return Errorf(CodeNotPermitted, "%s is another reviewer's, and only its giver or an operator takes it back; nothing was changed", r.ID).WithActor("operator").WithNext(show)
	case r.Voided != "":
		return Errorf(CodeStateConflict, "%s counts no more already: %s; nothing was changed", r.ID, OneLine(r.Voided)).WithNext(show)
	case f.Submission != SubmissionInReview && f.Submission != SubmissionApproved:
		return Errorf(CodeStateConflict, "%s is %s, so its approval stays what it is; nothing was changed", r.Submission, f.Submission).WithNext(show)
	case f.Landing == LandingPublishing:
		return Errorf(CodeStateConflict, "%s may have been pushed already, so its approval stays what it is; nothing was changed", r.Submission).WithNext(show)
	}
	return nil
}

// Identity is who a session is, as far as independence is concerned.
type Identity struct {
	Session   SessionID
	Principal PrincipalID
	CreatedBy PrincipalID // who issued the principal's credentials
	Machine   string
	Lineage   []SessionID // its parents, nearest first
}

// CheckIndependent refuses a reviewer that is not independent, by the
// project's setting, of everyone who contributed to the task.
func CheckIndependent(degree Independence, task TaskID, reviewer Identity, contributors []Identity) error {
	for _, c := range contributors {
		if why := c.near(reviewer, degree); why != "" {
			e := Errorf(CodeNotIndependent, "%s worked on %s, so another must review it; nothing was changed", why, task)
			if degree == IndependentSession {
				return e.WithNext("coord next", "COORD_SESSION=another coord start --kind review")
			}
			return e.WithNext("coord next") // another session would be as near
		}
	}
	return nil
}

// near says how the reviewer is one with the contributor, or "".
func (c Identity) near(reviewer Identity, degree Independence) string {
	switch {
	case c.Session == reviewer.Session:
		return "this session"
	case slices.Contains(reviewer.Lineage, c.Session):
		return "a session that this one descends from"
	case degree == IndependentSession:
		return ""
	case c.Principal == reviewer.Principal:
		return "this agent"
	case c.Principal == reviewer.CreatedBy:
		return "the agent that made this one"
	case degree == IndependentMachine && c.Machine == reviewer.Machine:
		return "this machine"
	}
	return ""
}

// Recurring is the class of a required finding among the new ones that has
// come back more often than the limit allows, or "". earlier are the required
// findings of the task's earlier reviews, one slice for each review.
func Recurring(earlier [][]Finding, fresh []Finding, limit int) string {
	for _, f := range fresh {
		if f.Severity != SeverityRequired {
			continue
		}
		times := 1
		for _, review := range earlier {
			if slices.ContainsFunc(review, func(e Finding) bool { return e.Severity == SeverityRequired && class(e) == class(f) }) {
				times++
			}
		}
		if times > limit {
			return class(f)
		}
	}
	return ""
}

func class(f Finding) string {
	if f.Class == "" {
		return DefaultClass
	}
	return f.Class
}

// ReviseReason says why a submission goes back before it lands.
type ReviseReason string

// The reasons. Conflict and check failed need a landing that recorded just
// that. Candidate missing is for whoever looked at the remote. Requirements
// changed needs a task that was edited since, and a session that did not
// contribute. Withdrawn is the author's.
const (
	ReviseConflict     ReviseReason = "conflict"
	ReviseCheckFailed  ReviseReason = "check_failed"
	ReviseMissing      ReviseReason = "candidate_missing"
	ReviseRequirements ReviseReason = "requirements_changed"
	ReviseWithdrawn    ReviseReason = "withdrawn"
)

// String is the reason as people say it.
func (r ReviseReason) String() string { return strings.ReplaceAll(string(r), "_", " ") }

// Revise sends the current submission of a task back to be worked on.
type Revise struct {
	Key    Key          `json:"-"`
	Task   TaskID       `json:"-"`
	Reason ReviseReason `json:"reason" enum:"conflict,check_failed,candidate_missing,requirements_changed,withdrawn"`
	Note   string       `json:"note,omitempty"`
}
