package gitops

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"coord"
)

// MergeSpec describes how Candidate is brought onto Onto. The dates and
// identity of what is made are the signatures', so that one spec gives one
// commit. A rebase keeps each commit's own author and message; Trailers, one
// "Key: value" to a line, are added to its last.
type MergeSpec struct {
	Onto, Candidate   OID
	Strategy          coord.Strategy
	Message           string
	Trailers          string
	Author, Committer Signature
}

// MergeResult is a commit that contains Onto, or why there is none: the paths
// that conflict, or NotForward. Commit, Tree and Parents are none then.
type MergeResult struct {
	Commit, Tree     OID
	Parents          []OID
	Conflicts        []string // sorted
	NotForward       string   // why the strategy has no result although nothing conflicts
	AlreadyContained bool     // Onto holds Candidate: Commit is Onto itself
}

// Merge brings the candidate onto another commit by the spec's strategy,
// without touching any work tree, index or reference: merge makes the commit
// with parents Onto and Candidate, also where Onto could be fast-forwarded.
// Merge drivers are chosen by Onto's .gitattributes, not by what lies on this
// machine. A conflict is a result, not an error; code merge_conflict is for
// histories that share no commit.
func (r *repo) Merge(ctx context.Context, spec MergeSpec) (MergeResult, error) {
	if err := checkOIDs(spec.Onto, spec.Candidate); err != nil {
		return MergeResult{}, err
	}
	for _, sig := range []Signature{spec.Author, spec.Committer} {
		if err := sig.check(); err != nil {
			return MergeResult{}, err
		}
	}
	cmp, err := r.Compare(ctx, spec.Candidate, spec.Onto)
	if err != nil {
		return MergeResult{}, err
	}
	if cmp.MergeBase == "" {
		return MergeResult{}, coord.Errorf(coord.CodeMergeConflict, "%s and %s share no history; nothing was merged", spec.Candidate.Short(), spec.Onto.Short())
	}
	if cmp.MergeBase == spec.Candidate {
		onto, err := r.ReadCommit(ctx, spec.Onto)
		return MergeResult{Commit: spec.Onto, Tree: onto.Tree, Parents: onto.Parents, AlreadyContained: true}, err
	}
	if spec.Strategy == coord.StrategyFF {
		return r.forward(ctx, spec, cmp.MergeBase)
	}
	m := &merger{repo: r, spec: spec}
	if m.scratch, err = os.MkdirTemp("", "coord-merge-"); err != nil {
		return MergeResult{}, coord.Errorf(coord.CodeSetup, "cannot make a place to merge in: %w", err)
	}
	defer os.RemoveAll(m.scratch)
	if err := r.layAttributes(ctx, spec.Onto, m.scratch); err != nil {
		return MergeResult{}, err
	}
	if spec.Strategy == coord.StrategyRebase {
		return m.rebase(ctx)
	}
	return m.commit(ctx)
}

// forward is the candidate itself, if it contains onto.
func (r *repo) forward(ctx context.Context, spec MergeSpec, base OID) (MergeResult, error) {
	if base != spec.Onto {
		return MergeResult{NotForward: spec.Candidate.Short() + " does not contain " + spec.Onto.Short() + ", so the target cannot be fast-forwarded to it"}, nil
	}
	c, err := r.ReadCommit(ctx, spec.Candidate)
	return MergeResult{Commit: c.OID, Tree: c.Tree, Parents: c.Parents}, err
}

// merger computes one merge in a scratch directory that holds the attributes
// of the commit merged onto.
type merger struct {
	*repo
	spec    MergeSpec
	scratch string
}

// commit makes one commit of the merged tree.
func (m *merger) commit(ctx context.Context) (MergeResult, error) {
	tree, conflicts, err := m.tree(ctx, m.spec.Onto, m.spec.Candidate)
	if err != nil || len(conflicts) > 0 {
		return MergeResult{Conflicts: conflicts}, err
	}
	made := CommitSpec{
		Tree: tree, Parents: []OID{m.spec.Onto, m.spec.Candidate}, Message: withTrailers(m.spec.Message, m.spec.Trailers),
		Author: &m.spec.Author, Committer: &m.spec.Committer,
	}
	if m.spec.Strategy == coord.StrategySquash {
		made.Parents = made.Parents[:1]
	}
	commit, err := m.CommitTree(ctx, made)
	return MergeResult{Commit: commit, Tree: tree, Parents: made.Parents}, err
}

// tree is the merge of two commits, or the paths that conflict.
func (m *merger) tree(ctx context.Context, onto, candidate OID) (OID, []string, error) {
	out, err := m.git.run(ctx, m.mergeCall(onto, candidate))
	if err != nil && !exited(err, 1) {
		return "", nil, wrap(coord.CodeInternal, err, "Git cannot merge %s into %s; nothing was merged", candidate.Short(), onto.Short())
	}
	if err != nil {
		conflicts, err := mergeConflicts(err.(*failure))
		return "", conflicts, err
	}
	f := records(out)
	if len(f) != 1 || !OID(f[0]).Valid() {
		return "", nil, coord.Errorf(coord.CodeInternal, "git merge-tree gave %q; nothing was merged", out)
	}
	return OID(f[0]), nil, nil
}

// mergeCall runs merge-tree with the scratch directory as its work tree. What
// a user's configuration could change about the result is pinned.
func (m *merger) mergeCall(onto, candidate OID) call {
	return call{
		args: []string{
			"-c", "core.attributesFile=/dev/null",
			"-c", "merge.renames=true", "-c", "diff.renames=true", "-c", "merge.directoryRenames=conflict",
			"-c", "merge.renameLimit=7000", "-c", "merge.renormalize=false", "-c", "merge.conflictStyle=merge",
			"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(onto), string(candidate),
		},
		dir:   m.scratch,
		env:   []string{"GIT_DIR=" + m.info.GitDir, "GIT_WORK_TREE=" + m.scratch},
		limit: work,
	}
}

// mergeConflicts reads exit status 1, which means conflicts only when the
// output begins with a tree.
func mergeConflicts(f *failure) ([]string, error) {
	paths := records(f.stdout)
	if len(paths) < 2 || !OID(paths[0]).Valid() {
		return nil, coord.Errorf(coord.CodeInternal, "Git could not merge and named no conflict; nothing was merged: %w", f)
	}
	paths = slices.DeleteFunc(paths[1:], func(p string) bool { return p == "" })
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// layAttributes writes the .gitattributes files of a commit into a directory.
func (r *repo) layAttributes(ctx context.Context, commit OID, dir string) error {
	entries, err := r.ReadTree(ctx, commit)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if path.Base(e.Path) != ".gitattributes" || (e.Mode != "100644" && e.Mode != "100755") || !filepath.IsLocal(filepath.FromSlash(e.Path)) {
			continue
		}
		text, err := r.read(ctx, "cat-file", "blob", string(e.OID))
		if err != nil {
			return wrap(coord.CodeInternal, err, "cannot read %s of %s; nothing was merged", e.Path, commit.Short())
		}
		to := filepath.Join(dir, filepath.FromSlash(e.Path))
		if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
		if err != nil {
			return coord.Errorf(coord.CodeSetup, "cannot write %s: %w; nothing was merged", to, err)
		}
	}
	return nil
}
