package gitops

import (
	"bytes"
	"encoding/hex"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Modes of tree entries. Git shows a directory's with six digits and stores
// five.
const (
	modeTree    = "40000"
	modeFile    = "100644"
	modeProgram = "100755"
	modeSymlink = "120000"
	modeGitlink = "160000"
)

// tree reads one tree; with peel, a commit stands for its own.
func (s *store) tree(o OID, peel bool) ([]TreeEntry, error) {
	kinds := []plumbing.ObjectType{plumbing.TreeObject}
	if peel {
		kinds = append(kinds, plumbing.CommitObject)
	}
	content, kind, err := s.object(o, kinds...)
	if err != nil {
		return nil, err
	}
	if kind == plumbing.CommitObject {
		c, err := parseCommit(string(content))
		if err != nil {
			return nil, err
		}
		return s.tree(c.Tree, false)
	}
	return parseTree(content)
}

// parseTree reads the stored form of a tree of SHA-1 names. Git shows some
// modes of old trees as others; they are for git to read.
func parseTree(content []byte) ([]TreeEntry, error) {
	const size = 20
	var entries []TreeEntry
	for len(content) > 0 {
		mode, rest, ok := bytes.Cut(content, []byte(" "))
		name, rest, ok2 := bytes.Cut(rest, []byte("\x00"))
		if !ok || !ok2 || len(rest) < size || len(name) == 0 || bytes.ContainsRune(name, '/') {
			return nil, errAskGit
		}
		e := TreeEntry{Mode: string(mode), OID: OID(hex.EncodeToString(rest[:size])), Path: string(name)}
		switch e.Mode {
		case modeTree, modeFile, modeProgram, modeSymlink, modeGitlink:
		default:
			return nil, errAskGit
		}
		entries, content = append(entries, e), rest[size:]
	}
	return entries, nil
}

// file follows a path from a tree, or a commit's, to a file.
func (s *store) file(treeish OID, name string) (content []byte, found bool, err error) {
	at, peel := treeish, true
	for {
		first, rest, deeper := strings.Cut(name, "/")
		entries, err := s.tree(at, peel)
		if err != nil {
			return nil, false, err
		}
		e, there := entryNamed(entries, first)
		switch {
		case !there || (e.Mode == modeTree) != deeper:
			return nil, false, nil
		case e.Mode == modeGitlink:
			return nil, false, nil
		case !deeper:
			content, _, err = s.object(e.OID, plumbing.BlobObject)
			return content, true, err
		}
		at, peel, name = e.OID, false, rest
	}
}

func entryNamed(entries []TreeEntry, name string) (TreeEntry, bool) {
	for _, e := range entries {
		if e.Path == name {
			return e, true
		}
	}
	return TreeEntry{}, false
}
