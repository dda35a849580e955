package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A snapshot begins with a copy of the user's index, so every untracked file is
// read, hashed and compressed again. For big ones that takes seconds: what Git
// found out about them is kept beside, and laid into the next copy as long as
// they are untracked, not ignored, and treated the same way. Git itself then
// sees from their size and time whether they have changed.
const (
	bigFile  = 1 << 20 // bytes from which a file is worth it
	mostBig  = 100     // files that are kept; the names go to git as arguments
	keptName = "big"
)

// bigFiles is the place where they are kept: an index of only them, their
// objects, and a digest of what decided how they were stored.
type bigFiles struct{ dir string }

func (s *scratch) big() bigFiles {
	if s.home == "" {
		return bigFiles{filepath.Join(s.dir, keptName)}
	}
	return bigFiles{filepath.Join(s.home, keptName)}
}

func (b bigFiles) index() string   { return filepath.Join(b.dir, "index") }
func (b bigFiles) objects() string { return filepath.Join(b.dir, "objects") }
func (b bigFiles) digest() string  { return filepath.Join(b.dir, "digest") }
func (b bigFiles) forget()         { _ = os.RemoveAll(b.dir) }

// loose is where an object lies in a directory of objects.
func loose(objects, name string) string { return filepath.Join(objects, name[:2], name[2:]) }

// layBig puts what is known about big files into the copy of the user's index.
// It reports false, with the copy as it was, when it knows nothing or is not
// sure.
func (r *repo) layBig(ctx context.Context, s *scratch) bool {
	b := s.big()
	st, err := os.Stat(b.index())
	if err != nil || s.home == "" || r.info.ObjectFormat != "sha1" {
		return false
	}
	known, err := readIndex(b.index())
	if err != nil {
		return false
	}
	mine, err := readIndex(s.index())
	if err != nil {
		return false
	}
	known = r.stillUntracked(ctx, outside(known, mine))
	now, err := r.treatment(ctx, known)
	was, _ := os.ReadFile(b.digest())
	known = slices.DeleteFunc(known, func(e indexEntry) bool { return !strings.Contains(string(was), digestLine(e.path, now)) })
	if err != nil || len(known) == 0 {
		return false
	}
	if len(mine) > 0 {
		mark, err := os.Stat(s.index())
		if err != nil {
			return false
		}
		distrust(mine, mark.ModTime().Unix())
	}
	laid := s.index() + ".laid"
	if err = os.WriteFile(laid, formatIndex(append(mine, known...)), 0o666); err == nil {
		err = os.Chtimes(laid, st.ModTime(), st.ModTime())
	}
	return err == nil && os.Rename(laid, s.index()) == nil
}

// distrust makes git look into the files that changed in the second of their
// index or later, as it would have by comparing with that index's own time; the
// copy gets another.
func distrust(entries []indexEntry, second int64) {
	for i := range entries {
		if int64(entries[i].number(atMtime)) >= second {
			copy(entries[i].fixed[atSize:], []byte{0, 0, 0, 0})
		}
	}
}

func readIndex(path string) ([]indexEntry, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // nothing was ever added
	}
	if err != nil {
		return nil, err
	}
	return parseIndex(data)
}

// outside gives the entries whose path, and what lies above and below it, is
// not in an index.
func outside(entries, index []indexEntry) []indexEntry {
	at := func(path string) int {
		return sort.Search(len(index), func(i int) bool { return index[i].path >= path })
	}
	has := func(path string) bool { i := at(path); return i < len(index) && index[i].path == path }
	var out []indexEntry
next:
	for _, e := range entries {
		if i := at(e.path + "/"); has(e.path) || (i < len(index) && strings.HasPrefix(index[i].path, e.path+"/")) {
			continue
		}
		for i, c := range e.path {
			if c == '/' && has(e.path[:i]) {
				continue next
			}
		}
		out = append(out, e)
	}
	return out
}

// stillUntracked keeps the entries that git would add again.
func (r *repo) stillUntracked(ctx context.Context, entries []indexEntry) []indexEntry {
	if len(entries) == 0 {
		return nil
	}
	args := []string{"ls-files", "--others", "--exclude-standard", "-z", "--"}
	for _, e := range entries {
		args = append(args, e.path)
	}
	out, err := r.work(ctx, args...)
	if err != nil {
		return nil
	}
	there := map[string]bool{}
	for _, p := range records(out) {
		there[p] = true
	}
	var kept []indexEntry
	for _, e := range entries {
		if there[e.path] {
			kept = append(kept, e)
		}
	}
	return kept
}

// treatment is a digest, for each file, of all that decides how git stores it:
// its attributes and the configuration. A file with a filter has none: what the
// filter's program does may change unseen.
func (r *repo) treatment(ctx context.Context, entries []indexEntry) (map[string]string, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	config, err := r.read(ctx, "config", "--list", "-z")
	if err != nil {
		return nil, err
	}
	var names bytes.Buffer
	for _, e := range entries {
		names.WriteString(e.path + "\x00")
	}
	out, err := r.in(ctx, call{args: []string{"check-attr", "-z", "--all", "--stdin"}, stdin: names.Bytes(), limit: quick})
	if err != nil {
		return nil, err
	}
	attributes, filtered := map[string]string{}, map[string]bool{}
	for f := records(out); len(f) >= 3; f = f[3:] {
		attributes[f[0]] += f[1] + "\x00" + f[2] + "\x00"
		filtered[f[0]] = filtered[f[0]] || (f[1] == "filter" && f[2] != "unset")
	}
	digests := map[string]string{}
	for _, e := range entries {
		if !filtered[e.path] {
			sum := sha256.Sum256([]byte(attributes[e.path] + "\x00" + string(config)))
			digests[e.path] = hex.EncodeToString(sum[:])
		}
	}
	return digests, nil
}

// digestLine is how a file's treatment is written down. No file has a line when
// it has no digest.
func digestLine(path string, digests map[string]string) string {
	return "\x00" + path + "\x00" + digests[path] + "\x00"
}
