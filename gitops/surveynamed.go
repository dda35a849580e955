package gitops

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A survey asks git-status(1) which files are not as the index says, and has
// git add only those, to an index of their own. The tree is then that of the
// user's index with these entries in their places.

// errWhole is why every file must be added.
var errWhole = errors.New("git must add every file")

// surveyNamed fails where that might not be what adding every file gives.
func (r *repo) surveyNamed(ctx context.Context) (s Survey, err error) {
	if r.info.Bare || r.info.ObjectFormat != "sha1" {
		return s, errWhole
	}
	mine, err := openOwnIndex(filepath.Join(r.info.GitDir, "index"))
	if err != nil {
		return s, err
	}
	defer mine.file.Close()
	out, err := r.statusWhile(ctx, mine.read)
	if err != nil {
		return s, err
	}
	named, err := parseNamed(out)
	if err == nil {
		err = mine.fits(named)
	}
	if err != nil || mine.moved() {
		return s, errors.Join(errWhole, err)
	}
	if err := r.hash(ctx, mine, named); err != nil {
		return s, err
	}
	if s.Tree, err = mine.treeWith(named); err != nil {
		return s, err
	}
	for _, n := range named {
		if n.now != n.head {
			s.Changed = append(s.Changed, n.path)
		}
	}
	return s, nil
}

// statusWhile asks git for the files that are not as HEAD or the index says,
// and does something meanwhile, whose failure ends it.
func (r *repo) statusWhile(ctx context.Context, do func() error) ([]byte, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() {
		err := do()
		if err != nil {
			end()
		}
		done <- err
	}()
	out, err := r.work(ctx, "-c", "status.showStash=false", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignored=no")
	return out, errors.Join(err, <-done)
}

// blob is a file as a tree or an index has it; the zero one is none.
type blob struct {
	mode uint32
	name [sha1.Size]byte
}

// named is a path of a status: what HEAD and the index have there, and what
// adding it gives.
type named struct {
	path             string
	head, index, now blob
	dirty            bool // the work tree has another file there than the index
}

// parseNamed reads records of git-status(1), "Porcelain Format Version 2", by
// path. It refuses all that is more than a file or symbolic link.
func parseNamed(out []byte) ([]named, error) {
	var all []named
	for _, rec := range records(out) {
		n, err := parseRecord(rec)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(a, b named) int { return strings.Compare(a.path, b.path) })
	for i := len(all) - 1; i > 0; i-- {
		a, b := &all[i-1], &all[i]
		if a.path != b.path {
			continue
		}
		if a.index != (blob{}) || a.dirty || !b.dirty {
			return nil, errWhole
		}
		a.dirty = true // gone from the index and there untracked, which comes last
		all = slices.Delete(all, i, i+1)
	}
	return all, nil
}

func parseRecord(rec string) (n named, err error) {
	if p, untracked := strings.CutPrefix(rec, "? "); untracked && !strings.HasSuffix(p, "/") {
		return named{path: p, dirty: true}, nil
	}
	f := strings.SplitN(rec, " ", 9)
	if len(f) != 9 || f[0] != "1" || f[2] != "N..." || len(f[1]) != 2 {
		return n, errWhole
	}
	n = named{path: f[8], head: blobOf(f[3], f[6]), index: blobOf(f[4], f[7])}
	switch y := f[1][1]; {
	case y == '.':
		n.now = n.index
	case y == 'M' || y == 'T':
		n.dirty = true
	case y != 'D' || isAttributes(n.path): // git may go by the attributes in the index
		return n, errWhole
	}
	return n, nil
}

func isAttributes(path string) bool {
	return path == ".gitattributes" || strings.HasSuffix(path, "/.gitattributes")
}

func blobOf(mode, oid string) blob {
	number, err := strconv.ParseUint(mode, 8, 32)
	name, err2 := hex.DecodeString(oid)
	if err != nil || err2 != nil || number == 0 || len(name) != sha1.Size {
		return blob{}
	}
	return blob{uint32(number), [sha1.Size]byte(name)}
}

func (e *indexEntry) blob() blob {
	return blob{e.number(atMode), [sha1.Size]byte(e.fixed[atName:atFlags])}
}

// hash has git add the dirty ones, to an index of only them and of what says
// how they are stored.
func (r *repo) hash(ctx context.Context, mine *ownIndex, all []named) error {
	var few []indexEntry
	var names bytes.Buffer
	for _, n := range all {
		if !n.dirty {
			continue
		}
		names.WriteString(n.path + "\x00")
		if e := mine.entry(n.path); e != nil && !isAttributes(n.path) {
			few = append(few, *e)
		}
	}
	if names.Len() == 0 {
		return nil
	}
	for _, e := range mine.entries {
		if isAttributes(e.path) {
			few = append(few, e)
		}
	}
	begin := func(s *scratch) error {
		if err := os.WriteFile(s.index(), formatIndex(few), 0o666); err != nil {
			return err
		}
		return os.Chtimes(s.index(), mine.was.ModTime(), mine.was.ModTime())
	}
	add := call{args: []string{"update-index", "--add", "--remove", "-z", "--stdin"}, stdin: names.Bytes()}
	return r.look(ctx, filling{begin: begin, add: add}, func(s *scratch, _ call) error { return takeAdded(s, all) })
}

// takeAdded reads what git made of the dirty ones.
func takeAdded(s *scratch, all []named) error {
	entries, err := readIndex(s.index())
	if err != nil {
		return err
	}
	added := ownIndex{entries: entries}
	for i := range all {
		n := &all[i]
		if !n.dirty {
			continue
		}
		e := added.entry(n.path)
		if e == nil {
			return errWhole // it went away meanwhile, or git passed over it
		}
		n.now = e.blob()
	}
	return nil
}
