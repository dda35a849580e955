package main

import (
	"context"
	"errors"

	"coord"
	"coord/client"
)

// signedIn is a server as an operator reaches it who signed in on this machine.
// It has no session: a person claims nothing.
type signedIn struct {
	*client.Client
	origin string
}

// asOperator is the server for the verbs that need a person. It takes the
// token of coord login, or COORD_TOKEN when that is an operator's; verbs of
// agents never do. It makes no request.
func (a *app) asOperator() (signedIn, error) {
	server, origin, err := a.serverOrigin()
	if err != nil {
		return signedIn{}, err
	}
	dir, err := a.env.configDir()
	if err != nil {
		return signedIn{}, err
	}
	token, err := a.operatorToken(dir, origin)
	if err != nil {
		return signedIn{}, err
	}
	o := a.client(server, token)
	o.Journal = client.OpenJournal(client.SessionKey{Dir: dir, Origin: origin, Name: "operator"})
	return signedIn{Client: client.New(o), origin: origin}, nil
}

func (a *app) serverOrigin() (server, origin string, err error) {
	if server, err = a.serverURL(); err != nil {
		return "", "", err
	}
	origin, err = client.Origin(server)
	return server, origin, err
}

// operatorToken follows the rule of agentToken: a token from the environment
// goes to the server that the environment names, or to one that this machine
// has a credential for.
func (a *app) operatorToken(dir, origin string) (string, error) {
	kept, err := client.Credentials{Dir: dir}.For(origin)
	if err != nil {
		return "", err
	}
	token := a.env.get("COORD_TOKEN")
	if coord.TokenRole(token) == coord.RoleOperator && (a.env.get("COORD_SERVER") != "" || kept != (client.Credential{})) {
		return token, nil
	}
	if kept.Operator == "" {
		return "", coord.Errorf(coord.CodeNotPermitted, "this needs an operator, and nobody is signed in to %s on this machine; nothing was sent", origin).
			WithActor(string(coord.RoleOperator)).WithNext("coord login")
	}
	return kept.Operator, nil
}

// signedOut says what a refused token of a person comes to: 12 hours are over,
// or somebody revoked it.
func (p signedIn) signedOut(err error) error {
	var e *coord.Error
	if !errors.As(err, &e) || e.Code != coord.CodeUnauthenticated {
		return err
	}
	return coord.Errorf(coord.CodeUnauthenticated, "nobody is signed in to %s on this machine any more; nothing was changed", p.origin).WithNext("coord login")
}

// either is the server for verbs that agents and people have in common: as this
// session's agent, or with person, or where the machine has no agent, as the
// person who signed in. An agent never acts as a person without saying so.
func (a *app) either(ctx context.Context, person bool) (coord.Service, error) {
	if !person {
		svc, err := a.service(ctx)
		if coord.CodeOf(err) != coord.CodeUnauthenticated {
			return svc, err
		}
		if p, perr := a.asOperator(); perr == nil {
			return p, nil
		}
		return nil, err
	}
	p, err := a.asOperator()
	if err != nil {
		return nil, err
	}
	return p, nil
}
