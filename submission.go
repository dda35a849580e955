package coord

import "time"

// SubmissionState is how far a submission has come.
type SubmissionState string

// The states. Returned and landed are final.
const (
	SubmissionInReview SubmissionState = "in_review"
	SubmissionApproved SubmissionState = "approved"
	SubmissionReturned SubmissionState = "returned" // sent back; a new attempt goes on from it
	SubmissionLanded   SubmissionState = "landed"
)

// Submission is an immutable candidate. Its State is what later records say
// of it.
type Submission struct {
	ID          SubmissionID    `json:"id"`
	Task        TaskID          `json:"task"`
	Attempt     AttemptID       `json:"attempt"`
	Author      string          `json:"author" doc:"The submitting session's display name."`
	State       SubmissionState `json:"state"`
	Commit      OID             `json:"commit"`
	Tree        OID             `json:"tree"`
	Base        OID             `json:"base"`
	Ref         string          `json:"ref" doc:"Create-only candidate ref on the remote."`
	Repository  RepositoryID    `json:"repository"`
	Target      string          `json:"target"`
	Summary     string          `json:"summary"`
	Digest      string          `json:"digest" doc:"Of the task as it was judged."`
	Required    []RequiredCheck `json:"required,omitempty"`
	Review      TaskID          `json:"review,omitempty" doc:"The review task, when the policy asks for one."`
	Integration TaskID          `json:"integration"`
	At          time.Time       `json:"at"`
}

// Submit hands a candidate over and ends the attempt.
type Submit struct {
	Key      Key             `json:"-"`
	Attempt  AttemptID       `json:"-"`
	Fence    Fence           `json:"fence"`
	Commit   OID             `json:"commit"`
	Tree     OID             `json:"tree"`
	Base     OID             `json:"base" doc:"Merge base with the target as fetched."`
	Ref      string          `json:"ref"`
	Summary  string          `json:"summary"`
	Required []RequiredCheck `json:"required,omitempty" maxItems:"50" doc:"Checks that the target branch requires."`
	Lessons  []string        `json:"lessons,omitempty" maxItems:"20"`
}

// Validate checks everything that needs no stored record.
func (c Submit) Validate() error {
	if err := checkText("summary", c.Summary, 1, 8000); err != nil {
		return err
	}
	if c.Ref == "" {
		return Errorf(CodeBadRequest, "a submission needs the ref that its commit was pushed to")
	}
	if err := checkRequired(c.Required); err != nil {
		return err
	}
	if len(c.Lessons) > 20 {
		return Errorf(CodeBadRequest, "a submission takes at most 20 lessons")
	}
	for _, l := range c.Lessons {
		if err := checkText("lesson", l, 1, 2000); err != nil {
			return err
		}
	}
	return checkOIDs(c.Commit, c.Tree, c.Base)
}

// Submitted is what a submission made.
type Submitted struct {
	Submission Submission `json:"submission"`
	Lessons    []Lesson   `json:"lessons,omitempty"`
	Replayed   bool       `json:"replayed,omitempty"`
}

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

// Finding is one thing a reviewer saw.
type Finding struct {
	Severity Severity `json:"severity" enum:"required,advisory"`
	Text     string   `json:"text"`
}

// Review is a decision on one submission by someone who did not contribute
// to it.
type Review struct {
	ID         ReviewID     `json:"id"`
	Submission SubmissionID `json:"submission"`
	Commit     OID          `json:"commit" doc:"The commit judged; no other has this decision."`
	Verdict    Verdict      `json:"verdict"`
	Reviewer   string       `json:"reviewer"`
	Note       string       `json:"note"`
	Findings   []Finding    `json:"findings,omitempty"`
	At         time.Time    `json:"at"`
}

// RecordReview decides under a live attempt at the review task.
type RecordReview struct {
	Key      Key       `json:"-"`
	Attempt  AttemptID `json:"-"`
	Fence    Fence     `json:"fence"`
	Verdict  Verdict   `json:"verdict" enum:"approved,changes_requested"`
	Note     string    `json:"note"`
	Findings []Finding `json:"findings,omitempty" maxItems:"50"`
}

// Validate checks everything that needs no stored record. Changes requested
// need a note or a required finding: the author must know what to do.
func (c RecordReview) Validate() error {
	if c.Verdict != VerdictApproved && c.Verdict != VerdictChangesRequested {
		return Errorf(CodeBadRequest, "verdict %q is not approved or changes_requested", string(c.Verdict))
	}
	if len(c.Findings) > 50 {
		return Errorf(CodeBadRequest, "a review takes at most 50 findings")
	}
	if err := checkText("note", c.Note, 1, 8000); err != nil {
		return err
	}
	for _, f := range c.Findings {
		if f.Severity != SeverityRequired && f.Severity != SeverityAdvisory {
			return Errorf(CodeBadRequest, "severity %q is not required or advisory", string(f.Severity))
		}
		if c.Verdict == VerdictApproved && f.Severity == SeverityRequired {
			return Errorf(CodeBadRequest, "an approval cannot carry a required finding; request changes instead").WithNext("coord reject -m NOTE")
		}
		if err := checkText("finding", f.Text, 1, 4000); err != nil {
			return err
		}
	}
	return nil
}

// ReviseReason says why a submission goes back before it lands.
type ReviseReason string

// The reasons of this version. Conflict and check failed need a landing that
// recorded just that; withdrawn is the author's.
const (
	ReviseConflict    ReviseReason = "conflict"
	ReviseCheckFailed ReviseReason = "check_failed"
	ReviseWithdrawn   ReviseReason = "withdrawn"
)

// Revise sends the current submission of a task back to be worked on.
type Revise struct {
	Key    Key          `json:"-"`
	Task   TaskID       `json:"-"`
	Reason ReviseReason `json:"reason" enum:"conflict,check_failed,withdrawn"`
	Note   string       `json:"note,omitempty"`
}
