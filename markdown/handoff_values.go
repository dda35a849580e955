package markdown

import (
	"slices"
	"strings"
	"time"
)

var (
	refName = pattern(`^[\pL\pN][\pL\pN._/#+-]*$`)
	hexWord = pattern(`\b[0-9a-f]{7,64}\b`)
)

// noBranch are words that stand where a branch would.
var noBranch = []string{"a", "all", "any", "deleted", "detached", "each", "merged", "many", "multiple", "new", "no", "none", "not", "same", "see", "tbd", "the", "this", "unknown", "various"}

// dayIn is the first date in a text that there is in a calendar.
func dayIn(s string) string {
	for _, d := range datePattern().FindAllString(s, 4) {
		if _, err := time.Parse(time.DateOnly, d); err == nil {
			return d
		}
	}
	return ""
}

// objectsIn are the object ids in a value; those in brackets count only where
// there are no others.
func objectsIn(value string) (out []string) {
	outside, _, _ := strings.Cut(value, " (")
	for _, s := range []string{outside, value} {
		for _, w := range hexWord().FindAllString(s, 8) {
			if isObjectID(w) {
				out = append(out, w)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// branchesIn are the branch that a value begins with, and others behind it,
// outside of brackets, that are written as code or with a slash.
func branchesIn(value string) []string {
	first := branchIn(value)
	if first == "" {
		return nil
	}
	all := []string{first}
	value, _, _ = strings.Cut(value, " (")
	for _, w := range strings.Fields(value) {
		if w = strings.Trim(w, "*_,;."); strings.ContainsAny(w, "`/") {
			if b := branchIn(w); strings.TrimPrefix(b, "origin/") != first {
				all = adding(all, b)
			}
		}
	}
	return all
}

// branchIn is the branch that a value begins with: a code span, or a word that
// no other word follows.
func branchIn(value string) string {
	value = strings.TrimLeft(value, "*_ \t")
	name, code := strings.CutPrefix(value, "`")
	if code {
		name, _, _ = strings.Cut(name, "`")
	} else {
		word, rest, _ := strings.Cut(name, " ")
		name = strings.TrimRight(word, "*_,;.:)")
		goesOn := len(name) == len(strings.TrimRight(word, "*_")) && rest != "" && wordByte(rest[0])
		if goesOn && !strings.Contains(name, "/") {
			return ""
		}
	}
	if len(name) > 200 || !refName().MatchString(name) || !code && slices.Contains(noBranch, strings.ToLower(name)) || isObjectID(name) {
		return ""
	}
	return name
}
