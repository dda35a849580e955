package main

import (
	"path"
	"strings"
)

// isGlob reports a pattern, in which * ? and [ stand for other signs, ** for any
// directories, and {a,b} for either.
func isGlob(s string) bool { return strings.ContainsAny(s, "*?[{") }

// matchGlob reports whether a slash-separated path fits a pattern.
func matchGlob(pattern, file string) bool {
	for _, p := range braces(pattern) {
		if matchParts(strings.Split(p, "/"), strings.Split(file, "/")) {
			return true
		}
	}
	return false
}

func matchParts(pattern, file []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for n := range len(file) + 1 {
				if matchParts(pattern[1:], file[n:]) {
					return true
				}
			}
			return false
		}
		if len(file) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], file[0]); err != nil || !ok {
			return false
		}
		pattern, file = pattern[1:], file[1:]
	}
	return len(file) == 0
}

// braces are the patterns that one with {a,b} stands for, at most 100.
func braces(pattern string) []string {
	all := []string{pattern}
	for n := 0; n < len(all) && len(all) < 100; {
		from := strings.IndexByte(all[n], '{')
		length := -1
		if from >= 0 {
			length = strings.IndexByte(all[n][from:], '}')
		}
		if length < 0 {
			n++
			continue
		}
		before, inner, after := all[n][:from], all[n][from+1:from+length], all[n][from+length+1:]
		all = append(all[:n], all[n+1:]...)
		for choice := range strings.SplitSeq(inner, ",") {
			all = append(all, before+choice+after)
		}
	}
	return all
}

// badGlob reports a pattern that fits nothing since it is malformed.
func badGlob(pattern string) bool {
	for _, p := range braces(pattern) {
		for part := range strings.SplitSeq(p, "/") {
			if _, err := path.Match(part, ""); err != nil {
				return true
			}
		}
	}
	return false
}

// weight says how specific a source is: of two that name one file, the one that
// leaves less open counts.
func weight(pattern string) int {
	if !isGlob(pattern) {
		return 1 << 20
	}
	n := 0
	for _, r := range pattern {
		if !strings.ContainsRune("*?[]{},", r) {
			n++
		}
	}
	return n
}
