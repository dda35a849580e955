package coord

import (
	"strings"
	"time"
)

// Key is an idempotency key: 16 to 128 of [A-Za-z0-9_-], one per intent, made
// and written to disk by the client before it sends.
type Key string

// Validate checks the form.
func (k Key) Validate() error {
	if written(string(k), urlSafe, 16, 128) {
		return nil
	}
	return Errorf(CodeBadRequest, "an idempotency key has 16 to 128 of A-Z a-z 0-9 _ -")
}

// Role is what kind of credential a caller holds.
type Role string

// The roles.
const (
	RoleAgent    Role = "agent"    // does the work, through a session
	RoleSetup    Role = "setup"    // registers projects, nothing else
	RoleOperator Role = "operator" // a person at the dashboard, or at a command after coord login
	RoleReporter Role = "reporter" // observes one job, nothing else
)

// Caller is who a request comes from, as the credential proves it.
type Caller struct {
	Principal PrincipalID `json:"principal"`
	Role      Role        `json:"role"`
	Session   SessionID   `json:"session,omitempty"`
	Job       JobID       `json:"job,omitempty" doc:"What a reporter may observe."`
	Name      string      `json:"name,omitempty" doc:"Display name of the session, or of the principal without one."`
	Token     TokenID     `json:"token,omitempty" doc:"The token that was presented; none at the dashboard."`
}

// Session is one harness instance under a credential.
type Session struct {
	ID           SessionID  `json:"id"`
	Name         string     `json:"name"`
	Machine      string     `json:"machine"`
	Parent       SessionID  `json:"parent,omitempty" doc:"The session that it descends from."`
	Capabilities []string   `json:"capabilities,omitempty"`
	OpenedAt     time.Time  `json:"opened_at"`
	ClosedAt     *time.Time `json:"closed_at,omitempty"`
}

// OpenSession records a session that the client made. Verifier is
// SessionVerifier of its secret proof.
type OpenSession struct {
	ID       SessionID `json:"id"`
	Verifier string    `json:"verifier" doc:"SHA-256 of the proof, hex."`
	Name     string    `json:"name"`
	Machine  string    `json:"machine"`
	// Parent is the session that this one descends from, of the same
	// principal: a reviewer that descends from a contributor is not independent.
	Parent       SessionID `json:"parent,omitempty"`
	Capabilities []string  `json:"capabilities,omitempty" doc:"What it can do that not every session can, such as gpu."`
}

// Validate checks the forms.
func (c OpenSession) Validate() error {
	if !written(string(c.ID), urlSafe, 16, 64) || !written(c.Verifier, hexDigits, 64, 64) {
		return Errorf(CodeBadRequest, "a session id has 16 to 64 of A-Z a-z 0-9 _ - and its verifier is a SHA-256 in hex")
	}
	if err := checkLine("session name", c.Name, 1, 80); err != nil {
		return err
	}
	if err := checkLine("machine", c.Machine, 1, 120); err != nil {
		return err
	}
	if c.Parent == c.ID || c.Parent != "" && !written(string(c.Parent), urlSafe, 16, 64) {
		return Errorf(CodeBadRequest, "the parent of a session is another session's id, of 16 to 64 of A-Z a-z 0-9 _ -")
	}
	_, err := CanonicalCapabilities(c.Capabilities)
	return err
}

// SessionVerifier is what the server stores of a session's proof.
func SessionVerifier(proof string) string { return hexSum([]byte(proof)) }

// ParseSessionHeader takes a Coord-Session value id.proof apart.
func ParseSessionHeader(value string) (id SessionID, proof string, err error) {
	s, proof, ok := strings.Cut(value, ".")
	if !ok || !written(s, urlSafe, 16, 64) || len(proof) < 32 || len(proof) > 128 {
		return "", "", Errorf(CodeSessionUnknown, "the Coord-Session header is not of the form id.proof")
	}
	return SessionID(s), proof, nil
}
