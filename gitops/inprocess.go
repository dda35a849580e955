package gitops

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// inProcess reads with go-git. It only ever says what is certain: an object
// whose content has its name, a reference that is there. Whatever it does not
// find, understand or expect, git is asked for, so that a pack written
// meanwhile, a promised object or a damaged one has git's own answer.
type inProcess struct {
	git installed

	mu    sync.Mutex // go-git is for one goroutine
	store *store
}

// How much is read here. Beyond, git is faster or needs less memory.
const (
	bigObject   = 4 << 20 // bytes of one object
	cachedBytes = 16 << 20
	manyTrees   = 40  // directories of one tree
	manyCommits = 250 // commits of one walk
)

// errAskGit is why there is no certain answer here.
var errAskGit = errors.New("git must be asked")

// with runs do on the store. After a failure that begins anew; what go-git does
// not survive is a failure too.
func (p *inProcess) with(do func(s *store) error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store == nil {
		p.store = newStore(p.git.info)
	}
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%w: %v", errAskGit, damage)
		}
		if p.store.close(); err != nil {
			p.store = nil
		}
	}()
	return do(p.store)
}

func (s *store) commit(o OID) (Commit, error) {
	text, _, err := s.object(o, plumbing.CommitObject)
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(string(text))
	c.OID = o
	return c, err
}

func (p *inProcess) commits(ctx context.Context, oids []OID) ([]Commit, error) {
	commits := make([]Commit, 0, len(oids))
	err := p.with(func(st *store) error {
		for _, o := range oids {
			c, err := st.commit(o)
			if err != nil || ctx.Err() != nil || len(commits) >= manyCommits {
				return errors.Join(errAskGit, err)
			}
			commits = append(commits, c)
		}
		return nil
	})
	if err != nil {
		return p.git.commits(ctx, oids)
	}
	return commits, nil
}

func (p *inProcess) tree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
	var l lister
	err := p.with(func(st *store) error {
		l = lister{st: st, ctx: ctx}
		return l.list(treeish, "")
	})
	if err != nil {
		return p.git.tree(ctx, treeish)
	}
	return l.entries, nil
}

// lister collects the files of a tree.
type lister struct {
	st      *store
	ctx     context.Context
	trees   int // met so far
	entries []TreeEntry
}

func (l *lister) list(o OID, prefix string) error {
	entries, err := l.st.tree(o, prefix == "")
	for _, e := range entries {
		if e.Mode == modeTree {
			l.trees++ // counted before they are read, so that a big one costs little
		}
	}
	if err != nil || l.trees > manyTrees || l.ctx.Err() != nil {
		return errors.Join(errAskGit, err)
	}
	for _, e := range entries {
		e.Path = prefix + e.Path
		if e.Mode != modeTree {
			l.entries = append(l.entries, e)
		} else if err := l.list(e.OID, e.Path+"/"); err != nil {
			return err
		}
	}
	return nil
}

func (p *inProcess) file(ctx context.Context, treeish OID, name string) ([]byte, error) {
	var content []byte
	var found bool
	err := p.with(func(st *store) (err error) {
		content, found, err = st.file(treeish, name)
		return err
	})
	if err != nil {
		return p.git.file(ctx, treeish, name)
	}
	if !found {
		return nil, noFile(treeish, name)
	}
	return content, nil
}

func (p *inProcess) history(ctx context.Context, s span) ([]Commit, error) {
	var commits []Commit
	err := p.with(func(st *store) (err error) {
		if f := (&facts{}); f.cutHistory(p.git.info.CommonDir) {
			return errAskGit
		}
		commits, err = walk(s, manyCommits, func(o OID) (Commit, error) {
			if ctx.Err() != nil {
				return Commit{}, ctx.Err()
			}
			return st.commit(o)
		})
		return err
	})
	if err != nil {
		return p.git.history(ctx, s)
	}
	return commits, nil
}
