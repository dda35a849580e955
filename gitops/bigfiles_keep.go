package gitops

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
)

// keepBig remembers the big files of a snapshot that has succeeded. The
// scratch's index holds what Git found out, its object directory what it wrote.
// A failure only costs time in the next snapshot.
func (r *repo) keepBig(ctx context.Context, s *scratch) {
	b := s.big()
	if s.home == "" || r.info.ObjectFormat != "sha1" {
		return
	}
	entries, digest := r.reusable(ctx, s)
	if len(entries) == 0 {
		b.forget()
		return
	}
	st, err := os.Stat(s.index())
	if err == nil {
		err = os.MkdirAll(b.objects(), 0o777)
	}
	if err == nil {
		err = b.adopt(s.objects(), entries)
	}
	if err == nil {
		err = os.WriteFile(b.digest(), []byte(digest), 0o666)
	}
	if err == nil {
		err = os.WriteFile(b.index(), formatIndex(entries), 0o666)
	}
	if err == nil {
		err = os.Chtimes(b.index(), st.ModTime(), st.ModTime())
	}
	if err != nil {
		b.forget()
	}
}

// reusable finds the big files that the snapshot added.
func (r *repo) reusable(ctx context.Context, s *scratch) ([]indexEntry, string) {
	added, err := readIndex(s.index())
	if err != nil {
		return nil, ""
	}
	added = slices.DeleteFunc(added, func(e indexEntry) bool { return !e.regular() || e.number(atSize) < bigFile })
	if len(added) == 0 || len(added) > mostBig {
		return nil, ""
	}
	mine, err := readIndex(filepath.Join(r.info.GitDir, "index"))
	if err != nil {
		return nil, ""
	}
	added = outside(added, mine)
	digests, err := r.treatment(ctx, added)
	if err != nil {
		return nil, ""
	}
	here := func(e indexEntry) bool { // Git packs the biggest
		for _, objects := range []string{s.objects(), s.big().objects(), r.objects()} {
			if _, err := os.Lstat(loose(objects, e.object())); err == nil {
				return true
			}
		}
		return false
	}
	added = slices.DeleteFunc(added, func(e indexEntry) bool { return digests[e.path] == "" || !here(e) })
	lines := ""
	for _, e := range added {
		lines += digestLine(e.path, digests)
	}
	return added, lines
}

// adopt takes the entries' objects over from the scratch and drops all others.
func (b bigFiles) adopt(from string, entries []indexEntry) error {
	wanted := map[string]bool{}
	for _, e := range entries {
		wanted[e.object()] = true
	}
	for _, name := range looseObjects(b.objects()) {
		if !wanted[name] {
			_ = os.Remove(loose(b.objects(), name))
		}
	}
	for _, name := range looseObjects(from) {
		if !wanted[name] {
			continue
		}
		if err := moveObject(loose(from, name), loose(b.objects(), name)); err != nil {
			return err
		}
	}
	return nil
}

// keep moves the objects of what layBig laid into the repository, for a tree
// that is kept.
func (b bigFiles) keep(repository string) error {
	for _, name := range looseObjects(b.objects()) {
		if err := moveObject(loose(b.objects(), name), loose(repository, name)); err != nil {
			return err
		}
	}
	return nil
}

func (e *indexEntry) object() string { return hex.EncodeToString(e.fixed[atName:atFlags]) }

// looseObjects lists the objects that lie one by one in a directory.
func looseObjects(objects string) []string {
	var names []string
	dirs, _ := os.ReadDir(objects)
	for _, d := range dirs {
		if len(d.Name()) != 2 {
			continue
		}
		files, _ := os.ReadDir(filepath.Join(objects, d.Name()))
		for _, f := range files {
			if name := d.Name() + f.Name(); len(name) == 40 && OID(name).Valid() {
				names = append(names, name)
			}
		}
	}
	return names
}

// moveObject moves one object; where it is already, nothing is to be done.
func moveObject(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	text, err := os.ReadFile(from) // another file system
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".coord", text, 0o444); err != nil {
		return err
	}
	return os.Rename(to+".coord", to)
}
