package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"coord"
	"coord/files"
)

// CommitSnapshot commits exactly the snapshot on the current branch and
// brings the index to it; files are not touched, hooks do not run,
// commit.gpgSign is honoured. When the snapshot equals HEAD's tree nothing is
// committed and HEAD's commit is the answer; the index then follows a commit
// whose process was killed before it could. It refuses a detached HEAD and an
// unfinished merge, rebase, cherry-pick or revert.
func (r *repo) CommitSnapshot(ctx context.Context, message string) (OID, error) {
	if err := r.needWorkTree(); err != nil {
		return "", err
	}
	s, err := r.openScratch(ctx)
	if err != nil {
		return "", err
	}
	defer s.close()
	lock, err := r.lockIndex(ctx)
	if err != nil {
		return "", err
	}
	defer dropLock(lock)
	head, err := r.committable(ctx)
	if err != nil {
		return "", err
	}
	made, err := r.commitAll(ctx, s, head, message)
	if err != nil {
		return made, err
	}
	if err := installIndex(s.index(), filepath.Join(r.info.GitDir, "index")); err != nil {
		return made, coord.Errorf(coord.CodeSetup, "%s is committed on %s, but the index could not follow: %w", made.Short(), head.Branch, err).
			WithNext("git -C " + quoteArg(r.info.Root) + " reset --mixed")
	}
	return made, nil
}

// committable reads HEAD and refuses what one commit cannot finish.
func (r *repo) committable(ctx context.Context) (Head, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return Head{}, err
	}
	if head.Detached {
		return Head{}, coord.Errorf(coord.CodeStateConflict, "HEAD of %s is detached, so a commit would belong to no branch; nothing was committed", r.info.Root).
			WithNext("git -C " + quoteArg(r.info.Root) + " switch BRANCH")
	}
	if what := r.unfinished(); what != "" {
		return Head{}, coord.Errorf(coord.CodeStateConflict, "a %s is unfinished in %s; nothing was committed", what, r.info.Root).
			WithNext("git -C "+quoteArg(r.info.Root)+" status", "git -C "+quoteArg(r.info.Root)+" "+what+" --abort")
	}
	out, err := r.read(ctx, "ls-files", "--unmerged", "-z")
	if err != nil {
		return Head{}, wrap(coord.CodeSetup, err, "cannot read the index of %s", r.info.Root)
	}
	if len(out) > 0 {
		return Head{}, coord.Errorf(coord.CodeStateConflict, "%s has unresolved conflicts; nothing was committed", r.info.Root).
			WithNext("git -C "+quoteArg(r.info.Root)+" status", "git -C "+quoteArg(r.info.Root)+" add PATH")
	}
	return head, nil
}

// unfinished names the command whose state lies in the Git directory.
func (r *repo) unfinished() string {
	for _, state := range []struct{ file, command string }{
		{"MERGE_HEAD", "merge"},
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Lstat(filepath.Join(r.info.GitDir, state.file)); err == nil {
			return state.command
		}
	}
	return ""
}

func (r *repo) commitAll(ctx context.Context, s *scratch, head Head, message string) (OID, error) {
	if err := r.seed(s); err != nil {
		return "", err
	}
	added, err := r.add(ctx, s, r.everything(true))
	if err != nil {
		return "", err
	}
	tree, err := r.writeTree(ctx, added)
	if err != nil {
		return "", err
	}
	spec := CommitSpec{Tree: tree, Message: message}
	old := Absent
	if !head.Unborn {
		now, err := r.ReadCommit(ctx, head.Commit)
		if err != nil {
			return "", err
		}
		if now.Tree == tree {
			return head.Commit, nil
		}
		spec.Parents, old = []OID{head.Commit}, Exactly(head.Commit)
	}
	made, err := r.commitTree(ctx, spec, r.signs(ctx))
	if err != nil {
		return "", err
	}
	update := RefUpdate{Name: branchRef(head.Branch), New: made, Old: old}
	if err := r.updateRefs(ctx, "commit: "+firstLine(message), []RefUpdate{update}); err != nil {
		return "", err
	}
	return made, nil
}

func (r *repo) signs(ctx context.Context) bool {
	out, err := r.read(ctx, "config", "--type=bool", "--get", "commit.gpgSign")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// installIndex makes the scratch index the user's, whose lock is held: one
// rename, so that a kill leaves the old or the new one. Its modification time
// comes along: it says how old the file times in it are.
func installIndex(from, to string) error {
	if old, err := os.Stat(to); err == nil {
		_ = os.Chmod(from, old.Mode().Perm())
	}
	return files.Patiently(func() error { return os.Rename(from, to) })
}
