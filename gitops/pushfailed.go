package gitops

import (
	"context"
	"errors"
	"os"
	"strings"

	"coord"
)

// explainPush finds out what a push met that failed.
func (r *repo) explainPush(ctx context.Context, remote string, updates []RefUpdate, out []byte, err error) error {
	shown := withoutUser(remote)
	said := pushError(shown, out, err)
	if said == nil || !exited(err, 1) {
		return said
	}
	if strings.Contains(said.Error(), unpacking) {
		return r.wholeHere(ctx, updates, said)
	}
	if coord.CodeOf(said) == coord.CodeRemoteRefused {
		return said
	}
	if alike := r.lookAlike(ctx, remote, updates); coord.CodeOf(alike) == coord.CodeStateConflict {
		return alike
	}
	if hook := r.refusedHere(ctx, err); hook != "" {
		return wrap(coord.CodeRequirement, err, "%s did not let it be pushed to %s; nothing was sent", hook, shown).
			WithNext("mend what the hook says", "the same command again")
	}
	if coord.CodeOf(said) == codeContested {
		return r.explainContest(ctx, remote, updates, said)
	}
	return said
}

// unpacking is git-receive-pack(1)'s reason for taking nothing of a push, since
// what came was not whole.
const unpacking = "[remote rejected] (unpacker error)"

// wholeHere tells whether that is because something is not whole here: then it
// is no refusal of the remote's.
func (r *repo) wholeHere(ctx context.Context, updates []RefUpdate, said error) error {
	args := []string{"rev-list", "--objects", "--no-object-names"}
	for _, u := range updates {
		if u.New != "" {
			args = append(args, string(u.New))
		}
	}
	names, err := r.work(ctx, append(args, "--not", "--remotes")...)
	if err == nil {
		var out []byte
		out, err = r.in(ctx, call{args: []string{"cat-file", "--batch-check"}, stdin: names, limit: work})
		if missing, _, found := strings.Cut(string(out), " missing\n"); err == nil && found {
			err = errors.New(missing[strings.LastIndexByte(missing, '\n')+1:] + " cannot be read")
		}
	}
	if err == nil {
		return said
	}
	return wrap(coord.CodeSetup, err, "an object that the push needs is missing or damaged in %s; nothing was pushed", r.dir()).
		WithNext("git -C "+quoteArg(r.dir())+" fsck", "git -C "+quoteArg(r.dir())+" fetch --refetch")
}

// lookAlike refuses a push to references of which the remote has another that
// Git takes for them, such as refs/heads/refs/heads/main: it would move that
// one, or none (gitrevisions(7), <refname>).
func (r *repo) lookAlike(ctx context.Context, remote string, updates []RefUpdate) error {
	names := make([]string, 0, len(updates))
	for _, u := range updates {
		names = append(names, u.Name)
	}
	seen, err := r.list(ctx, remote, names)
	if err != nil {
		return err
	}
	shown := withoutUser(remote)
	for _, name := range names {
		for _, before := range []string{"refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
			if _, found := seen[before+name]; found {
				return coord.Errorf(coord.CodeStateConflict, "%s has %s, which Git takes for %s; nothing was pushed", shown, before+name, name).
					WithNext("git push "+quoteArg(shown)+" --delete "+quoteArg(before+name), "the same command again")
			}
		}
	}
	return nil
}

// refusedHere names the pre-push hook if it was that which ended a push: Git
// then says so with status 1, before it has sent or written anything. Whatever
// ends a push later has another status, or an answer for each reference.
func (r *repo) refusedHere(ctx context.Context, err error) string {
	var f *failure
	if !errors.As(err, &f) || f.status != 1 || len(f.stdout) > 0 {
		return ""
	}
	out, err := r.in(ctx, call{args: []string{"rev-parse", "--path-format=absolute", "--git-path", "hooks/pre-push"}, hooks: true, limit: quick})
	if err != nil {
		return ""
	}
	hook := nativePath(line(out))
	if st, err := os.Stat(hook); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return hook
}

// explainContest finds out why the remote could not change a reference, by
// reading it: its own words would have to be parsed. Only a name that cannot be
// there is a refusal that stays.
func (r *repo) explainContest(ctx context.Context, remote string, updates []RefUpdate, err error) error {
	shown := withoutUser(remote)
	again := []string{"git ls-remote " + quoteArg(shown), "the same command again"}
	seen, obsErr := r.observe(ctx, remote, nil)
	if obsErr != nil {
		return coord.Errorf(coord.CodeUnavailable, "%s could not change a reference and does not answer any more: %w", shown, err).WithNext(again...)
	}
	for _, u := range updates {
		for name := range seen {
			if strings.HasPrefix(name, u.Name+"/") || strings.HasPrefix(u.Name, name+"/") {
				return coord.Errorf(coord.CodeRemoteRefused, "%s has %s, so there can be no %s: %w", shown, name, u.Name, err).WithNext(again[0])
			}
		}
	}
	for _, u := range updates {
		if now := seen[u.Name]; now != u.New && !u.Old.holds(now) {
			return coord.Errorf(coord.CodeStateConflict, "%s of %s is %s, not %s as expected: %w", u.Name, shown, orAbsent(now), u.Old, err).
				WithDetail("ref", u.Name).WithDetail("now", string(now)).WithNext(again...)
		}
	}
	return coord.Errorf(coord.CodeStateConflict, "%s could not change a reference: another command holds or has changed it there, or it cannot be written: %w", shown, err).WithNext(again...)
}
