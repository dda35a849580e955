package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"coord"
)

// lessonIntent is a change of a lesson: an agent's needs a session.
func (s *service) lessonIntent(operation string, key coord.Key, p coord.ProjectKey, id coord.LessonID, command any) intent[coord.Lesson] {
	return intent[coord.Lesson]{
		operation: operation, key: key, ids: []string{string(p), string(id)}, command: command, session: s.caller.Role == coord.RoleAgent, current: currentLesson,
	}
}

// EditLesson changes what a lesson says and keeps what it said.
func (s *service) EditLesson(ctx context.Context, c coord.EditLesson) (coord.Lesson, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Lesson{}, err
	}
	return mutate(ctx, s, s.lessonIntent("edit_lesson", c.Key, c.Project, c.Lesson, c), func(t *tx) (coord.Lesson, error) {
		before, err := t.lessonIn(c.Project, c.Lesson)
		if err != nil {
			return before.Lesson, err
		}
		after, err := c.Edited(before.Lesson)
		if err == nil {
			err = t.checkMentioned(c.Project, after.Scope.Task)
		}
		if err != nil || after.Says(before.Lesson) {
			return after, err
		}
		return t.sayAnew(before, after, c.Reason)
	})
}

// lessonIn is the lesson of a project that is there.
func (t *tx) lessonIn(p coord.ProjectKey, id coord.LessonID) (lessonRow, error) {
	if _, err := t.project(p); err != nil {
		return lessonRow{}, err
	}
	return t.lesson(p, id)
}

// sayAnew stores what the lesson says from now on, its source and its status,
// and keeps what it said before. The guard is the revision that after was made
// of.
func (t *tx) sayAnew(before lessonRow, after coord.Lesson, reason string) (coord.Lesson, error) {
	err := t.change("INSERT INTO lesson_revisions (lesson, revision, said) VALUES (?, ?, ?)", before.row, before.Revision, toJSON(before.said()))
	if err != nil {
		return after, err
	}
	err = t.change(`UPDATE lessons SET text = ?, kind = ?, reopen = ?, scope = ?, tags = ?, expires_at = ?, source = ?, status = ?, judged = ?,
			revision = revision + 1, edited_by = ?, edited_at = ?, edit_reason = ?, edited_seq = ?
		WHERE id = ? AND revision = ? AND status = ? AND rule IS NULL`,
		after.Text, string(after.Kind), after.Reopen, toJSON(after.Scope), toJSON(after.Tags), instantOrNull(after.ExpiresAt), after.Source, string(after.Status), toJSON(after.Judged),
		t.actor(), nanos(t.now), reason, int64(t.head.seq+1), before.row, before.Revision, string(before.Status))
	if err != nil {
		return after, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventLessonChanged, Project: before.Project, Task: before.Task, Text: fmt.Sprintf("%s changed %s: %s", t.actor(), before.ID, coord.OneLine(after.Text)),
		Data: map[string]string{"lesson": string(before.ID), "revision": strconv.FormatInt(before.Revision+1, 10), "reason": reason},
	})
	if err != nil {
		return after, err
	}
	return t.indexedAgain(before)
}

// indexedAgain is the lesson as it is now, findable as such.
func (t *tx) indexedAgain(before lessonRow) (coord.Lesson, error) {
	after, err := t.lesson(before.Project, before.ID)
	if err == nil {
		err = t.reindexLesson(before, after)
	}
	return after.Lesson, err
}

// importedLesson makes a lesson say what a file says: what is nil, and an empty
// status, stays. It is a revision like any other, of whoever applies the
// import.
func (t *tx) importedLesson(p coord.ProjectKey, id coord.LessonID, says coord.EditLesson, status coord.LessonStatus, path string) error {
	before, err := t.lesson(p, id)
	if err != nil {
		return err
	}
	after := before.Lesson
	if says.Text != nil && *says.Text != after.Text && after.Status != coord.LessonSuperseded {
		after.Status, after.Judged = coord.LessonObserved, nil
	}
	assign(&after.Text, says.Text)
	assign(&after.Kind, says.Kind)
	assign(&after.Reopen, says.Reopen)
	assign(&after.Scope, says.Scope)
	assign(&after.Tags, says.Tags)
	if status != "" && after.SupersededBy == "" {
		after.Status = status
	}
	after.Source = cmp.Or(path, after.Source)
	_, err = t.sayAnew(before, after, "imported from "+path)
	return err
}

// JudgeLesson verifies or disputes what a lesson says.
func (s *service) JudgeLesson(ctx context.Context, c coord.JudgeLesson) (coord.Lesson, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Lesson{}, err
	}
	return mutate(ctx, s, s.lessonIntent("judge_lesson", c.Key, c.Project, c.Lesson, c), func(t *tx) (coord.Lesson, error) {
		before, err := t.lessonIn(c.Project, c.Lesson)
		if err != nil {
			return before.Lesson, err
		}
		own := t.caller.Session != "" && t.caller.Session == before.session
		after, err := c.Judge(before.Lesson, t.actor(), own, t.now)
		if err == nil {
			err = t.checkReceipt(c.Project, c.Receipt)
		}
		if err != nil {
			return after, err
		}
		err = t.change("UPDATE lessons SET status = ?, judged = ? WHERE id = ? AND revision = ? AND status = ?",
			string(after.Status), toJSON(after.Judged), before.row, before.Revision, string(before.Status))
		if err != nil {
			return after, err
		}
		err = t.record(coord.Event{
			Kind: coord.EventLessonJudged, Project: c.Project, Task: before.Task, Text: fmt.Sprintf("%s %s %s", t.actor(), after.Status, before.ID) + remark(c.Note),
			Data: map[string]string{"lesson": string(before.ID), "status": string(after.Status), "receipt": string(c.Receipt)},
		})
		if err != nil {
			return after, err
		}
		return t.indexedAgain(before)
	})
}

// remark is a note as the end of an event's sentence.
func remark(note string) string {
	if note == "" {
		return ""
	}
	return ": " + coord.OneLine(note)
}

// RateLesson counts whether a lesson helped, once for each session.
func (s *service) RateLesson(ctx context.Context, c coord.RateLesson) (coord.Lesson, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Lesson{}, err
	}
	return mutate(ctx, s, s.lessonIntent("rate_lesson", c.Key, c.Project, c.Lesson, c), func(t *tx) (coord.Lesson, error) { return t.rateLesson(c) })
}

func (t *tx) rateLesson(c coord.RateLesson) (coord.Lesson, error) {
	before, err := t.lessonIn(c.Project, c.Lesson)
	if err != nil {
		return before.Lesson, err
	}
	voter := cmp.Or(string(t.caller.Session), "person:"+string(t.caller.Principal))
	var earlier *bool
	var useful bool
	found, err := t.get([]any{&useful}, "SELECT useful FROM lesson_feedback WHERE lesson = ? AND voter = ?", before.row, voter)
	if found {
		earlier = &useful
	}
	if err != nil {
		return before.Lesson, err
	}
	after, err := c.Rated(before.Lesson, earlier)
	if err != nil {
		return after, err
	}
	err = t.change(`INSERT INTO lesson_feedback (lesson, voter, name, useful, note, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (lesson, voter) DO UPDATE SET name = excluded.name, useful = excluded.useful, note = excluded.note, at = excluded.at`,
		before.row, voter, t.actor(), c.Useful, c.Note, nanos(t.now))
	if err != nil {
		return after, err
	}
	err = t.change("UPDATE lessons SET useful = ?, not_useful = ? WHERE id = ? AND useful = ? AND not_useful = ?",
		after.Useful, after.NotUseful, before.row, before.Useful, before.NotUseful)
	if err != nil {
		return after, err
	}
	word := "useful"
	if !c.Useful {
		word = "not useful"
	}
	err = t.record(coord.Event{
		Kind: coord.EventLessonRated, Project: c.Project, Task: before.Task, Text: fmt.Sprintf("%s found %s %s", t.actor(), before.ID, word) + remark(c.Note),
		Data: map[string]string{"lesson": string(before.ID), "useful": strconv.FormatBool(c.Useful)},
	})
	if err != nil {
		return after, err
	}
	return t.indexedAgain(before)
}

// SupersedeLesson puts another lesson, there already or new, in the place of
// one.
func (s *service) SupersedeLesson(ctx context.Context, c coord.SupersedeLesson) (coord.Lesson, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Lesson{}, err
	}
	return mutate(ctx, s, s.lessonIntent("supersede_lesson", c.Key, c.Project, c.Lesson, c), func(t *tx) (coord.Lesson, error) { return t.supersedeLesson(c) })
}

func (t *tx) supersedeLesson(c coord.SupersedeLesson) (coord.Lesson, error) {
	old, err := t.lessonIn(c.Project, c.Lesson)
	if err != nil {
		return old.Lesson, err
	}
	by, err := t.successor(c, old)
	if err != nil {
		return by, err
	}
	err = t.change("UPDATE lessons SET status = 'superseded', superseded_by = ? WHERE id = ? AND revision = ? AND status = ? AND superseded_by IS NULL",
		lessonNumber(by.ID), old.row, old.Revision, string(old.Status))
	if err != nil {
		return by, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventLessonSuperseded, Project: c.Project, Task: old.Task, Text: fmt.Sprintf("%s put %s in the place of %s", t.actor(), by.ID, old.ID) + remark(c.Reason),
		Data: map[string]string{"lesson": string(old.ID), "by": string(by.ID), "reason": c.Reason},
	})
	if err != nil {
		return by, err
	}
	_, err = t.indexedAgain(old)
	return by, err
}

// successor is the lesson that takes the place of old.
func (t *tx) successor(c coord.SupersedeLesson, old lessonRow) (coord.Lesson, error) {
	if c.By == "" {
		if err := c.CheckSuperseded(old.Lesson, nil); err != nil {
			return old.Lesson, err
		}
		return t.addLesson(c.Successor(old.Lesson), "")
	}
	by, err := t.lesson(c.Project, c.By)
	if err != nil {
		return by.Lesson, err
	}
	return by.Lesson, c.CheckSuperseded(old.Lesson, &by.Lesson)
}

// verifyLessons verifies what was handed in with a submission that is done.
// What somebody disputed or replaced meanwhile stays that.
func (t *tx) verifyLessons(x coord.SubmissionID) error {
	rows, err := list(&t.view, t.scanLesson, "SELECT "+lessonColumns+" FROM lessons l WHERE l.submission = ? AND l.status = 'observed' ORDER BY l.number", string(x))
	if err != nil {
		return err
	}
	for _, l := range rows {
		if err := t.change("UPDATE lessons SET status = 'verified' WHERE id = ? AND status = 'observed' AND submission = ?", l.row, string(x)); err != nil {
			return err
		}
		if _, err := t.indexedAgain(l); err != nil {
			return err
		}
	}
	return nil
}

func instantOrNull(at *time.Time) any {
	if at == nil {
		return nil
	}
	return nanos(*at)
}

func assign[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
