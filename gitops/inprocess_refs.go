package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// refReader reads references and holds what go-git says against the files: it
// takes a cut-off or overlong object name for another name.
type refReader struct {
	st        *store
	commonDir string
	linked    bool // this work tree has some references for itself
}

func (p *inProcess) withRefs(do func(r refReader) error) error {
	return p.with(func(st *store) error {
		common := p.git.info.CommonDir
		text, err := os.ReadFile(filepath.Join(common, "packed-refs"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || !plainPacked(string(text)) {
			return errors.Join(errAskGit, err)
		}
		return do(refReader{st, common, common != p.git.info.GitDir})
	})
}

// plainPacked reports whether every line of packed-refs is one that git
// writes.
func plainPacked(text string) bool {
	for l := range strings.Lines(text) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		switch {
		case l[0] == '#':
		case l[0] == '^':
			if ok || len(oid) != 41 || !OID(oid[1:]).Valid() {
				return false
			}
		case !ok || len(oid) != 40 || !OID(oid).Valid() || CheckRefName(name) != nil:
			return false
		}
	}
	return true
}

// oid gives what a reference holds, if that is an object name and its file, if
// there is one, says nothing else.
func (r refReader) oid(ref *plumbing.Reference) (OID, error) {
	name := ref.Name().String()
	if ref.Type() != plumbing.HashReference || ref.Hash().IsZero() || CheckRefName(name) != nil {
		return "", errAskGit
	}
	o := OID(ref.Hash().String())
	text, err := os.ReadFile(filepath.Join(r.commonDir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) || (err == nil && string(text) == string(o)+"\n") {
		return o, nil
	}
	if st, statErr := os.Stat(filepath.Join(r.commonDir, filepath.FromSlash(name))); statErr == nil && st.IsDir() {
		return o, nil // an empty directory that a deleted reference left; this one is packed
	}
	return "", errors.Join(errAskGit, err)
}

// direct reads a reference that holds an object name.
func (r refReader) direct(name string) (OID, error) {
	if CheckRefName(name) != nil || (r.linked && ownRef(name)) {
		return "", errAskGit
	}
	ref, err := r.st.dir.Ref(plumbing.ReferenceName(name))
	if err != nil {
		return "", err
	}
	return r.oid(ref)
}

// ownKinds are the references that each work tree has for itself.
var ownKinds = []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"}

func ownRef(name string) bool {
	return slices.ContainsFunc(ownKinds, func(own string) bool { return strings.HasPrefix(name, own) })
}

// hasOwnRefs looks for references of this linked work tree, or of the main one,
// which are not to be seen from here.
func (r refReader) hasOwnRefs(gitDir string) bool {
	return r.linked && slices.ContainsFunc(ownKinds, func(own string) bool {
		_, here := os.Lstat(filepath.Join(gitDir, own))
		_, there := os.Lstat(filepath.Join(r.commonDir, own))
		return here == nil || there == nil
	})
}

func (p *inProcess) head(ctx context.Context) (Head, error) {
	var h Head
	err := p.withRefs(func(r refReader) (err error) {
		h, err = r.head()
		return err
	})
	if err != nil {
		return p.git.head(ctx)
	}
	return h, nil
}

// head reads HEAD where it leads to a commit in at most one step. That a
// branch is unborn is a thing not found, which git must say.
func (r refReader) head() (Head, error) {
	ref, err := r.st.dir.Ref(plumbing.HEAD)
	if err != nil {
		return Head{}, err
	}
	h := Head{Detached: ref.Type() == plumbing.HashReference}
	if h.Detached {
		h.Commit = OID(ref.Hash().String())
	} else {
		h.Branch = strings.TrimPrefix(ref.Target().String(), "refs/heads/")
		if h.Commit, err = r.direct(ref.Target().String()); err != nil {
			return Head{}, err
		}
	}
	_, err = r.st.commit(h.Commit)
	return h, err
}

// resolve knows full object names, HEAD and full reference names; the rest of
// gitrevisions(7) is git's.
func (p *inProcess) resolve(ctx context.Context, rev string) (OID, error) {
	var o OID
	err := p.withRefs(func(r refReader) (err error) {
		switch {
		case len(rev) == 40 && OID(rev).Valid():
			o = OID(rev)
		case rev == "HEAD":
			h, err := r.head()
			o = h.Commit
			return err
		default:
			if o, err = r.direct(rev); err != nil {
				return err
			}
		}
		_, err = r.st.commit(o)
		return err
	})
	if err != nil {
		return p.git.resolve(ctx, rev)
	}
	return o, nil
}

// refs answers when every reference below the prefix is a plain one, or points
// at a plain one. Git leaves broken ones out and warns.
func (p *inProcess) refs(ctx context.Context, prefix string) (map[string]OID, error) {
	refs := map[string]OID{}
	err := p.withRefs(func(r refReader) error {
		if r.hasOwnRefs(p.git.info.GitDir) {
			return errAskGit
		}
		all, err := r.st.dir.Refs()
		for _, ref := range all {
			name := ref.Name().String()
			switch {
			case err != nil:
				return err
			case !strings.HasPrefix(name, prefix):
			case ref.Type() == plumbing.SymbolicReference:
				refs[name], err = r.direct(ref.Target().String())
			default:
				refs[name], err = r.oid(ref)
			}
		}
		return err
	})
	if err != nil {
		return p.git.refs(ctx, prefix)
	}
	return refs, nil
}
