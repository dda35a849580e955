package gitops

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"coord"
)

// MergeSpec describes a merge of Candidate into Onto. The dates and identity
// of the commit are the signatures', so that one spec gives one commit.
type MergeSpec struct {
	Onto, Candidate   OID
	Message           string
	Author, Committer Signature
}

// MergeResult is a commit on top of Onto, or the paths that conflict. Commit
// and Tree are none when there are conflicts.
type MergeResult struct {
	Commit, Tree     OID
	Conflicts        []string // sorted
	AlreadyContained bool     // Onto holds Candidate: Commit is Onto itself
}

// Merge makes the commit with parents Onto and Candidate, also where Onto could
// be fast-forwarded, without touching any work tree, index or reference.
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
		return MergeResult{Commit: spec.Onto, Tree: onto.Tree, AlreadyContained: true}, err
	}
	return r.mergeTrees(ctx, spec)
}

func (r *repo) mergeTrees(ctx context.Context, spec MergeSpec) (MergeResult, error) {
	scratch, err := os.MkdirTemp("", "coord-merge-")
	if err != nil {
		return MergeResult{}, coord.Errorf(coord.CodeSetup, "cannot make a place to merge in: %w", err)
	}
	defer os.RemoveAll(scratch)
	if err := r.layAttributes(ctx, spec.Onto, scratch); err != nil {
		return MergeResult{}, err
	}
	out, err := r.git.run(ctx, r.mergeCall(spec, scratch))
	if err != nil && !exited(err, 1) {
		return MergeResult{}, wrap(coord.CodeInternal, err, "Git cannot merge %s into %s; nothing was merged", spec.Candidate.Short(), spec.Onto.Short())
	}
	if err != nil {
		return mergeConflicts(err.(*failure))
	}
	f := records(out)
	if len(f) != 1 || !OID(f[0]).Valid() {
		return MergeResult{}, coord.Errorf(coord.CodeInternal, "git merge-tree gave %q; nothing was merged", out)
	}
	made := CommitSpec{
		Tree: OID(f[0]), Parents: []OID{spec.Onto, spec.Candidate}, Message: spec.Message,
		Author: &spec.Author, Committer: &spec.Committer,
	}
	commit, err := r.CommitTree(ctx, made)
	return MergeResult{Commit: commit, Tree: made.Tree}, err
}

// mergeCall runs merge-tree with the scratch directory as its work tree. What
// a user's configuration could change about the result is pinned.
func (r *repo) mergeCall(spec MergeSpec, scratch string) call {
	return call{
		args: []string{
			"-c", "core.attributesFile=/dev/null",
			"-c", "merge.renames=true", "-c", "diff.renames=true", "-c", "merge.directoryRenames=conflict",
			"-c", "merge.renameLimit=7000", "-c", "merge.renormalize=false", "-c", "merge.conflictStyle=merge",
			"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(spec.Onto), string(spec.Candidate),
		},
		dir:   scratch,
		env:   []string{"GIT_DIR=" + r.info.GitDir, "GIT_WORK_TREE=" + scratch},
		limit: work,
	}
}

// mergeConflicts reads exit status 1, which means conflicts only when the
// output begins with a tree.
func mergeConflicts(f *failure) (MergeResult, error) {
	paths := records(f.stdout)
	if len(paths) < 2 || !OID(paths[0]).Valid() {
		return MergeResult{}, coord.Errorf(coord.CodeInternal, "Git could not merge and named no conflict; nothing was merged: %w", f)
	}
	paths = slices.DeleteFunc(paths[1:], func(p string) bool { return p == "" })
	slices.Sort(paths)
	return MergeResult{Conflicts: slices.Compact(paths)}, nil
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
