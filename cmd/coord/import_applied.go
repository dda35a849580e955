package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"coord"
)

// countsText lists counts, largest first.
func countsText[K ~string](counts map[K]int) string {
	var keys []K
	for k, n := range counts {
		if n > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b K) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], words(string(k))))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// writeImported says what an import did, and what of the plan it left out.
func writeImported(w io.Writer, r coord.ImportResult, again string) {
	if r.Replayed {
		field(w, "before", "this plan was applied already; what it did then:")
	}
	field(w, "applied", "%s", countsText(r.Applied))
	if len(r.Tasks) > 0 {
		field(w, "tasks", "%s", clip(joinIDs(r.Tasks), 400))
	}
	if len(r.Lessons) > 0 {
		field(w, "lessons", "%d", len(r.Lessons))
	}
	if len(r.Handoffs) > 0 {
		field(w, "notes", "%s", clip(joinIDs(r.Handoffs), 400))
	}
	if r.Total > 0 && r.Done < r.Total {
		field(w, "so far", "%d of %s", r.Done, plural(r.Total, "change"))
	}
	for n, c := range r.Outdated {
		if n == decideRows {
			field(w, "", "… %d more", len(r.Outdated)-n)
			break
		}
		field(w, "left out", "%s  %s: %s", at(c.Path, c.Line), clip(c.Title, 80), clip(c.Why, 160))
	}
	if r.Skipped > 0 {
		field(w, "skipped", "%s for an operator to decide", plural(r.Skipped, "change"))
		field(w, "next", "%s", again)
	}
}
