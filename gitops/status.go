package gitops

import (
	"context"
	"strings"

	"coord"
)

// ChangeKind says what happened to a path since HEAD.
type ChangeKind string

// The kinds of change.
const (
	Added       ChangeKind = "added"
	Modified    ChangeKind = "modified"
	Deleted     ChangeKind = "deleted"
	TypeChanged ChangeKind = "type changed"
	Unmerged    ChangeKind = "unmerged"
	Untracked   ChangeKind = "untracked"
)

// Change is one path that differs from HEAD.
type Change struct {
	Path           string // slash-separated; ends with a slash for an untracked repository
	Kind           ChangeKind
	Staged         bool // the index differs from HEAD
	DirtySubmodule bool // a submodule with work that no snapshot of this repository holds
}

// Status lists what differs from HEAD, untracked files one by one, ignored
// ones not. It leaves the index as it is.
func (r *repo) Status(ctx context.Context) ([]Change, error) {
	if err := r.needWorkTree(); err != nil {
		return nil, err
	}
	out, err := r.work(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignored=no")
	if err != nil {
		return nil, wrap(coord.CodeSetup, err, "cannot read the status of %s", r.info.Root)
	}
	var changes []Change
	for _, rec := range records(out) {
		c, err := parseChange(rec)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// parseChange reads one record of git-status(1), "Porcelain Format Version 2".
func parseChange(rec string) (Change, error) {
	fields := map[byte]int{'1': 9, 'u': 11, '?': 2}[rec[0]]
	f := strings.SplitN(rec, " ", max(fields, 1))
	if fields == 0 || len(f) != fields {
		return Change{}, coord.Errorf(coord.CodeInternal, "git status gave %q", rec)
	}
	c := Change{Path: f[fields-1]}
	switch rec[0] {
	case '?':
		c.Kind = Untracked
		return c, nil
	case 'u':
		c.Kind = Unmerged
	default:
		c.Kind, c.Staged = changeKind(f[1]), f[1][0] != '.'
	}
	c.DirtySubmodule = len(f[2]) == 4 && strings.ContainsAny(f[2][2:], "MU")
	return c, nil
}

func changeKind(xy string) ChangeKind {
	switch {
	case strings.Contains(xy, "D"):
		return Deleted
	case strings.Contains(xy, "A"):
		return Added
	case strings.Contains(xy, "T"):
		return TypeChanged
	}
	return Modified
}

func (r *repo) needWorkTree() error {
	if r.info.Bare {
		return coord.Errorf(coord.CodeSetup, "%s is a bare repository: it has no work tree", r.info.GitDir)
	}
	return nil
}
