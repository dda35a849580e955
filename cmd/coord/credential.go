package main

import (
	"coord"
	"coord/client"
)

// credential is what this machine may present to one server.
type credential struct {
	client.Credential
	origin, dir string
}

// any is a token that may read: the agent's, or else the one for set-up.
func (c credential) any() string {
	if c.Agent != "" {
		return c.Agent
	}
	return c.Setup
}

// credential is what is kept for a server, with COORD_TOKEN in the place of
// the token of its kind. Only up and init use it, which are told the server by
// a person; agentToken is for all other verbs.
func (a *app) credential(server string) (credential, error) {
	origin, err := client.Origin(server)
	if err != nil {
		return credential{}, err
	}
	dir, err := a.env.configDir()
	if err != nil {
		return credential{}, err
	}
	kept, err := client.Credentials{Dir: dir}.For(origin)
	c := credential{Credential: kept, origin: origin, dir: dir}
	if err != nil {
		return c, err
	}
	switch token := a.env.get("COORD_TOKEN"); {
	case token == "":
	case kept == (client.Credential{}) && a.env.get("COORD_SERVER") == "" && !a.told:
		_, err := a.agentToken(origin)
		return c, err
	case coord.TokenRole(token) == coord.RoleSetup:
		c.Setup = token
	case coord.TokenRole(token) == coord.RoleOperator:
		c.Operator = token
	default:
		c.Agent = token
	}
	if c.any() == "" {
		return c, coord.Errorf(coord.CodeUnauthenticated, "this machine has no credential for %s; nothing was sent", origin).
			WithNext("COORD_TOKEN=TOKEN coord init --server "+origin, "coord down", "coord up")
	}
	return c, nil
}

// keep stores the tokens of c, after the server accepted one.
func (c credential) keep() error {
	return client.Credentials{Dir: c.dir}.Keep(c.origin, c.Credential)
}
