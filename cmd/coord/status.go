package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
	"coord/worktree"
)

func newStatus(a *app) *cobra.Command {
	return a.verb("status", "where this session stands", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.status(ctx)
	})
}

// status shows the attempt of this worktree, else those that the session
// holds in the repository.
func (a *app) status(ctx context.Context) (output, error) {
	looking := a.lookHere(ctx)
	if looking != nil {
		defer looking.End()
	}
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	d.Looking = looking
	all, err := boundHere(d)
	if err != nil {
		return output{}, err
	}
	chosen := worktree.OfSession(all, d.Session, "")
	for _, b := range all {
		if b.GitDir == d.Repo.Info().GitDir {
			chosen = []worktree.Bound{b}
		}
	}
	var states []work.State
	var others []bool // whether another session holds it
	for _, b := range chosen {
		s, err := d.State(ctx, b)
		if err != nil {
			return output{}, err
		}
		if s.Attempt.Standing == coord.StandingLive && b.Session != d.Session {
			s.Next = "coord next" // its commands are not for this session
		}
		states = append(states, s)
		others = append(others, b.Session != d.Session)
	}
	return output{kind: "status", data: listOf(states, ""), text: func(w io.Writer) {
		for i, s := range states {
			statusText(w, s, others[i])
		}
		if len(states) == 0 {
			fmt.Fprintln(w, "this session holds nothing in this repository")
			fmt.Fprintln(w, "next      coord next")
		}
	}}, nil
}

// lookHere begins to look at the worktree that the command runs in, while the
// remote and the server are asked; nil where there is no open code attempt.
func (a *app) lookHere(ctx context.Context) *work.Look {
	b, err := a.binding()
	if err != nil || b.Path == "" || b.Ended || b.Kind == coord.KindReview {
		return nil
	}
	return work.LookAt(ctx, a.gitOps(), b.Path)
}

func statusText(w io.Writer, s work.State, other bool) {
	fmt.Fprintf(w, "%s  %s  %s\n", s.Task.ID, s.Task.Status, clip(s.Task.Title, 120))
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", label, fmt.Sprintf(format, args...))
	}
	lease := string(s.Attempt.Standing)
	if s.Attempt.Standing == coord.StandingLive {
		lease += ", lease " + span(time.Duration(s.Attempt.Lease.RemainingMS)*time.Millisecond) + " left"
	}
	owner := coord.OneLine(s.Attempt.Owner)
	if other {
		owner += ", not this session"
	}
	line("attempt", "%d  %s  %s", s.Attempt.Generation, lease, owner)
	if c := s.Checkpoint; c != nil {
		where := "pushed"
		if !c.Pushed {
			where = "saved: local only"
		}
		line("saved", "checkpoint %d  tree %s  %s  %s", c.Number, c.Tree.Short(), where, clip(c.Note, 100))
	}
	if s.Tree != "" {
		line("tree", "%s  %s", s.Tree.Short(), treeText(s))
	}
	for _, b := range s.Task.Blockers {
		line("blocked", "%s  %s", b.ID, clip(b.Text, 200))
	}
	for _, c := range s.Checks {
		switch {
		case !c.Passed:
			line("missing", "%s", strings.Replace(c.Why(s.Tree), "tree "+s.Tree.Short(), "this tree", 1))
		case c.Flaky:
			line("flaky", "check %s passed and failed on this tree", c.Name)
		}
	}
	line("next", "%s", s.Next)
}

func treeText(s work.State) string {
	if s.Uncommitted == 0 {
		return "committed"
	}
	return plural(s.Uncommitted, "uncommitted path")
}
