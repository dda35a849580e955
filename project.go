package coord

import (
	"slices"
	"strings"
	"time"
)

// Project is a body of work in one or more repositories. The first
// repository is the default.
type Project struct {
	Key          ProjectKey   `json:"key"`
	Name         string       `json:"name"`
	Repositories []Repository `json:"repositories"`
	Policy       Policy       `json:"policy"`
	// PolicyRevision counts the policy's changes, from 1.
	PolicyRevision int64       `json:"policy_revision"`
	CreatedAt      time.Time   `json:"created_at"`
	CreatedBy      PrincipalID `json:"created_by"`
}

// Repository is a Git remote and the branch that its tasks land on unless a
// task names another.
type Repository struct {
	ID     RepositoryID `json:"id" doc:"Normalised remote; ssh and https spellings of one host and path are one."`
	Remote string       `json:"remote" doc:"URL as configured, without credentials."`
	Target string       `json:"target" doc:"Default target branch, short name."`
}

// Repository returns the repository of the id, or the default for "".
func (p Project) Repository(id RepositoryID) (Repository, bool) {
	for _, r := range p.Repositories {
		if id == "" || r.ID == id {
			return r, true
		}
	}
	return Repository{}, false
}

// CheckRepository refuses work for a repository of this project by a caller
// that says it works in another one; a caller that does not say is believed.
func (p Project) CheckRepository(stated, wanted RepositoryID) error {
	if stated == "" || stated == wanted {
		return nil
	}
	return Errorf(CodeStateConflict, "project %s works on %s, and this clone's remote is %s; nothing was changed", p.Key, wanted, stated).
		WithNext("cd to a clone of "+string(wanted), "coord up")
}

// Duration is a time.Duration that is a string such as "30m0s" in JSON.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes time.Duration's form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return Errorf(CodeBadRequest, "%q is not a duration such as 30m", string(b))
	}
	*d = Duration(v)
	return nil
}

// CreateProject registers a project. Key and remote must be new.
type CreateProject struct {
	Key          Key          `json:"-"`
	Project      ProjectKey   `json:"project"`
	Name         string       `json:"name"`
	Repositories []Repository `json:"repositories" minItems:"1" maxItems:"16"`
	Policy       Policy       `json:"policy"`
}

// Validate checks everything that needs no stored record.
func (c CreateProject) Validate() error {
	if err := c.Project.Validate(); err != nil {
		return err
	}
	if err := checkLine("name", c.Name, 1, 120); err != nil {
		return err
	}
	if len(c.Repositories) == 0 || len(c.Repositories) > 16 {
		return Errorf(CodeBadRequest, "a project has 1 to 16 repositories, not %d", len(c.Repositories))
	}
	for i, r := range c.Repositories {
		if err := r.check(); err != nil {
			return err
		}
		same := func(other Repository) bool { return SameRepository(r.ID, other.ID) || r.Remote == other.Remote }
		if slices.ContainsFunc(c.Repositories[:i], same) {
			return Errorf(CodeBadRequest, "repository %s is given twice; nothing was changed", r.ID)
		}
		if err := CheckBranch(r.Target); err != nil {
			return err
		}
	}
	return c.Policy.Complete().Validate()
}

// CheckBranch checks a short branch name by the rules of
// git-check-ref-format(1), and refuses what could be read as an option or as
// HEAD. It takes no name that package gitops would refuse.
func CheckBranch(name string) error {
	bad := len(name) > 200 || strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\")
	for _, part := range strings.Split(name, "/") {
		bad = bad || part == "" || part == "@" || part == "HEAD" || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") ||
			strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	for _, r := range name {
		bad = bad || r < 0x20 || r == 0x7f
	}
	if bad {
		return Errorf(CodeBadRequest, "%q is not a branch name", name)
	}
	return nil
}
