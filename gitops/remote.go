package gitops

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"coord"
)

// Remotes lists the names of the configured remotes.
func (r *repo) Remotes(ctx context.Context) ([]string, error) {
	out, err := r.read(ctx, "remote")
	if err != nil {
		return nil, wrap(coord.CodeSetup, err, "cannot list the remotes of %s", r.dir())
	}
	return strings.Fields(string(out)), nil
}

// RemoteURL gives the URL a remote's name stands for, after Git's own
// rewriting (url.*.insteadOf), without passwords; a relative path is made
// absolute, unless it reads as an option. Code setup when there is no such
// remote.
func (r *repo) RemoteURL(ctx context.Context, name string) (string, error) {
	remote, err := r.rawURL(ctx, name)
	if err != nil {
		return "", err
	}
	if isLocal(remote) && !strings.Contains(remote, "://") && !filepath.IsAbs(remote) && !strings.HasPrefix(remote, "-") {
		return filepath.Join(r.dir(), remote), nil
	}
	if !strings.Contains(remote, "://") || strings.HasPrefix(remote, "ssh://") {
		return dropPassword(remote), nil
	}
	return userinfo().ReplaceAllString(remote, "${1}"), nil
}

// dropPassword keeps an ssh user name, which is part of the address.
func dropPassword(remote string) string {
	rest, ok := strings.CutPrefix(remote, "ssh://")
	if !ok {
		return remote
	}
	if user, after, found := strings.Cut(rest, "@"); found && !strings.Contains(user, "/") {
		user, _, _ = strings.Cut(user, ":")
		return "ssh://" + user + "@" + after
	}
	return remote
}

func (r *repo) rawURL(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", coord.Errorf(coord.CodeBadRequest, "%q is not the name of a remote", name)
	}
	out, err := r.read(ctx, "remote", "get-url", "--", name)
	if err != nil {
		return "", wrap(coord.CodeSetup, err, "%s has no remote %q", r.dir(), name).
			WithNext("git -C " + quoteArg(r.dir()) + " remote add " + quoteArg(name) + " URL")
	}
	return firstLine(string(out)), nil
}

// checkRemote accepts a configured remote's name, or a URL, that leads to a
// repository and not to a program.
func (r *repo) checkRemote(ctx context.Context, remote string) error {
	at := remote
	if !strings.ContainsAny(remote, `:/\`) {
		var err error
		if at, err = r.RemoteURL(ctx, remote); err != nil {
			return err
		}
	}
	_, err := NormalizeRemote(at)
	return err
}

// Fetch brings references and their objects from a remote. Refspecs are full
// ("+refs/heads/main:refs/remotes/origin/main"); with none, the remote's
// configured ones are used. Nothing is pruned and FETCH_HEAD stays. Code
// not_found when the remote lacks a named reference, state_conflict when a
// local one would lose commits, unavailable when the remote does not answer.
func (r *repo) Fetch(ctx context.Context, remote string, refspecs ...string) error {
	for _, spec := range refspecs {
		if err := checkRefspec(spec); err != nil {
			return err
		}
	}
	if err := r.checkRemote(ctx, remote); err != nil {
		return err
	}
	args := []string{"fetch", "--quiet", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"}
	if len(refspecs) > 0 {
		args = append(args, "--no-tags")
	}
	args = append(append(args, "--", remote), refspecs...)
	_, err := r.in(ctx, call{args: args, limit: network})
	if err != nil {
		if dropped, _ := r.DropHeadless(ctx); dropped {
			_, err = r.in(ctx, call{args: args, limit: network})
		}
	}
	if err != nil {
		return r.explainFetch(ctx, remote, refspecs, err)
	}
	return nil
}

// explainFetch finds out what a failed fetch met by asking the remote again.
func (r *repo) explainFetch(ctx context.Context, remote string, refspecs []string, err error) error {
	shown := withoutUser(remote)
	seen, obsErr := r.observe(ctx, remote, nil)
	if obsErr != nil {
		return wrap(coord.CodeUnavailable, err, "%s does not answer", shown).WithNext("git ls-remote " + quoteArg(shown))
	}
	for _, spec := range refspecs {
		source, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		if _, found := seen[source]; !found && !OID(source).Valid() && !strings.HasSuffix(source, "/*") {
			return coord.Errorf(coord.CodeNotFound, "%s has no %s", shown, source).WithNext("git ls-remote " + quoteArg(shown))
		}
	}
	var targets []string
	for _, spec := range refspecs {
		if _, target, both := strings.Cut(spec, ":"); both {
			targets = append(targets, target)
		}
	}
	if lock := r.lockAmong(targets); lock != "" {
		return heldLock(lock, "not everything could be fetched from "+shown)
	}
	return wrap(coord.CodeStateConflict, err, "not everything could be fetched from %s", shown)
}

// Observe reads references from a remote, by full name (or "HEAD"). One the
// remote does not have is missing from the map; with no names all are read, HEAD too.
// This, not a push's success, tells what a remote holds.
func (r *repo) Observe(ctx context.Context, remote string, refs ...string) (map[string]OID, error) {
	for _, name := range refs {
		if name == "HEAD" {
			continue
		}
		if err := CheckRefName(name); err != nil {
			return nil, err
		}
	}
	if err := r.checkRemote(ctx, remote); err != nil {
		return nil, err
	}
	return r.observe(ctx, remote, refs)
}

func (r *repo) observe(ctx context.Context, remote string, refs []string) (map[string]OID, error) {
	seen, err := r.list(ctx, remote, refs)
	maps.DeleteFunc(seen, func(name string, _ OID) bool { return len(refs) > 0 && !slices.Contains(refs, name) })
	return seen, err
}

// list reads references from a remote; a name also finds the longer ones that
// end with it.
func (r *repo) list(ctx context.Context, remote string, refs []string) (map[string]OID, error) {
	args := append([]string{"ls-remote", "--quiet", "--", remote}, refs...)
	out, err := r.in(ctx, call{args: args, limit: network})
	if err != nil {
		shown := withoutUser(remote)
		return nil, wrap(coord.CodeUnavailable, err, "%s does not answer", shown).WithNext("git ls-remote " + quoteArg(shown))
	}
	seen := map[string]OID{}
	for _, l := range strings.Split(line(out), "\n") {
		if oid, name, ok := strings.Cut(l, "\t"); ok && OID(oid).Valid() {
			seen[name] = OID(oid)
		}
	}
	return seen, nil
}
