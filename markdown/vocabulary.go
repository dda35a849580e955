package markdown

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"coord"
)

// language is what the reader knows of one language. Every list is of
// normalised phrases, separated by a comma and a space.
type language struct {
	status      []phrases // what stands in a status position
	sections    []phrases // titles that say something about everything below them
	kinds       []sorts   // titles of sections of knowledge
	priority    []ranks
	columns     []heads // what a table's columns are called
	fields      []heads // what stands before a colon: "Status: open"
	criteria    string  // titles of lists of criteria, of legends and the like
	introducers string  // words that may follow a status: "done in 4be10aa"
	negations   string  // words that turn a status round
	waits       string  // words before the labels of what something waits for
	plans       string  // words for what is open, but only planned
	results     string  // words for what went well: done, in a table of work
	limits      string  // words that make a "done" a part of it: "done (pilot)"
}

// phrases is a status with its phrases, sorts a kind of lesson, ranks a
// priority with its, and heads a column with its names.
type (
	phrases struct {
		status coord.RecordStatus
		list   string
	}
	sorts struct {
		kind coord.LessonKind
		list string
	}
	ranks struct {
		priority coord.Priority
		list     string
	}
	heads struct {
		column column
		list   string
	}
)

// languages are read all at once: a file says seldom what it is written in.
var languages = []language{english, german, spanish, french, russian, chinese, japanese, korean}

// words is every language's lists, as they are looked up.
type words struct {
	status, sections              map[string]coord.RecordStatus
	kinds                         map[string]coord.LessonKind
	priority                      map[string]coord.Priority
	columns, fields               map[string]column
	criteria, introducers, limits map[string]bool
	plans, results                map[string]bool
	firsts                        map[string]bool // words that a status or a negation begins with
	negations, waits              []string        // longest first
	negated                       map[rune]bool   // letters that a negation begins with
}

var vocabulary = sync.OnceValue(func() *words {
	w := &words{
		status: map[string]coord.RecordStatus{}, sections: map[string]coord.RecordStatus{}, kinds: map[string]coord.LessonKind{}, priority: map[string]coord.Priority{},
		columns: map[string]column{}, fields: map[string]column{},
		criteria: map[string]bool{}, introducers: map[string]bool{}, limits: map[string]bool{},
		plans: map[string]bool{}, results: map[string]bool{},
		firsts: map[string]bool{}, negated: map[rune]bool{},
	}
	for _, l := range languages {
		w.add(l)
	}
	for _, list := range [][]string{w.negations, w.waits} {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	for phrase := range w.status {
		first, _, _ := strings.Cut(phrase, " ")
		w.firsts[first] = true
	}
	for _, n := range w.negations {
		first, _, _ := strings.Cut(n, " ")
		w.firsts[first] = true
		r, _ := utf8.DecodeRuneInString(n)
		w.negated[r] = true
	}
	return w
})

// add takes in one language. What an earlier one has stands.
func (w *words) add(l language) {
	for _, p := range l.status {
		enter(w.status, p.list, p.status)
	}
	for _, p := range l.sections {
		enter(w.sections, p.list, p.status)
	}
	for _, t := range l.kinds {
		enter(w.kinds, t.list, t.kind)
	}
	for _, p := range l.priority {
		enter(w.priority, p.list, p.priority)
	}
	for _, h := range l.columns {
		enter(w.columns, h.list, h.column)
	}
	for _, h := range l.fields {
		enter(w.fields, h.list, h.column)
	}
	enter(w.criteria, l.criteria, true)
	enter(w.introducers, l.introducers, true)
	enter(w.limits, l.limits, true)
	enter(w.plans, l.plans, true)
	enter(w.results, l.results, true)
	w.negations = append(w.negations, strings.Split(l.negations, ", ")...)
	w.waits = append(w.waits, strings.Split(l.waits, ", ")...)
}

func enter[V any](m map[string]V, list string, v V) {
	if list == "" {
		return
	}
	for phrase := range strings.SplitSeq(list, ", ") {
		if _, ok := m[phrase]; !ok {
			m[phrase] = v
		}
	}
}

// statusSigns are the signs that stand for a status wherever a word would.
var statusSigns = sync.OnceValue(func() map[string]coord.RecordStatus {
	m := map[string]coord.RecordStatus{}
	enter(m, "⬜, ☐, 🔲, 🆕", coord.SourceOpen)
	enter(m, "🚧, 🔄", coord.SourceActive)
	enter(m, "⛔, 🛑", coord.SourceBlocked)
	enter(m, "⏸, 💤", coord.SourceParked)
	enter(m, "✅, ☑, ✔", coord.SourceDone)
	enter(m, "❌, 🚫, ✖", coord.SourceRejected)
	return m
})

// statusOf reads a normalised phrase that is nothing but a status. What is
// negated is looked at first by being longer; a negation that no list has turns
// what is finished or begun into what is open.
func statusOf(phrase string) coord.RecordStatus {
	w := vocabulary()
	if s, ok := w.status[phrase]; ok {
		return s
	}
	if r, _ := utf8.DecodeRuneInString(phrase); !w.negated[r] {
		return ""
	}
	for _, n := range w.negations {
		rest, ok := strings.CutPrefix(phrase, n)
		if !ok {
			continue
		}
		switch s := w.status[strings.TrimPrefix(rest, " ")]; {
		case s == "":
		case s.Closed() || s == coord.SourceActive || s == coord.SourcePartial:
			return coord.SourceOpen
		default:
			return coord.SourceUnknown
		}
	}
	return ""
}
