package gitops

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"coord"
)

// CommitSnapshot commits exactly the snapshot on the current branch and
// brings the index to it; files are not touched, hooks do not run,
// commit.gpgSign is honoured. When the snapshot equals HEAD's tree nothing is
// committed and HEAD's commit is the answer. It refuses a detached HEAD and an
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
	if err != nil || made == head.Commit {
		return made, err
	}
	if err := installIndex(s.index(), lock, filepath.Join(r.info.GitDir, "index")); err != nil {
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
	tree, err := r.addAll(ctx, s, true)
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

// installIndex makes the scratch index the user's, through the lock that is
// held. Its modification time comes along: it says how old the file times in
// it are. The lock is given up either way.
func installIndex(from string, lock *os.File, to string) (err error) {
	defer func() {
		_ = lock.Close()
		if err != nil {
			_ = os.Remove(lock.Name())
		}
	}()
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	_, err = io.Copy(lock, src)
	if err = errors.Join(err, src.Close(), lock.Close()); err != nil {
		return err
	}
	if old, err := os.Stat(to); err == nil {
		_ = os.Chmod(lock.Name(), old.Mode().Perm())
	}
	if err := os.Chtimes(lock.Name(), st.ModTime(), st.ModTime()); err != nil {
		return err
	}
	return os.Rename(lock.Name(), to)
}

// dropLock gives the index lock up. After installIndex the lock file has
// become the index, and another command may already have made a new one, so
// only a file that is still this one is removed.
func dropLock(lock *os.File) {
	mine, err := lock.Stat()
	if err != nil {
		return // closed by installIndex
	}
	_ = lock.Close()
	if now, err := os.Lstat(lock.Name()); err == nil && os.SameFile(mine, now) {
		_ = os.Remove(lock.Name())
	}
}
