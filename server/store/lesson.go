package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"coord"
)

// Learn records a lesson.
func (s *service) Learn(ctx context.Context, c coord.Learn) (coord.Lesson, error) {
	if err := s.mayRead(); err != nil {
		return coord.Lesson{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Lesson{}, err
	}
	i := intent[coord.Lesson]{operation: "learn", key: c.Key, ids: []string{string(c.Project)}, command: c}
	return mutate(ctx, s, i, func(t *tx) (coord.Lesson, error) {
		if _, err := t.project(c.Project); err != nil {
			return coord.Lesson{}, err
		}
		if c.Task != "" {
			if _, err := t.taskOf(c.Project, c.Task); err != nil {
				return coord.Lesson{}, err
			}
		}
		return t.addLesson(coord.Lesson{Project: c.Project, Text: c.Text, Task: c.Task}, "")
	})
}

// addLesson stores a lesson under the project's next number, with the
// submission that carries it, if one does.
func (t *tx) addLesson(l coord.Lesson, x coord.SubmissionID) (coord.Lesson, error) {
	var n int64
	if _, err := t.get([]any{&n}, "UPDATE projects SET last_lesson = last_lesson + 1 WHERE key = ? RETURNING last_lesson", string(l.Project)); err != nil {
		return l, err
	}
	l.ID, l.Author, l.Status, l.At = lessonID(n), t.actor(), coord.LessonObserved, t.now
	seq := int64(t.head.seq + 1)
	err := t.change("INSERT INTO lessons (project, number, text, author, task, submission, status, source, at, created_seq, edited_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		string(l.Project), n, l.Text, l.Author, string(l.Task), orNull(string(x)), string(l.Status), l.Source, nanos(t.now), seq, seq)
	if err != nil {
		return l, err
	}
	return l, t.record(coord.Event{
		Kind: coord.EventLessonLearned, Project: l.Project, Task: l.Task, Text: fmt.Sprintf("%s learnt %s: %s", t.actor(), l.ID, coord.OneLine(l.Text)),
		Data: map[string]string{"lesson": string(l.ID)},
	})
}

func lessonID(n int64) coord.LessonID { return coord.LessonID(fmt.Sprintf("L%d", n)) }

// lessonNumber is the inverse of lessonID; 0, which no lesson has, for
// anything else.
func lessonNumber(id coord.LessonID) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(string(id), "L"), 10, 64)
	if err != nil || lessonID(n) != id {
		return 0
	}
	return n
}

const lessonColumns = "number, project, text, author, task, status, source, at"

func scanLesson(r scanner) (l coord.Lesson, err error) {
	var n, at int64
	err = r.Scan(&n, &l.Project, &l.Text, &l.Author, &l.Task, &l.Status, &l.Source, &at)
	l.ID, l.At = lessonID(n), instant(at)
	return l, err
}

// Lessons returns those that contain every word, verified ones first, then
// the newest.
func (s *service) Lessons(ctx context.Context, q coord.LessonQuery) ([]coord.Lesson, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	limit := 20
	if q.Limit > 0 {
		limit = min(q.Limit, 100)
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Lesson, error) {
		if _, err := v.project(q.Project); err != nil {
			return nil, err
		}
		return v.lessonsWith(q, limit)
	})
}

func (v *view) lessonsWith(q coord.LessonQuery, limit int) ([]coord.Lesson, error) {
	query, args := "SELECT "+lessonColumns+" FROM lessons WHERE project = ?", []any{string(q.Project)}
	order := " ORDER BY number DESC LIMIT ?"
	for i, word := range strings.Fields(q.Text) {
		if i == maxWords {
			break
		}
		query += ` AND text LIKE ? ESCAPE '\'`
		args = append(args, "%"+escapeLike(word)+"%")
		order = " ORDER BY status = 'verified' DESC, number DESC LIMIT ?"
	}
	return list(v, scanLesson, query+order, append(args, limit)...)
}

// maxWords bounds the distinct statements that a search can make.
const maxWords = 8

func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// relevantLessons are at most five that share a word with the task, verified
// ones first, then those that share more, then the newest. It looks at the
// latest 2,000.
func (v *view) relevantLessons(t coord.Task) ([]coord.Lesson, error) {
	words := wordsOf(t.Title + " " + strings.Join(t.Criteria, " "))
	all, err := list(v, scanLesson, "SELECT "+lessonColumns+" FROM lessons WHERE project = ? ORDER BY number DESC LIMIT 2000", string(t.Project))
	if err != nil {
		return nil, err
	}
	shared := map[coord.LessonID]int{}
	all = slices.DeleteFunc(all, func(l coord.Lesson) bool {
		for w := range wordsOf(l.Text) {
			if words[w] {
				shared[l.ID]++
			}
		}
		return shared[l.ID] == 0
	})
	slices.SortStableFunc(all, func(a, b coord.Lesson) int {
		if a.Status != b.Status {
			return strings.Compare(string(b.Status), string(a.Status))
		}
		return shared[b.ID] - shared[a.ID]
	})
	return all[:min(len(all), 5)], nil
}

// wordsOf are the words that say something: four letters or more, in lower
// case.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) >= 4 && !commonWords[w] {
			out[w] = true
		}
	}
	return out
}

var commonWords = map[string]bool{
	"that": true, "this": true, "with": true, "from": true, "when": true, "then": true, "must": true, "should": true, "will": true,
	"have": true, "does": true, "into": true, "only": true, "also": true, "than": true, "them": true, "they": true, "there": true,
	"which": true, "what": true, "where": true, "after": true, "before": true, "each": true, "every": true, "some": true,
}
