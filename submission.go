package coord

import (
	"slices"
	"strings"
	"time"
)

// SubmissionState is how far a submission has come.
type SubmissionState string

// The states. Returned, landed and accepted are final.
const (
	SubmissionInReview SubmissionState = "in_review"
	SubmissionApproved SubmissionState = "approved"
	SubmissionReturned SubmissionState = "returned" // sent back; a new attempt goes on from it
	SubmissionLanded   SubmissionState = "landed"
	SubmissionAccepted SubmissionState = "accepted" // of a general task: approved, and nothing is to land
)

// String is the state as people say it.
func (s SubmissionState) String() string { return strings.ReplaceAll(string(s), "_", " ") }

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
	Distance    *Distance       `json:"distance,omitempty" doc:"From its target, when it was submitted."`
	Repository  RepositoryID    `json:"repository"`
	Target      string          `json:"target"`
	Summary     string          `json:"summary"`
	Digest      string          `json:"digest" doc:"Of the task as it was judged."`
	Required    []RequiredCheck `json:"required,omitempty"`
	Judged      string          `json:"judged" doc:"Digest that it is judged by: that of the task as submitted, or as an accepted amendment made it."`
	Evidence    []Evidence      `json:"evidence,omitempty"`
	Handoff     string          `json:"handoff,omitempty" doc:"What the next one to work here should know."`
	Amendment   *Amendment      `json:"amendment,omitempty"`
	Resolved    []FindingID     `json:"resolved,omitempty" doc:"Findings of earlier reviews that the author says are dealt with."`
	Reviews     []TaskID        `json:"reviews,omitempty" doc:"The review tasks, one for each approval that the policy asks for."`
	Integration TaskID          `json:"integration,omitempty" doc:"Empty for a general task."`
	At          time.Time       `json:"at"`
}

// Evidence says how one criterion is met.
type Evidence struct {
	Criterion int    `json:"criterion" minimum:"1" doc:"Its number, from 1."`
	Text      string `json:"text"`
}

// Amendment proposes other criteria for a task together with work on it. The
// reviewer accepts or rejects it by itself.
type Amendment struct {
	Criteria []string         `json:"criteria" maxItems:"50"`
	Reason   string           `json:"reason"`
	Verdict  AmendmentVerdict `json:"verdict,omitempty" enum:"accepted,rejected" readOnly:"true"`
}

// AmendmentVerdict is what a reviewer said to an amendment.
type AmendmentVerdict string

// The verdicts; empty is none yet.
const (
	AmendmentAccepted AmendmentVerdict = "accepted"
	AmendmentRejected AmendmentVerdict = "rejected"
)

// Submit hands a candidate over and ends the attempt.
type Submit struct {
	Key      Key             `json:"-"`
	Attempt  AttemptID       `json:"-"`
	Fence    Fence           `json:"fence"`
	Commit   OID             `json:"commit"`
	Tree     OID             `json:"tree"`
	Base     OID             `json:"base" doc:"Merge base with the target as fetched."`
	Ref      string          `json:"ref"`
	Distance *Distance       `json:"distance,omitempty"`
	Summary  string          `json:"summary"`
	Required []RequiredCheck `json:"required,omitempty" maxItems:"50" doc:"Checks that the target branch requires."`
	Lessons  []string        `json:"lessons,omitempty" maxItems:"20"`
	// Digest is the task's digest that the work was done by. A task that was
	// edited since is refused: the author has to see what changed.
	Digest       string      `json:"digest,omitempty"`
	Evidence     []Evidence  `json:"evidence,omitempty" maxItems:"50"`
	Handoff      string      `json:"handoff,omitempty"`
	Amendment    *Amendment  `json:"amendment,omitempty"`
	Resolved     []FindingID `json:"resolved,omitempty" maxItems:"50"`
	Contributors []SessionID `json:"contributors,omitempty" maxItems:"50" doc:"Other sessions that worked on it and may not review it."`
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
	if err := c.checkReport(); err != nil {
		return err
	}
	if err := c.Distance.validate(); err != nil {
		return err
	}
	return checkOIDs(c.Commit, c.Tree, c.Base)
}

func (c Submit) checkReport() error {
	if err := checkText("handoff", c.Handoff, 0, 8000); err != nil {
		return err
	}
	if len(c.Evidence) > 50 || len(c.Resolved) > 50 || len(c.Contributors) > 50 {
		return Errorf(CodeBadRequest, "a submission takes at most 50 pieces of evidence, resolved findings and contributors")
	}
	for _, e := range c.Evidence {
		if e.Criterion < 1 || e.Criterion > 50 {
			return Errorf(CodeBadRequest, "evidence names a criterion by its number, from 1; %d is none", e.Criterion)
		}
		if err := checkText("evidence", e.Text, 1, 2000); err != nil {
			return err
		}
	}
	for _, s := range c.Contributors {
		if !written(string(s), urlSafe, shortSession, 64) {
			return Errorf(CodeBadRequest, "%q is not a session id of at least %d characters", OneLine(string(s)), shortSession)
		}
	}
	if a := c.Amendment; a != nil {
		if a.Verdict != "" {
			return Errorf(CodeBadRequest, "an amendment's verdict is the reviewer's")
		}
		if err := checkText("reason of the amendment", a.Reason, 1, 2000); err != nil {
			return err
		}
		return checkCriteria(a.Criteria)
	}
	return nil
}

// CheckDigest refuses work that was done by another text of the task than the
// current one.
func (c Submit) CheckDigest(t Task) error {
	if c.Digest == "" || c.Digest == t.Digest {
		return nil
	}
	return Errorf(CodeStateConflict, "%s was edited since this attempt began, so what is asked for is another thing now; nothing was submitted", t.ID).
		WithDetail("digest", t.Digest).WithNext("coord task show "+string(t.ID), "coord submit --all -m SUMMARY --read "+t.Digest[:7])
}

// CheckReport refuses evidence for a criterion that is not there, and an
// amendment that nobody is going to judge.
func (c Submit) CheckReport(t Task, p Policy) error {
	most := len(t.Criteria)
	if c.Amendment != nil {
		most = max(most, len(c.Amendment.Criteria))
	}
	for _, e := range c.Evidence {
		if e.Criterion > most {
			return Errorf(CodeRequirement, "%s has %d criteria, so there is none of the number %d; nothing was submitted", t.ID, most, e.Criterion).WithNext("coord task show " + string(t.ID))
		}
	}
	switch {
	case c.Amendment == nil:
		return nil
	case len(p.Review.Slots()) == 0:
		return Errorf(CodeRequirement, "the policy asks for no review of %s, so nobody would judge the amendment; nothing was submitted", t.ID).
			WithNext("coord ask QUESTION --option YES --option NO --task " + string(t.ID))
	case slices.Equal(c.Amendment.Criteria, t.Criteria):
		return Errorf(CodeBadRequest, "the amendment has the criteria of %s as they are; nothing was submitted", t.ID)
	}
	return nil
}

// CheckEvidence refuses a candidate whose tree lacks the receipt of a required
// check. What does not land requires none.
func (c Submit) CheckEvidence(t Task, receipts []Receipt) error {
	if t.Kind != KindCode {
		return nil
	}
	return RefuseMissing(c.Required, receipts, c.Tree, "nothing was submitted", Rerun{t.ID, "coord check"})
}

// State is the state that a submission begins in.
func (c Submit) State(t Task, p Policy) SubmissionState {
	switch {
	case len(p.Review.Slots()) > 0:
		return SubmissionInReview
	case t.Kind == KindGeneral:
		return SubmissionAccepted
	}
	return SubmissionApproved
}

// Submitted is what a submission made.
type Submitted struct {
	Submission Submission `json:"submission"`
	Lessons    []Lesson   `json:"lessons,omitempty"`
	Replayed   bool       `json:"replayed,omitempty"`
}
