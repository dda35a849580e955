package client

import (
	"cmp"
	"context"
	"path/filepath"

	"coord"
)

// Credential is what this machine may present to one server.
type Credential struct {
	Agent string `json:"agent,omitempty"` // does the work
	Setup string `json:"setup,omitempty"` // registers projects
	// Operator is a person's, from coord login. Agents' commands never take it.
	Operator string `json:"operator,omitempty"`
}

// Credentials keeps tokens by the origin of their server, in one private file
// of the configuration directory. A token is handed out for its own origin
// only, so a changed server URL finds none.
type Credentials struct{ Dir string }

type credentialFile struct {
	Origins map[string]Credential `json:"origins"`
}

func (c Credentials) path() string { return filepath.Join(c.Dir, "credentials.json") }

// For returns the credential of a server; empty when there is none.
func (c Credentials) For(server string) (Credential, error) {
	origin, err := Origin(server)
	if err != nil {
		return Credential{}, err
	}
	var f credentialFile
	if _, err := readPrivate(c.path(), &f); err != nil {
		return Credential{}, err
	}
	return f.Origins[origin], nil
}

// Keep stores the tokens that are set in k for the server and leaves its
// others, and those of other servers, as they are. Text that is not a token is
// CodeSetup, and nothing is kept.
func (c Credentials) Keep(server string, k Credential) error {
	for _, token := range []string{k.Agent, k.Setup, k.Operator} {
		if token != "" && coord.CheckToken(token) != nil {
			return coord.Errorf(coord.CodeSetup, "that is not a coord token: one begins with coord_agt_, coord_set_ or coord_opr_; nothing was kept")
		}
	}
	return c.edit(server, func(kept Credential) Credential {
		return Credential{Agent: cmp.Or(k.Agent, kept.Agent), Setup: cmp.Or(k.Setup, kept.Setup), Operator: cmp.Or(k.Operator, kept.Operator)}
	})
}

// ForgetOperator removes a person's token for the server and leaves the others
// as they are.
func (c Credentials) ForgetOperator(server string) error {
	return c.edit(server, func(kept Credential) Credential {
		kept.Operator = ""
		return kept
	})
}

// edit changes the credential of a server under a lock, so that two commands
// at once lose nothing.
func (c Credentials) edit(server string, change func(Credential) Credential) error {
	origin, err := Origin(server)
	if err != nil {
		return err
	}
	if err := privateDir(c.Dir); err != nil {
		return err
	}
	unlock, err := lockFile(context.Background(), c.path()+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	var f credentialFile
	if _, err := readPrivate(c.path(), &f); err != nil {
		return err
	}
	if f.Origins == nil {
		f.Origins = make(map[string]Credential)
	}
	f.Origins[origin] = change(f.Origins[origin])
	return writePrivate(c.path(), f)
}
