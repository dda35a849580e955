package gitops

import (
	"bytes"
	"context"
	"io/fs"
	"strconv"
	"strings"

	"coord"
)

// installed reads with the installed git, in any repository git accepts.
type installed struct{ *repo }

func (r installed) head(ctx context.Context) (Head, error) {
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

func (r installed) resolve(ctx context.Context, rev string) (OID, error) {
	out, err := r.read(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", wrap(coord.CodeNotFound, err, "%q names no commit in %s", rev, r.dir())
	}
	if o := OID(line(out)); o.Valid() {
		return o, nil
	}
	return "", coord.Errorf(coord.CodeNotFound, "%q names no single commit in %s", rev, r.dir())
}

func (r installed) refs(ctx context.Context, prefix string) (map[string]OID, error) {
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

// commits asks for all of them with one run of git.
func (r installed) commits(ctx context.Context, oids []OID) ([]Commit, error) {
	var in bytes.Buffer
	for _, o := range oids {
		in.WriteString(string(o) + "\n")
	}
	out, err := r.in(ctx, call{args: []string{"cat-file", "--batch"}, stdin: in.Bytes(), limit: quick})
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot read commits in %s", r.dir())
	}
	commits := make([]Commit, 0, len(oids))
	for _, o := range oids {
		var body []byte
		if body, out, err = nextObject(out, "commit"); err != nil {
			return nil, coord.Errorf(coord.CodeNotFound, "%s is not a commit in %s: %w", o, r.dir(), err)
		}
		c, err := parseCommit(string(body))
		if err != nil {
			return nil, coord.Errorf(coord.CodeInternal, "commit %s is malformed: %w", o, err)
		}
		c.OID = o
		commits = append(commits, c)
	}
	return commits, nil
}

func (r installed) tree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
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

func (r installed) file(ctx context.Context, treeish OID, name string) ([]byte, error) {
	out, err := r.read(ctx, "ls-tree", "-z", "--full-tree", "--end-of-options", string(treeish), name)
	if err != nil {
		return nil, wrap(coord.CodeNotFound, err, "%s is no commit in %s", treeish.Short(), r.dir())
	}
	f := strings.Fields(string(out))
	if len(f) < 4 || f[1] != "blob" {
		return nil, noFile(treeish, name)
	}
	out, err = r.read(ctx, "cat-file", "blob", f[2])
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot read %q of %s", name, treeish.Short())
	}
	return out, nil
}

func noFile(treeish OID, name string) error {
	return coord.Errorf(coord.CodeNotFound, "%s has no file %q: %w", treeish.Short(), name, fs.ErrNotExist)
}

func (r installed) history(ctx context.Context, s span) ([]Commit, error) {
	args := []string{"rev-list", "--topo-order", "--max-count=" + strconv.Itoa(s.limit), string(s.to)}
	if s.from != "" {
		args = append(args, "^"+string(s.from))
	}
	out, err := r.work(ctx, args...)
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot list the commits of %s", s.to.Short())
	}
	var oids []OID
	for _, l := range strings.Fields(string(out)) {
		oids = append(oids, OID(l))
	}
	if len(oids) == 0 {
		return nil, nil
	}
	return r.commits(ctx, oids)
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
