package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"coord"
)

// Expect says what a reference must be before it changes. The zero Expect is
// refused, so that a forgotten one overwrites nothing.
type Expect struct {
	absent, any bool
	oid         OID
}

// Absent expects the reference not to exist.
var Absent = Expect{absent: true}

// Any takes a remote reference as it is, absent or not, as long as no commit is
// lost: the new value must contain the old one. It can neither delete nor
// overwrite, and is not for local references.
var Any = Expect{any: true}

// Exactly expects the reference to point at o.
func Exactly(o OID) Expect { return Expect{oid: o} }

func (e Expect) String() string {
	switch {
	case e.absent:
		return "absent"
	case e.any:
		return "any"
	}
	return string(e.oid)
}

func (e Expect) holds(now OID) bool {
	return e.any || (e.absent && now == "") || (e.oid != "" && e.oid == now)
}

// RefUpdate sets one reference, by full name, or deletes it when New is none.
type RefUpdate struct {
	Name string
	New  OID
	Old  Expect
}

func (u RefUpdate) check() error {
	if err := CheckRefName(u.Name); err != nil {
		return err
	}
	if u.New != "" && !u.New.Valid() {
		return checkOIDs(u.New)
	}
	if !u.Old.absent && !u.Old.any && !u.Old.oid.Valid() {
		return coord.Errorf(coord.CodeBadRequest, "no expected value is given for %s; nothing was changed", u.Name)
	}
	if u.New == "" && !u.Old.oid.Valid() {
		return coord.Errorf(coord.CodeBadRequest, "%s can only be deleted by its exact value, not when %s; nothing was changed", u.Name, u.Old)
	}
	return nil
}

// UpdateRefs sets local references to commits, or deletes them, all or none,
// each only if it has its expected value. Code state_conflict when one has not,
// or when its lock is held; not_found when the commit is not here; nothing has
// changed then.
func (r *repo) UpdateRefs(ctx context.Context, updates []RefUpdate) error {
	return r.updateRefs(ctx, "coord", updates)
}

// updateRefs takes also the reason for the reflog.
func (r *repo) updateRefs(ctx context.Context, reason string, updates []RefUpdate) error {
	var in bytes.Buffer
	for _, u := range updates {
		if err := u.check(); err != nil {
			return err
		}
		if u.Old.any {
			return coord.Errorf(coord.CodeBadRequest, "no expected value is given for %s; nothing was changed", u.Name)
		}
		if err := r.isCommit(ctx, u.New); err != nil {
			return err
		}
		u.write(&in)
	}
	if len(updates) == 0 {
		return nil
	}
	args := []string{"update-ref", "-m", reason, "--no-deref", "--stdin", "-z"}
	_, err := r.in(ctx, call{args: args, stdin: in.Bytes(), limit: quick})
	if err != nil {
		return r.explainRefs(ctx, updates, err)
	}
	return nil
}

// write puts the update in the language of git-update-ref(1) --stdin -z.
func (u RefUpdate) write(in *bytes.Buffer) {
	switch {
	case u.New == "":
		fmt.Fprintf(in, "delete %s\x00%s\x00", u.Name, u.Old.oid)
	case u.Old.absent:
		fmt.Fprintf(in, "create %s\x00%s\x00", u.Name, u.New)
	default:
		fmt.Fprintf(in, "update %s\x00%s\x00%s\x00", u.Name, u.New, u.Old.oid)
	}
}

// explainRefs finds out what stood in the way by looking again.
func (r *repo) explainRefs(ctx context.Context, updates []RefUpdate, err error) error {
	var names []string
	for _, u := range updates {
		now, refErr := r.ref(ctx, u.Name)
		if refErr == nil && !u.Old.holds(now) {
			return coord.Errorf(coord.CodeStateConflict, "%s is %s, not %s as expected; no reference was changed",
				u.Name, orAbsent(now), u.Old).WithDetail("ref", u.Name).WithDetail("now", string(now))
		}
		names = append(names, u.Name)
	}
	if lock := r.lockAmong(names); lock != "" {
		return heldLock(lock, "no reference was changed")
	}
	return wrap(coord.CodeStateConflict, err, "Git refused to change the references; none was changed")
}

func orAbsent(o OID) string {
	if o == "" {
		return "absent"
	}
	return string(o)
}

// ref reads one reference; none when it does not exist.
func (r *repo) ref(ctx context.Context, name string) (OID, error) {
	out, err := r.read(ctx, "rev-parse", "--verify", "--quiet", name)
	if exited(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", wrap(coord.CodeInternal, err, "cannot read %s", name)
	}
	return OID(line(out)), nil
}

// lockAmong finds a lock file that keeps references from being changed: one of
// theirs, or what each change may need besides; none when there is none.
func (r *repo) lockAmong(names []string) string {
	locks := make([]string, 0, len(names)+2)
	for _, name := range names {
		locks = append(locks, filepath.Join(r.info.CommonDir, filepath.FromSlash(name)+".lock"))
	}
	locks = append(locks, filepath.Join(r.info.GitDir, "HEAD.lock"), filepath.Join(r.info.CommonDir, "packed-refs.lock"))
	for _, lock := range locks {
		if _, err := os.Lstat(lock); err == nil {
			return lock
		}
	}
	return ""
}

// heldLock is the answer to a lock file of Git's that does not go away.
func heldLock(file, outcome string) error {
	return coord.Errorf(coord.CodeStateConflict,
		"another Git command holds %s; %s. Try again when it has ended; if no Git command runs in this repository, it is left over from one that was killed: remove that file",
		file, outcome).WithDetail("lock", file).
		WithNext("the same command again", "remove "+quoteArg(file)+" if no Git command runs in this repository, then the same command again")
}
