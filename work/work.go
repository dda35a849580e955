// Package work carries an attempt through its stages on this machine: start,
// checkpoint, check, submit, land, prune. Each stage does the Git part first,
// reads back what it did, and then reports it to the service; a stage that is
// interrupted anywhere is finished by running it again.
package work

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// Desk is one session's place of work: a repository on this machine, the
// service, and how this machine names things.
type Desk struct {
	Service coord.Service
	Git     worktree.Git
	Repo    gitops.Repo // any work tree of the repository
	Session coord.SessionID
	Server  string // the service's origin, kept in bindings
	Project coord.ProjectKey
	// Repository is this clone's remote, normalised: a task of another one is
	// not taken here.
	Repository coord.RepositoryID
	Remote     string // name of the Git remote
	Refs       string // where coord's refs go: refs/coord, or refs/heads/coord
	Parent     string // directory of the worktrees
	Machine    string

	// ParseChecks reads the required checks from a .coord.toml.
	ParseChecks func([]byte) ([]coord.Check, error)
	// RunCheck runs one check in a directory and says how it ended; it fills
	// Command, Result, ExitStatus, Reason, Toolchain, LogDigest, StartedAt,
	// EndedAt and DurationMS.
	RunCheck func(ctx context.Context, dir string, check coord.Check) coord.Run
	// Keep, when set, keeps a lease alive in the background until the attempt
	// ends or the harness does.
	Keep func(coord.Attempt)
	// Deed, when set, names what the next mutation under the context is meant
	// to do, where its request differs from one run to the next: after a lost
	// answer the request of the same deed is sent again as it was.
	Deed func(ctx context.Context, deed string) context.Context
	// Unsettled, when set, reports whether an earlier request of the session
	// still waits for its answer.
	Unsettled func() bool
	// Looking, when set, is a look that State need not begin.
	Looking *Look
	// Now is the machine's time.
	Now func() time.Time
	// Say reports a step of long work in a few words.
	Say func(format string, args ...any)
	// Decision, when set, allows the checks of this command to run once more
	// although they failed too often on their tree.
	Decision coord.DecisionID
}

// ConfigFile is the committed file that names a project's checks.
const ConfigFile = ".coord.toml"

// attemptRef is where an attempt's checkpoints go.
func (d *Desk) attemptRef(a coord.AttemptID) string {
	return d.Refs + "/attempts/" + refPart(a)
}

// candidateRef is the create-only ref of one submitted commit.
func (d *Desk) candidateRef(a coord.AttemptID, commit coord.OID) string {
	return d.Refs + "/candidates/" + refPart(a) + "/" + string(commit)
}

// refPart is an attempt in the name of a ref: pay-42/3.
func refPart(a coord.AttemptID) string {
	return strings.Replace(string(a), ".a", "/", 1)
}

func (d *Desk) fenceRef(target string) string { return d.Refs + "/fence/" + target }

// fetchTarget brings the target's remote-tracking ref up to date and returns
// its tip. Two commands that fetch at once get in each other's way over that
// ref, so a fetch that met a conflict is repeated.
func (d *Desk) fetchTarget(ctx context.Context, target string) (coord.OID, error) {
	tracking := d.trackingRef(target)
	var err error
	for range 4 {
		err = d.Repo.Fetch(ctx, d.Remote, "+refs/heads/"+target+":"+tracking)
		if coord.CodeOf(err) != coord.CodeStateConflict {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return d.Repo.Resolve(ctx, tracking)
}

func (d *Desk) trackingRef(target string) string {
	return "refs/remotes/" + d.Remote + "/" + target
}

// fetchCommit makes sure that the commit is in this repository, fetching the
// ref that holds it if it is not. CodeRequirement means that the remote
// answered and does not have it.
func (d *Desk) fetchCommit(ctx context.Context, commit coord.OID, ref string) error {
	here, err := d.has(ctx, commit)
	if err != nil || here {
		return err
	}
	fetchErr := d.Repo.Fetch(ctx, d.Remote, ref)
	if here, err = d.has(ctx, commit); err != nil || here {
		return err
	}
	if fetchErr != nil && coord.CodeOf(fetchErr) != coord.CodeNotFound {
		return fetchErr
	}
	return coord.Errorf(coord.CodeRequirement, "commit %s is neither here nor at %s on the remote", commit.Short(), ref)
}

// has reports whether the commit is in this repository.
func (d *Desk) has(ctx context.Context, commit coord.OID) (bool, error) {
	_, err := d.Repo.ReadCommit(ctx, commit)
	if coord.CodeOf(err) == coord.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// required reads the checks that a commit of the target branch requires. A
// target without a .coord.toml requires none.
func (d *Desk) required(ctx context.Context, commit coord.OID) ([]coord.Check, error) {
	blob, err := d.Repo.ReadFile(ctx, commit, ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return d.ParseChecks(blob)
}

// deed names the next mutation under the context it returns.
func (d *Desk) deed(ctx context.Context, deed string) context.Context {
	if d.Deed == nil {
		return ctx
	}
	return d.Deed(ctx, deed)
}

func definitions(checks []coord.Check) []coord.RequiredCheck {
	var out []coord.RequiredCheck
	for _, c := range checks {
		out = append(out, c.Require())
	}
	return out
}

// at is the desk seen from the bound worktree.
func (d *Desk) at(ctx context.Context, b worktree.Bound) (*Desk, error) {
	repo, err := d.Git.Open(ctx, b.Path)
	if err != nil {
		return nil, err
	}
	there := *d
	there.Repo = repo
	return &there, nil
}

// ChecksOf reads the checks that the target requires, as it was last fetched.
func (d *Desk) ChecksOf(ctx context.Context, target string) ([]coord.Check, error) {
	tip, err := d.Repo.Resolve(ctx, d.trackingRef(target))
	if err != nil {
		return nil, err
	}
	return d.required(ctx, tip)
}
