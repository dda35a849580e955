package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/client"
)

func newSession(a *app) *cobra.Command {
	return a.group("session", "List and close sessions", newSessionList(a), newSessionClose(a))
}

type sessionList struct {
	*app
	all bool
}

func newSessionList(a *app) *cobra.Command {
	o := &sessionList{app: a}
	c := a.verb("list", "List the open sessions of this machine's credential, last seen first", cobra.NoArgs, o.run)
	c.Flags().BoolVar(&o.all, "all", false, "those of everybody; needs coord login")
	return c
}

func (o *sessionList) run(ctx context.Context, _ []string) (output, error) {
	sessions, err := o.sessions(ctx)
	if err != nil {
		return output{}, err
	}
	return output{kind: "sessions", data: listOf(sessions, ""), text: func(w io.Writer) {
		if len(sessions) == 0 {
			fmt.Fprintln(w, "no open session")
		}
		columns(w, func(w io.Writer) {
			for _, s := range sessions {
				fmt.Fprintln(w, row(string(s.ID), clip(s.Name, 40), clip(s.Machine, 30), clip(string(s.Principal), 30), "seen "+day(s.SeenAt), held(s.Attempts)))
			}
		})
	}}, nil
}

func held(attempts []coord.AttemptID) string {
	all := make([]string, len(attempts))
	for i, id := range attempts {
		all[i] = string(id)
	}
	return strings.Join(all, ", ")
}

func (o *sessionList) sessions(ctx context.Context) ([]coord.SessionRecord, error) {
	if !o.all {
		svc, err := o.service(ctx)
		if err != nil {
			return nil, err
		}
		return svc.ListSessions(ctx)
	}
	p, err := o.asOperator()
	if err != nil {
		return nil, err
	}
	all, err := p.ListSessions(ctx)
	return all, p.signedOut(err)
}

type sessionClose struct {
	*app
	reason string
}

func newSessionClose(a *app) *cobra.Command {
	o := &sessionClose{app: a}
	c := a.verb("close [ID]", "Close a session for good and end its attempts: this harness's, or any after coord login", cobra.MaximumNArgs(1), o.run)
	c.Flags().StringVar(&o.reason, "reason", "", "`WHY` it ends, for the record")
	return c
}

func (o *sessionClose) run(ctx context.Context, args []string) (output, error) {
	c := coord.CloseSession{Reason: o.reason}
	if len(args) > 0 {
		c.Session = coord.SessionID(args[0])
	}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	closed, err := o.close(ctx, c)
	if err != nil {
		return output{}, err
	}
	return output{kind: "session", data: closed, text: func(w io.Writer) {
		writeClosed(w, closed)
	}}, nil
}

// writeClosed prints what became of each attempt of a session that is closed.
func writeClosed(w io.Writer, r coord.SessionRecord) {
	fmt.Fprintf(w, "session %s closed\n", clip(r.Name, 80))
	for _, e := range r.Ended {
		fmt.Fprintf(w, "%s ended: %s\n", e.Attempt, clip(e.Kept, 400))
		field(w, "next", "%s", clip(e.Next, 200))
	}
}

func (o *sessionClose) close(ctx context.Context, c coord.CloseSession) (coord.SessionRecord, error) {
	if c.Session == "" {
		return o.closeOwn(ctx, c)
	}
	p, err := o.asOperator()
	if err != nil {
		return coord.SessionRecord{}, err
	}
	closed, err := p.CloseSession(ctx, c)
	return closed, p.signedOut(err)
}

// closeOwn closes this harness's session and forgets it here, so that its
// next command begins another. One that is closed already is only forgotten.
func (o *sessionClose) closeOwn(ctx context.Context, c coord.CloseSession) (coord.SessionRecord, error) {
	conn, err := o.connect()
	if err != nil {
		return coord.SessionRecord{}, err
	}
	closed, err := conn.CloseSession(ctx, c)
	if client.SessionClosed(err) {
		closed, err = coord.SessionRecord{ID: conn.session.ID.Short(), Name: conn.session.Name, Machine: conn.session.Machine}, nil
	}
	if err != nil {
		return closed, err
	}
	return closed, conn.session.Forget(rand.Reader)
}

// lineage tells a session what it descends from and what it can do:
// COORD_PARENT_SESSION names a session of this machine as COORD_SESSION does,
// or is a session's id; COORD_CAPABILITIES are separated by commas.
func (a *app) lineage(s *client.Session, key client.SessionKey) error {
	if name := strings.TrimSpace(a.env.get("COORD_PARENT_SESSION")); name != "" {
		id, err := client.KeptSession(client.SessionKey{Dir: key.Dir, Origin: key.Origin, Name: "name " + name})
		if err != nil {
			return err
		}
		if id == "" {
			id = coord.SessionID(name)
		}
		if id != s.ID {
			s.Parent = id
		}
	}
	var given []string
	for c := range strings.SplitSeq(a.env.get("COORD_CAPABILITIES"), ",") {
		if c = strings.TrimSpace(c); c != "" {
			given = append(given, c)
		}
	}
	var err error
	if s.Capabilities, err = coord.CanonicalCapabilities(given); err != nil {
		return coord.Errorf(coord.CodeSetup, "COORD_CAPABILITIES: %w; nothing was sent", err).WithNext("export COORD_CAPABILITIES=gpu,arm64")
	}
	return nil
}
