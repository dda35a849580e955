package gitops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"coord"
)

// Push sets references of a remote to commits, or deletes them, each with an
// explicit expected value that the remote's current one is compared with. With atomic, all change
// or none. The repository's pre-push hook runs.
//
// Success proves nothing: Git also reports it when the remote already had the
// new value, however it came there and whatever was expected; and a failure
// may come after the change. Read back with Observe.
//
// Errors: remote_refused when the remote said no (a hook, a protected branch,
// no atomic pushes); requirement_not_met when the pre-push hook said no and
// nothing was sent; state_conflict when a reference is not as expected or
// would lose commits, or another command holds it there; not_found when the
// commit is not here and setup when something that it needs is not, and nothing
// was sent; unavailable when the outcome is unknown.
func (r *repo) Push(ctx context.Context, remote string, updates []RefUpdate, atomic bool) error {
	for _, u := range updates {
		if err := u.check(); err != nil {
			return err
		}
		if err := r.isCommit(ctx, u.New); err != nil {
			return err
		}
	}
	if len(updates) == 0 {
		return nil
	}
	if err := r.checkRemote(ctx, remote); err != nil {
		return err
	}
	if slices.ContainsFunc(updates, func(u RefUpdate) bool { return u.Old.any }) {
		// Without a lease Git would move a look-alike instead, whatever that holds.
		if err := r.lookAlike(ctx, remote, updates); err != nil {
			return err
		}
	}
	out, err := r.in(ctx, call{args: pushArgs(remote, updates, atomic), hooks: true, limit: network})
	return r.explainPush(ctx, remote, updates, out, err)
}

// isCommit proves that an object is here, whole, and a commit; none always is.
func (r *repo) isCommit(ctx context.Context, o OID) error {
	if o == "" {
		return nil
	}
	if _, err := r.ReadCommit(ctx, o); err != nil {
		return coord.Errorf(coord.CodeOf(err), "%w; nothing was changed", err)
	}
	return nil
}

func pushArgs(remote string, updates []RefUpdate, atomic bool) []string {
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
	return args
}

// codeContested is what the remote said of a reference that it could not
// change, before it is known why.
const codeContested coord.Code = "contested"

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
	var code coord.Code
	answers := []string{}
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
		return wrap(coord.CodeUnavailable, err, "the push to %s failed and what it did is unknown", remote).
			WithNext("git ls-remote " + quoteArg(remote))
	}
	if code == coord.CodeUnavailable {
		return wrap(code, err, "the push to %s broke off and what it did is unknown: %s", remote, strings.Join(answers, "; ")).
			WithNext("git ls-remote " + quoteArg(remote))
	}
	return wrap(code, err, "%s did not take %s", remote, strings.Join(answers, "; "))
}

// contested are the reasons of git-receive-pack(1) for a reference that it
// could not lock or write: because another push was faster, or holds it, or
// because there cannot be one of that name, or the disk is full.
var contested = []string{
	"failed to update ref", "atomic transaction failed", "transaction failed to start",
	"failed to lock", "failed to write", "reference already exists", "incorrect old value provided", "reference conflict due to",
}

func refusalCode(summary string) coord.Code {
	reason, remotely := strings.CutPrefix(summary, "[remote rejected] (")
	switch {
	case remotely && slices.ContainsFunc(contested, func(c string) bool { return strings.HasPrefix(reason, c) }):
		return codeContested
	case strings.HasPrefix(summary, "[remote rejected]"):
		return coord.CodeRemoteRefused
	case strings.HasPrefix(summary, "[rejected]"):
		return coord.CodeStateConflict
	}
	return coord.CodeUnavailable // "[remote failure]" and anything newer
}

// worse keeps the answer that explains the others: with an atomic push, one
// stale reference makes the rest fail too. One that is unknown stays unknown
// whatever became of the others.
func worse(a, b coord.Code) coord.Code {
	rank := map[coord.Code]int{coord.CodeStateConflict: 1, codeContested: 2, coord.CodeRemoteRefused: 3, coord.CodeUnavailable: 4}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
