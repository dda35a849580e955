package gitops

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// nextObject takes one answer off the output of cat-file --batch.
func nextObject(out []byte, kind string) (body, rest []byte, err error) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	f := strings.Fields(string(head))
	if len(f) != 3 {
		return nil, nil, fmt.Errorf("git answers %q", head)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 || size+1 > len(rest) {
		return nil, nil, fmt.Errorf("git answers %q with %d bytes", head, len(rest))
	}
	if f[1] != kind {
		return nil, nil, fmt.Errorf("it is a %s", f[1])
	}
	return rest[:size], rest[size+1:], nil
}

// latest is the end of the year 9999, after which there is no way to write a
// date down.
const latest = 253402300799

// parseCommit reads the stored form of a commit. Headers it does not know
// (signatures, encoding) are passed over with their continuation lines.
func parseCommit(text string) (Commit, error) {
	head, message, _ := strings.Cut(text, "\n\n")
	c := Commit{Message: message}
	var err error
	for _, l := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(l, " ")
		switch key {
		case "tree":
			c.Tree = OID(value)
		case "parent":
			c.Parents = append(c.Parents, OID(value))
		case "author":
			c.Author, err = parseSignature(value)
		case "committer":
			c.Committer, err = parseSignature(value)
		}
		if err != nil {
			return Commit{}, err
		}
	}
	if !c.Tree.Valid() {
		return Commit{}, fmt.Errorf("it has no tree")
	}
	return c, nil
}

// parseSignature reads "Name <email> seconds +hhmm". A date that is none, or
// outside of what a date can be, is the epoch, as it is to Git: dates prove
// nothing, and hold back no commit.
func parseSignature(s string) (Signature, error) {
	open, end := strings.Index(s, "<"), strings.LastIndex(s, ">")
	if open < 0 || end < open {
		return Signature{}, fmt.Errorf("%q is no signature", s)
	}
	sig := Signature{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return sig, nil // Git shows such commits too, without a date
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || seconds < 0 || seconds > latest {
		seconds = 0
	}
	zone := time.UTC
	if len(f) > 1 {
		zone = parseZone(f[1])
	}
	sig.When = time.Unix(seconds, 0).In(zone)
	return sig, nil
}

func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || n == 0 || n < -9999 || n > 9999 {
		return time.UTC
	}
	return time.FixedZone("", (n/100)*3600+(n%100)*60)
}
