package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"coord"
)

// version is one version of a file in a history.
type version struct {
	Commit OID
	Blob   OID // none where the commit removed the file
	When   time.Time
}

// Files lists the paths of the work tree that are tracked, or neither tracked
// nor ignored, slash-separated and sorted. What is in a submodule or in another
// repository is not listed.
func (r *repo) Files(ctx context.Context) ([]string, error) {
	if err := r.needWorkTree(); err != nil {
		return nil, err
	}
	out, err := r.work(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return nil, wrap(coord.CodeSetup, err, "cannot list the files of %s", r.info.Root)
	}
	paths := records(out)
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(p string) bool { return strings.HasSuffix(p, "/") }), nil
}

// history lists the versions that a file had in at and all of its history, the
// newest first, at most limit of them. A version that a merge took from one
// side is listed with the merge too.
func (r *repo) history(ctx context.Context, at OID, name string, limit int) ([]version, error) {
	if err := r.haveCommits(ctx, at); err != nil {
		return nil, err
	}
	out, err := r.work(ctx, "log", "--format=commit %H %ct", "--raw", "--no-abbrev", "--no-renames", "--full-history",
		"--diff-merges=separate", "--no-follow", "--no-show-signature", "--no-color",
		"--max-count="+strconv.Itoa(max(limit, 1)), string(at), "--", name)
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot read the history of %q in %s", name, at.Short())
	}
	var all []version
	var v version
	for _, l := range strings.Split(string(out), "\n") {
		f := strings.Fields(l)
		switch {
		case len(f) == 3 && f[0] == "commit":
			seconds, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				return nil, coord.Errorf(coord.CodeInternal, "git log gave %q", l)
			}
			v = version{Commit: OID(f[1]), When: time.Unix(seconds, 0).UTC()}
		case len(f) >= 5 && strings.HasPrefix(f[0], ":"):
			if v.Blob = OID(f[3]); strings.Trim(f[3], "0") == "" {
				v.Blob = ""
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// Changed is when each of the files was last changed in at and its history; one
// that is not in it is left out.
func (r *repo) Changed(ctx context.Context, at OID, paths []string) (map[string]time.Time, error) {
	if err := r.haveCommits(ctx, at); err != nil || len(paths) == 0 {
		return nil, err
	}
	dates := map[string]time.Time{}
	for part := range slices.Chunk(paths, 100) {
		args := []string{
			"log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", "--diff-merges=first-parent",
			"--no-follow", "--no-show-signature", "--no-color", "--max-count=20000", string(at), "--",
		}
		out, err := r.work(ctx, append(args, part...)...)
		if err != nil {
			return nil, wrap(coord.CodeInternal, err, "cannot read the history of files in %s", at.Short())
		}
		when := time.Time{}
		for _, rec := range strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 || c == '\n' }) {
			if text, ok := strings.CutPrefix(rec, "\x01"); ok {
				seconds, _ := strconv.ParseInt(text, 10, 64)
				when = time.Unix(seconds, 0).UTC()
			} else if _, known := dates[rec]; !known {
				dates[rec] = when
			}
		}
	}
	return dates, nil
}

// Had reports whether a file had a content with this SHA-256, in hex, in at or
// any of the last limit versions before.
func (r *repo) Had(ctx context.Context, at OID, name, sum string, limit int) (bool, error) {
	versions, err := r.history(ctx, at, name, limit)
	if err != nil {
		return false, err
	}
	var blobs []OID
	for _, v := range versions {
		if v.Blob != "" && !slices.Contains(blobs, v.Blob) {
			blobs = append(blobs, v.Blob)
		}
	}
	for part := range slices.Chunk(blobs, 16) {
		if found, err := r.anyHas(ctx, part, sum); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func (r *repo) anyHas(ctx context.Context, blobs []OID, sum string) (bool, error) {
	var in bytes.Buffer
	for _, b := range blobs {
		in.WriteString(string(b) + "\n")
	}
	out, err := r.in(ctx, call{args: []string{"cat-file", "--batch"}, stdin: in.Bytes(), limit: quick})
	for i := 0; i < len(blobs) && err == nil; i++ {
		var body []byte
		if body, out, err = nextObject(out, "blob"); err != nil {
			break
		}
		if has := sha256.Sum256(body); hex.EncodeToString(has[:]) == sum {
			return true, nil
		}
	}
	if err != nil {
		return false, wrap(coord.CodeInternal, err, "cannot read versions of a file in %s", r.dir())
	}
	return false, nil
}
