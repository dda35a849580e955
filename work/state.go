package work

import (
	"cmp"
	"context"

	"coord"
	"coord/worktree"
)

// State is where an attempt stands, on the record and on this machine.
type State struct {
	Task        coord.Task            `json:"task"`
	Attempt     coord.Attempt         `json:"attempt"`
	Worktree    coord.Worktree        `json:"worktree"`
	Checkpoint  *coord.Checkpoint     `json:"checkpoint,omitempty" doc:"The attempt's latest."`
	Tree        coord.OID             `json:"tree,omitempty" doc:"The worktree's snapshot now."`
	Uncommitted int                   `json:"uncommitted"`
	Missing     []coord.RequiredCheck `json:"missing,omitempty" doc:"Required checks that the receipts are no evidence for on the tree."`
	Checks      []coord.CheckState    `json:"checks,omitempty" doc:"What the runs of each required check on the tree amount to."`
	Next        string                `json:"next"`
}

// Look is what the files of a worktree say, being found out.
type Look struct {
	path        string
	end         context.CancelFunc
	done        chan struct{}
	tree        coord.OID
	uncommitted int
	err         error
}

// LookAt begins to look. Who began it ends it.
func LookAt(ctx context.Context, git worktree.Git, path string) *Look {
	ctx, end := context.WithCancel(ctx)
	l := &Look{path: path, end: end, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.tree, l.uncommitted, l.err = look(ctx, git, path)
	}()
	return l
}

// End ends the look, if it has not been had, and waits until it is over.
func (l *Look) End() {
	l.end()
	<-l.done
}

// look is the worktree's snapshot and how many paths are not committed.
func look(ctx context.Context, git worktree.Git, path string) (coord.OID, int, error) {
	repo, err := git.Open(ctx, path)
	if err != nil {
		return "", 0, err
	}
	seen, err := repo.Survey(ctx)
	if err != nil || !seen.Submodules {
		return seen.Tree, len(seen.Changed), err
	}
	changes, err := repo.Status(ctx) // uncommitted work in a submodule counts too
	return seen.Tree, len(changes), err
}

// State reads it; nothing is changed or renewed.
func (d *Desk) State(ctx context.Context, b worktree.Bound) (State, error) {
	detail, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return State{}, err
	}
	s := State{Task: detail.Task, Worktree: d.place(b), Next: "coord next"}
	for _, a := range detail.Attempts {
		if a.ID == b.Attempt {
			s.Attempt = a
		}
	}
	for i, c := range detail.Checkpoints {
		if c.Attempt == b.Attempt {
			s.Checkpoint = &detail.Checkpoints[i]
		}
	}
	switch {
	case s.Attempt.Standing == coord.StandingExpired:
		s.Next = "coord start"
	case s.Attempt.Standing != coord.StandingLive:
	case b.Kind == coord.KindReview:
		s.Next = `coord approve -m "why it holds"`
	default:
		err = d.evidence(ctx, b, &s)
	}
	return s, err
}

// evidence compares a live code attempt's worktree with its receipts.
func (d *Desk) evidence(ctx context.Context, b worktree.Bound, s *State) error {
	seen := d.Looking
	if seen == nil || seen.path != b.Path {
		seen = LookAt(ctx, d.Git, b.Path)
		defer seen.End()
	}
	checks, checksErr := d.ChecksOf(ctx, b.Target)
	<-seen.done
	if err := cmp.Or(seen.err, checksErr); err != nil {
		return err
	}
	s.Tree, s.Uncommitted = seen.tree, seen.uncommitted
	receipts, err := d.Service.ReceiptsFor(ctx, d.Project, s.Tree)
	if err != nil {
		return err
	}
	if b.Kind == coord.KindCode { // of a general task nothing lands
		s.Missing = coord.MissingChecks(definitions(checks), receipts, s.Tree)
		s.Checks = coord.StatesOf(definitions(checks), receipts, s.Tree)
	}
	s.Next = `coord submit --all -m "what changed"`
	switch {
	case len(s.Task.Blockers) > 0 && s.Task.Blockers[0].Decision != "":
		s.Next = "coord wait --for decision.answered"
	case len(s.Task.Blockers) > 0:
		s.Next = "coord task unblock " + string(b.Task) + " -m REASON"
	case len(s.Missing) > 0:
		s.Next = coord.StateOf(s.Missing[0], receipts, s.Tree).Next(s.Tree, coord.Rerun{Task: b.Task, Command: "coord check"})[0]
	}
	return nil
}
