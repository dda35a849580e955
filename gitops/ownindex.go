package gitops

import (
	"io"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
)

// ownIndex is the user's index, opened before git is asked about it.
type ownIndex struct {
	path    string
	file    *os.File
	was     os.FileInfo
	entries []indexEntry
	trees   treeNamer // knows those of the entries
}

func openOwnIndex(path string) (*ownIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	o := &ownIndex{path: path, file: f}
	if o.was, err = f.Stat(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return o, nil
}

// read refuses an index with more than plain files and symbolic links: what is
// unmerged, intended, outside a sparse checkout or a submodule.
func (o *ownIndex) read() error {
	data := make([]byte, o.was.Size())
	_, err := io.ReadFull(o.file, data)
	if err != nil {
		return err
	}
	if o.entries, err = parseIndex(data); err != nil {
		return err
	}
	for i := range o.entries {
		e := &o.entries[i]
		mode := e.number(atMode)
		plain := mode == 0o100644 || mode == 0o100755 || mode == 0o120000
		if !plain || e.flags()&^flagLength != 0 || (i > 0 && o.entries[i-1].path >= e.path) {
			return errWhole
		}
	}
	_, err = o.treeWith(nil)
	return err
}

// moved reports whether the file has been replaced since.
func (o *ownIndex) moved() bool {
	now, err := os.Stat(o.path)
	return err != nil || !os.SameFile(now, o.was) || now.Size() != o.was.Size() || !now.ModTime().Equal(o.was.ModTime())
}

// entry gives the entry of a path, or nil.
func (o *ownIndex) entry(path string) *indexEntry {
	i := sort.Search(len(o.entries), func(i int) bool { return o.entries[i].path >= path })
	if i < len(o.entries) && o.entries[i].path == path {
		return &o.entries[i]
	}
	return nil
}

// fits refuses a status of another index, and new paths that git could take
// for those of the index in other letters (core.ignoreCase).
func (o *ownIndex) fits(all []named) error {
	var added []string
	for _, n := range all {
		var has blob
		if e := o.entry(n.path); e != nil {
			has = e.blob()
		}
		if has != n.index {
			return errWhole
		}
		if has == (blob{}) {
			added = append(added, n.path)
		}
	}
	if len(added) > 0 && !o.inSameLetters(added) {
		return errWhole
	}
	return nil
}

// inSameLetters reports whether no two directories, of the index or of new
// paths, have names that differ in nothing but case.
func (o *ownIndex) inSameLetters(added []string) bool {
	written := map[string]string{}
	agrees := func(name string) bool {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			folded := strings.ToLower(d)
			if known, ok := written[folded]; ok {
				return known == d
			}
			written[folded] = d
		}
		return true
	}
	last := "/"
	for i := range o.entries {
		name := o.entries[i].path
		dir := name[:strings.LastIndexByte(name, '/')+1]
		if dir != last && !agrees(name) {
			return false
		}
		last = dir
	}
	return !slices.ContainsFunc(added, func(name string) bool { return !agrees(name) })
}

// treeWith names the tree of the index with those named in their places.
func (o *ownIndex) treeWith(all []named) (OID, error) {
	files := make([]file, 0, len(o.entries)+len(all))
	rest := o.entries
	take := func(n int) {
		for i := range rest[:n] {
			files = append(files, file{rest[i].path, rest[i].blob()})
		}
		rest = rest[n:]
	}
	for _, n := range all {
		take(sort.Search(len(rest), func(i int) bool { return rest[i].path >= n.path }))
		if len(rest) > 0 && rest[0].path == n.path {
			rest = rest[1:]
		}
		if n.now != (blob{}) {
			files = append(files, file{n.path, n.now})
		}
		o.trees.forget(n.path)
	}
	take(len(rest))
	return o.trees.of(files)
}
