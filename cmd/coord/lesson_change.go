package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

type lessonEdit struct {
	*app
	given        func(flag string) bool
	says         lessonSays
	text, reason string
}

func newLessonEdit(a *app) *cobra.Command {
	o := &lessonEdit{app: a}
	c := a.verb("edit LESSON", "Correct a lesson; a list that is given replaces the one before", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	o.given = f.Changed
	f.StringVar(&o.text, "text", "", "what it says from now on, as `TEXT`; it is observed again then")
	o.says.flags(f)
	f.StringVarP(&o.reason, "reason", "m", "", "why, as `TEXT`")
	return c
}

func (o *lessonEdit) run(ctx context.Context, args []string) (output, error) {
	svc, d, err := o.lessonNamed(ctx, args[0], false)
	if err != nil {
		return output{}, err
	}
	cmd := coord.EditLesson{Project: d.Project, Lesson: d.ID, Revision: d.Revision, Reason: o.reason, Scope: o.scope(d.Scope)}
	if o.given("text") {
		cmd.Text = &o.text
	}
	if o.given("kind") {
		k := coord.LessonKind(o.says.kind)
		cmd.Kind = &k
	}
	if o.given("reopen-when") {
		cmd.Reopen = &o.says.reopen
	}
	if o.given("tag") {
		tags := named(o.says.tags)
		cmd.Tags = &tags
	}
	if cmd.ExpiresAt, err = until(o.says.expires, wallClock()); err != nil {
		return output{}, err
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	return changedLesson(svc.EditLesson(ctx, cmd))
}

// scope is the one before with what was given, nil when nothing was.
func (o *lessonEdit) scope(s coord.LessonScope) *coord.LessonScope {
	stated, changed := o.says.scope(), false
	for flag, set := range map[string]func(){
		"path": func() { s.Paths = stated.Paths }, "component": func() { s.Component = stated.Component }, "version": func() { s.Version = stated.Version },
		"environment": func() { s.Environment = stated.Environment }, "for": func() { s.Task = stated.Task },
	} {
		if o.given(flag) {
			set()
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return &s
}

type lessonUseful struct {
	*app
	useful, no, person bool
	note               string
}

func newLessonUseful(a *app, useful bool) *cobra.Command {
	o := &lessonUseful{app: a, useful: useful}
	use, short := "useful LESSON", "Say that a lesson helped; the last word of a session counts"
	if !useful {
		use, short = "not-useful LESSON", "Say that a lesson was of no help"
	}
	c := a.verb(use, short, cobra.ExactArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", "for what, as `TEXT`")
	c.Flags().BoolVar(&o.person, "person", false, "as the person signed in here")
	if useful {
		c.Flags().BoolVar(&o.no, "no", false, "it was of no help")
	}
	return c
}

func (o *lessonUseful) run(ctx context.Context, args []string) (output, error) {
	svc, d, err := o.lessonNamed(ctx, args[0], o.person)
	if err != nil {
		return output{}, err
	}
	l, err := svc.RateLesson(ctx, coord.RateLesson{Project: d.Project, Lesson: d.ID, Useful: o.useful && !o.no, Note: o.note})
	if err != nil {
		return output{}, err
	}
	return output{kind: "lesson", data: l, text: func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", l.ID, feedbackText(l)) }}, nil
}

type lessonJudge struct {
	*app
	status        coord.LessonStatus
	note, receipt string
	person        bool
}

func newLessonJudge(a *app, s coord.LessonStatus) *cobra.Command {
	o := &lessonJudge{app: a, status: s}
	use, short, usage := "verify LESSON", "Say that a lesson holds; not by the session that learnt it", "what shows it, as `TEXT`"
	if s == coord.LessonDisputed {
		use, short, usage = "dispute LESSON", "Say that a lesson does not hold", "what speaks against it, as `TEXT`"
	}
	c := a.verb(use, short, cobra.ExactArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", usage)
	c.Flags().StringVar(&o.receipt, "receipt", "", "the `RECEIPT` of a run that shows it")
	c.Flags().BoolVar(&o.person, "person", false, "as the person signed in here")
	if s == coord.LessonDisputed {
		_ = c.MarkFlagRequired("message")
	}
	return c
}

func (o *lessonJudge) run(ctx context.Context, args []string) (output, error) {
	cmd := coord.JudgeLesson{Status: o.status, Note: o.note, Receipt: coord.ReceiptID(o.receipt)}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, d, err := o.lessonNamed(ctx, args[0], o.person)
	if err != nil {
		return output{}, err
	}
	cmd.Project, cmd.Lesson, cmd.Revision = d.Project, d.ID, d.Revision
	return changedLesson(svc.JudgeLesson(ctx, cmd))
}

type lessonSupersede struct {
	*app
	by, reason string
}

func newLessonSupersede(a *app) *cobra.Command {
	o := &lessonSupersede{app: a}
	c := a.verb("supersede LESSON [TEXT]", "Put a better lesson in the place of one", cobra.RangeArgs(1, 2), o.run)
	c.Flags().StringVar(&o.by, "by", "", "`LESSON` that is there already, instead of a new text")
	c.Flags().StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`")
	return c
}

func (o *lessonSupersede) run(ctx context.Context, args []string) (output, error) {
	cmd := coord.SupersedeLesson{Lesson: coord.LessonID(args[0]), By: coord.LessonID(o.by), Reason: o.reason}
	if len(args) == 2 {
		cmd.Text = args[1]
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, d, err := o.lessonNamed(ctx, args[0], false)
	if err != nil {
		return output{}, err
	}
	cmd.Project, cmd.Revision = d.Project, d.Revision
	by, err := svc.SupersedeLesson(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "lesson", data: by, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s superseded by %s\n", d.ID, by.ID)
	}}, nil
}
