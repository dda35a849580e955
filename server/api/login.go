package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"coord"
)

// Throttle slows the guessing of passwords down. The dashboard's sign-in asks
// the same one, so that there is no second way to guess.
type Throttle interface {
	// Try reports whether a password for the name may be looked at now, and
	// counts the try.
	Try(name string) bool
	// Success forgets the failures of a name.
	Success(name string)
}

// loginLimit bounds a body that holds a name and a password.
const loginLimit = 4 << 10

// loginRoute is the one public route: whoever signs in has no token yet.
func loginRoute() route {
	return route{
		method: http.MethodPost, pattern: "/login", id: "login", summary: "Sign an operator's command line in, for 12 hours",
		roles: operators, public: true, limit: loginLimit, status: http.StatusCreated, register: login,
	}
}

// Login is an operator's name and password; exported for huma's schema.
type Login struct {
	Name     string `json:"name" maxLength:"80"`
	Password string `json:"password" maxLength:"1024"`
}

func login(a huma.API, op huma.Operation) {
	huma.Register(a, op, func(ctx context.Context, in *struct{ Body Login }) (*output[coord.IssuedToken], error) {
		x := exchangeOf(ctx)
		out, err := x.signIn(ctx, in.Body)
		if err != nil {
			return nil, x.problem(err)
		}
		return &output[coord.IssuedToken]{Body: out}, nil
	})
}

// signIn gives a wrong password, an unknown name and a try during a delay,
// right or wrong, one answer.
func (s *service) signIn(ctx context.Context, l Login) (coord.IssuedToken, error) {
	refused := coord.Errorf(coord.CodeUnauthenticated, "the name or the password is not right, or there were too many tries; nothing was changed").
		WithNext("coord login --name NAME")
	name := strings.TrimSpace(l.Name)
	if name == "" || l.Password == "" || s.throttle == nil || !s.throttle.Try(name) {
		return coord.IssuedToken{}, refused
	}
	out, err := s.backend.SignIn(ctx, name, l.Password)
	if coord.CodeOf(err) == coord.CodeUnauthenticated {
		return coord.IssuedToken{}, refused
	}
	if err == nil {
		s.throttle.Success(name)
	}
	return out, err
}
