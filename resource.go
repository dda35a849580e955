package coord

import (
	"strings"
	"time"
)

// Scope is how far a resource reaches.
type Scope string

// The scopes.
const (
	ScopeShared   Scope = "shared"   // one for everybody
	ScopeMachine  Scope = "machine"  // one on each machine
	ScopeCheckout Scope = "checkout" // one in each checkout
)

// Resource is a named thing of which a number of units can be reserved.
type Resource struct {
	Project   ProjectKey    `json:"project"`
	Name      string        `json:"name"`
	Scope     Scope         `json:"scope" enum:"shared,machine,checkout"`
	Capacity  int           `json:"capacity"`
	Note      string        `json:"note,omitempty"`
	Held      []Reservation `json:"held,omitempty"`
	Waiting   int           `json:"waiting,omitempty" doc:"Tickets in line for it."`
	CreatedBy string        `json:"created_by"`
	At        time.Time     `json:"at"`
}

// CreateResource names a resource. The same name, scope and capacity again is
// answered as it is.
type CreateResource struct {
	Key      Key        `json:"-"`
	Project  ProjectKey `json:"-"`
	Name     string     `json:"name"`
	Scope    Scope      `json:"scope,omitempty" enum:"shared,machine,checkout" doc:"Shared when empty."`
	Capacity int        `json:"capacity,omitempty" doc:"Units; 1 when left out."`
	Note     string     `json:"note,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c CreateResource) Validate() error {
	if _, err := CanonicalResource(c.Name); err != nil {
		return err
	}
	if c.Scope != "" && c.Scope != ScopeShared && c.Scope != ScopeMachine && c.Scope != ScopeCheckout {
		return Errorf(CodeBadRequest, "scope %q is not shared, machine or checkout", string(c.Scope))
	}
	if c.Capacity < 0 || c.Capacity > 10_000 {
		return Errorf(CodeBadRequest, "a capacity of %d is outside 1 to 10000", c.Capacity)
	}
	return checkText("note", c.Note, 0, 2000)
}

// Canonical is the command with its name in the one spelling, and with the
// scope and the capacity that it left out.
func (c CreateResource) Canonical() (CreateResource, error) {
	name, err := CanonicalResource(c.Name)
	c.Name = name
	fill(&c.Scope, ScopeShared)
	fill(&c.Capacity, 1)
	return c, err
}

// CheckSame refuses a name that stands for something else already.
func (r Resource) CheckSame(c CreateResource) error {
	if r.Scope == c.Scope && r.Capacity == c.Capacity {
		return nil
	}
	return Errorf(CodeStateConflict, "%s is known as %s with capacity %d; nothing was created", r.Name, r.Scope, r.Capacity).WithNext("coord resource list")
}

// Place is where a resource of the scope is one: nowhere in particular, on a
// machine, or in a checkout on it, which is known by its Git directory.
func (s Scope) Place(machine, gitDir string) (string, error) {
	switch {
	case s == ScopeShared:
		return "", nil
	case s == ScopeMachine:
		return machine, nil
	case gitDir == "":
		return "", Errorf(CodeRequirement, "a resource of scope %s is taken from a worktree, and this attempt has none yet; nothing was reserved", s).WithNext("coord start")
	}
	return machine + ":" + gitDir, nil
}

// CheckCreateResource decides whether the role may create a resource of the
// scope.
func (p Policy) CheckCreateResource(r Role, s Scope) error {
	if r == RoleAgent && s == ScopeShared && p.OperatorResources {
		return Errorf(CodeNotPermitted, "the policy leaves shared resources to operators; nothing was created").WithActor("operator").WithNext("coord resource list")
	}
	return nil
}

// CanonicalResource is the one spelling of a resource's name: ASCII letters
// lowered, 1 to 200 of [a-z0-9._:/-], no "..", no leading dash. Whatever else
// is refused, so that no two names look alike.
func CanonicalResource(name string) (string, error) {
	n := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
	if !written(n, lower+digits+"._:/-", 1, 200) || strings.Contains(n, "..") || strings.HasPrefix(n, "-") {
		return "", Errorf(CodeBadRequest, "resource %q is not made of 1 to 200 of a-z 0-9 . _ : / - without .. or a leading dash", name)
	}
	return n, nil
}
