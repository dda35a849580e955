package gitops

import (
	"context"
	"path"
	"strings"

	"coord"
)

// reader answers questions about what is stored: HEAD, references and objects.
// It has two implementations, the installed git and go-git in this process.
// Which one a repository gets is decided once, in Open, by needsGit; their
// answers and refusals are the same.
type reader interface {
	head(ctx context.Context) (Head, error)
	resolve(ctx context.Context, rev string) (OID, error)
	refs(ctx context.Context, prefix string) (map[string]OID, error)
	commits(ctx context.Context, oids []OID) ([]Commit, error)
	tree(ctx context.Context, treeish OID) ([]TreeEntry, error)
	file(ctx context.Context, treeish OID, name string) ([]byte, error)
	history(ctx context.Context, s span) ([]Commit, error)
}

// span is a part of the history: what to reaches and from does not, at most
// limit commits of it.
type span struct {
	from, to OID // from may be none
	limit    int
}

// Head reads HEAD of this work tree.
func (r *repo) Head(ctx context.Context) (Head, error) { return r.stored.head(ctx) }

// Resolve gives the commit a revision (gitrevisions(7)) names; code not_found
// when it names none.
func (r *repo) Resolve(ctx context.Context, rev string) (OID, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", coord.Errorf(coord.CodeBadRequest, "%q is not a revision", rev)
	}
	return r.stored.resolve(ctx, rev)
}

// Refs lists the references under a prefix that ends with a slash
// ("refs/heads/"), with what they point at (a tag object for an annotated
// tag).
func (r *repo) Refs(ctx context.Context, prefix string) (map[string]OID, error) {
	if !strings.HasSuffix(prefix, "/") || (prefix != "refs/" && !goodChars(prefix)) || !strings.HasPrefix(prefix, "refs/") {
		return nil, badName("reference", prefix)
	}
	return r.stored.refs(ctx, prefix)
}

// ReadCommit reads one commit; code not_found when the object is missing or
// is not a commit.
func (r *repo) ReadCommit(ctx context.Context, commit OID) (Commit, error) {
	commits, err := r.readCommits(ctx, []OID{commit})
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

// readCommits reads commits in the given order.
func (r *repo) readCommits(ctx context.Context, oids []OID) ([]Commit, error) {
	if err := checkOIDs(oids...); err != nil || len(oids) == 0 {
		return nil, err
	}
	return r.stored.commits(ctx, oids)
}

// ReadTree lists every file of a tree, or of a commit's tree, by path.
func (r *repo) ReadTree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
	if err := checkOIDs(treeish); err != nil {
		return nil, err
	}
	return r.stored.tree(ctx, treeish)
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
	return r.stored.file(ctx, commit, name)
}

// Log gives the commits in to that are not in from, newest first, at most
// limit (which must be positive). With from none it is all of to's history.
func (r *repo) Log(ctx context.Context, from, to OID, limit int) ([]Commit, error) {
	if limit < 1 {
		return nil, coord.Errorf(coord.CodeBadRequest, "a log needs a positive limit, not %d", limit)
	}
	ends := []OID{to}
	if from != "" {
		ends = append(ends, from)
	}
	if err := r.haveCommits(ctx, ends...); err != nil {
		return nil, err
	}
	return r.stored.history(ctx, span{from, to, limit})
}
