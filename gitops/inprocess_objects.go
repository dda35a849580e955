package gitops

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// store reads the objects and references of one repository with go-git. Between
// questions it remembers objects, and has no file open.
type store struct {
	dir    *dotgit.DotGit
	cached *cache.ObjectLRU
	packs  []*pack // opened for this question
	listed bool
}

// pack is an opened pack.
type pack struct {
	index *packIndex
	data  *packfile.Packfile
	files []billy.File
}

func newStore(info Info) *store {
	files := dotgit.NewRepositoryFilesystem(osfs.New(info.GitDir, osfs.WithBoundOS()), osfs.New(info.CommonDir, osfs.WithBoundOS()))
	return &store{dir: dotgit.New(files), cached: cache.NewObjectLRU(cachedBytes)}
}

// close ends one question.
func (s *store) close() {
	for _, p := range s.packs {
		p.close()
	}
	_ = s.dir.Close()
	s.packs, s.listed = nil, false
}

func (p *pack) close() {
	for _, f := range p.files {
		_ = f.Close()
	}
}

// object gives the content of an object that is one of the kinds, and proves
// that the content has that name.
func (s *store) object(o OID, kinds ...plumbing.ObjectType) ([]byte, plumbing.ObjectType, error) {
	if len(o) != 40 {
		return nil, 0, errAskGit
	}
	hash := plumbing.NewHash(string(o))
	kind, content, err := s.find(hash)
	if err != nil {
		return nil, 0, err
	}
	if !slices.Contains(kinds, kind) || plumbing.ComputeHash(kind, content) != hash {
		return nil, 0, errAskGit
	}
	return content, kind, nil
}

func (s *store) find(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	if known, ok := s.cached.Get(hash); ok {
		return contentOfObject(known)
	}
	// Not by dotgit's own lookup: that also finds objects in the quarantine of a
	// push (gitreceive-pack(1)), which Git itself does not have.
	name := hash.String()
	file, err := s.dir.Fs().Open(path.Join("objects", name[:2], name[2:]))
	if err == nil {
		defer file.Close()
		return readLoose(file)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, nil, err
	}
	if err := s.openPacks(); err != nil {
		return 0, nil, err
	}
	for _, p := range s.packs {
		p.index.begin()
		found, err := p.data.Get(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		return contentOfObject(found)
	}
	return 0, nil, errAskGit
}

func readLoose(file billy.File) (plumbing.ObjectType, []byte, error) {
	r, err := objfile.NewReader(file)
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err != nil {
		return 0, nil, err
	}
	return limited(kind, size, r)
}

func contentOfObject(found plumbing.EncodedObject) (plumbing.ObjectType, []byte, error) {
	if found.Size() > bigObject {
		return 0, nil, errAskGit
	}
	r, err := found.Reader()
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	return limited(found.Type(), found.Size(), r)
}

func limited(kind plumbing.ObjectType, size int64, r io.Reader) (plumbing.ObjectType, []byte, error) {
	if size > bigObject {
		return 0, nil, errAskGit
	}
	content, err := io.ReadAll(io.LimitReader(r, bigObject+1))
	return kind, content, err
}

// openPacks opens the packs that are there now.
func (s *store) openPacks() error {
	if s.listed {
		return nil
	}
	names, err := s.dir.ObjectPacks()
	if err != nil {
		return err
	}
	for _, name := range names {
		p, err := s.openPack(name)
		if err != nil {
			return err
		}
		s.packs = append(s.packs, p)
	}
	s.listed = true
	return nil
}

func (s *store) openPack(name plumbing.Hash) (*pack, error) {
	p := &pack{}
	index, err := s.dir.ObjectPackIdx(name)
	if err != nil {
		return nil, err
	}
	p.files = append(p.files, index)
	data, err := s.dir.ObjectPack(name)
	if err != nil {
		p.close()
		return nil, err
	}
	p.files = append(p.files, data)
	st, err := s.dir.Fs().Stat(path.Join("objects", "pack", "pack-"+name.String()+".idx"))
	if err == nil {
		p.index, err = openPackIndex(index, st.Size())
	}
	if err != nil {
		p.close()
		return nil, err
	}
	p.data = packfile.NewPackfileWithCache(p.index, s.dir.Fs(), data, s.cached, bigObject)
	return p, nil
}
