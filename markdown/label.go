package markdown

import (
	"strings"
	"unicode"
)

// leadOf is the beginning of a title that survives notes added behind it: its
// first clause, or 120 runes.
func leadOf(title string) string {
	end := clauseEnd(title)
	if end == 0 {
		end = len(title)
	}
	runes := 0
	for i := range title[:end] {
		if runes == 120 {
			return title[:i]
		}
		runes++
	}
	return title[:end]
}

// clauseEnd is where the first clause of at least twelve letters ends, or 0.
func clauseEnd(title string) int {
	letters := 0
	for i, r := range title {
		if letters >= 12 {
			for _, sep := range []string{" — ", ": ", ". ", "("} {
				if strings.HasPrefix(title[i:], sep) {
					return i
				}
			}
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return 0
}

var labelPattern = pattern(`^[\[(]?(#\d+|[A-Z]{1,8}(?:-[A-Z]+)?-[A-Z]{0,3}\d+[a-z]?|[A-Z]{1,3}\d+(?:\.\d+)*[a-z]?|\d+(?:\.\d+)+)[\])]?(?:[\s:.,)—–-]|$)`)

// labelOf returns the explicit label that a title begins with. A position in a
// numbered list is none: people renumber.
func labelOf(title string) string {
	m := labelPattern().FindStringSubmatch(strings.TrimLeftFunc(title, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' && r != '[' && r != '('
	}))
	if m == nil || vocabulary().priority[strings.ToLower(m[1])] != "" {
		return ""
	}
	return m[1]
}
