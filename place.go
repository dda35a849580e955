package coord

import "time"

// Distance is how far a commit is from its target, as it was counted where both
// were: the record has no history of its own.
type Distance struct {
	Tip    OID       `json:"tip" doc:"The target's tip that it was counted from."`
	Ahead  int       `json:"ahead" minimum:"0" doc:"Commits that the target lacks."`
	Behind int       `json:"behind" minimum:"0" doc:"Commits of the target that it lacks."`
	At     time.Time `json:"at,omitzero" readOnly:"true"`
}

func (d *Distance) validate() error {
	switch {
	case d == nil:
		return nil
	case d.Ahead < 0 || d.Behind < 0:
		return Errorf(CodeBadRequest, "a distance counts commits, from 0")
	}
	return checkOIDs(d.Tip)
}

// Place is one place where the work of an attempt or a submission is.
type Place struct {
	Stage      Stage        `json:"stage" enum:"workstation,checkpoint,candidate,approved,verified,landed"`
	Submission SubmissionID `json:"submission,omitempty"`
	Attempt    AttemptID    `json:"attempt,omitempty"`
	Machine    string       `json:"machine,omitempty"`
	Path       string       `json:"path,omitempty" doc:"Of the worktree."`
	Ref        string       `json:"ref,omitempty" doc:"On the remote, or the branch on the machine."`
	Commit     OID          `json:"commit,omitempty"`
	Tree       OID          `json:"tree,omitempty"`
	Base       OID          `json:"base,omitempty" doc:"Tip of the target that it was merged onto."`
	LocalOnly  bool         `json:"local_only,omitempty" doc:"The remote did not take it."`
	By         string       `json:"by"`
	At         time.Time    `json:"at"`
}

// PlacesOf lists where a task's work is: the worktrees in use and the latest
// checkpoint, then for each submission, oldest first, what exists of it, from
// its candidate to the target.
func (t TaskDetail) PlacesOf() []Place {
	var out []Place
	owner := map[AttemptID]string{}
	for _, a := range t.Attempts {
		owner[a.ID] = a.Owner
		if w := a.Worktree; w != nil && a.EndedAt == nil {
			out = append(out, Place{Stage: StageWorkstation, Attempt: a.ID, Machine: w.Machine, Path: w.Path, Ref: w.Branch, By: a.Owner, At: a.StartedAt})
		}
	}
	if n := len(t.Checkpoints); n > 0 {
		c := t.Checkpoints[n-1]
		out = append(out, Place{Stage: StageCheckpoint, Attempt: c.Attempt, Ref: c.Ref, Commit: c.Commit, Tree: c.Tree, LocalOnly: !c.Pushed, By: owner[c.Attempt], At: c.At})
	}
	for _, s := range t.Submissions {
		out = append(out, Place{Stage: StageCandidate, Submission: s.ID, Attempt: s.Attempt, Ref: s.Ref, Commit: s.Commit, Tree: s.Tree, By: s.Author, At: s.At})
		out = append(out, t.beyond(s)...)
	}
	return out
}

// beyond is what exists of a submission past its candidate.
func (t TaskDetail) beyond(s Submission) (out []Place) {
	for _, r := range t.Reviews {
		if r.Submission == s.ID && r.Verdict == VerdictApproved && r.Voided == "" && r.Commit == s.Commit {
			out = append(out, Place{Stage: StageApproved, Submission: s.ID, Commit: s.Commit, Tree: s.Tree, By: r.Reviewer, At: r.At})
		}
	}
	for _, l := range t.Landings {
		if l.Submission != s.ID {
			continue
		}
		at := Place{Stage: StageVerified, Submission: s.ID, Commit: l.Result, Tree: l.Tree, Base: l.Base, By: l.Holder, At: l.ChangedAt}
		if l.Verified && !l.AlreadyIn && (l.State.Reserves() || l.State == LandingLanded) {
			out = append(out, at)
		}
		if l.State == LandingLanded {
			at.Stage, at.Ref = StageLanded, "refs/heads/"+l.Target
			out = append(out, at)
		}
	}
	return out
}
