package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxReplayed is how many commits a rebase replays.
const maxReplayed = 1000

// rebase replays the candidate's commits that onto lacks, merges left out, each
// as a three-way merge with its parent as base. The end must be the tree that a
// merge gives: where a merge among them settled something that replaying cannot
// know, there is no result.
func (m *merger) rebase(ctx context.Context) (MergeResult, error) {
	merged, conflicts, err := m.tree(ctx, m.spec.Onto, m.spec.Candidate)
	if err != nil || len(conflicts) > 0 {
		return MergeResult{Conflicts: conflicts}, err
	}
	commits, err := m.Log(ctx, m.spec.Onto, m.spec.Candidate, maxReplayed+1)
	if err != nil {
		return MergeResult{}, err
	}
	commits = slices.DeleteFunc(commits, func(c Commit) bool { return len(c.Parents) > 1 })
	slices.Reverse(commits)
	switch {
	case len(commits) > maxReplayed:
		return MergeResult{NotForward: fmt.Sprintf("it has more than %d commits, too many to rebase one by one", maxReplayed)}, nil
	case slices.ContainsFunc(commits, func(c Commit) bool { return len(c.Parents) == 0 }):
		return MergeResult{NotForward: "its history has a second beginning, which cannot be rebased"}, nil
	}
	replayed, conflicts, err := m.replayAll(ctx, commits)
	if err != nil || len(conflicts) > 0 {
		return MergeResult{Conflicts: conflicts}, err
	}
	out, err := m.chain(ctx, replayed)
	if err == nil && out.Tree != merged {
		return MergeResult{NotForward: "replaying its commits one by one gives another tree than merging it, so a merge among them would be lost"}, nil
	}
	return out, err
}

// replayAll gives the commits with the trees that they have on top of onto.
// Those whose change is there already are left out, as git rebase does.
func (m *merger) replayAll(ctx context.Context, commits []Commit) (replayed []Commit, conflicts []string, _ error) {
	onto, err := m.ReadCommit(ctx, m.spec.Onto)
	if err != nil {
		return nil, nil, err
	}
	tip := onto.Tree
	for _, c := range commits {
		parent, err := m.ReadCommit(ctx, c.Parents[0])
		if err != nil {
			return nil, nil, err
		}
		tree, conflicts, err := m.threeWay(ctx, parent.Tree, tip, c.Tree)
		if err != nil || len(conflicts) > 0 {
			return nil, conflicts, err
		}
		if tree == tip && c.Tree != parent.Tree {
			continue
		}
		c.Tree, tip = tree, tree
		replayed = append(replayed, c)
	}
	return replayed, nil, nil
}

// threeWay merges two trees that came from a base. merge-tree takes only
// commits before Git 2.40, so it gets some that nothing refers to.
func (m *merger) threeWay(ctx context.Context, base, ours, theirs OID) (OID, []string, error) {
	switch base {
	case ours:
		return theirs, nil, nil
	case theirs:
		return ours, nil, nil
	}
	parent, err := m.standIn(ctx, base)
	if err != nil {
		return "", nil, err
	}
	a, err := m.standIn(ctx, ours, parent)
	if err != nil {
		return "", nil, err
	}
	b, err := m.standIn(ctx, theirs, parent)
	if err != nil {
		return "", nil, err
	}
	return m.tree(ctx, a, b)
}

func (m *merger) standIn(ctx context.Context, tree OID, parents ...OID) (OID, error) {
	return m.CommitTree(ctx, CommitSpec{Tree: tree, Parents: parents, Message: "Stand-in for a tree to merge\n", Author: &m.spec.Committer, Committer: &m.spec.Committer})
}

// chain makes the replayed commits on top of onto. One that is where it belongs
// is kept as it is, but for the last, which says in its trailers what landed;
// where none is left, an empty one does.
func (m *merger) chain(ctx context.Context, replayed []Commit) (MergeResult, error) {
	onto, err := m.ReadCommit(ctx, m.spec.Onto)
	if err != nil {
		return MergeResult{}, err
	}
	if len(replayed) == 0 {
		replayed = []Commit{{Tree: onto.Tree, Author: m.spec.Author, Message: m.spec.Message}}
	}
	out := MergeResult{Commit: onto.OID}
	for i, c := range replayed {
		last := i == len(replayed)-1
		inPlace := slices.Equal(c.Parents, []OID{out.Commit})
		out.Parents, out.Tree = []OID{out.Commit}, c.Tree
		if inPlace && !(last && m.spec.Trailers != "") {
			out.Commit = c.OID
			continue
		}
		made := CommitSpec{Tree: c.Tree, Parents: out.Parents, Message: c.Message, Author: &c.Author, Committer: &m.spec.Committer}
		if last {
			made.Message = withTrailers(made.Message, m.spec.Trailers)
		}
		if strings.TrimSpace(made.Message) == "" {
			made.Message = m.spec.Message
		}
		if out.Commit, err = m.CommitTree(ctx, made); err != nil {
			return MergeResult{}, err
		}
	}
	return out, nil
}

// withTrailers adds lines to a message's last paragraph, if that is one of
// trailers, or as a paragraph of their own; git-interpret-trailers(1).
func withTrailers(message, trailers string) string {
	message = strings.TrimRight(message, "\n")
	if trailers == "" {
		return message + "\n"
	}
	last := message[strings.LastIndex(message, "\n\n")+1:]
	gap := "\n\n"
	if strings.Contains(message, "\n\n") && allTrailers(strings.TrimSpace(last)) {
		gap = "\n"
	}
	return message + gap + strings.TrimRight(trailers, "\n") + "\n"
}

// allTrailers reports whether every line is "Key: value".
func allTrailers(paragraph string) bool {
	for _, l := range strings.Split(paragraph, "\n") {
		key, _, ok := strings.Cut(l, ": ")
		if !ok || key == "" || strings.ContainsFunc(key, notInTrailerKey) {
			return false
		}
	}
	return true
}

func notInTrailerKey(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
