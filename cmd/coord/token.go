package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

func newToken(a *app) *cobra.Command {
	return a.group("token", "Issue, list, rotate and revoke tokens", newTokenNew(a), newTokenList(a), newTokenRotate(a), newTokenRevoke(a))
}

type tokenNew struct {
	*app
	label, principal, role string
	ttl                    time.Duration
}

func newTokenNew(a *app) *cobra.Command {
	o := &tokenNew{app: a}
	c := a.verb("new", "Issue a token for an agent of another machine, or for set-up", cobra.NoArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.label, "label", "", "what the token is for, as `LABEL` in the list")
	f.StringVar(&o.principal, "principal", "", "`NAME` of whom it belongs to: sessions end with the last token of their principal (default the label)")
	f.StringVar(&o.role, "role", string(coord.RoleAgent), "`ROLE`: agent, or setup to register projects")
	f.DurationVar(&o.ttl, "ttl", 0, "`TIME` that it is good for (default without end)")
	return c
}

func (o *tokenNew) run(ctx context.Context, _ []string) (output, error) {
	c := coord.IssueToken{Principal: coord.PrincipalID(o.principal), Role: coord.Role(o.role), Label: o.label, TTL: coord.Duration(o.ttl)}
	if o.label == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "a token needs a label, so that people can tell it from others; nothing was changed").
			WithNext("coord token new --label LABEL")
	}
	if c.Principal == "" {
		c.Principal = coord.PrincipalID(o.label)
	}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	made, err := p.IssueToken(ctx, c)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return issued("token", made, p.origin), nil
}

// issued prints a new token. When its secret was in an answer that was lost,
// it is nowhere any more.
func issued(kind string, made coord.IssuedToken, origin string) output {
	k := made.Token
	out := output{kind: kind, data: made, text: func(w io.Writer) {
		field(w, "token", "%s  %s of %s, %s", k.ID, k.Role, k.Principal, k.Label)
		if k.ExpiresAt != nil {
			field(w, "expires", "%s", day(*k.ExpiresAt))
		}
		if made.Secret != "" {
			field(w, "secret", "%s (shown once)", made.Secret)
			field(w, "next", "on the other machine, in a clone: COORD_TOKEN=TOKEN coord init --server %s", origin)
		}
	}}
	if made.Secret == "" {
		out.err = coord.Errorf(coord.CodeStateConflict, "%s was issued before and its secret is shown once; it is kept nowhere", k.ID).
			WithNext("coord token revoke "+string(k.ID)+` --reason "secret lost"`, "coord token new --label "+shellWord(k.Label)+" --principal "+shellWord(string(k.Principal)))
	}
	return out
}

type tokenList struct{ *app }

func newTokenList(a *app) *cobra.Command {
	o := &tokenList{app: a}
	return a.verb("list", "List the tokens, newest first", cobra.NoArgs, o.run)
}

func (o *tokenList) run(ctx context.Context, _ []string) (output, error) {
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	tokens, err := p.ListTokens(ctx)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	now := wallClock()
	return output{kind: "tokens", data: listOf(tokens, ""), text: func(w io.Writer) {
		columns(w, func(w io.Writer) {
			for _, k := range tokens {
				fmt.Fprintln(w, row(string(k.ID), tokenState(k, now), string(k.Role), clip(string(k.Principal), 30), clip(k.Label, 40), k.Masked, "by "+clip(k.CreatedBy, 20), used(k)))
			}
		})
	}}, nil
}

func tokenState(k coord.Token, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case !k.Valid(now):
		return "expired"
	case k.ExpiresAt != nil:
		return "until " + day(*k.ExpiresAt)
	}
	return "valid"
}

func used(k coord.Token) string {
	if k.LastUsedAt == nil {
		return "never used"
	}
	return "used " + day(*k.LastUsedAt)
}

type tokenRotate struct {
	*app
	ttl time.Duration
}

func newTokenRotate(a *app) *cobra.Command {
	o := &tokenRotate{app: a}
	c := a.verb("rotate ID", "Replace a token by a new one of the same principal", cobra.ExactArgs(1), o.run)
	c.Flags().DurationVar(&o.ttl, "ttl", 0, "`TIME` that the new one is good for (default as the old one)")
	return c
}

func (o *tokenRotate) run(ctx context.Context, args []string) (output, error) {
	c := coord.RotateToken{ID: coord.TokenID(args[0]), TTL: coord.Duration(o.ttl)}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	made, err := p.RotateToken(ctx, c)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return issued("token", made, p.origin), nil
}

type tokenRevoke struct {
	*app
	reason string
}

func newTokenRevoke(a *app) *cobra.Command {
	o := &tokenRevoke{app: a}
	c := a.verb("revoke ID", "End a token; with its principal's last one, the sessions and their attempts end too", cobra.ExactArgs(1), o.run)
	c.Flags().StringVar(&o.reason, "reason", "", "`WHY` it ends, for the record")
	return c
}

func (o *tokenRevoke) run(ctx context.Context, args []string) (output, error) {
	c := coord.RevokeToken{ID: coord.TokenID(args[0]), Reason: o.reason}
	if c.Reason == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "a token is revoked for a reason; nothing was changed").
			WithNext("coord token revoke " + shellWord(args[0]) + " --reason WHY")
	}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	k, err := p.RevokeToken(ctx, c)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return output{kind: "token", data: k, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s revoked: %s\n", k.ID, k.RevokeReason)
	}}, nil
}
