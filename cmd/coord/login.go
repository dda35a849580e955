package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/client"
)

type login struct {
	*app
	name string
}

func newLogin(a *app) *cobra.Command {
	o := &login{app: a}
	c := a.verb("login", "Sign a person in on this machine, for 12 hours", cobra.NoArgs, o.run)
	c.Flags().StringVar(&o.name, "name", operatorName, "the operator's `NAME`; the password is asked for, or read from a pipe")
	return c
}

func (o *login) run(ctx context.Context, _ []string) (output, error) {
	server, origin, err := o.serverOrigin()
	if err != nil {
		return output{}, err
	}
	dir, err := o.env.configDir()
	if err != nil {
		return output{}, err
	}
	password, err := o.password(ctx, origin)
	if err != nil {
		return output{}, err
	}
	made, err := client.New(o.client(server, "")).Login(ctx, o.name, password)
	if err != nil {
		return output{}, err
	}
	if err := (client.Credentials{Dir: dir}).Keep(server, client.Credential{Operator: made.Secret}); err != nil {
		return output{}, err
	}
	return output{kind: "login", data: made.Token, text: func(w io.Writer) {
		until := ""
		if made.Token.ExpiresAt != nil {
			until = ", until " + day(*made.Token.ExpiresAt)
		}
		fmt.Fprintf(w, "signed in to %s as %s%s\n", origin, made.Token.Principal, until)
	}}, nil
}

// longestPassword is what the server takes.
const longestPassword = 1024

// password reads one line: from the terminal without showing it, or from
// whatever is piped in.
func (o *login) password(ctx context.Context, origin string) (string, error) {
	in, restore := o.std.in, func() {}
	if f, ok := o.std.in.(*os.File); ok && o.terminal(f) {
		var err error
		if restore, err = withoutEcho(f); err != nil {
			return "", coord.Errorf(coord.CodeSetup, "a password cannot be asked for here without showing it; nothing was sent").
				WithNext("coord login --name " + shellWord(o.name) + " < FILE")
		}
		fmt.Fprintf(o.std.err, "password of %s at %s: ", coord.OneLine(o.name), origin)
	}
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := bufio.NewReader(io.LimitReader(in, longestPassword+2)).ReadString('\n')
		got <- read{line, err}
	}()
	defer restore()
	select {
	case r := <-got:
		password := strings.TrimRight(r.line, "\r\n")
		if password == "" || len(password) > longestPassword || r.err != nil && !errors.Is(r.err, io.EOF) {
			return "", coord.Errorf(coord.CodeBadRequest, "no password of 1 to %d bytes was given; nothing was sent", longestPassword)
		}
		return password, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

type logout struct{ *app }

func newLogout(a *app) *cobra.Command {
	o := &logout{app: a}
	return a.verb("logout", "Sign the person out on this machine", cobra.NoArgs, o.run)
}

// run revokes the token first: one that is only forgotten would still open
// the server to whoever copied it.
func (o *logout) run(ctx context.Context, _ []string) (output, error) {
	p, err := o.asOperator()
	if e := asError(err); err != nil && e.Code == coord.CodeNotPermitted {
		return output{kind: "logout", data: map[string]string{}, text: func(w io.Writer) { fmt.Fprintln(w, "nobody is signed in on this machine") }}, nil
	}
	if err != nil {
		return output{}, err
	}
	who, err := p.Whoami(ctx)
	if err == nil {
		_, err = p.RevokeToken(ctx, coord.RevokeToken{ID: who.Token, Reason: "signed out"})
	}
	if err != nil && coord.CodeOf(err) != coord.CodeUnauthenticated { // then it is over already
		return output{}, err
	}
	dir, err := o.env.configDir()
	if err != nil {
		return output{}, err
	}
	if err := (client.Credentials{Dir: dir}).ForgetOperator(p.origin); err != nil {
		return output{}, err
	}
	return output{kind: "logout", data: map[string]string{"server": p.origin}, text: func(w io.Writer) {
		fmt.Fprintf(w, "signed out of %s\n", p.origin)
	}}, nil
}
