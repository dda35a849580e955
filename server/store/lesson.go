package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"coord"
)

// Learn records a lesson.
func (s *service) Learn(ctx context.Context, c coord.Learn) (coord.Lesson, error) {
	if err := cmp.Or(s.mayRead(), c.Validate()); err != nil {
		return coord.Lesson{}, err
	}
	i := intent[coord.Lesson]{operation: "learn", key: c.Key, ids: []string{string(c.Project)}, command: c, current: currentLesson}
	return mutate(ctx, s, i, func(t *tx) (coord.Lesson, error) {
		if _, err := t.project(c.Project); err != nil {
			return coord.Lesson{}, err
		}
		if err := cmp.Or(c.CheckExpiry(t.now), t.checkMentioned(c.Project, c.Task, c.Scope.Task), t.checkReceipt(c.Project, c.Receipt)); err != nil {
			return coord.Lesson{}, err
		}
		return t.addLesson(c.Lesson(), "")
	})
}

// currentLesson replaces a replayed lesson by what it is now.
func currentLesson(t *tx, out *coord.Lesson) error {
	l, err := t.lesson(out.Project, out.ID)
	*out = l.Lesson
	return err
}

// checkMentioned wants the tasks that a lesson names to be there.
func (v *view) checkMentioned(p coord.ProjectKey, ids ...coord.TaskID) error {
	for _, id := range ids {
		if id == "" {
			continue
		}
		if _, err := v.taskOf(p, id); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) checkReceipt(p coord.ProjectKey, id coord.ReceiptID) error {
	if id == "" {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(string(id), "r"), 10, 64)
	found := false
	if err == nil {
		found, err = v.get([]any{new(int)}, "SELECT 1 FROM receipts WHERE id = ? AND project = ?", n, string(p))
		if err != nil {
			return err
		}
	}
	if !found {
		return coord.Errorf(coord.CodeNotFound, "there is no receipt %q in %s; nothing was changed", string(id), p).WithNext("coord task show")
	}
	return nil
}

// addLesson stores a lesson under the project's next number, with the
// submission that carries it, if one does. It takes over what the lesson says,
// and a status other than superseded; the rest it fills in.
func (t *tx) addLesson(l coord.Lesson, x coord.SubmissionID) (coord.Lesson, error) {
	var n int64
	if _, err := t.get([]any{&n}, "UPDATE projects SET last_lesson = last_lesson + 1 WHERE key = ? RETURNING last_lesson", string(l.Project)); err != nil {
		return l, err
	}
	l.ID, l.Author, l.Submission, l.At, l.ChangedAt, l.Revision = coord.NewLessonID(n), t.actor(), x, t.now, t.now, 1
	l.Kind, l.Status = cmp.Or(l.Kind, coord.KindLesson), cmp.Or(l.Status, coord.LessonObserved)
	l.Expired = l.ExpiredAt(t.now)
	seq := int64(t.head.seq + 1)
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO lessons (project, number, kind, text, reopen, scope, tags, author, session, task, submission, receipt, source, status,
			expires_at, at, edited_by, edited_at, created_seq, edited_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(l.Project), n, string(l.Kind), l.Text, l.Reopen, toJSON(l.Scope), toJSON(l.Tags), l.Author, string(t.caller.Session), string(l.Task),
		orNull(string(x)), string(l.Receipt), l.Source, string(l.Status), instantOrNull(l.ExpiresAt), nanos(t.now), l.Author, nanos(t.now), seq, seq)
	if err != nil {
		return l, err
	}
	if err := t.indexLesson(lessonRow{Lesson: l, row: id}); err != nil {
		return l, err
	}
	return l, t.record(coord.Event{
		Kind: coord.EventLessonLearned, Project: l.Project, Task: l.Task, Text: fmt.Sprintf("%s learnt %s: %s", t.actor(), l.ID, coord.OneLine(l.Text)),
		Data: map[string]string{"lesson": string(l.ID), "kind": string(l.Kind)},
	})
}

// lessonNumber is the inverse of coord.NewLessonID; 0, which no lesson has, for
// anything else.
func lessonNumber(id coord.LessonID) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(string(id), "L"), 10, 64)
	if err != nil || coord.NewLessonID(n) != id {
		return 0
	}
	return n
}

// lessonRow is a lesson with what only the store needs.
type lessonRow struct {
	coord.Lesson
	row      int64
	session  coord.SessionID // that learnt it
	editedBy string
	reason   string // of the text in force
}

const lessonColumns = `l.id, l.number, l.project, l.kind, l.text, l.reopen, l.scope, l.tags, l.author, l.session, l.task, coalesce(l.submission, ''), l.receipt, l.source,
	l.status, l.judged, l.superseded_by, l.rule, l.rule_revision, l.useful, l.not_useful, l.expires_at, l.at, l.revision, l.edited_by, l.edited_at, l.edit_reason`

func (v *view) scanLesson(r scanner) (x lessonRow, err error) {
	var number, at, changed int64
	var scope, tags, judged string
	var successor, expires, revision sql.NullInt64
	var rule sql.NullString
	err = r.Scan(&x.row, &number, &x.Project, &x.Kind, &x.Text, &x.Reopen, &scope, &tags, &x.Author, &x.session, &x.Task, &x.Submission, &x.Receipt, &x.Source,
		&x.Status, &judged, &successor, &rule, &revision, &x.Useful, &x.NotUseful, &expires, &at, &x.Revision, &x.editedBy, &changed, &x.reason)
	if err != nil {
		return x, err
	}
	x.ID, x.At, x.ChangedAt, x.ExpiresAt = coord.NewLessonID(number), instant(at), instant(changed), instantOrNil(expires)
	x.Expired = x.ExpiredAt(v.now)
	if successor.Valid {
		x.SupersededBy = coord.NewLessonID(successor.Int64)
	}
	if rule.Valid {
		x.Rule = &coord.LessonRule{Name: rule.String, Revision: revision.Int64}
	}
	return x, cmp.Or(unlessPlain(scope, "{}", &x.Scope), unlessPlain(tags, "null", &x.Tags), unlessPlain(judged, "null", &x.Judged))
}

// unlessPlain reads JSON that is mostly empty.
func unlessPlain(text, empty string, into any) error {
	if text == empty {
		return nil
	}
	return fromJSON(text, into)
}

func lessonsOf(rows []lessonRow) []coord.Lesson {
	out := make([]coord.Lesson, len(rows))
	for i, r := range rows {
		out[i] = r.Lesson
	}
	return out
}

// lesson is the one of the id, or CodeNotFound.
func (v *view) lesson(p coord.ProjectKey, id coord.LessonID) (lessonRow, error) {
	x, found, err := one(v, v.scanLesson, "SELECT "+lessonColumns+" FROM lessons l WHERE l.project = ? AND l.number = ?", string(p), lessonNumber(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no lesson %q in %s; nothing was changed", string(id), p).WithNext("coord lessons")
	}
	return x, err
}

// Lesson is one with its record.
func (s *service) Lesson(ctx context.Context, p coord.ProjectKey, id coord.LessonID) (coord.LessonDetail, error) {
	if err := s.mayRead(); err != nil {
		return coord.LessonDetail{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.LessonDetail, error) {
		if _, err := v.project(p); err != nil {
			return coord.LessonDetail{}, err
		}
		return v.lessonDetail(p, id)
	})
}

// latestFeedback is how much of it is shown with a lesson.
const latestFeedback = 50

func (v *view) lessonDetail(p coord.ProjectKey, id coord.LessonID) (d coord.LessonDetail, err error) {
	x, err := v.lesson(p, id)
	if err != nil {
		return d, err
	}
	d.Lesson = x.Lesson
	d.Supersedes, err = list(v, func(r scanner) (coord.LessonID, error) {
		var n int64
		err := r.Scan(&n)
		return coord.NewLessonID(n), err
	}, "SELECT number FROM lessons WHERE project = ? AND superseded_by = ? ORDER BY number", string(p), lessonNumber(id))
	if err != nil {
		return d, err
	}
	d.Revisions, err = list(v, func(r scanner) (said coord.LessonRevision, err error) {
		var text string
		if err = r.Scan(&text); err != nil {
			return said, err
		}
		err = fromJSON(text, &said)
		return said, err
	}, "SELECT said FROM lesson_revisions WHERE lesson = ? ORDER BY revision", x.row)
	if err != nil {
		return d, err
	}
	d.Revisions = append(d.Revisions, x.said())
	d.Feedback, err = list(v, func(r scanner) (f coord.LessonFeedback, err error) {
		var at int64
		err = r.Scan(&f.By, &f.Useful, &f.Note, &at)
		f.At = instant(at)
		return f, err
	}, "SELECT name, useful, note, at FROM lesson_feedback WHERE lesson = ? ORDER BY at DESC, voter LIMIT ?", x.row, latestFeedback)
	return d, err
}

// said is the revision in force.
func (x lessonRow) said() coord.LessonRevision {
	return coord.LessonRevision{
		Revision: x.Revision, Kind: x.Kind, Text: x.Text, Reopen: x.Reopen, Scope: x.Scope, Tags: x.Tags, ExpiresAt: x.ExpiresAt, Status: x.Status,
		Author: x.editedBy, Reason: x.reason, At: x.ChangedAt,
	}
}
