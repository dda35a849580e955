package coord

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A title is compared by at most so many of its words, each cut to so many
// bytes.
const (
	maxWords  = 200
	wordBytes = 40
)

// silent are the words that say nothing of what a task is about.
var silent = strings.Fields("a an and are as at be but by can do does for from has have if in into is it its may must no not of on or our so than that the their then there they this to until was we when where which who will with without you your")

// Words are the distinct words of a text as a search for similar tasks knows
// them, in the order of the text: in lower case, made of letters and digits,
// without endings, and without those that say nothing.
func Words(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains(silent, w) || len(w) == 1 && w[0] >= 'a' { // the s of "token's"
			continue
		}
		if w = stem(w); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
		if len(out) == maxWords {
			break
		}
	}
	return out
}

// endings are what English words of one stem differ by, the longer ones first.
var endings = []string{"ing", "ion", "ed", "er", "es", "s", "y", "e"}

// stem is a word without up to two endings, as long as four letters are left.
func stem(w string) string {
	for range 2 {
		for _, e := range endings {
			if rest, ok := strings.CutSuffix(w, e); ok && len(rest) >= 4 {
				w = rest
				break
			}
		}
	}
	for len(w) > wordBytes || !isWhole(w) {
		w = w[:min(len(w)-1, wordBytes)]
	}
	return w
}

// isWhole reports whether w was not cut within a rune.
func isWhole(w string) bool { return strings.ToValidUTF8(w, "") == w }

// closeEnough is the likeness from which on a task is worth showing.
const closeEnough = 0.4

// Likeness is how close another task comes to a title by the words that they
// share: 1 for the same words. A word that the other one's outcome has counts
// half.
func Likeness(title, other, outcome string) float64 {
	mine, theirs, more := Words(title), Words(other), Words(outcome)
	if len(mine) == 0 || len(theirs) == 0 {
		return 0
	}
	shared := 0.0
	for _, w := range mine {
		switch {
		case slices.Contains(theirs, w):
			shared++
		case slices.Contains(more, w):
			shared += 0.5
		}
	}
	return min(1, 2*shared/float64(len(mine)+len(theirs)))
}

// Closest are the at most three tasks that come closest to the title, best
// first, and of equals the latest first.
func Closest(title string, among []Task) []TaskRecall {
	type ranked struct {
		TaskRecall
		like float64
	}
	var all []ranked
	for _, t := range among {
		if like := Likeness(title, t.Title, t.Outcome); like >= closeEnough {
			all = append(all, ranked{TaskRecall{ID: t.ID, Title: t.Title, Status: t.Status}, like})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		_, m, _ := a.ID.Split()
		_, n, _ := b.ID.Split()
		return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(n, m))
	})
	var out []TaskRecall
	for _, r := range all[:min(len(all), 3)] {
		out = append(out, r.TaskRecall)
	}
	return out
}
