package main

import (
	"slices"
	"strings"
)

// nearest are up to three of the words that may have been meant by the typed
// one, the likeliest first: those of a few slips, else those that begin with
// the same noun.
func nearest(typed string, all []string) []string {
	typed = strings.ToLower(typed)
	slips := map[string]int{}
	var near []string
	for _, word := range all {
		slips[word] = distance(typed, word)
		if slips[word] <= max(2, len(typed)/4) {
			near = append(near, word)
		}
	}
	if noun, _, ok := strings.Cut(typed, "."); ok && len(near) == 0 {
		for _, word := range all {
			if strings.HasPrefix(word, noun+".") {
				near = append(near, word)
			}
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return slips[a] - slips[b] })
	return near[:min(len(near), 3)]
}

// distance is how many bytes have to be changed, added or left out to make b
// of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
