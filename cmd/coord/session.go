package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"coord"
	"coord/client"
	"coord/proc"
)

// connection is a server as this harness's session reaches it.
type connection struct {
	*client.Client
	url     string // base URL
	server  string // its origin
	session *client.Session
	key     client.SessionKey
}

// service is the server as coord.Service, under this machine's credential and
// this harness's session. It makes no request.
func (a *app) service(context.Context) (coord.Service, error) { return a.connect() }

// connect is service for verbs that also need the session or the origin.
func (a *app) connect() (*connection, error) {
	if a.dialed != nil {
		return a.dialed, nil
	}
	server, err := a.serverURL()
	if err != nil {
		return nil, err
	}
	origin, err := client.Origin(server)
	if err != nil {
		return nil, err
	}
	token, err := a.agentToken(origin)
	if err != nil {
		return nil, err
	}
	key, display, err := a.sessionKey(origin)
	if err != nil {
		return nil, err
	}
	session, err := client.LoadSession(key, display, machineName(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := a.lineage(session, key); err != nil {
		return nil, err
	}
	c := a.client(server, token)
	c.Session, c.Journal = session, client.OpenJournal(key)
	a.dialed = &connection{Client: client.New(c), url: server, server: origin, session: session, key: key}
	return a.dialed, nil
}

// client is what every client of this process has in common.
func (a *app) client(server, token string) client.Options {
	return client.Options{
		Server: server, Token: token, Version: version,
		OnSettled: func(o client.Outcome) {
			if o.Err != nil {
				a.say("an earlier request that was interrupted is settled: %v", o.Err)
				return
			}
			a.say("an earlier request that was interrupted is settled: it took effect")
		},
	}
}

// agentToken is the token for the origin. A token from the environment goes
// to the server that the environment names, or to one that this machine
// already has a credential for: a changed .coord.toml never receives it.
func (a *app) agentToken(origin string) (string, error) {
	dir, err := a.env.configDir()
	if err != nil {
		return "", err
	}
	kept, err := client.Credentials{Dir: dir}.For(origin)
	if err != nil {
		return "", err
	}
	if token := a.env.get("COORD_TOKEN"); token != "" && coord.TokenRole(token) != coord.RoleOperator {
		if a.env.get("COORD_SERVER") == "" && kept == (client.Credential{}) {
			return "", coord.Errorf(coord.CodeSetup, "COORD_TOKEN is set, but not for which server, and this machine does not know %s yet; nothing was sent", origin).
				WithNext("export COORD_SERVER="+origin, "coord init")
		}
		return token, nil
	}
	switch {
	case kept.Agent != "":
		return kept.Agent, nil
	case kept.Operator != "":
		return "", coord.Errorf(coord.CodeUnauthenticated, "this needs an agent's credential for %s, and this machine only has that of the person signed in; nothing was sent", origin).
			WithNext("coord next", "coord up", "COORD_TOKEN=TOKEN coord init --server "+origin)
	}
	return "", coord.Errorf(coord.CodeUnauthenticated, "this machine has no credential for %s; nothing was sent", origin).
		WithNext("coord up", "COORD_TOKEN=TOKEN coord init --server "+origin)
}

// refusedToken says which token a server did not accept. The server itself
// answers everyone alike whom it does not know.
func (a *app) refusedToken(err error) error {
	var e *coord.Error
	if !errors.As(err, &e) || e.Code != coord.CodeUnauthenticated || e.RequiredActor == "" {
		return err
	}
	server, _ := a.serverURL()
	whose, next := "this machine's token", "COORD_TOKEN=TOKEN coord init --server "+server
	if a.env.get("COORD_TOKEN") != "" {
		whose, next = "the token in COORD_TOKEN", "export COORD_TOKEN=TOKEN"
	}
	return coord.Errorf(coord.CodeUnauthenticated, "the server at %s does not accept %s; nothing was changed", server, whose).
		WithActor(e.RequiredActor).WithNext(next, "coord doctor")
}

// sessionKey names this harness's session: COORD_SESSION, or the harness
// process.
func (a *app) sessionKey(origin string) (key client.SessionKey, display string, err error) {
	dir, err := a.env.configDir()
	if err != nil {
		return key, "", err
	}
	key = client.SessionKey{Dir: dir, Origin: origin, Name: a.sessionName}
	if key.Name != "" {
		return key, key.Name, nil
	}
	if name := strings.TrimSpace(a.env.get("COORD_SESSION")); name != "" {
		if len(name) > 80 || !utf8.ValidString(name) {
			return key, "", coord.Errorf(coord.CodeSetup, "COORD_SESSION is longer than 80 bytes or not UTF-8 text; nothing was sent").
				WithNext("export COORD_SESSION=NAME")
		}
		key.Name = "name " + name
		return key, name, nil
	}
	p, ok := proc.Harness(os.Getpid())
	if !ok {
		return key, "", coord.Errorf(coord.CodeSetup, "cannot tell which harness runs this command; nothing was sent").
			WithNext("export COORD_SESSION=NAME")
	}
	key.Name = "process " + p.SessionName()
	return key, clip(p.Name, 60) + "-" + strconv.Itoa(p.PID), nil
}

// sessionID is this harness's session, as bindings carry it.
func (a *app) sessionID() (coord.SessionID, error) {
	c, err := a.connect()
	if err != nil {
		return "", err
	}
	return c.session.ID, nil
}
