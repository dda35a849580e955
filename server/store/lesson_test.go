package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"coord"
	"coord/servicetest"
)

// TestLessonWordsAreNeverSyntax searches for anything at all, fault 108: what
// is typed is words, and whatever else it is finds nothing more and breaks
// nothing.
func TestLessonWordsAreNeverSyntax(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	project(t, s, "web")
	svc := s.As(agents)
	learn := func(p coord.ProjectKey, text string) {
		if _, err := svc.Learn(t.Context(), coord.Learn{Key: newKey(), Project: p, Text: text, Scope: coord.LessonScope{Paths: []string{"a b/*.go", `q"x/**`}, Version: `"v*`}}); err != nil {
			t.Fatal(err)
		}
	}
	learn("pay", `token AND "clock" OR s:live`)
	learn("web", "token of another project")
	syntax := []string{
		`"`, `""`, `token"`, `"token`, "token*", "* token", "token AND", "AND", "OR token", "NOT token", "token NOT clock", "NEAR(token clock, 2)", "words:token", "{words}:token", "-words:token", "^token",
		"token + clock", "(token", "token)", "p:web", "s:superseded", `token" OR "p:web`, "%", "_", "tok_n", "tok%", "'; DROP TABLE lessons; --", "\x00", "token\x00clock", "\xff token", strings.Repeat("token ", 60),
	}
	for _, text := range syntax {
		for _, q := range []coord.LessonQuery{{Text: text}, {Tag: text}, {Component: text}, {Path: strings.NewReplacer("\x00", "", "\xff", "").Replace(text)}} {
			q.Project = "pay"
			found, err := svc.Lessons(t.Context(), q)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
			}
			checkFound(t, q, found)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		q := coord.LessonQuery{Project: "pay", Text: rapid.StringOfN(rapid.RuneFrom([]rune(`token clock"'*():^-+.{}ANDORT NEAR`+"\x00é")), 0, 60, -1).Draw(r, "text")}
		found, err := svc.Lessons(context.Background(), q)
		if err != nil {
			r.Fatalf("%q: %v", q.Text, err)
		}
		checkFound(r, q, found)
	})
}

func checkFound(t interface{ Errorf(string, ...any) }, q coord.LessonQuery, found []coord.Lesson) {
	for _, l := range found {
		if l.Project != "pay" {
			t.Errorf("%q finds %s of %s", q.Text, l.ID, l.Project)
		}
		for _, term := range coord.SearchTerms(q.Text) {
			if !strings.Contains(strings.ToLower(l.Text+" "+l.Scope.Version), term.Stem) && (term.Prefix == "" || !strings.Contains(strings.ToLower(l.Text), term.Prefix)) {
				t.Errorf("%q finds %s, which has no %q", q.Text, l.ID, term.Stem)
			}
		}
	}
}

// A lesson of an old view is neither edited, judged nor replaced: every guard
// repeats what its decision was made on.
func TestL2_EveryLessonGuardHoldsAgainstAnOldSnapshot(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	svc := session(t, s, agents, "alpha")
	for n := range 3 {
		if _, err := svc.Learn(t.Context(), coord.Learn{Key: newKey(), Project: "pay", Text: fmt.Sprint("zebra ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.writer.do(t.Context(), agents, func(tx *tx) error {
		old, err := tx.lesson("pay", "L1")
		if err != nil {
			return err
		}
		after := old.Lesson
		after.Text = "okapi"
		if _, err := tx.sayAnew(old, after, ""); err != nil {
			return err
		}
		_, err = tx.exec("DELETE FROM lesson_revisions")
		if err != nil {
			return err
		}
		if _, err := tx.sayAnew(old, after, "again"); coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("an edit of an old revision: %v", err)
		}
		return coord.Errorf(coord.CodeStateConflict, "rolled back")
	})
	if coord.CodeOf(err) != coord.CodeStateConflict {
		t.Fatal(err)
	}
}

// The search goes on being right where more lessons fit than are ranked: what
// proved itself is found among those that did not, however old it is.
func TestOldProvenLessonsAreFound(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	err := s.writer.do(t.Context(), agents, func(t *tx) error {
		for n := range candidates + 50 {
			l := coord.Lesson{Project: "pay", Text: "zebra crossing", Status: coord.LessonObserved}
			if n == 3 {
				l.Status = coord.LessonVerified
			}
			if _, err := t.addLesson(l, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.As(agents).Lessons(t.Context(), coord.LessonQuery{Project: "pay", Text: "zebra"})
	if err != nil || len(found) != 20 || found[0].ID != "L4" || found[1].ID != coord.NewLessonID(candidates+50) {
		t.Errorf("found %d, first %s and %s: %v", len(found), found[0].ID, found[1].ID, err)
	}
	checkRecord(t, s)
}
