package markdown

import (
	"fmt"
	"slices"

	"coord"
)

// What is alike enough to ask, and how many comparisons are worth making.
const (
	alike    = 0.6
	maxPairs = 400_000
)

// candidate is a known record that nothing in the import was matched to.
type candidate struct {
	kind   coord.RecordKind
	id     string
	path   string
	label  string
	lead   string
	shapes []uint32
}

// askAbout looks for the known record that each unmatched one may be. Only a
// person decides: similarity never links two records.
func (m *matcher) askAbout() {
	known := m.unmatched()
	var open []*found
	for _, r := range m.records {
		if !r.claimed && r.double == nil && r.Marker != markNew && r.Kind != coord.RecordHandoff {
			open = append(open, r)
		}
	}
	exactOnly := len(open)*len(known) > maxPairs
	for _, r := range open {
		r.ask = bestMatch(r, known, exactOnly)
	}
}

func (m *matcher) unmatched() []candidate {
	taken := map[string]bool{}
	for _, r := range m.records {
		if r.task != nil {
			taken[string(r.task.ID)] = true
		}
		if r.lesson != nil {
			taken[string(r.lesson.ID)] = true
		}
	}
	var out []candidate
	for _, a := range m.anchors {
		id := became(a)
		if m.used[a.Key] || id == "" || taken[id] {
			continue
		}
		taken[id] = true
		out = append(out, candidate{kind: a.Kind, id: id, path: a.Path, label: a.Label, lead: a.Lead})
	}
	for _, t := range m.base.Tasks {
		if !taken[string(t.ID)] {
			title := clean(t.Title)
			out = append(out, candidate{kind: coord.RecordTask, id: string(t.ID), label: labelOf(title), lead: normal(leadOf(title))})
		}
	}
	for _, l := range m.base.Lessons {
		if !taken[string(l.ID)] {
			out = append(out, candidate{kind: coord.RecordLesson, id: string(l.ID), lead: normal(leadOf(readOwn([]string{clean(l.Text)}).title))})
		}
	}
	for i := range out {
		out[i].shapes = trigrams(out[i].lead)
	}
	return out
}

// bestMatch names the one candidate that r may be, with why; empty if none is.
func bestMatch(r *found, known []candidate, exactOnly bool) string {
	lead := r.leadOrFull()
	shapes := trigrams(lead)
	best, second, name := 0.0, 0.0, ""
	for _, c := range known {
		if c.kind != r.Kind {
			continue
		}
		score := 0.0
		switch {
		case c.lead == lead:
			score = 1
		case exactOnly:
		case r.Label != "" && r.Label == c.label && c.path == r.path:
			score = max(alike, overlap(shapes, c.shapes))
		case r.Label == "" || c.label == "" || r.Label == c.label:
			score = overlap(shapes, c.shapes)
		}
		if score > best {
			best, second, name = score, best, c.id
		} else if score > second {
			second = score
		}
	}
	if best < alike {
		return ""
	}
	if best-second < 0.1 && second >= alike {
		return fmt.Sprintf("it looks like %s and like another record (%.2f)", name, best)
	}
	return fmt.Sprintf("it looks like %s (%.2f)", name, best)
}

// trigrams is the sorted set of the three-rune pieces of a text.
func trigrams(s string) []uint32 {
	runes := []rune(" " + s + " ")
	var out []uint32
	for i := 0; i+3 <= len(runes); i++ {
		out = append(out, uint32(runes[i])*31*31+uint32(runes[i+1])*31+uint32(runes[i+2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// overlap is the share of pieces that two sets have in common, 0 to 1.
func overlap(a, b []uint32) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
