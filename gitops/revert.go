package gitops

import (
	"context"
	"os"

	"coord"
)

// RevertSpec describes taking back, on top of Onto, what leads from Base to
// Landed.
type RevertSpec struct {
	Onto, Base, Landed OID
	Message            string
}

// Revert makes a commit on top of Onto without what leads from Base to Landed:
// the three-way merge that git revert makes of one commit, for any number of
// them. It is the user's own commit. No work tree, index or reference is
// touched. A conflict is a result, not an error; a commit with Onto's tree says
// that there was nothing left to take back.
func (r *repo) Revert(ctx context.Context, spec RevertSpec) (MergeResult, error) {
	commits, err := r.readCommits(ctx, []OID{spec.Onto, spec.Base, spec.Landed})
	if err != nil {
		return MergeResult{}, err
	}
	onto, base, landed := commits[0], commits[1], commits[2]
	stand := Signature{Name: "coord", Email: "coord@localhost", When: landed.Committer.When}
	m := &merger{repo: r, spec: MergeSpec{Onto: spec.Onto, Candidate: spec.Base, Committer: stand}}
	if m.scratch, err = os.MkdirTemp("", "coord-revert-"); err != nil {
		return MergeResult{}, coord.Errorf(coord.CodeSetup, "cannot make a place to merge in: %w", err)
	}
	defer os.RemoveAll(m.scratch)
	if err := r.layAttributes(ctx, spec.Onto, m.scratch); err != nil {
		return MergeResult{}, err
	}
	tree, conflicts, err := m.threeWay(ctx, landed.Tree, onto.Tree, base.Tree)
	if err != nil || len(conflicts) > 0 {
		return MergeResult{Conflicts: conflicts}, err
	}
	commit, err := r.CommitTree(ctx, CommitSpec{Tree: tree, Parents: []OID{spec.Onto}, Message: spec.Message})
	return MergeResult{Commit: commit, Tree: tree, Parents: []OID{spec.Onto}}, err
}
