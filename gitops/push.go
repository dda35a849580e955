package gitops

import (
	"context"
	"errors"
	"strings"

	"coord"
)

// Push sets or deletes references of a remote, each with an explicit expected
// value that the remote's current one is compared with. With atomic, all change
// or none. The repository's pre-push hook runs.
//
// Success proves nothing: Git also reports it when the remote already had the
// new value, however it came there and whatever was expected; and a failure
// may come after the change. Read back with Observe.
//
// Errors: remote_refused when the remote said no (a hook, a protected branch,
// no atomic pushes); state_conflict when a reference is not as expected or
// would lose commits; not_found when an object is not here and nothing was
// sent; unavailable when the outcome is unknown.
func (r *repo) Push(ctx context.Context, remote string, updates []RefUpdate, atomic bool) error {
	for _, u := range updates {
		if err := u.check(); err != nil {
			return err
		}
		if err := r.has(ctx, u.New, "object"); err != nil {
			return err
		}
	}
	if len(updates) == 0 {
		return nil
	}
	if err := r.checkRemote(ctx, remote); err != nil {
		return err
	}
	args := []string{"push", "--porcelain", "--no-follow-tags", "--no-recurse-submodules", "--no-force-if-includes"}
	if atomic {
		args = append(args, "--atomic")
	}
	for _, u := range updates {
		if !u.Old.any { // without a lease git refuses what would lose commits
			args = append(args, "--force-with-lease="+u.Name+":"+string(u.Old.oid))
		}
	}
	args = append(args, "--", remote)
	for _, u := range updates {
		args = append(args, string(u.New)+":"+u.Name)
	}
	out, err := r.in(ctx, call{args: args, hooks: true, limit: network})
	return pushError(withoutUser(remote), out, err)
}

// pushError reads the per-reference answers of git-push(1), "Output", with
// --porcelain: flag, source:target, summary (reason).
func pushError(remote string, out []byte, err error) error {
	if err == nil {
		return nil
	}
	var f *failure
	if errors.As(err, &f) {
		out = f.stdout
	}
	code, answers := coord.CodeUnavailable, []string{}
	for _, l := range strings.Split(string(out), "\n") {
		answer, isRefusal := strings.CutPrefix(l, "!\t")
		if !isRefusal {
			continue
		}
		refs, summary, _ := strings.Cut(answer, "\t")
		_, ref, _ := strings.Cut(refs, ":")
		answers = append(answers, ref+" "+visible(summary))
		code = worse(code, refusalCode(summary))
	}
	if len(answers) == 0 {
		return wrap(code, err, "the push to %s failed and what it did is unknown", remote).
			WithNext("git ls-remote " + quoteArg(remote))
	}
	if code == coord.CodeUnavailable {
		return wrap(code, err, "the push to %s broke off and what it did is unknown: %s", remote, strings.Join(answers, "; "))
	}
	return wrap(code, err, "%s did not take %s", remote, strings.Join(answers, "; "))
}

func refusalCode(summary string) coord.Code {
	switch {
	case strings.HasPrefix(summary, "[remote rejected]"):
		return coord.CodeRemoteRefused
	case strings.HasPrefix(summary, "[rejected]"):
		return coord.CodeStateConflict
	}
	return coord.CodeUnavailable // "[remote failure]" and anything newer
}

// worse keeps the answer that explains the others: with an atomic push, one
// stale reference makes the rest fail too.
func worse(a, b coord.Code) coord.Code {
	rank := map[coord.Code]int{coord.CodeUnavailable: 0, coord.CodeStateConflict: 1, coord.CodeRemoteRefused: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
