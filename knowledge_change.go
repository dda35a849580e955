package coord

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Valid reports whether an id names a lesson: L and a number from 1.
func (l LessonID) Valid() bool {
	n, err := parseCount(strings.TrimPrefix(string(l), "L"))
	return err == nil && n > 0 && l == NewLessonID(n)
}

// NewLessonID names the nth lesson of a project.
func NewLessonID(n int64) LessonID { return LessonID("L" + strconv.FormatInt(n, 10)) }

// EditLesson changes what a lesson says; what is nil stays. Revision is the
// one that the caller read.
type EditLesson struct {
	Key       Key          `json:"-"`
	Project   ProjectKey   `json:"-"`
	Lesson    LessonID     `json:"-"`
	Revision  int64        `json:"revision"`
	Text      *string      `json:"text,omitempty"`
	Kind      *LessonKind  `json:"kind,omitempty" enum:"lesson,fact,rejected,proposal"`
	Reopen    *string      `json:"reopen,omitempty"`
	Scope     *LessonScope `json:"scope,omitempty"`
	Tags      *[]string    `json:"tags,omitempty"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty" doc:"The year 1 for never."`
	Reason    string       `json:"reason,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c EditLesson) Validate() error {
	if c.Text == nil && c.Kind == nil && c.Reopen == nil && c.Scope == nil && c.Tags == nil && c.ExpiresAt == nil {
		return Errorf(CodeBadRequest, "the edit changes nothing").WithNext("coord lesson edit LESSON --text TEXT")
	}
	return checkText("reason", c.Reason, 0, 2000)
}

// Edited is the lesson as the command leaves it. One whose text is changed is
// observed again: what was verified or disputed is another text.
func (c EditLesson) Edited(l Lesson) (Lesson, error) {
	if err := l.checkOpen(); err != nil {
		return l, err
	}
	if err := l.checkRevision(c.Revision); err != nil {
		return l, err
	}
	if l.Rule != nil {
		return l, Errorf(CodeStateConflict, "%s is the rule %s since its revision %d; nothing was changed", l.ID, l.Rule.Name, l.Rule.Revision).
			WithNext("coord learn TEXT --kind proposal", "coord rules")
	}
	before := l
	set(&l.Text, c.Text)
	set(&l.Kind, c.Kind)
	set(&l.Reopen, c.Reopen)
	set(&l.Scope, c.Scope)
	if c.Tags != nil {
		l.Tags = Canonical(*c.Tags)
	}
	if c.ExpiresAt != nil {
		if l.ExpiresAt = c.ExpiresAt; c.ExpiresAt.IsZero() {
			l.ExpiresAt = nil
		}
	}
	if l.Kind != KindRejected && c.Reopen == nil {
		l.Reopen = ""
	}
	if l.Text != before.Text {
		l.Status, l.Judged = LessonObserved, nil
	}
	return l, l.validate()
}

// Says reports whether two lessons say the same.
func (l Lesson) Says(o Lesson) bool {
	return l.Text == o.Text && l.Kind == o.Kind && l.Reopen == o.Reopen && slices.Equal(l.Tags, o.Tags) && l.Scope.Equal(o.Scope) && sameTime(l.ExpiresAt, o.ExpiresAt)
}

// Equal reports whether two scopes say the same.
func (s LessonScope) Equal(o LessonScope) bool {
	return s.Task == o.Task && s.Component == o.Component && s.Version == o.Version && s.Environment == o.Environment && slices.Equal(s.Paths, o.Paths)
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// checkOpen refuses a change of what was superseded.
func (l Lesson) checkOpen() error {
	if l.Status != LessonSuperseded {
		return nil
	}
	e := Errorf(CodeStateConflict, "%s is superseded%s; nothing was changed", l.ID, orNothing(" by ", string(l.SupersededBy)))
	if l.SupersededBy != "" {
		return e.WithNext("coord lesson show " + string(l.SupersededBy))
	}
	return e.WithNext("coord learn TEXT")
}

func orNothing(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func (l Lesson) checkRevision(stated int64) error {
	if stated == l.Revision {
		return nil
	}
	return Errorf(CodeStateConflict, "%s is at revision %d, not %d: somebody else changed it meanwhile; nothing was changed", l.ID, l.Revision, stated).
		WithNext("coord lesson show " + string(l.ID))
}

// JudgeLesson says that a lesson holds, or that it does not. Revision is what
// was judged.
type JudgeLesson struct {
	Key      Key          `json:"-"`
	Project  ProjectKey   `json:"-"`
	Lesson   LessonID     `json:"-"`
	Revision int64        `json:"revision"`
	Status   LessonStatus `json:"status" enum:"verified,disputed"`
	Note     string       `json:"note,omitempty" doc:"What shows it; a dispute needs one."`
	Receipt  ReceiptID    `json:"receipt,omitempty" doc:"The run that showed it."`
}

// Validate checks everything that needs no stored record.
func (c JudgeLesson) Validate() error {
	least := 0
	switch {
	case c.Status != LessonVerified && c.Status != LessonDisputed:
		return Errorf(CodeBadRequest, "a lesson is judged verified or disputed, not %q", string(c.Status))
	case c.Status == LessonDisputed:
		least = 1
	case strings.TrimSpace(c.Note) == "" && c.Receipt == "":
		return Errorf(CodeBadRequest, "what verifies a lesson is a note or a receipt; nothing was changed").WithNext("coord lesson verify LESSON -m WHAT-SHOWS-IT")
	}
	return checkText("note", c.Note, least, 2000)
}

// Judge is the lesson as judged at now. own says that the caller's session is
// the one that learnt it, which does not verify it.
func (c JudgeLesson) Judge(l Lesson, by string, own bool, now time.Time) (Lesson, error) {
	if err := l.checkOpen(); err != nil {
		return l, err
	}
	if err := l.checkRevision(c.Revision); err != nil {
		return l, err
	}
	if own && c.Status == LessonVerified {
		return l, Errorf(CodeNotIndependent, "the session that learnt %s does not verify it; nothing was changed", l.ID).
			WithNext("coord lesson show " + string(l.ID))
	}
	l.Status, l.Judged = c.Status, &LessonJudgement{By: by, Note: c.Note, Receipt: c.Receipt, At: now}
	return l, nil
}

// RateLesson says whether a lesson helped: once for each session, the last
// word counts.
type RateLesson struct {
	Key     Key        `json:"-"`
	Project ProjectKey `json:"-"`
	Lesson  LessonID   `json:"-"`
	Useful  bool       `json:"useful"`
	Note    string     `json:"note,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c RateLesson) Validate() error { return checkText("note", c.Note, 0, 2000) }

// Rated is the lesson with the session's word counted. before is what the
// session said earlier, nil if nothing.
func (c RateLesson) Rated(l Lesson, before *bool) (Lesson, error) {
	if err := l.checkOpen(); err != nil {
		return l, err
	}
	count := func(useful bool, n int) {
		if useful {
			l.Useful += n
		} else {
			l.NotUseful += n
		}
	}
	if before != nil {
		count(*before, -1)
	}
	count(c.Useful, 1)
	return l, nil
}

// SupersedeLesson puts another lesson in the place of one: an existing one,
// or a new one of the same kind, scope and tags.
type SupersedeLesson struct {
	Key      Key        `json:"-"`
	Project  ProjectKey `json:"-"`
	Lesson   LessonID   `json:"-"`
	Revision int64      `json:"revision"`
	By       LessonID   `json:"by,omitempty"`
	Text     string     `json:"text,omitempty" doc:"Of the new lesson, instead of by."`
	Reason   string     `json:"reason,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c SupersedeLesson) Validate() error {
	switch {
	case (c.By == "") == (c.Text == ""):
		return Errorf(CodeBadRequest, "a lesson is superseded by another one or by a new text; nothing was changed").
			WithNext("coord lesson supersede LESSON TEXT", "coord lesson supersede LESSON --by LESSON")
	case c.By != "" && !c.By.Valid():
		return Errorf(CodeBadRequest, "%q is not the id of a lesson, such as L3; nothing was changed", string(c.By))
	case c.By == c.Lesson:
		return Errorf(CodeBadRequest, "%s does not supersede itself; nothing was changed", c.By)
	}
	if err := checkText("lesson", c.Text, 0, 2000); err != nil {
		return err
	}
	return checkText("reason", c.Reason, 0, 2000)
}

// CheckSuperseded decides whether old may give way. by is the lesson that
// takes its place, nil when that is new.
func (c SupersedeLesson) CheckSuperseded(old Lesson, by *Lesson) error {
	if err := old.checkOpen(); err != nil {
		return err
	}
	if err := old.checkRevision(c.Revision); err != nil {
		return err
	}
	if by == nil || by.Status != LessonSuperseded {
		return nil
	}
	return by.checkOpen()
}

// Successor is the new lesson of a command that states a text.
func (c SupersedeLesson) Successor(old Lesson) Lesson {
	return Lesson{
		Project: old.Project, Kind: old.Kind, Text: c.Text, Reopen: old.Reopen, Scope: old.Scope, Tags: old.Tags, Task: old.Task,
		ExpiresAt: old.ExpiresAt, Status: LessonObserved, Revision: 1,
	}
}

// CheckProposal decides whether the proposal may become a rule by a command
// that states it.
func (c SetRule) CheckProposal(l Lesson) error {
	switch {
	case l.Kind != KindProposal:
		return Errorf(CodeStateConflict, "%s is a %s and no proposal for a rule; nothing was changed", l.ID, l.Kind).
			WithNext("coord lesson edit " + string(l.ID) + " --kind proposal")
	case l.Rule != nil:
		return Errorf(CodeStateConflict, "%s is the rule %s since its revision %d; nothing was changed", l.ID, l.Rule.Name, l.Rule.Revision).WithNext("coord rules")
	}
	return l.checkOpen()
}
