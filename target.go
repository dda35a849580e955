package coord

import "time"

// Target is a branch that work lands on, as the record knows it.
type Target struct {
	Repository   RepositoryID `json:"repository"`
	Name         string       `json:"name"`
	Tip          OID          `json:"tip,omitempty" doc:"After the last landing that was recorded."`
	ObservedAt   *time.Time   `json:"observed_at,omitempty"`
	Landing      LandingID    `json:"landing,omitempty" doc:"The last one that was recorded."`
	Landed       OID          `json:"landed,omitempty" doc:"Its result, which the branch has to contain."`
	Unreconciled bool         `json:"unreconciled,omitempty" doc:"The server was restored, and nobody has looked since what landed after its backup."`
	Diverged     *Divergence  `json:"diverged,omitempty"`
}

// Divergence is a target that was seen without its last recorded landing:
// somebody moved it back. Nothing lands on it until that is settled.
type Divergence struct {
	Seen OID       `json:"seen" doc:"The tip that lacked it."`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// CheckOpen refuses to land on a target that is diverged.
func (t Target) CheckOpen() error {
	if t.Diverged == nil {
		return nil
	}
	return Errorf(CodeStateConflict, "%s is diverged: at %s it does not contain %s, which %s landed, so nothing lands on it until that is settled; nothing was changed",
		t.Name, t.Diverged.Seen.Short(), t.Landed.Short(), t.Landing).
		WithActor("operator").WithNext("coord target settle "+t.Name, "coord target settle "+t.Name+" --accept -m REASON")
}

// CheckReconciled refuses a merge onto a target of a restored server before
// somebody looked at what had landed.
func (t Target) CheckReconciled() error {
	if !t.Unreconciled {
		return nil
	}
	return Errorf(CodeStateConflict, "the server was restored from a backup and %s was not compared with it yet; nothing was changed", t.Name).WithNext("coord integrate")
}

// DivergeTarget reports that the target which a landing holds does not contain
// its last recorded landing. It ends the landing, before a permit.
type DivergeTarget struct {
	Key     Key       `json:"-"`
	Landing LandingID `json:"-"`
	Fence   Fence     `json:"fence"`
	Tip     OID       `json:"tip" doc:"The target's tip as read from the remote."`
}

// Check refuses a report that the record contradicts.
func (c DivergeTarget) Check(t Target) error {
	if err := checkOIDs(c.Tip); err != nil {
		return err
	}
	if t.Landed == "" || c.Tip == t.Landed || c.Tip == t.Tip {
		return Errorf(CodeBadRequest, "the record has no landing that %s lacks at %s; nothing was changed", t.Name, c.Tip.Short())
	}
	return nil
}

// SettleTarget opens a diverged target again: because it contains its last
// landing again, which anybody may report, or because a person accepts it as it
// is.
type SettleTarget struct {
	Key        Key          `json:"-"`
	Project    ProjectKey   `json:"-"`
	Repository RepositoryID `json:"repository"`
	Target     string       `json:"target"`
	Tip        OID          `json:"tip" doc:"The target's tip as read from the remote."`
	Contained  bool         `json:"contained" doc:"The last recorded landing is the tip or an ancestor of it."`
	Accept     bool         `json:"accept,omitempty" doc:"Go on from the tip although it lacks the landing."`
	Reason     string       `json:"reason,omitempty" doc:"Why it is accepted."`
}

// Check decides whether the role may settle the target so.
func (c SettleTarget) Check(t Target, r Role) error {
	if err := checkOIDs(c.Tip); err != nil {
		return err
	}
	switch {
	case t.Diverged == nil:
		return Errorf(CodeStateConflict, "%s is not diverged; nothing was changed", c.Target).WithNext("coord target list")
	case c.Contained:
		return nil
	case !c.Accept:
		return Errorf(CodeStateConflict, "%s is still diverged: at %s it does not contain %s, which %s landed; nothing was changed", c.Target, c.Tip.Short(), t.Landed.Short(), t.Landing).
			WithActor("operator").WithNext("git push REMOTE "+string(t.Landed)+":refs/heads/"+c.Target+", which brings back what was landed", "coord target settle "+c.Target+" --accept -m REASON")
	case r != RoleOperator:
		return Errorf(CodeNotPermitted, "only a person accepts that %s lost a landing; nothing was changed", c.Target).WithActor("operator").
			WithNext("coord target settle " + c.Target + " --accept -m REASON")
	}
	return checkText("reason", c.Reason, 1, 2000)
}

// FoundCommit is a commit on a target with the submission that it says it
// landed, if any.
type FoundCommit struct {
	Commit     OID          `json:"commit"`
	Tree       OID          `json:"tree"`
	Base       OID          `json:"base,omitempty" doc:"Its first parent."`
	Submission SubmissionID `json:"submission,omitempty" doc:"From the trailer Coord-Submission."`
}

// Reconcile tells a restored server what is on the target that a landing
// holds. What landed after the backup is recorded as landed; where the record
// disagrees, its task is blocked until somebody looked.
type Reconcile struct {
	Key     Key           `json:"-"`
	Landing LandingID     `json:"-"`
	Fence   Fence         `json:"fence"`
	Tip     OID           `json:"tip"`
	Found   []FoundCommit `json:"found,omitempty" maxItems:"1000" doc:"Commits since the last recorded landing, newest first."`
}

// Validate checks everything that needs no stored record.
func (c Reconcile) Validate() error {
	if len(c.Found) > 1000 {
		return Errorf(CodeBadRequest, "at most 1000 commits are reconciled at once, not %d", len(c.Found))
	}
	for _, f := range c.Found {
		if err := checkOIDs(append([]OID{f.Commit, f.Tree}, stated(f.Base)...)...); err != nil {
			return err
		}
		if f.Submission != "" && !f.Submission.Valid() {
			return Errorf(CodeBadRequest, "%q is no submission", OneLine(string(f.Submission)))
		}
	}
	return checkOIDs(c.Tip)
}

// Reconciled says what a Reconcile changed. Landing is the caller's own, landed
// if the target had its work already.
type Reconciled struct {
	Landing Landing     `json:"landing"`
	Target  Target      `json:"target"`
	Landed  []LandingID `json:"landed,omitempty" doc:"Recorded now, from what is on the target."`
	Blocked []TaskID    `json:"blocked,omitempty" doc:"Open tasks that a commit says have landed, which the record cannot confirm."`
}

// Found is what a commit on a target means for the record.
type Found int

// The meanings.
const (
	FoundOutside  Found = iota // not coord's
	FoundKnown                 // its landing is recorded
	FoundLanded                // the landing of an approved submission
	FoundDoubtful              // a landing that the record cannot confirm
)

// Means says what the commit is, given the submission that it names or whose
// candidate it is, if the record has that, and whether that one's task is open.
func (f FoundCommit) Means(x *Submission, open bool) Found {
	switch {
	case x == nil && (f.Submission == "" || !open):
		return FoundOutside
	case x == nil:
		return FoundDoubtful
	case x.State == SubmissionLanded || !open:
		return FoundKnown
	case x.State == SubmissionApproved:
		return FoundLanded
	}
	return FoundDoubtful
}

// Reconstruct is the landing of a submission as a commit on the target shows
// it. Its checks are not on the record any more.
func (l Landing) Reconstruct(f FoundCommit, tip OID) Landing {
	l.State, l.Reconstructed, l.Verified, l.Reason = LandingLanded, true, false, ""
	l.Base, l.Result, l.Tree, l.ObservedTip = f.Base, f.Commit, f.Tree, tip
	return l
}
