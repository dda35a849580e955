package coord

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// TokenID names a token without its secret: tok7.
type TokenID string

// NewTokenID names the nth token.
func NewTokenID(n int64) TokenID { return TokenID("tok" + strconv.FormatInt(n, 10)) }

// Number takes an id apart. It returns CodeBadRequest for anything that
// NewTokenID would not write.
func (t TokenID) Number() (int64, error) {
	text, ok := strings.CutPrefix(string(t), "tok")
	n, err := parseCount(text)
	if !ok || err != nil || n == 0 {
		return 0, Errorf(CodeBadRequest, "%q is not a token id; one looks like tok7", string(t)).WithNext("coord token list")
	}
	return n, nil
}

// Token is the record of a token, which never holds its secret.
type Token struct {
	ID           TokenID     `json:"id"`
	Principal    PrincipalID `json:"principal"`
	Role         Role        `json:"role"`
	Label        string      `json:"label"`
	Masked       string      `json:"masked" doc:"Its prefix and last four characters."`
	CreatedBy    string      `json:"created_by"`
	CreatedAt    time.Time   `json:"created_at"`
	LastUsedAt   *time.Time  `json:"last_used_at,omitempty" doc:"To the minute."`
	ExpiresAt    *time.Time  `json:"expires_at,omitempty"`
	RevokedAt    *time.Time  `json:"revoked_at,omitempty"`
	RevokeReason string      `json:"revoke_reason,omitempty"`
}

// Valid reports whether the token may be presented at now. At the very
// instant of its expiry it is over.
func (t Token) Valid(now time.Time) bool {
	return t.RevokedAt == nil && (t.ExpiresAt == nil || now.Before(*t.ExpiresAt))
}

// IssuedToken answers a command that makes a token. The secret is in the
// first answer only: a replay says SecretShown instead, because nobody keeps
// it.
type IssuedToken struct {
	Token       Token  `json:"token"`
	Secret      string `json:"secret,omitempty" doc:"Shown once."`
	SecretShown bool   `json:"secret_shown,omitempty" doc:"The secret was in the first answer and is not kept. If it never arrived: revoke the token and issue another."`
}

// IssueToken makes a token for an agent or for set-up. An operator's comes
// from signing in.
type IssueToken struct {
	Key       Key         `json:"-"`
	Principal PrincipalID `json:"principal"`
	Role      Role        `json:"role" enum:"agent,setup"`
	Label     string      `json:"label" doc:"What it is for, as the list shows it."`
	TTL       Duration    `json:"ttl,omitempty" doc:"How long it is good for, such as 720h; without end when absent."`
}

// Validate checks the forms.
func (c IssueToken) Validate() error {
	if c.Role != RoleAgent && c.Role != RoleSetup {
		return Errorf(CodeBadRequest, "a token is issued for the role agent or setup, not %q; nothing was changed", string(c.Role)).WithNext("coord login")
	}
	if err := checkLine("principal", string(c.Principal), 1, 80); err != nil {
		return err
	}
	if string(c.Principal) != strings.TrimSpace(string(c.Principal)) {
		return Errorf(CodeBadRequest, "a principal has no blanks around it")
	}
	if err := checkLine("label", c.Label, 1, 200); err != nil {
		return err
	}
	return checkTTL(c.TTL)
}

func checkTTL(d Duration) error {
	if d < 0 || d != 0 && d < Duration(time.Minute) {
		return Errorf(CodeBadRequest, "a token is good for at least 1m, not %s; nothing was changed", d)
	}
	return nil
}

// RevokeToken ends a token for good. When its principal has no valid one
// left, the principal's sessions are closed and their attempts ended in the
// same transaction.
type RevokeToken struct {
	Key    Key     `json:"-"`
	ID     TokenID `json:"-"`
	Reason string  `json:"reason"`
}

// Validate checks the forms.
func (c RevokeToken) Validate() error {
	if _, err := c.ID.Number(); err != nil {
		return err
	}
	return checkLine("reason", c.Reason, 1, 500)
}

// RotateToken replaces a valid token by a new one of the same principal, role
// and label, and ends the old one, both or neither. The principal's sessions
// go on.
type RotateToken struct {
	Key Key      `json:"-"`
	ID  TokenID  `json:"-"`
	TTL Duration `json:"ttl,omitempty" doc:"Of the new token; that of the old one when absent."`
}

// Validate checks the forms.
func (c RotateToken) Validate() error {
	if _, err := c.ID.Number(); err != nil {
		return err
	}
	return checkTTL(c.TTL)
}

// SessionRecord is a session as a list shows it. Its id is shortened: enough
// to close it, and of no use to act for it.
type SessionRecord struct {
	ID           SessionID   `json:"id"`
	Name         string      `json:"name"`
	Machine      string      `json:"machine"`
	Principal    PrincipalID `json:"principal"`
	Parent       SessionID   `json:"parent,omitempty" doc:"The session that it descends from, shortened too."`
	Capabilities []string    `json:"capabilities,omitempty"`
	OpenedAt     time.Time   `json:"opened_at"`
	SeenAt       time.Time   `json:"seen_at" doc:"Its latest change or renewal, to the minute."`
	Attempts     []AttemptID `json:"attempts,omitempty" doc:"That it holds, or let expire."`
	// Ended answers a close: the attempts that ended with the session, at most
	// a hundred of them.
	Ended []EndedAttempt `json:"ended,omitempty" doc:"In the answer to a close: the attempts that ended by it, and how each goes on."`
}

// shortSession is how much of a session id a list shows.
const shortSession = 12

// Short is the beginning of a session id, which is enough to name it.
func (s SessionID) Short() SessionID {
	return s[:min(len(s), shortSession)]
}

// CloseSession ends a session for good, and the attempts that it holds. A
// session may close itself, an operator any.
type CloseSession struct {
	Key     Key       `json:"-"`
	Session SessionID `json:"-"` // a whole id, or at least as much of it as a list shows; empty: the caller's own
	Reason  string    `json:"reason"`
}

// Validate checks the forms.
func (c CloseSession) Validate() error {
	if c.Session != "" && !written(string(c.Session), urlSafe, shortSession, 64) {
		return Errorf(CodeBadRequest, "%q is not a session id of at least %d characters; nothing was changed", string(c.Session), shortSession).
			WithNext("coord session list")
	}
	return checkLine("reason", c.Reason, 0, 500)
}

// MayClose decides whether the caller may close the session, which opened
// says it knows. What a caller may not see is answered alike whether it exists
// or not.
func (c Caller) MayClose(session SessionID) error {
	if c.Role == RoleOperator || c.Session != "" && c.Session == session {
		return nil
	}
	return Errorf(CodeNotPermitted, "a session closes itself, and an operator closes any; nothing was changed").
		WithActor(string(RoleOperator)).WithNext("coord session list")
}

// MaxCapabilities is how many capabilities a session may state.
const MaxCapabilities = 32

const capabilityLetters = lower + digits + "._:/-"

// CanonicalCapabilities are the capabilities sorted and without doubles, or
// CodeBadRequest for one that is not of the form, or for too many.
func CanonicalCapabilities(given []string) ([]string, error) {
	all := slices.Clone(given)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > MaxCapabilities {
		return nil, Errorf(CodeBadRequest, "a session states at most %d capabilities, not %d", MaxCapabilities, len(all))
	}
	for _, c := range all {
		if !written(c, capabilityLetters, 1, 64) {
			return nil, Errorf(CodeBadRequest, "capability %q has anything but 1 to 64 of a-z 0-9 . _ : / -", c)
		}
	}
	return all, nil
}
