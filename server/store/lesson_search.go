package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"coord"
)

// A search costs the same however many lessons there are: it ranks the latest
// that fit, and besides the latest of those that proved themselves.
const (
	candidates    = 160
	provenMatches = 80
	searchTime    = 2 * time.Second
)

// indexLesson makes a lesson findable by its words and by what it is.
func (t *tx) indexLesson(x lessonRow) error {
	return t.change("INSERT INTO lesson_words (rowid, words) VALUES (?, ?)", x.row, lessonTokens(x.Lesson))
}

// reindexLesson brings what a lesson is found by up to date.
func (t *tx) reindexLesson(before, after lessonRow) error {
	if lessonTokens(before.Lesson) == lessonTokens(after.Lesson) {
		return nil
	}
	if _, err := t.exec("DELETE FROM lesson_words WHERE rowid = ?", after.row); err != nil {
		return err
	}
	return t.indexLesson(after)
}

// lessonTokens are a lesson's words, which have no colon, and what it is,
// which begins with a letter and a colon.
func lessonTokens(l coord.Lesson) string {
	all := []string{named('p', string(l.Project)), named('k', string(l.Kind)), named('s', string(l.Status))}
	if l.Status != coord.LessonSuperseded {
		all = append(all, liveLesson)
	}
	if l.Status == coord.LessonVerified || l.Useful > l.NotUseful {
		all = append(all, provenLesson)
	}
	for _, tag := range l.Tags {
		all = append(all, named('t', tag))
	}
	if l.Scope.Component != "" {
		all = append(all, named('c', l.Scope.Component))
	}
	if l.Scope.Environment != "" {
		all = append(all, named('c', l.Scope.Environment))
	}
	if l.Scope.Task != "" {
		all = append(all, named('f', string(l.Scope.Task)))
	}
	for _, glob := range l.Scope.Paths {
		all = append(all, directory(coord.Fixed(glob)))
	}
	texts := append([]string{l.Text, l.Reopen, l.Scope.Component, l.Scope.Version, l.Scope.Environment}, l.Tags...)
	return strings.Join(append(all, coord.LessonTerms(texts...)...), " ")
}

const (
	liveLesson   = "s:live"
	provenLesson = "s:proven"
)

// named is a token of what a lesson is. What the index would take for the end
// of a token becomes a line below, so that two names may have one token; what
// is found by it is looked at again.
func named(letter byte, name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && !strings.ContainsRune("._/-", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return '_'
		}
		return r
	}, name)
	return string(letter) + ":" + clean
}

// directory is the token of the names before the first pattern of a glob.
func directory(names []string) string { return named('d', "./"+strings.Join(names, "/")) }

// alongPath finds the lessons whose globs may meet a path: those of each
// directory above it, and those of anything below.
func alongPath(p string) string {
	names := coord.Fixed(p)
	var match []string
	for i := range len(names) + 1 {
		match = append(match, sought(directory(names[:i])))
	}
	below := directory(names)
	if len(names) > 0 {
		below += "/"
	}
	return either(append(match, sought(below)+" *"))
}

func either(match []string) string { return "(" + strings.Join(match, " OR ") + ")" }

// Lessons returns those that fit, best first; without words the newest first.
func (s *service) Lessons(ctx context.Context, q coord.LessonQuery) ([]coord.Lesson, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	found, err := reading(timed, s.Store, func(v *view) ([]coord.Lesson, error) {
		if _, err := v.project(q.Project); err != nil {
			return nil, err
		}
		return v.lessonsFor(q)
	})
	if err != nil && errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, coord.Errorf(coord.CodeUnavailable, "the search took longer than %s and was ended; rarer words find faster", searchTime).WithNext("coord lessons WORD WORD")
	}
	return found, err
}

func (v *view) lessonsFor(q coord.LessonQuery) ([]coord.Lesson, error) {
	limit := 20
	if q.Limit > 0 {
		limit = min(q.Limit, 100)
	}
	terms := coord.SearchTerms(q.Text)
	if strings.TrimSpace(q.Text) != "" && len(terms) == 0 {
		return []coord.Lesson{}, nil // nothing was asked for that a text could have
	}
	rows, err := v.matching(q, lessonMatch(q, terms), max(limit, candidates))
	if err != nil {
		return nil, err
	}
	if len(terms) > 0 && len(rows) >= candidates {
		proven, err := v.matching(q, lessonMatch(q, terms)+" AND "+sought(provenLesson), provenMatches)
		if err != nil {
			return nil, err
		}
		rows = together(rows, proven)
	}
	var w coord.Work
	if q.For != "" {
		t, err := v.taskOf(q.Project, q.For)
		if err != nil && coord.CodeOf(err) != coord.CodeNotFound { // it decides no more than the order
			return nil, err
		}
		w = coord.WorkOf(t.Task)
	}
	return q.Found(w, lessonsOf(rows), limit), nil
}

// wordMatch is a search for each of the words.
func wordMatch(terms coord.Terms) (all []string) {
	for _, t := range terms {
		if t.Prefix == "" {
			all = append(all, sought(t.Stem))
			continue
		}
		all = append(all, either([]string{sought(t.Stem), sought(t.Prefix) + " *"}))
	}
	return all
}

// lessonMatch is the search for what may fit the query.
func lessonMatch(q coord.LessonQuery, terms coord.Terms) string {
	all := wordMatch(terms)
	for _, x := range []struct {
		letter byte
		name   string
	}{{'k', string(q.Kind)}, {'s', string(q.Status)}, {'t', q.Tag}, {'c', q.Component}} {
		if x.name != "" {
			all = append(all, sought(named(x.letter, x.name)))
		}
	}
	if q.Path != "" {
		all = append(all, alongPath(q.Path))
	}
	if !q.Shared {
		all = append(all, sought(named('p', string(q.Project))))
	}
	switch {
	case q.All || q.Status == coord.LessonSuperseded:
		all = append(all, either([]string{sought(liveLesson), sought(named('s', string(coord.LessonSuperseded)))}))
	default:
		all = append(all, sought(liveLesson))
	}
	return strings.Join(all, " AND ")
}

// Parameters: search, whether what is over counts, now, how many.
const foundLessons = "SELECT " + lessonColumns + ` FROM lesson_words w CROSS JOIN lessons l ON l.id = w.rowid
	WHERE w.lesson_words MATCH ? AND (? OR l.expires_at IS NULL OR l.expires_at > ?) ORDER BY w.rowid DESC LIMIT ?`

// matching are the latest that fit the query.
func (v *view) matching(q coord.LessonQuery, match string, limit int) ([]lessonRow, error) {
	rows, err := list(v, v.scanLesson, foundLessons, match, q.All, nanos(v.now), limit)
	return slices.DeleteFunc(rows, func(x lessonRow) bool { return !q.Takes(x.Lesson) }), err
}

// together are two lists without what is in both.
func together(rows, more []lessonRow) []lessonRow {
	for _, m := range more {
		if !slices.ContainsFunc(rows, func(x lessonRow) bool { return x.row == m.row }) {
			rows = append(rows, m)
		}
	}
	return rows
}

const (
	lessonRarest = 6  // words of a task that lessons are looked for by
	lessonsNear  = 60 // lessons that are looked at for each reason; a word that so many have is common
	// Parameters: project, now, how many.
	verifiedLessons = "SELECT " + lessonColumns + " FROM lessons l WHERE l.project = ? AND l.status = 'verified' AND (l.expires_at IS NULL OR l.expires_at > ?) AND l.kind <> 'proposal' ORDER BY l.number DESC LIMIT ?"
)

// latestVerified are the latest that hold.
func (v *view) latestVerified(p coord.ProjectKey, limit int) ([]coord.Lesson, error) {
	rows, err := list(v, v.scanLesson, verifiedLessons, string(p), nanos(v.now), limit)
	return lessonsOf(rows), err
}

// relevantLessons are the few that apply to a task: those whose scope meets it,
// and those that share its rarest words.
func (v *view) relevantLessons(t coord.Task) ([]coord.Lesson, error) {
	w := coord.WorkOf(t)
	q := coord.LessonQuery{Project: t.Project}
	inForce := lessonMatch(q, nil)
	rows, err := v.matching(q, inForce+" AND "+scopeMatch(w), lessonsNear)
	if err != nil {
		return nil, err
	}
	var words []string
	if w.Rare, words, err = v.rareWords(w, inForce); err != nil {
		return nil, err
	}
	if len(words) > 0 {
		more, err := v.matching(q, inForce+" AND "+either(words), lessonsNear)
		if err != nil {
			return nil, err
		}
		rows = together(rows, more)
	}
	return coord.Applying(w, lessonsOf(rows), v.now), nil
}

// scopeMatch finds what names the task, its paths or its labels.
func scopeMatch(w coord.Work) string {
	match := []string{sought(named('f', string(w.Task)))}
	if w.Parent != "" {
		match = append(match, sought(named('f', string(w.Parent))))
	}
	for _, l := range w.Labels {
		match = append(match, sought(named('c', l)), sought(named('t', l)))
	}
	for _, p := range w.Paths {
		match = append(match, alongPath(p))
	}
	return either(match)
}

// rareWords are the words of the task that few of the project's lessons have,
// and the search for the rarest. Where all are common, all count.
func (v *view) rareWords(w coord.Work, inForce string) (rare, match []string, err error) {
	type word struct {
		stem  string
		count int
	}
	var known []word
	for _, stem := range w.Words[:min(len(w.Words), 4*lessonRarest)] {
		var n int
		if _, err := v.get([]any{&n}, "SELECT count(*) FROM (SELECT 1 FROM lesson_words WHERE lesson_words MATCH ? LIMIT ?)", inForce+" AND "+sought(stem), lessonsNear); err != nil {
			return nil, nil, err
		}
		if n > 0 {
			known = append(known, word{stem, n})
		}
	}
	slices.SortStableFunc(known, func(a, b word) int { return a.count - b.count })
	for i, k := range known {
		if i >= lessonRarest || k.count >= lessonsNear && i > 0 {
			break
		}
		rare, match = append(rare, k.stem), append(match, sought(k.stem))
	}
	return rare, match, nil
}
