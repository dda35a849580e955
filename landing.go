package coord

import "time"

// LandingState is how far a landing has come.
type LandingState string

// The states. Held, merged and publishing reserve the target; from
// publishing only an observation of the remote leads out.
const (
	LandingHeld       LandingState = "held"
	LandingMerged     LandingState = "merged"     // merged on the integrator's machine; its tree is being verified
	LandingPublishing LandingState = "publishing" // the push is permitted: it may or may not have happened
	LandingLanded     LandingState = "landed"
	LandingConflict   LandingState = "conflict" // it does not go onto the tip as it is
	LandingFailed     LandingState = "failed"   // a required check failed on the merged tree
	LandingReleased   LandingState = "released" // given back before a permit
)

// Reserves reports whether a landing in the state holds its target.
func (s LandingState) Reserves() bool {
	return s == LandingHeld || s == LandingMerged || s == LandingPublishing
}

// Landing is the bringing of one approved submission into its target branch.
type Landing struct {
	ID          LandingID       `json:"id"`
	Submission  SubmissionID    `json:"submission"`
	Task        TaskID          `json:"task" doc:"The code task that lands."`
	Integration TaskID          `json:"integration"`
	Repository  RepositoryID    `json:"repository"`
	Target      string          `json:"target"`
	Strategy    Strategy        `json:"strategy" enum:"merge,squash,rebase,ff" doc:"The policy's, when the target was reserved."`
	State       LandingState    `json:"state"`
	Holder      string          `json:"holder" doc:"Display name of the session that holds or held the target."`
	Fence       Fence           `json:"fence"`
	Tries       int             `json:"tries" doc:"How often the candidate was merged; the target moved in between."`
	Base        OID             `json:"base,omitempty" doc:"Tip that the candidate was merged onto."`
	Result      OID             `json:"result,omitempty"`
	Tree        OID             `json:"tree,omitempty" doc:"Tree of the result: what was verified."`
	Required    []RequiredCheck `json:"required,omitempty"`
	Verified    bool            `json:"verified" doc:"Every required check has a receipt for the tree."`
	Conflicts   []string        `json:"conflicts,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	AlreadyIn   bool            `json:"already_in,omitempty" doc:"The target contained the candidate; no commit was made."`
	Weak        bool            `json:"weak,omitempty" doc:"The remote took no fence ref."`
	// Reconstructed marks what a restored server learnt from the target alone.
	Reconstructed bool       `json:"reconstructed,omitempty" doc:"Learnt from the target after a restore; its checks are not on the record."`
	ObservedTip   OID        `json:"observed_tip,omitempty"`
	Outside       []OID      `json:"outside,omitempty" doc:"Commits on the target that no landing made, seen at the hold."`
	HeldAt        time.Time  `json:"held_at"`
	ChangedAt     time.Time  `json:"changed_at"`
	LandedAt      *time.Time `json:"landed_at,omitempty"`
}

// Hold claims an integration task (the next one, or the one of a named code
// or integration task) and reserves its target, both or neither. With
// Recovery it takes over a landing whose holder's lease ended.
type Hold struct {
	Key     Key        `json:"-"`
	Project ProjectKey `json:"-"`
	Task    TaskID     `json:"task,omitempty"`
	Target  string     `json:"target,omitempty" doc:"Only a landing on this branch, when no task is named."`
	// Repository is where the caller works, as in Claim.
	Repository RepositoryID `json:"repository,omitempty"`
	Recovery   *Recovery    `json:"recovery,omitempty"`
}

// Held is a granted hold. Landing is in state held for a fresh start, or
// publishing when a former holder may have pushed: then observe first.
type Held struct {
	Attempt    Attempt    `json:"attempt"`
	Task       Task       `json:"task" doc:"The code task."`
	Submission Submission `json:"submission"`
	Landing    Landing    `json:"landing"`
	Target     Target     `json:"target"`
	Replayed   bool       `json:"replayed,omitempty"`
}

// RecordMerge states the merge of the candidate onto the fetched tip.
type RecordMerge struct {
	Key      Key             `json:"-"`
	Landing  LandingID       `json:"-"`
	Fence    Fence           `json:"fence"`
	Base     OID             `json:"base"`
	Result   OID             `json:"result"`
	Tree     OID             `json:"tree"`
	Parents  []OID           `json:"parents" minItems:"1" maxItems:"100" doc:"Of the result, as it was read back."`
	Required []RequiredCheck `json:"required,omitempty" maxItems:"50" doc:"Checks that the target requires at base."`
	Outside  []OID           `json:"outside,omitempty" maxItems:"100"`
}

// Merged answers RecordMerge with the receipts that already cover the tree.
type Merged struct {
	Landing  Landing   `json:"landing"`
	Receipts []Receipt `json:"receipts"`
}

// Permit asks to push exactly the merged result. Runs are the checks run on
// its tree; they become receipts in the same transaction, also when the
// permit is refused for what they say.
type Permit struct {
	Key     Key       `json:"-"`
	Landing LandingID `json:"-"`
	Fence   Fence     `json:"fence"`
	Base    OID       `json:"base"`
	Result  OID       `json:"result"`
	Tree    OID       `json:"tree"`
	Runs    []Run     `json:"runs,omitempty" maxItems:"50"`
}

// RecordObservation reports what the remote was read back to hold.
type RecordObservation struct {
	Key       Key       `json:"-"`
	Landing   LandingID `json:"-"`
	Fence     Fence     `json:"fence"`
	Tip       OID       `json:"tip" doc:"The target branch's tip as read from the remote."`
	Contained bool      `json:"contained" doc:"The result (or, before a permit, the candidate) is the tip or an ancestor of it."`
	Tree      OID       `json:"tree,omitempty" doc:"Tree of the landed commit, read from the object; required when contained."`
	Try       int       `json:"try,omitempty" doc:"The landing's tries when the observer looked, so that it is not taken for a later publication's; not stated, it is about whatever is recorded."`
	Weak      bool      `json:"weak,omitempty"`
	Refusal   string    `json:"refusal,omitempty" doc:"What the remote said when it definitely refused the push."`
}

// Landed answers an observation. Task is done when Landing.State is landed.
type Landed struct {
	Task     Task    `json:"task"`
	Landing  Landing `json:"landing"`
	Replayed bool    `json:"replayed,omitempty"`
}

// FailLanding gives the target back: state conflict with the conflicting
// paths, failed with the failed check's run, or released.
type FailLanding struct {
	Key       Key          `json:"-"`
	Landing   LandingID    `json:"-"`
	Fence     Fence        `json:"fence"`
	State     LandingState `json:"state" enum:"conflict,failed,released"`
	Base      OID          `json:"base,omitempty"`
	Conflicts []string     `json:"conflicts,omitempty" maxItems:"500"`
	Reason    string       `json:"reason,omitempty"`
	Runs      []Run        `json:"runs,omitempty" maxItems:"50"`
}
