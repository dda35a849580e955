package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/client"
	"coord/gitops"
)

// enrol puts a repository on a server: finds or makes its project, and writes
// .coord.toml. Both up and init end with it.
type enrol struct {
	*app
	name, review string
	lease, grace time.Duration

	conf   Config
	ground ground
	key    coord.ProjectKey
	server string
}

// notGiven marks a duration flag that was not given: 0s is a grace.
const notGiven = time.Duration(-1)

func (e *enrol) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.name, "name", "", "display `NAME` of a new project (default the directory's)")
	f.StringVar(&e.review, "review", "", "`WHO` reviews in a new project: agent (default) or none")
	f.DurationVar(&e.lease, "lease", 0, "`LENGTH` of a lease in a new project (default 30m)")
	f.DurationVar(&e.grace, "grace", notGiven, "in a new project, `TIME` after a lease's end before another session may recover")
	f.Lookup("grace").DefValue = coord.DefaultPolicy().RecoveryGrace.String() // what help shows
}

// policy is what the flags ask for.
func (e *enrol) policy() coord.Policy {
	p := coord.DefaultPolicy()
	if e.review != "" {
		p.Review = coord.ReviewMode(e.review)
	}
	if e.lease != 0 {
		p.Lease = coord.Duration(e.lease)
	}
	if e.grace != notGiven {
		p.RecoveryGrace = coord.Duration(e.grace)
	}
	return p
}

// differs reports whether a flag asks for another policy than p.
func (e *enrol) differs(p coord.Policy) bool {
	return e.review != "" && coord.ReviewMode(e.review) != p.Review ||
		e.lease != 0 && coord.Duration(e.lease) != p.Lease ||
		e.grace != notGiven && coord.Duration(e.grace) != p.RecoveryGrace
}

// ground is the repository that is enrolled, checked to be fit for it.
type ground struct {
	repo   gitops.Repo
	remote remote
	branch string
}

// survey checks the repository before anything is made.
func (e *enrol) survey(ctx context.Context) error {
	if err := e.policy().Validate(); err != nil {
		return err
	}
	g, err := e.checkout(ctx)
	if err != nil {
		return err
	}
	if g.remote, err = remoteOf(ctx, g.repo); err != nil {
		return err
	}
	e.ground = g
	return e.chooseKey()
}

// checkout is the repository without its remote: a work tree on a branch.
func (e *enrol) checkout(ctx context.Context) (g ground, err error) {
	if e.conf, err = e.config(); err != nil {
		return g, err
	}
	if g.repo, err = e.repo(ctx); err != nil {
		return g, err
	}
	if g.repo.Info().Bare {
		return g, coord.Errorf(coord.CodeSetup, "%s is a bare repository, and coord works in a checkout; nothing was done", g.repo.Info().GitDir).
			WithNext("git clone " + shellWord(g.repo.Info().GitDir) + " DIR")
	}
	g.branch, err = branchOf(ctx, g.repo)
	return g, err
}

// branchOf is the branch that is checked out, with at least one commit.
func branchOf(ctx context.Context, repo gitops.Repo) (string, error) {
	head, err := repo.Head(ctx)
	switch {
	case err != nil:
		return "", err
	case head.Unborn:
		return "", coord.Errorf(coord.CodeSetup, "branch %s of %s has no commit yet; nothing was done", head.Branch, repo.Info().Root).
			WithNext(`git commit --allow-empty -m "Begin"`)
	case head.Detached:
		return "", coord.Errorf(coord.CodeSetup, "%s is on no branch: HEAD is detached at %s; nothing was done", repo.Info().Root, head.Commit.Short()).
			WithNext("git switch BRANCH")
	}
	return head.Branch, nil
}

// pushed checks that the branch to land on is on the remote: it is what
// worktrees start from.
func (g ground) pushed(ctx context.Context) error {
	ref := "refs/heads/" + g.branch
	seen, err := g.repo.Observe(ctx, g.remote.name, ref)
	if err != nil {
		return err
	}
	if seen[ref] == "" {
		return coord.Errorf(coord.CodeSetup, "%s has no branch %s yet, and work lands there; nothing was done", g.remote.name, g.branch).
			WithNext("git push -u " + g.remote.name + " " + g.branch)
	}
	return nil
}

// chooseKey takes the project's key as given, as configured, or from the
// directory.
func (e *enrol) chooseKey() error {
	e.key = e.conf.Project
	if e.project != "" {
		e.key = coord.ProjectKey(e.project)
	}
	if e.key == "" {
		e.key = keyFrom(e.ground.dirName())
	}
	if e.key == "" {
		return coord.Errorf(coord.CodeBadRequest, "no project key can be made of the directory's name %q; nothing was done", e.ground.dirName()).
			WithNext("coord up --project KEY")
	}
	return e.key.Validate()
}

// dirName names the repository after its main checkout.
func (g ground) dirName() string { return filepath.Base(mainRoot(g.repo.Info())) }

// keyFrom keeps the letters and digits of a name, from its first letter on.
func keyFrom(name string) coord.ProjectKey {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		letter := r >= 'a' && r <= 'z'
		if letter || b.Len() > 0 && r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	k := b.String()
	return coord.ProjectKey(k[:min(len(k), 16)])
}

// register finds the project at the server, or makes it with the set-up
// credential. A credential that the server accepted is kept.
func (e *enrol) register(ctx context.Context) (p coord.Project, made bool, err error) {
	cred, err := e.credential(e.server)
	if err != nil {
		return p, false, err
	}
	p, err = client.New(e.client(e.server, cred.any())).Project(ctx, e.key)
	switch {
	case err == nil:
		if err := e.belongs(p); err != nil {
			return p, false, err
		}
	case coord.CodeOf(err) == coord.CodeNotFound:
		if err := e.ground.pushed(ctx); err != nil {
			return p, false, err
		}
		if p, err = e.makeProject(ctx, cred); err != nil {
			return p, false, err
		}
		made = true
	default:
		return p, false, err
	}
	return p, made, cred.keep()
}

// belongs refuses a project of another repository, and flags that would
// change its policy.
func (e *enrol) belongs(p coord.Project) error {
	if _, ok := p.Repository(e.ground.remote.id); !ok {
		has, _ := p.Repository("") // every project has one
		return coord.Errorf(coord.CodeStateConflict, "project %s belongs to %s, and this repository is %s; nothing was changed", p.Key, has.ID, e.ground.remote.id).
			WithNext("coord up --project OTHERKEY",
				"git remote set-url "+shellWord(e.ground.remote.name)+" "+shellWord(has.Remote)+", if that is another address of this very repository")
	}
	if e.differs(p.Policy) {
		return coord.Errorf(coord.CodeStateConflict, "project %s exists with review %s, lease %s and grace %s, which this command does not change; nothing was changed",
			p.Key, p.Policy.Review, p.Policy.Lease, p.Policy.RecoveryGrace).WithNext("coord up")
	}
	return nil
}

func (e *enrol) makeProject(ctx context.Context, cred credential) (coord.Project, error) {
	if cred.Setup == "" {
		return coord.Project{}, coord.Errorf(coord.CodeNotPermitted, "project %s does not exist at %s, and this machine has no set-up token to make it; nothing was changed", e.key, e.server).
			WithActor("operator").WithNext("COORD_TOKEN=SETUP-TOKEN coord init --server " + e.server)
	}
	name := e.name
	if name == "" {
		name = e.ground.dirName()
	}
	cmd := coord.CreateProject{
		Project: e.key, Name: name, Policy: e.policy(),
		Repositories: []coord.Repository{{ID: e.ground.remote.id, Remote: e.ground.remote.url, Target: e.ground.branch}},
	}
	if err := cmd.Validate(); err != nil {
		return coord.Project{}, err
	}
	o := e.client(e.server, cred.Setup)
	o.Journal = client.OpenJournal(client.SessionKey{Dir: cred.dir, Origin: cred.origin, Name: "setup"})
	return client.New(o).CreateProject(ctx, cmd)
}

// enrolled is what is there after a repository was put on a server.
type enrolled struct {
	Server  string        `json:"server"`
	Project coord.Project `json:"project"`
	Created bool          `json:"created"` // the project is new
	Remote  string        `json:"remote"`
	Config  string        `json:"config"` // path of .coord.toml
	Wrote   bool          `json:"wrote"`  // it was made or completed
}

// complete registers the project and completes .coord.toml.
func (e *enrol) complete(ctx context.Context) (enrolled, error) {
	p, made, err := e.register(ctx)
	if err != nil {
		return enrolled{}, err
	}
	r := enrolled{Server: e.server, Project: p, Created: made, Remote: e.ground.remote.name, Config: e.conf.Path}
	if r.Config == "" {
		r.Config = filepath.Join(e.ground.repo.Info().Root, configName)
	}
	r.Wrote, err = completeConfig(r.Config, e.conf, e.server, e.key)
	return r, err
}

// write prints the project and the configuration, aligned with what its
// callers print around them.
func (r enrolled) write(w io.Writer) {
	state := "found"
	if r.Created {
		state = "created"
	}
	at := ""
	if repo, ok := r.Project.Repository(""); ok {
		at = fmt.Sprintf("  %s, lands on %s", repo.ID, repo.Target)
	}
	p := r.Project.Policy
	field(w, "project", "%s %s%s", r.Project.Key, state, at)
	field(w, "policy", "review %s, lease %s, grace %s", p.Review, p.Lease, p.RecoveryGrace)
	if !r.Wrote {
		field(w, "config", "%s unchanged", configName)
		return
	}
	field(w, "config", "%s written; commit and push it:", configName)
	field(w, "", `git add %s && git commit -m "Use coord" && git push`, configName)
}
