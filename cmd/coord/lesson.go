package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

func newLesson(a *app) *cobra.Command {
	return a.group("lesson", "Show, correct and judge lessons",
		newLessonShow(a), newLessonEdit(a), newLessonUseful(a, true), newLessonUseful(a, false), newLessonJudge(a, coord.LessonVerified), newLessonJudge(a, coord.LessonDisputed), newLessonSupersede(a))
}

// lessonNamed is the service with the lesson of an id, as it is now.
func (a *app) lessonNamed(ctx context.Context, id string, person bool) (coord.Service, coord.LessonDetail, error) {
	if !coord.LessonID(id).Valid() {
		return nil, coord.LessonDetail{}, coord.Errorf(coord.CodeBadRequest, "%q is not the id of a lesson, such as L3; nothing was done", id).WithNext("coord lessons " + shellWord(id))
	}
	svc, project, err := a.eitherInProject(ctx, person)
	if err != nil {
		return nil, coord.LessonDetail{}, err
	}
	d, err := svc.Lesson(ctx, project, coord.LessonID(id))
	return svc, d, err
}

// changedLesson is what a verb that changed a lesson ends with.
func changedLesson(l coord.Lesson, err error) (output, error) {
	if err != nil {
		return output{}, err
	}
	return output{kind: "lesson", data: l, text: func(w io.Writer) { fmt.Fprintln(w, lessonLine(l, clip(l.Text, 160))) }}, nil
}

func newLessonShow(a *app) *cobra.Command {
	return a.verb("show LESSON", "Show a lesson with where it comes from and what it said before", cobra.ExactArgs(1), func(ctx context.Context, args []string) (output, error) {
		_, d, err := a.lessonNamed(ctx, args[0], false)
		if err != nil {
			return output{}, err
		}
		return output{kind: "lesson", data: d, text: func(w io.Writer) { writeLesson(w, d) }}, nil
	})
}

func writeLesson(w io.Writer, d coord.LessonDetail) {
	fmt.Fprintf(w, "%s  %s\n", d.ID, coord.OneLine(d.Text))
	field(w, "kind", "%s%s", d.Kind, ruleMade(d.Lesson))
	if d.Reopen != "" {
		field(w, "again", "when %s", coord.OneLine(d.Reopen))
	}
	field(w, "status", "%s", lessonStanding(d.Lesson))
	field(w, "learnt", "%s", learntText(d.Lesson))
	if s := scopeText(d.Scope); s != "" {
		field(w, "scope", "%s", s)
	}
	if len(d.Tags) > 0 {
		field(w, "tags", "%s", strings.Join(d.Tags, ", "))
	}
	if d.ExpiresAt != nil {
		field(w, "expires", "%s", day(*d.ExpiresAt))
	}
	if len(d.Supersedes) > 0 {
		var ids []string
		for _, id := range d.Supersedes {
			ids = append(ids, string(id))
		}
		field(w, "instead", "of %s", strings.Join(ids, ", "))
	}
	if f := feedbackText(d.Lesson); f != "" {
		field(w, "feedback", "%s", f)
	}
	for _, f := range d.Feedback {
		if f.Note != "" {
			field(w, "", "%s: %s", coord.OneLine(f.By), coord.OneLine(f.Note))
		}
	}
	writeEarlier(w, d)
	if d.SupersededBy != "" {
		field(w, "next", "coord lesson show %s", d.SupersededBy)
	} else if d.Kind == coord.KindProposal && d.Rule == nil {
		field(w, "next", "coord rule set NAME --from %s --reason WHY   (whoever may edit rules)", d.ID)
	}
}

func ruleMade(l coord.Lesson) string {
	if l.Rule == nil {
		return ""
	}
	return fmt.Sprintf(", the rule %s since its revision %d", l.Rule.Name, l.Rule.Revision)
}

func lessonStanding(l coord.Lesson) string {
	s := string(l.Status)
	switch {
	case l.SupersededBy != "":
		s += " by " + string(l.SupersededBy)
	case l.Status == coord.LessonVerified && l.Judged == nil && l.Submission != "":
		s += " by the landing of " + string(l.Submission)
	case l.Judged != nil:
		s += " by " + coord.OneLine(l.Judged.By) + " at " + day(l.Judged.At)
		if l.Judged.Receipt != "" {
			s += " with " + string(l.Judged.Receipt)
		}
		if l.Judged.Note != "" {
			s += ": " + coord.OneLine(l.Judged.Note)
		}
	}
	if l.Expired {
		s += ", expired"
	}
	return s
}

func learntText(l coord.Lesson) string {
	s := "by " + coord.OneLine(l.Author) + " at " + day(l.At)
	for _, x := range []struct{ before, what string }{
		{"in ", string(l.Task)}, {"with ", string(l.Submission)}, {"shown by ", string(l.Receipt)}, {"from ", coord.OneLine(l.Source)},
	} {
		if x.what != "" {
			s += ", " + x.before + x.what
		}
	}
	return s
}

// writeEarlier prints what a lesson said before, the latest first.
func writeEarlier(w io.Writer, d coord.LessonDetail) {
	if len(d.Revisions) < 2 {
		return
	}
	label := "revisions"
	for i := len(d.Revisions) - 1; i >= 0; i-- {
		r := d.Revisions[i]
		says := "in force"
		if i < len(d.Revisions)-1 {
			says = clip(r.Text, 160)
		}
		because := ""
		if r.Reason != "" {
			because = " (" + clip(r.Reason, 80) + ")"
		}
		field(w, label, "%d by %s at %s%s: %s", r.Revision, coord.OneLine(r.Author), day(r.At), because, says)
		label = ""
	}
}
