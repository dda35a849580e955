package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// BenchmarkLessons searches 100,000 lessons of about a hundred words, whose
// words are as unevenly common as in prose: of twenty projects, and of one.
//
//	go test ./server/store -run '^$' -bench Lessons -benchtime 300x
func BenchmarkLessons(b *testing.B) {
	for _, projects := range []int{20, 1} {
		s := openAt(b, filepath.Join(b.TempDir(), "coord.db"), servicetest.NewClock().Now)
		for p := range projects {
			project(b, s, coord.ProjectKey(fmt.Sprintf("p%d", p)))
		}
		seedLessons(b, s, projects, 100_000)
		svc := s.As(agents)
		for _, v := range searches() {
			b.Run(fmt.Sprintf("projects=%d/%s", projects, v.name), func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 2))
				var took []time.Duration
				now := stopwatch()
				for b.Loop() {
					q := v.query(random)
					q.Project = "p0"
					from := now()
					if err := v.run(b.Context(), s, svc, q); err != nil {
						b.Fatal(err)
					}
					took = append(took, now()-from)
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
				b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
			})
		}
	}
}

// stopwatch is how long it has been running.
func stopwatch() func() time.Duration {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }
}

type lessonSearch struct {
	name  string
	query func(*rand.Rand) coord.LessonQuery
	run   func(context.Context, *Store, coord.Service, coord.LessonQuery) error
}

func searches() []lessonSearch {
	find := func(ctx context.Context, _ *Store, svc coord.Service, q coord.LessonQuery) error {
		_, err := svc.Lessons(ctx, q)
		return err
	}
	words := func(n, from, to int) func(*rand.Rand) coord.LessonQuery {
		return func(r *rand.Rand) coord.LessonQuery {
			var all []string
			for range n {
				all = append(all, vocable(from+r.IntN(to-from)))
			}
			return coord.LessonQuery{Text: strings.Join(all, " ") + " x"} // no beginning of a word
		}
	}
	return []lessonSearch{
		{"one word", words(1, 100, 3000), find},
		{"two words", words(2, 20, 1000), find},
		{"commonest word", words(1, 0, 1), find},
		{"two commonest words", words(2, 0, 2), find},
		{"beginning of a word", func(r *rand.Rand) coord.LessonQuery { return coord.LessonQuery{Text: vocable(r.IntN(3000))[:3]} }, find},
		{"newest", func(*rand.Rand) coord.LessonQuery { return coord.LessonQuery{} }, find},
		{"of all projects", func(r *rand.Rand) coord.LessonQuery {
			q := words(2, 20, 1000)(r)
			q.Shared = true
			return q
		}, find},
		{"for a task", words(12, 0, 3000), func(ctx context.Context, s *Store, _ coord.Service, q coord.LessonQuery) error {
			_, err := reading(ctx, s, func(v *view) ([]coord.Lesson, error) {
				return v.relevantLessons(coord.Task{ID: "p0-1", Project: q.Project, Title: q.Text, Paths: []string{"server/store/lesson.go"}, Labels: []string{"store"}})
			})
			return err
		}},
	}
}

// vocable is a word of the vocabulary: of five letters or more, without an
// ending.
func vocable(n int) string {
	const letters = "bcdfghjklmnprtvw"
	w := []byte{}
	for i := range 6 {
		if i%2 == 0 {
			w = append(w, letters[n%len(letters)])
			n /= len(letters)
		} else {
			w = append(w, "aou"[n%3])
			n /= 3
		}
	}
	return string(w) + "k"
}

func seedLessons(b *testing.B, s *Store, projects, n int) {
	b.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	common := rand.NewZipf(random, 1.1, 4, 20_000)
	err := s.writer.do(b.Context(), agents, func(t *tx) error {
		for i := range n {
			var text []string
			for range 60 + random.IntN(80) {
				text = append(text, vocable(int(common.Uint64())))
			}
			l := coord.Lesson{
				Project: coord.ProjectKey(fmt.Sprintf("p%d", i%projects)), Kind: coord.LessonKinds[i%3], Text: strings.Join(text, " "), Author: "seed", Status: coord.LessonObserved,
			}
			if i%5 == 0 {
				l.Status = coord.LessonVerified
			}
			if i%50 == 0 {
				l.Scope.Paths = []string{"server/store/**"}
			}
			err := t.change(`INSERT INTO lessons (id, project, number, kind, text, scope, author, status, at, edited_by, edited_at, created_seq, edited_seq)
				VALUES (?, ?, ?, ?, ?, ?, 'seed', ?, 0, 'seed', 0, ?, ?)`, i+1, string(l.Project), i/projects+1, string(l.Kind), l.Text, toJSON(l.Scope), string(l.Status), i+1, i+1)
			if err == nil {
				err = t.indexLesson(lessonRow{Lesson: l, row: int64(i + 1)})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
