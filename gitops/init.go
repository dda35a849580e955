package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"coord"
	"coord/files"
)

// MakeRemote makes a bare repository at path, brings the branch there, and
// adds it as the remote of the given name, with the branch tracking it. It is
// for a repository that has no remote. The remote is added last, so that an
// interrupted call leaves none; the same call again goes on. Code
// state_conflict when path holds anything else; it is left alone then.
func (g *Git) MakeRemote(ctx context.Context, of Repo, name, path, branch string) error {
	r, ok := of.(*repo)
	if !ok {
		return coord.Errorf(coord.CodeInternal, "the repository was not opened by Git.Open")
	}
	tip, err := r.Resolve(ctx, branchRef(branch))
	if err != nil {
		return err
	}
	if err := r.initBare(ctx, path, branch); err != nil {
		return err
	}
	now, err := r.observe(ctx, path, nil)
	if err != nil {
		return err
	}
	for ref, oid := range now {
		if ref != "HEAD" && (ref != branchRef(branch) || oid != tip) {
			return coord.Errorf(coord.CodeStateConflict, "%s is a repository with work of its own; it was left alone", path).
				WithNext("git remote add " + quoteArg(name) + " " + quoteArg(path))
		}
	}
	if now[branchRef(branch)] == "" {
		if err := r.Push(ctx, path, []RefUpdate{{Name: branchRef(branch), New: tip, Old: Absent}}, false); err != nil {
			return err
		}
	}
	if now, err = r.observe(ctx, path, []string{branchRef(branch)}); err != nil {
		return err
	}
	if now[branchRef(branch)] != tip {
		return coord.Errorf(coord.CodeUnavailable, "%s did not arrive in %s; no remote was added", branch, path).WithNext("coord up --make-remote")
	}
	return r.track(ctx, name, path, branch)
}

// initBare makes an empty bare repository, or accepts a bare one.
func (r *repo) initBare(ctx context.Context, path, branch string) error {
	_, err := os.Lstat(path)
	if err == nil {
		there, err := r.git.Open(ctx, path)
		if err != nil || !there.Info().Bare || !files.Same(there.Info().GitDir, path) {
			return coord.Errorf(coord.CodeStateConflict, "%s exists and is not a bare repository; it was left alone", path).
				WithNext("git remote add origin URL")
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return coord.Errorf(coord.CodeSetup, "cannot look at %s: %w; nothing was made", path, err)
	}
	args := []string{"init", "--quiet", "--bare", "--initial-branch=" + branch, "--object-format=" + r.info.ObjectFormat, "--", path}
	if _, err := r.git.run(ctx, call{args: args, dir: filepath.Dir(path), limit: quick}); err != nil {
		return wrap(coord.CodeSetup, err, "cannot make a repository at %s", path)
	}
	return nil
}

// track configures the remote, and the branch to follow it.
func (r *repo) track(ctx context.Context, name, path, branch string) error {
	if _, err := r.work(ctx, "remote", "add", "--", name, path); err != nil {
		return wrap(coord.CodeStateConflict, err, "%s is made, but cannot be added as remote %s", path, name)
	}
	if err := r.Fetch(ctx, name); err != nil {
		return err
	}
	if _, err := r.work(ctx, "branch", "--quiet", "--set-upstream-to="+name+"/"+branch, "--", branch); err != nil {
		return wrap(coord.CodeStateConflict, err, "%s is the remote %s, but branch %s does not track it", path, name, branch)
	}
	return nil
}
