package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/client"
	"coord/worktree"
)

type doctor struct {
	*app
	found []finding
}

// finding is one thing that doctor looked at. It is well when Problem is
// empty.
type finding struct {
	Subject string   `json:"subject"`
	Detail  string   `json:"detail"`
	Problem bool     `json:"problem"`
	Next    []string `json:"next,omitempty"`
}

func newDoctor(a *app) *cobra.Command {
	o := &doctor{app: a}
	return a.verb("doctor", "Look at everything that coord needs here, and say what to do about it", cobra.NoArgs, o.run)
}

func (o *doctor) run(ctx context.Context, _ []string) (output, error) {
	first := o.git(ctx)
	for _, err := range []error{o.server(ctx), o.worktrees()} {
		if first == nil {
			first = err
		}
	}
	out := output{kind: "doctor", data: listOf(o.found, ""), text: func(w io.Writer) {
		for _, f := range o.found {
			state := "ok"
			if f.Problem {
				state = "problem"
			}
			fmt.Fprintf(w, "%-8s%-12s%s\n", state, f.Subject, coord.OneLine(f.Detail))
			for _, n := range f.Next {
				fmt.Fprintf(w, "%-8s%-12s%s\n", "", "next", coord.OneLine(n))
			}
		}
	}}
	if first != nil {
		out.err = coord.Errorf(asError(first).Code, "not everything is well here")
	}
	return out, nil
}

func (o *doctor) well(subject, format string, args ...any) {
	o.found = append(o.found, finding{Subject: subject, Detail: fmt.Sprintf(format, args...)})
}

// ill records a problem and returns it.
func (o *doctor) ill(subject string, err error) error {
	e := asError(o.refusedToken(err))
	next := slices.DeleteFunc(slices.Clone(e.Next), func(n string) bool { return n == "coord doctor" }) // it is this
	o.found = append(o.found, finding{Subject: subject, Detail: e.Message, Problem: true, Next: next})
	return err
}

// git looks at the installed git, the repository and its remote.
func (o *doctor) git(ctx context.Context) error {
	v, err := o.gitOps().Version(ctx)
	if err != nil {
		return o.ill("git", err)
	}
	o.well("git", "%s", v)
	repo, err := o.repo(ctx)
	if err != nil {
		return o.ill("repository", err)
	}
	o.well("repository", "%s", repo.Info().Root)
	r, err := remoteOf(ctx, repo)
	if err != nil {
		return o.ill("remote", err)
	}
	if _, err := repo.Observe(ctx, r.name, "HEAD"); err != nil {
		return o.ill("remote", err)
	}
	o.well("remote", "%s, %s", r.name, r.url)
	return nil
}

// server looks at the configuration, the server, the credential, the session
// and how far the clocks are apart.
func (o *doctor) server(ctx context.Context) error {
	c, err := o.config()
	if err != nil {
		return o.ill("config", err)
	}
	if c.Path != "" {
		o.well("config", "%s, %s", c.Path, plural(len(c.Checks), "check"))
	}
	conn, err := o.connect()
	if err != nil {
		return o.ill("credential", err)
	}
	asked := wallClock()
	view, err := conn.Overview(ctx)
	took := wallClock().Sub(asked)
	if err != nil {
		subject := "server"
		if coord.CodeOf(err) == coord.CodeUnauthenticated {
			subject = "credential"
		}
		return o.ill(subject, err)
	}
	o.well("server", "%s, version %s, answered in %s", conn.server, conn.ServerVersion(), took.Round(time.Millisecond))
	return errors.Join(o.clock(view.Now, asked.Add(took/2)), o.session(ctx, conn))
}

// drift is how far the clocks may be apart without a word. Nothing rests on
// this machine's, but its logs and commits carry it.
const drift = 30 * time.Second

func (o *doctor) clock(theirs, ours time.Time) error {
	apart := theirs.Sub(ours).Abs().Round(time.Second)
	if apart > drift {
		return o.ill("clock", coord.Errorf(coord.CodeSetup, "this machine's clock and the server's are %s apart; leases are judged by the server's", apart))
	}
	o.well("clock", "within %s of the server's", max(apart, time.Second))
	return nil
}

func (o *doctor) session(ctx context.Context, conn *connection) error {
	pending, err := conn.pending()
	if err != nil {
		return o.ill("session", err)
	}
	who, err := conn.Whoami(ctx)
	if err != nil {
		return o.ill("session", err)
	}
	o.well("credential", "%s, role %s", who.Principal, who.Role)
	o.well("session", "%s on %s", conn.session.Name, conn.session.Machine)
	if pending {
		return o.ill("journal", coord.Errorf(coord.CodeUnavailable, "a request of this session waits for its answer; the next command settles it").WithNext("coord next"))
	}
	return nil
}

// pending reports whether a request of the session was sent and not answered.
func (c *connection) pending() (bool, error) {
	p, err := client.OpenJournal(c.key).Pending()
	return p != nil, err
}

// worktrees looks at the worktrees that serve attempts.
func (o *doctor) worktrees() error {
	if o.opened == nil {
		return nil // no repository, which is said already
	}
	bound, err := worktree.Find(o.opened.Info())
	if err != nil {
		return o.ill("worktrees", err)
	}
	gone := 0
	for _, b := range bound {
		if b.Gone {
			gone++
		}
	}
	if gone > 0 {
		return o.ill("worktrees", coord.Errorf(coord.CodeSetup, "%d of %d worktrees were deleted by hand", gone, len(bound)).WithNext("coord prune"))
	}
	o.well("worktrees", "%d", len(bound))
	return nil
}
