// Package gitops is the one door to Git: it opens repositories, reads them,
// snapshots work trees, makes commits, worktrees and merges, and talks to
// remotes. It needs the installed git, 2.38 or newer; only what is stored is
// read without it, with go-git, where the answer is certainly the same. Which of
// the two reads is decided per repository and shows nowhere.
//
// What a caller may rely on everywhere:
//
//   - Git runs without hooks (except on push), fsmonitor, garbage collection,
//     prompts or replacement objects, with the user's own configuration and
//     credentials, under a deadline, and is ended with all its children.
//   - Only full object names and full reference names leave or enter, except
//     where a parameter is documented as a revision or a short branch name.
//   - Errors are *coord.Error. They show what Git said, made harmless for a
//     terminal and without credentials.
//   - Nothing overwrites or removes a file, index, branch or remote reference
//     whose content is not known to be saved elsewhere.
package gitops

import (
	"context"
	"time"

	"coord"
)

// Repo is one repository seen from one of its work trees. It is safe for use
// by several goroutines.
type Repo interface {
	Info() Info

	Head(ctx context.Context) (Head, error)
	Resolve(ctx context.Context, rev string) (OID, error)
	Refs(ctx context.Context, prefix string) (map[string]OID, error)
	ReadCommit(ctx context.Context, commit OID) (Commit, error)
	ReadTree(ctx context.Context, treeish OID) ([]TreeEntry, error)
	ReadFile(ctx context.Context, commit OID, path string) ([]byte, error)
	Status(ctx context.Context) ([]Change, error)

	Survey(ctx context.Context) (Survey, error)
	MayHoldSubmodules() bool
	Snapshot(ctx context.Context) (OID, error)
	KeepSnapshot(ctx context.Context) (OID, error)
	CommitTree(ctx context.Context, spec CommitSpec) (OID, error)
	CommitSnapshot(ctx context.Context, message string) (OID, error)
	UpdateRefs(ctx context.Context, updates []RefUpdate) error

	Worktrees(ctx context.Context) ([]Worktree, error)
	AddWorktree(ctx context.Context, spec WorktreeSpec) error
	RemoveWorktree(ctx context.Context, path string, saved OID) error
	TrashWorktree(ctx context.Context, path string, saved OID, to string) error
	ForgetWorktree(ctx context.Context, path string) error
	AbandonWorktree(ctx context.Context, path string) error
	DropHeadless(ctx context.Context) (bool, error)

	Remotes(ctx context.Context) ([]string, error)
	RemoteURL(ctx context.Context, name string) (string, error)
	Fetch(ctx context.Context, remote string, refspecs ...string) error
	Push(ctx context.Context, remote string, updates []RefUpdate, atomic bool) error
	Observe(ctx context.Context, remote string, refs ...string) (map[string]OID, error)

	Merge(ctx context.Context, spec MergeSpec) (MergeResult, error)
	Revert(ctx context.Context, spec RevertSpec) (MergeResult, error)
	Compare(ctx context.Context, a, b OID) (Comparison, error)
	IsAncestor(ctx context.Context, ancestor, descendant OID) (bool, error)
	Log(ctx context.Context, from, to OID, limit int) ([]Commit, error)

	Files(ctx context.Context) ([]string, error)
	Had(ctx context.Context, at OID, path, sum string, limit int) (bool, error)
	Changed(ctx context.Context, at OID, paths []string) (map[string]time.Time, error)
}

// OID is a full object name; the zero value means "none".
type OID = coord.OID

// Info says where a repository lies. All paths are absolute and clean.
type Info struct {
	Root         string // top of the work tree; "" when bare
	GitDir       string // this work tree's own Git directory
	CommonDir    string // the Git directory all work trees share
	Bare         bool
	ObjectFormat string // "sha1" or "sha256"
}

// Head says what HEAD stands for.
type Head struct {
	Commit   OID    // none when Unborn
	Branch   string // short name; "" when Detached
	Detached bool
	Unborn   bool // the branch has no commit yet
}

// Signature is who and when. Git keeps seconds and the zone's offset.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit as stored.
type Commit struct {
	OID       OID
	Tree      OID
	Parents   []OID
	Author    Signature
	Committer Signature
	Message   string
}

// TreeEntry is a file of a tree. Mode is Git's: 100644, 100755, 120000
// (symlink) or 160000 (submodule commit).
type TreeEntry struct {
	Mode string
	OID  OID
	Path string // slash-separated, as Git stores it
}
