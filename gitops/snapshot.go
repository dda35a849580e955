package gitops

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"coord"
)

// Snapshot gives the tree that "git add -A && git write-tree" would give for
// the work tree as it is on disk, and leaves the index, HEAD, references,
// configuration, files and objects as they were. The tree is therefore not in
// the repository: see KeepSnapshot.
func (r *repo) Snapshot(ctx context.Context) (OID, error) {
	return r.snapshot(ctx, false)
}

// KeepSnapshot is Snapshot for a tree a commit will be made of: its objects
// are stored in the repository.
func (r *repo) KeepSnapshot(ctx context.Context) (OID, error) {
	return r.snapshot(ctx, true)
}

func (r *repo) snapshot(ctx context.Context, keep bool) (tree OID, err error) {
	err = r.look(ctx, r.everything(keep), func(_ *scratch, added call) error {
		tree, err = r.writeTree(ctx, added)
		return err
	})
	return tree, err
}

// filling is what comes into a scratch index.
type filling struct {
	keep  bool                   // the objects are stored in the repository
	begin func(s *scratch) error // writes the index to add to
	add   call
}

// everything is added to a copy of the user's index.
func (r *repo) everything(keep bool) filling {
	return filling{keep: keep, begin: r.seed, add: call{args: []string{"add", "-A", "--sparse"}}}
}

// look adds to a scratch index, and hands the call to ask about it to read,
// which may run again.
func (r *repo) look(ctx context.Context, what filling, read func(s *scratch, added call) error) error {
	if err := r.needWorkTree(); err != nil {
		return err
	}
	s, err := r.openScratch(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := what.begin(s); err != nil {
		return err
	}
	laid := r.layBig(ctx, s)
	if laid && what.keep && s.big().keep(r.objects()) != nil {
		return coord.Errorf(coord.CodeSetup, "cannot store objects in %s", r.objects())
	}
	attempt := func() error {
		added, err := r.add(ctx, s, what)
		if err != nil {
			return err
		}
		return read(s, added)
	}
	err = attempt()
	if err != nil && laid && ctx.Err() == nil {
		s.big().forget() // what it knew may be the reason
		if err = what.begin(s); err == nil {
			err = attempt()
		}
	}
	if err == nil {
		r.keepBig(ctx, s)
	}
	return err
}

func (r *repo) objects() string { return filepath.Join(r.info.CommonDir, "objects") }

// scratch is a private place for an index and objects.
type scratch struct {
	home    string // where something can be kept for the next one; "" when nothing can
	dir     string
	release func()
}

func (s *scratch) index() string   { return filepath.Join(s.dir, "index") }
func (s *scratch) objects() string { return filepath.Join(s.dir, "objects") }

// openScratch makes the place inside the work tree's Git directory, under a
// lock, so that what a killed command left is cleared by the next; or in the
// system's temporary directory where the Git directory is read-only.
func (r *repo) openScratch(ctx context.Context) (*scratch, error) {
	home := filepath.Join(r.info.GitDir, "coord")
	s := &scratch{home: home, dir: filepath.Join(home, "snapshot"), release: func() {}}
	var err error
	if os.MkdirAll(home, 0o777) != nil {
		s.home = ""
		s.dir, err = os.MkdirTemp("", "coord-snapshot-")
	} else if s.release, err = lockFile(ctx, filepath.Join(home, "snapshot.lock")); err != nil {
		return nil, err
	} else {
		err = os.RemoveAll(s.dir)
	}
	if err == nil {
		err = os.MkdirAll(s.objects(), 0o777)
	}
	if err != nil {
		s.close()
		return nil, coord.Errorf(coord.CodeSetup, "cannot make a place for a snapshot of %s: %w", r.info.Root, err)
	}
	return s, nil
}

func (s *scratch) close() {
	_ = os.RemoveAll(s.dir)
	s.release()
}

// seed fills the scratch index from the user's.
func (r *repo) seed(s *scratch) error {
	if err := copyIndex(filepath.Join(r.info.GitDir, "index"), s.index()); err != nil {
		return coord.Errorf(coord.CodeSetup, "cannot copy the index of %s: %w", r.info.Root, err)
	}
	return nil
}

// add adds to the scratch index. What would make Git's own add
// warn or skip is switched off: core.safecrlf would refuse line endings,
// add.ignoreErrors would leave out a file that cannot be read, a split index
// would write a shared one beside the user's. It returns the call to ask about
// that index with.
func (r *repo) add(ctx context.Context, s *scratch, what filling) (call, error) {
	env := []string{"GIT_INDEX_FILE=" + s.index()}
	if !what.keep {
		others := alternate(r.objects())
		if plainDir(s.big().objects()) {
			others += string(filepath.ListSeparator) + alternate(s.big().objects())
		}
		env = append(env, "GIT_OBJECT_DIRECTORY="+s.objects(), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+others)
	}
	set := []string{"-c", "core.safecrlf=false", "-c", "add.ignoreErrors=false", "-c", "core.splitIndex=false"}
	added := call{args: set, env: env, limit: work}
	adding := added.with(what.add.args...)
	adding.stdin = what.add.stdin
	if _, err := r.in(ctx, adding); err != nil {
		return added, wrap(coord.CodeSetup, err, "Git cannot add everything in %s; nothing was changed", r.info.Root).
			WithNext("git -C " + quoteArg(r.info.Root) + " add -A --dry-run")
	}
	return added, nil
}

// with is the call with more arguments.
func (c call) with(args ...string) call {
	c.args = append(slices.Clip(c.args), args...)
	return c
}

func (r *repo) writeTree(ctx context.Context, added call) (OID, error) {
	out, err := r.in(ctx, added.with("write-tree"))
	if err != nil {
		return "", wrap(coord.CodeSetup, err, "Git cannot write the tree of %s; nothing was changed", r.info.Root)
	}
	return OID(line(out)), nil
}

// copyIndex copies an index with its modification time: Git compares that
// with the files' times to find changes made in the same second.
func copyIndex(from, to string) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(to)
		return nil // nothing was ever added
	}
	if err != nil {
		return err
	}
	defer src.Close()
	st, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}

// alternate writes a path for GIT_ALTERNATE_OBJECT_DIRECTORIES (git(1)),
// quoted where it holds what separates entries.
func alternate(path string) string {
	if runtime.GOOS == "windows" {
		path = filepath.ToSlash(path)
	}
	if !strings.ContainsRune(path, filepath.ListSeparator) && !strings.HasPrefix(path, `"`) && !strings.ContainsAny(path, "\n\\") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
