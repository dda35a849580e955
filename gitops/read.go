package gitops

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"

	"coord"
)

// Head reads HEAD of this work tree.
func (r *repo) Head(ctx context.Context) (Head, error) {
	var h Head
	out, err := r.read(ctx, "symbolic-ref", "--quiet", "HEAD")
	switch {
	case err == nil:
		h.Branch = strings.TrimPrefix(line(out), "refs/heads/")
	case exited(err, 1):
		h.Detached = true
	default:
		return Head{}, wrap(coord.CodeSetup, err, "cannot read HEAD of %s", r.dir())
	}
	out, err = r.read(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	switch {
	case err == nil:
		h.Commit = OID(line(out))
	case exited(err, 1) && !h.Detached:
		h.Unborn = true
	default:
		return Head{}, wrap(coord.CodeSetup, err, "cannot read the commit at HEAD of %s", r.dir())
	}
	return h, nil
}

// Resolve gives the commit a revision (gitrevisions(7)) names; code not_found
// when it names none.
func (r *repo) Resolve(ctx context.Context, rev string) (OID, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", coord.Errorf(coord.CodeBadRequest, "%q is not a revision", rev)
	}
	out, err := r.read(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", wrap(coord.CodeNotFound, err, "%q names no commit in %s", rev, r.dir())
	}
	if o := OID(line(out)); o.Valid() {
		return o, nil
	}
	return "", coord.Errorf(coord.CodeNotFound, "%q names no single commit in %s", rev, r.dir())
}

// Refs lists the references under a prefix that ends with a slash
// ("refs/heads/"), with what they point at (a tag object for an annotated
// tag).
func (r *repo) Refs(ctx context.Context, prefix string) (map[string]OID, error) {
	if !strings.HasSuffix(prefix, "/") || (prefix != "refs/" && !goodChars(prefix)) || !strings.HasPrefix(prefix, "refs/") {
		return nil, badName("reference", prefix)
	}
	out, err := r.read(ctx, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot list %s in %s", prefix, r.dir())
	}
	refs := map[string]OID{}
	for _, l := range strings.Split(line(out), "\n") {
		if oid, name, ok := strings.Cut(l, " "); ok {
			refs[name] = OID(oid)
		}
	}
	return refs, nil
}

// ReadTree lists every file of a tree, or of a commit's tree, by path.
func (r *repo) ReadTree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
	if err := checkOIDs(treeish); err != nil {
		return nil, err
	}
	out, err := r.read(ctx, "ls-tree", "-r", "-z", "--full-tree", string(treeish))
	if err != nil {
		return nil, wrap(coord.CodeNotFound, err, "%s is no tree in %s", treeish.Short(), r.dir())
	}
	var entries []TreeEntry
	for _, rec := range records(out) {
		meta, p, _ := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if len(f) != 3 {
			return nil, coord.Errorf(coord.CodeInternal, "git ls-tree gave %q", rec)
		}
		entries = append(entries, TreeEntry{Mode: f[0], OID: OID(f[2]), Path: p})
	}
	return entries, nil
}

// ReadFile gives the content of a file as stored in a commit (or tree); a
// symlink's content is its target. The error wraps fs.ErrNotExist when there
// is no such file.
func (r *repo) ReadFile(ctx context.Context, commit OID, name string) ([]byte, error) {
	if err := checkOIDs(commit); err != nil {
		return nil, err
	}
	if name == "" || name == "." || path.Clean("/"+name) != "/"+name || strings.Contains(name, "\x00") {
		return nil, coord.Errorf(coord.CodeBadRequest, "%q is not a path inside a repository", name)
	}
	out, err := r.read(ctx, "ls-tree", "-z", "--full-tree", string(commit), name)
	if err != nil {
		return nil, wrap(coord.CodeNotFound, err, "%s is no commit in %s", commit.Short(), r.dir())
	}
	f := strings.Fields(string(out))
	if len(f) < 4 || f[1] != "blob" {
		return nil, coord.Errorf(coord.CodeNotFound, "%s has no file %q: %w", commit.Short(), name, fs.ErrNotExist)
	}
	out, err = r.read(ctx, "cat-file", "blob", f[2])
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot read %q of %s", name, commit.Short())
	}
	return out, nil
}

// line is output without its last line break.
func line(out []byte) string { return string(bytes.TrimSuffix(out, []byte("\n"))) }

// records splits the output of a -z format.
func records(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}
