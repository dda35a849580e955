package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coord"
	"coord/gitops"
)

// maxSource is the largest file that is sent, and maxSources what all of an
// import come to: the server takes 16 MiB, and the bytes are a third more on
// the way.
const (
	maxSource  = 8 << 20
	maxSources = 11 << 20
)

// shelf is where sources are read from: the work tree, or a revision. Paths are
// slash-separated, from the top of the repository.
type shelf interface {
	// list is every file that is not ignored.
	list() []string
	// real follows links: the path of the file itself, which is file if it is
	// no link.
	real(ctx context.Context, file string) (string, error)
	read(ctx context.Context, file string) ([]byte, error)
	// revision is the commit that is read, or that the work tree stands on.
	revision() coord.OID
	// changed reports a file that differs from its version in the revision.
	changed(file string) bool
	// written is when a changed file was written.
	written(file string) time.Time
}

var (
	errLeadsOut = errors.New("it is a link that leads out of the repository, which is not followed: the path escapes")
	errTooLarge = fmt.Errorf("it is larger than the %d MiB that are read of a file", maxSource>>20)
	errNoFile   = errors.New("it is not a regular file")
)

// treeShelf is a work tree.
type treeShelf struct {
	root  string
	files []string
	head  coord.OID
	dirty map[string]bool
}

func openTree(ctx context.Context, root string, repo gitops.Repo) (*treeShelf, error) {
	s := &treeShelf{root: root, dirty: map[string]bool{}}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	s.head = head.Commit
	if s.files, err = repo.Files(ctx); err != nil {
		return nil, err
	}
	changes, err := repo.Status(ctx)
	for _, c := range changes {
		s.dirty[c.Path] = true
	}
	return s, err
}

func (s *treeShelf) list() []string      { return s.files }
func (s *treeShelf) revision() coord.OID { return s.head }
func (s *treeShelf) changed(file string) bool {
	return s.dirty[file] || s.head == "" || !s.listed(file)
}

func (s *treeShelf) listed(file string) bool {
	_, ok := slices.BinarySearch(s.files, file)
	return ok
}

func (s *treeShelf) real(_ context.Context, file string) (string, error) {
	top, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return "", err
	}
	at, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(file)))
	if err != nil {
		return "", err
	}
	inside, err := filepath.Rel(top, at)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", errLeadsOut
	}
	return filepath.ToSlash(inside), nil
}

// read never leaves the work tree, whatever becomes of the path meanwhile.
func (s *treeShelf) read(_ context.Context, file string) ([]byte, error) {
	top, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }()
	inside := filepath.FromSlash(file)
	if st, err := top.Stat(inside); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := top.Open(inside)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return bounded(f)
}

func bounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err == nil && len(text) > maxSource {
		err = errTooLarge
	}
	return text, err
}

func (s *treeShelf) written(file string) time.Time {
	st, err := os.Lstat(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime().UTC().Truncate(time.Second)
}

// commitShelf is a revision: the work tree is not looked at.
type commitShelf struct {
	repo    gitops.Repo
	commit  coord.OID
	files   []string
	entries map[string]gitops.TreeEntry
}

func openCommit(ctx context.Context, repo gitops.Repo, rev string) (*commitShelf, error) {
	commit, err := repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	entries, err := repo.ReadTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	s := &commitShelf{repo: repo, commit: commit, entries: map[string]gitops.TreeEntry{}}
	for _, e := range entries {
		if e.Mode != "160000" {
			s.entries[e.Path] = e
			s.files = append(s.files, e.Path)
		}
	}
	slices.Sort(s.files)
	return s, nil
}

func (s *commitShelf) list() []string           { return s.files }
func (s *commitShelf) revision() coord.OID      { return s.commit }
func (s *commitShelf) changed(string) bool      { return false }
func (s *commitShelf) written(string) time.Time { return time.Time{} }

func (s *commitShelf) real(ctx context.Context, file string) (string, error) {
	for range 10 {
		e, ok := s.entries[file]
		if !ok || e.Mode != "120000" {
			return file, nil
		}
		target, err := s.repo.ReadFile(ctx, s.commit, file)
		if err != nil {
			return "", err
		}
		to := string(target)
		if path.IsAbs(to) {
			return "", errLeadsOut
		}
		if file = path.Join(path.Dir(file), to); file == ".." || strings.HasPrefix(file, "../") {
			return "", errLeadsOut
		}
	}
	return "", errors.New("it is a link that leads to itself")
}

func (s *commitShelf) read(ctx context.Context, file string) ([]byte, error) {
	if _, ok := s.entries[file]; !ok {
		return nil, fs.ErrNotExist
	}
	text, err := s.repo.ReadFile(ctx, s.commit, file)
	if err == nil && len(text) > maxSource {
		err = errTooLarge
	}
	return text, err
}
