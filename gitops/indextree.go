package gitops

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// file is a path of a tree and what is there.
type file struct {
	path string
	blob
}

// treeNamer names trees, and remembers the directories' from one to the next.
type treeNamer struct {
	files []file
	known map[string][sha1.Size]byte // by path, with the slash
	text  []byte                     // of the trees being written, one behind the other
}

// of names the tree that git-write-tree(1) would make of files in the order of
// an index, which is that of trees too: a directory stands where its name with
// a slash does. It refuses a path that is a file and a directory.
func (t *treeNamer) of(files []file) (OID, error) {
	if t.files = files; t.known == nil {
		t.known = map[string][sha1.Size]byte{}
	}
	name, err := t.name(0, len(files), 0)
	return OID(hex.EncodeToString(name[:])), err
}

// forget drops the directories that hold a path, and one that it was.
func (t *treeNamer) forget(path string) {
	delete(t.known, path+"/")
	for i := range path {
		if path[i] == '/' {
			delete(t.known, path[:i+1])
		}
	}
}

// name gives the name of the tree of some files, whose paths are alike up to
// below.
func (t *treeNamer) name(from, to, below int) (name [sha1.Size]byte, err error) {
	start := len(t.text)
	for i := from; i < to; {
		f := &t.files[i]
		first, _, deeper := strings.Cut(f.path[below:], "/")
		if !deeper {
			t.entry(f.mode, first, f.name)
			i++
			continue
		}
		dir := f.path[:below+len(first)+1]
		end := i + sort.Search(to-i, func(k int) bool { return !strings.HasPrefix(t.files[i+k].path, dir) })
		sub, known := t.known[dir]
		if !known {
			if t.isFile(dir[:len(dir)-1]) {
				return name, errWhole
			}
			if sub, err = t.name(i, end, len(dir)); err != nil {
				return name, err
			}
			t.known[dir] = sub
		}
		t.entry(0o40000, first, sub)
		i = end
	}
	h := sha1.New()
	fmt.Fprintf(h, "tree %d\x00", len(t.text)-start)
	h.Write(t.text[start:])
	t.text = t.text[:start]
	return [sha1.Size]byte(h.Sum(nil)), nil
}

func (t *treeNamer) entry(mode uint32, name string, object [sha1.Size]byte) {
	t.text = strconv.AppendUint(t.text, uint64(mode), 8)
	t.text = append(append(append(t.text, ' '), name...), 0)
	t.text = append(t.text, object[:]...)
}

func (t *treeNamer) isFile(path string) bool {
	i := sort.Search(len(t.files), func(i int) bool { return t.files[i].path >= path })
	return i < len(t.files) && t.files[i].path == path
}
