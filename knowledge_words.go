package coord

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelled are the words of a text in lower case, as they are spelled.
func spelled(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) })
}

// LessonTerms are what a lesson's texts are found by: each word as it is
// spelled and without endings, at most 400.
func LessonTerms(texts ...string) []string { return wordTerms(400, texts...) }

func wordTerms(most int, texts ...string) []string {
	var out []string
	seen := map[string]bool{}
	for _, text := range texts {
		for _, w := range spelled(text) {
			for _, t := range []string{cutWord(w), stem(w)} {
				if !seen[t] && len(out) < most {
					seen[t] = true
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// cutWord bounds a word as stem does.
func cutWord(w string) string {
	for len(w) > wordBytes || !isWhole(w) {
		w = w[:min(len(w)-1, wordBytes)]
	}
	return w
}

// Term is one word of a search: what it is found by, and, of the last word,
// what may only be its beginning.
type Term struct{ Stem, Prefix string }

// Terms are the words of a search; a lesson is found by all of them.
type Terms []Term

// Bounds of a search.
const (
	mostTerms   = 8
	leastPrefix = 3 // letters of a beginning
)

// SearchTerms are the words of a search without those that say nothing. They
// are letters and digits, whatever else was typed.
func SearchTerms(text string) Terms {
	var out Terms
	words := spelled(text)
	for i, w := range words {
		if slices.Contains(silent, w) || len(w) == 1 && w[0] >= 'a' && w[0] <= 'z' {
			continue
		}
		t := Term{Stem: stem(w)}
		if i == len(words)-1 && utf8.RuneCountInString(w) >= leastPrefix {
			t.Prefix = cutWord(w)
		}
		if out = append(out, t); len(out) == mostTerms {
			break
		}
	}
	return out
}

// fits reports whether a word of a text is the one that was asked for.
func (t Term) fits(word string) bool {
	return hasStem(word, t.Stem) || t.Prefix != "" && strings.HasPrefix(word, t.Prefix)
}

// density is how much of a text is what was asked for: between 0 and 2.
func (t Terms) density(text string) float64 {
	words, hits := spelled(text), 0
	for _, w := range words {
		if slices.ContainsFunc(t, func(x Term) bool { return x.fits(w) }) {
			hits++
		}
	}
	if hits == 0 {
		return 0
	}
	return 2 * float64(hits) / (float64(hits) + float64(len(words))/8 + 1)
}

// Bounds of an excerpt.
const (
	excerptFrom = 200 // bytes; shorter texts are shown whole
	excerptLen  = 180
	excerptLead = 50 // bytes before the first word that was found
)

// excerpt is the part of a long text around the first word that was asked for;
// empty for a short one.
func (t Terms) excerpt(text string) string {
	line := OneLine(text)
	if len(line) <= excerptFrom {
		return ""
	}
	at := t.firstIn(line)
	from := 0
	if at > excerptLead {
		from = at - excerptLead
		if i := strings.IndexByte(line[from:at], ' '); i >= 0 {
			from += i + 1
		}
	}
	for !utf8.RuneStart(line[from]) {
		from++
	}
	out := shorten(line[from:], excerptLen)
	if from > 0 {
		return "…" + out
	}
	return out
}

// firstIn is where the first word that was asked for begins, 0 for nowhere.
func (t Terms) firstIn(line string) int {
	at := 0
	for at < len(line) {
		rest := line[at:]
		begin := strings.IndexFunc(rest, isWordRune)
		if begin < 0 {
			return 0
		}
		end := strings.IndexFunc(rest[begin:], func(r rune) bool { return !isWordRune(r) })
		if end < 0 {
			end = len(rest) - begin
		}
		word := strings.ToLower(rest[begin : begin+end])
		if slices.ContainsFunc(t, func(x Term) bool { return x.fits(word) }) {
			return at + begin
		}
		at += begin + end
	}
	return 0
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
