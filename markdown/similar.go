package markdown

import (
	"fmt"
	"slices"
	"strings"

	"coord"
)

// How alike two texts are for what follows, from 0 to 1, and how many
// comparisons are worth making.
const (
	alike    = 0.6  // the same thing, probably
	related  = 0.35 // perhaps
	margin   = 0.1  // how much better than every other the best must be
	maxPairs = 400_000
)

// renamed pairs records that have kept an explicit label in their file, if the
// label stands once on both sides and the titles are much alike. Less alike, a
// person is asked: labels are used again for other work.
func (m *matcher) renamed() {
	type spot struct{ kind, path, label string }
	records, anchors := map[spot][]*found{}, map[spot][]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		if a.Label != "" {
			s := spot{string(a.Kind), a.Path, a.Label}
			anchors[s] = append(anchors[s], a)
		}
	}
	for _, r := range m.records {
		if r.Label != "" {
			s := spot{string(r.Kind), r.path, r.Label}
			records[s] = append(records[s], r)
		}
	}
	for s, rs := range records {
		as := anchors[s]
		if len(rs) != 1 || len(as) != 1 || rs[0].how != unmatched || m.used[as[0].Key] || rs[0].Marker == markNew || rs[0].Kind == coord.RecordHandoff {
			continue
		}
		r, a := rs[0], as[0]
		switch like := likeness(r.Facets.Title, a.Base.Title, r.Label); {
		case like >= alike:
			m.pair(r, a, matchedRenamed)
		case like >= related:
			r.ask = fmt.Sprintf("%s was %s %s, which reads somewhat differently (%.2f)", r.Label, became(a), quote(brieflyOf(a.Base.Title)), like)
		default:
			r.ask = fmt.Sprintf("%s was %s %s, which is something else", r.Label, became(a), quote(brieflyOf(a.Base.Title)))
		}
	}
}

// likeness compares two titles without the label that both begin with.
func likeness(a, b, label string) float64 {
	a, b = bareOf(a, label), bareOf(b, label)
	if a == b {
		return 1
	}
	return inCommon(trigrams(a), trigrams(b))
}

// bareOf is a title, normalised, without the label that it begins with.
func bareOf(title, label string) string {
	return strings.TrimSpace(strings.TrimPrefix(normal(title), normal(label)))
}

// candidate is a known record that nothing in the import was matched to.
type candidate struct {
	kind   coord.RecordKind
	id     string
	label  string
	lead   string
	shapes []uint32
}

// askAbout looks for the known record that each unmatched one may be. Only a
// person decides: similarity alone never links two records.
func (m *matcher) askAbout() {
	var open []*found
	for _, r := range m.records {
		if r.how == unmatched && r.double == nil && r.ask == "" && r.Marker != markNew && r.Kind != coord.RecordHandoff {
			open = append(open, r)
		}
	}
	if len(open) == 0 {
		return
	}
	known := m.unmatched()
	same := map[string][]int{} // by kind and lead
	for i, c := range known {
		k := key(string(c.kind), c.lead)
		same[k] = append(same[k], i)
	}
	exactOnly := len(open)*len(known) > maxPairs
	if !exactOnly {
		for i := range known {
			known[i].shapes = trigrams(known[i].lead)
		}
	}
	for _, r := range open {
		if hits := same[key(string(r.Kind), r.leadOrFull())]; len(hits) > 0 {
			r.ask = said(known[hits[0]].id, 1, len(hits) > 1)
		} else if !exactOnly {
			r.ask = bestMatch(r, known)
		}
	}
}

func said(id string, like float64, more bool) string {
	if more {
		return fmt.Sprintf("it looks like %s and like another record (%.2f)", id, like)
	}
	return fmt.Sprintf("it looks like %s (%.2f)", id, like)
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
		out = append(out, candidate{kind: a.Kind, id: id, label: a.Label, lead: a.Lead})
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
	return out
}

// bestMatch names the one candidate that r is most like, if it is like any. Two
// different labels are two things.
func bestMatch(r *found, known []candidate) string {
	shapes := trigrams(r.leadOrFull())
	best, second, name := 0.0, 0.0, ""
	for _, c := range known {
		if c.kind != r.Kind || r.Label != "" && c.label != "" && r.Label != c.label {
			continue
		}
		score := inCommon(shapes, c.shapes)
		if score > best {
			best, second, name = score, best, c.id
		} else if score > second {
			second = score
		}
	}
	if best < alike {
		return ""
	}
	return said(name, best, best-second < margin && second >= alike)
}

// trigrams is the sorted set of the three-rune pieces of a text.
func trigrams(s string) []uint32 {
	runes := []rune(" " + s + " ")
	out := make([]uint32, 0, len(runes))
	for i := 0; i+3 <= len(runes); i++ {
		out = append(out, uint32(runes[i])*31*31+uint32(runes[i+1])*31+uint32(runes[i+2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inCommon is the share of pieces that two sets have in common, 0 to 1.
func inCommon(a, b []uint32) float64 {
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
