package server

import (
	"context"
	"crypto/rand"
	"io"

	"coord"
	"coord/server/store"
)

// Wish names what a data directory should have for the user of its machine.
type Wish struct {
	Agent      string    // principal of the agent's token
	Operator   string    // login of the operator
	AgentToken string    // kept when it is valid
	SetupToken string    // kept when it is valid
	Random     io.Reader // crypto/rand when nil
}

// Secrets is what a data directory has for the user of its machine. Operator
// and Password are empty when the login existed.
type Secrets struct {
	AgentToken, SetupToken string
	Operator, Password     string
}

// passwordLength gives about 119 bits.
const passwordLength = 20

// Provision makes what the data directory of a server that does not run lacks
// of the wish: the operator's login, and a token of each kind. It returns
// CodeSetup when a server has the directory.
func Provision(ctx context.Context, dataDir string, w Wish) (s Secrets, err error) {
	if w.Random == nil {
		w.Random = rand.Reader
	}
	st, err := openStore(ctx, Config{DataDir: dataDir}.complete())
	if err != nil {
		return s, err
	}
	defer func() {
		if cerr := st.Close(); err == nil {
			err = cerr
		}
	}()
	if s.Password, err = newOperator(ctx, st, w); err != nil {
		return s, err
	}
	if s.Password != "" {
		s.Operator = w.Operator
	}
	if s.AgentToken, err = validToken(ctx, st, w, coord.RoleAgent, w.AgentToken); err != nil {
		return s, err
	}
	s.SetupToken, err = validToken(ctx, st, w, coord.RoleSetup, w.SetupToken)
	return s, err
}

// newOperator returns the password of the login that it made, or "" when
// there was one.
func newOperator(ctx context.Context, st *store.Store, w Wish) (string, error) {
	password, err := coord.RandomText(passwordLength, w.Random)
	if err != nil {
		return "", err
	}
	err = st.CreateOperator(ctx, w.Operator, password)
	if coord.CodeOf(err) == coord.CodeStateConflict {
		return "", nil
	}
	return password, err
}

// validToken returns the token if the store accepts it for the role, else a
// new one.
func validToken(ctx context.Context, st *store.Store, w Wish, role coord.Role, token string) (string, error) {
	c, err := st.Authenticate(ctx, token)
	if err == nil && c.Role == role {
		return token, nil
	}
	if err != nil && coord.CodeOf(err) != coord.CodeUnauthenticated {
		return "", err
	}
	return st.IssueToken(ctx, coord.PrincipalID(w.Agent), role, "made by coord up on "+w.Agent)
}
