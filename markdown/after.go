package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// referenceForm is how the label of a record, or a marker's id, is written in
// text.
var referenceForm = pattern(`^(?:#\d{1,7}|[A-Z]{1,8}(?:-[A-Z]+)?-[A-Z]{0,3}\d{1,7}[a-z]?|[A-Z]{1,3}\d{1,6}(?:\.\d+)*[a-z]?|\d+(?:\.\d+)+|[a-z][a-z0-9]{0,20}-\d{1,7})$`)

// maxAfter is how many things a record can wait for.
const maxAfter = 50

// references calls f with every label and every marker's id in a text, until it
// returns false. All of them have a figure.
func references(s string, f func(from, to int) bool) {
	for at := 0; at < len(s); {
		n := strings.IndexAny(s[at:], "0123456789")
		if n < 0 {
			return
		}
		from, to := at+n, at+n
		for from > at && referenceByte(s[from-1]) {
			from--
		}
		for to < len(s) && referenceByte(s[to]) {
			to++
		}
		at = to
		token := strings.TrimRight(strings.TrimLeft(s[from:to], "-."), "-.")
		from += strings.Index(s[from:to], token)
		before, _ := utf8.DecodeLastRuneInString(s[:from])
		after, _ := utf8.DecodeRuneInString(s[to:])
		whole := !wordLetter(before) && !wordLetter(after)
		if whole && len(token) <= 32 && referenceForm().MatchString(token) && !f(from, from+len(token)) {
			return
		}
	}
}

func wordLetter(r rune) bool {
	return r == '_' || r != utf8.RuneError && r < 0x2e80 && unicode.IsLetter(r)
}

func referenceByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '#' || c == '-' || c == '.'
}

// labelsIn is every label and every marker's id in a text, sorted.
func labelsIn(s string) []string {
	var out []string
	references(s, func(from, to int) bool {
		out = append(out, s[from:to])
		return len(out) < maxAfter
	})
	return merged(nil, out)
}

// waitsFor takes in "after B-12 and B-13", wherever it stands in s.
func (o *own) waitsFor(s string) {
	var out []string
	waits(s, func(_, from, to int) { out = append(out, s[from:to]) })
	o.after = merged(o.after, out)
}

// waits calls f with what a text says it waits for: the labels behind one of
// the phrases for it, which begins at phrase.
func waits(s string, f func(phrase, from, to int)) {
	s = s[:runeStart(s, 4096)]
	phrase, last, count := -1, 0, 0
	references(s, func(from, to int) bool {
		if phrase < 0 || !joins(s[last:from]) {
			phrase = waitPhrase(s[last:from])
			if phrase >= 0 {
				phrase += last
			}
		}
		last = to
		if phrase >= 0 {
			f(phrase, from, to)
			count++
		}
		return count < maxAfter
	})
}

// joins reports what may stand between two labels of one list.
func joins(s string) bool {
	if strings.HasPrefix(s, "](") {
		_, s, _ = strings.Cut(s, ")")
	}
	switch strings.ToLower(strings.Trim(s, " \t[]()*`,;，、")) {
	case "", "and", "&", "+", "/", "und", "y", "et", "и", "和", "と", "및":
		return true
	}
	return false
}

// waitPhrase is where the phrase begins that s ends with, if it is one that
// says what something waits for; else -1.
func waitPhrase(s string) int {
	from := len(s) - min(len(s), 60)
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	tail := strings.ToLower(strings.TrimRight(s[from:], " \t[(*`:：#"))
	for _, phrase := range vocabulary().waits {
		rest, ok := strings.CutSuffix(tail, phrase)
		if !ok {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(rest); rest == "" || !wordLetter(r) {
			return from + len(rest)
		}
	}
	return -1
}

// startsWaiting reports that a text begins with what something waits for.
func startsWaiting(s string) bool {
	starts := false
	waits(s, func(phrase, _, _ int) { starts = starts || phrase <= 1 })
	return starts
}

// waitsOnly reports a text that says what something waits for, and no more.
func waitsOnly(s string) bool {
	end := -1
	waits(s, func(phrase, _, to int) {
		if phrase == 0 {
			end = to
		}
	})
	return end == len(s)
}

// merged is both lists, sorted, each label once.
func merged(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
