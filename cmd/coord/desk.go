package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/client"
	"coord/gitops"
	"coord/work"
	"coord/worktree"
)

const (
	defaultRefs      = "refs/coord"
	defaultWorktrees = "../{repo}.worktrees"
)

// desk is where this session works: the repository here, and the service.
func (a *app) desk(ctx context.Context) (*work.Desk, error) {
	repo, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.service(ctx)
	if err != nil {
		return nil, err
	}
	d := &work.Desk{
		Service: service, Git: a.gitOps(), Repo: repo,
		Machine: machineName(), ParseChecks: parseChecks, RunCheck: a.runCheck,
		Deed: client.WithIntent, Unsettled: a.unsettled, Now: wallClock, Say: a.progress,
	}
	return d, a.fill(ctx, d)
}

// unsettled reports whether a request of this session waits for its answer.
func (a *app) unsettled() bool {
	c, err := a.connect()
	if err != nil {
		return false
	}
	pending, err := c.pending()
	return pending || err != nil
}

// fill adds what the configuration and the session say.
func (a *app) fill(ctx context.Context, d *work.Desk) (err error) {
	if d.Project, err = a.projectKey(); err != nil {
		return err
	}
	if d.Server, err = a.serverURL(); err != nil {
		return err
	}
	if d.Session, err = a.sessionID(); err != nil {
		return err
	}
	origin, err := remoteOf(ctx, d.Repo)
	if err != nil {
		return err
	}
	d.Remote, d.Repository = origin.name, origin.id
	conf, err := a.config()
	if err != nil {
		return err
	}
	d.Refs = orDefault(conf.RefNamespace, defaultRefs)
	d.Parent = worktree.Parent(orDefault(conf.WorktreesDir, defaultWorktrees), mainRoot(d.Repo.Info()))
	return nil
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// mainRoot is the top of the repository's main work tree, seen from any.
func mainRoot(info gitops.Info) string {
	if filepath.Base(info.CommonDir) == ".git" {
		return filepath.Dir(info.CommonDir)
	}
	return info.Root
}

// remoteName is origin, or the only remote there is.
func remoteName(ctx context.Context, repo gitops.Repo) (string, error) {
	names, err := repo.Remotes(ctx)
	switch {
	case err != nil:
		return "", err
	case slices.Contains(names, "origin"):
		return "origin", nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", coord.Errorf(coord.CodeSetup, "the repository has no remote, so nothing could be saved elsewhere; nothing was done").
			WithNext("git remote add origin URL", "coord up --make-remote")
	}
	return "", coord.Errorf(coord.CodeSetup, "the repository has several remotes and none is called origin; nothing was done").
		WithNext("git remote rename " + names[0] + " origin")
}

func machineName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "unknown"
	}
	return name
}

func parseChecks(text []byte) ([]coord.Check, error) {
	c, err := ParseConfig(configName+" on the target branch", text)
	return c.Checks, err
}

// boundHere are the repository's worktrees that serve attempts at the desk's
// project, of any session.
func boundHere(d *work.Desk) ([]worktree.Bound, error) {
	all, err := worktree.Find(d.Repo.Info())
	return slices.DeleteFunc(all, func(b worktree.Bound) bool { return b.Server != d.Server || b.Project != d.Project }), err
}

// stage is the desk with the worktree that a stage of the kind is about; any
// kind for "".
func (a *app) stage(ctx context.Context, kind coord.Kind) (*work.Desk, worktree.Bound, error) {
	d, err := a.desk(ctx)
	if err != nil {
		return nil, worktree.Bound{}, err
	}
	b, err := a.bound(d, kind)
	return d, b, err
}

// bound is the worktree that a stage is about: that of --task, the one that
// the command runs in, or else the only one of the kind that this session
// holds in the repository.
func (a *app) bound(d *work.Desk, kind coord.Kind) (worktree.Bound, error) {
	all, err := boundHere(d)
	if err != nil {
		return worktree.Bound{}, err
	}
	for _, b := range all {
		if a.task == "" && b.GitDir == d.Repo.Info().GitDir && b.Kind.Serves(kind) {
			return a.usable(d, b)
		}
	}
	own := worktree.OfSession(all, d.Session, kind)
	if a.task != "" {
		own = slices.DeleteFunc(own, func(b worktree.Bound) bool { return string(b.Task) != a.task })
	}
	switch len(own) {
	case 0:
		return worktree.Bound{}, noneHeld(a.task, kind)
	case 1:
		return own[0], nil
	}
	return worktree.Bound{}, severalHeld(own)
}

// severalHeld asks which of them is meant, and says where each is.
func severalHeld(own []worktree.Bound) error {
	var ids, next []string
	for _, b := range own {
		ids, next = append(ids, string(b.Task)), append(next, enter(b.Path))
	}
	return coord.Errorf(coord.CodeAmbiguous, "this session holds %s; add --task TASK, or work in the worktree of one; nothing was done", strings.Join(ids, ", ")).
		WithNext(next...)
}

// usable refuses a worktree whose attempt this session does not hold.
func (a *app) usable(d *work.Desk, b worktree.Bound) (worktree.Bound, error) {
	switch {
	case b.Ended:
		return b, coord.Errorf(coord.CodeStateConflict, "the attempt of this worktree at %s is over; nothing was done", b.Task).
			WithNext("coord status", "coord start "+string(b.Task))
	case b.Session != d.Session:
		return b, coord.Errorf(coord.CodeFenced, "this worktree belongs to another session's attempt at %s; nothing was done", b.Task).
			WithNext("coord status", "coord start")
	}
	return b, nil
}

func noneHeld(task string, kind coord.Kind) error {
	switch {
	case task != "":
		return coord.Errorf(coord.CodeStateConflict, "this session holds no attempt at %s in this repository; nothing was done", task).
			WithNext("coord start " + task)
	case kind == coord.KindReview:
		return coord.Errorf(coord.CodeStateConflict, "this session holds no review in this repository; nothing was done").
			WithNext("coord start --kind review")
	}
	return coord.Errorf(coord.CodeStateConflict, "this session holds no task in this repository; nothing was done").WithNext("coord start")
}
