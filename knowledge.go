package coord

import (
	"slices"
	"strings"
	"time"
)

// Lesson is knowledge with provenance; it is never binding.
type Lesson struct {
	ID      LessonID    `json:"id"`
	Project ProjectKey  `json:"project"`
	Kind    LessonKind  `json:"kind" enum:"lesson,fact,rejected,proposal"`
	Text    string      `json:"text"`
	Reopen  string      `json:"reopen,omitempty" doc:"When to look at a rejected approach again."`
	Scope   LessonScope `json:"scope,omitzero" doc:"Where it applies; everywhere when empty."`
	Tags    []string    `json:"tags,omitempty"`

	Author     string       `json:"author"`
	Task       TaskID       `json:"task,omitempty" doc:"Where it was learnt."`
	Submission SubmissionID `json:"submission,omitempty" doc:"What it was handed in with."`
	Receipt    ReceiptID    `json:"receipt,omitempty" doc:"The run that showed it."`
	Source     string       `json:"source,omitempty" doc:"File it was imported from."`
	At         time.Time    `json:"at"`

	Status       LessonStatus     `json:"status" enum:"observed,verified,disputed,superseded"`
	Judged       *LessonJudgement `json:"judged,omitempty" doc:"Who verified or disputed it last."`
	SupersededBy LessonID         `json:"superseded_by,omitempty"`
	Rule         *LessonRule      `json:"rule,omitempty" doc:"The rule that a proposal became."`
	ExpiresAt    *time.Time       `json:"expires_at,omitempty"`
	Expired      bool             `json:"expired,omitempty" doc:"As of the answer."`

	Revision  int64     `json:"revision" doc:"Counts the changes of what it says, from 1."`
	ChangedAt time.Time `json:"changed_at"`
	Useful    int       `json:"useful,omitempty" doc:"Sessions that it helped."`
	NotUseful int       `json:"not_useful,omitempty"`

	Why     string `json:"why,omitempty" doc:"In a brief: why it was chosen."`
	Excerpt string `json:"excerpt,omitempty" doc:"In a search: the part of a long text that has the words."`
}

// LessonKind says what a lesson is.
type LessonKind string

// The kinds. A proposal is text for a binding rule: it binds nobody until
// whoever may edit rules makes it one.
const (
	KindLesson   LessonKind = "lesson"
	KindFact     LessonKind = "fact"
	KindRejected LessonKind = "rejected"
	KindProposal LessonKind = "proposal"
)

// LessonKinds are all kinds, in the order that pages show them.
var LessonKinds = []LessonKind{KindLesson, KindFact, KindRejected, KindProposal}

// LessonStatus says how far a lesson is trusted.
type LessonStatus string

// The statuses. A lesson is verified when the submission that carried it has
// landed, or by somebody else than the session that learnt it.
const (
	LessonObserved   LessonStatus = "observed"
	LessonVerified   LessonStatus = "verified"
	LessonDisputed   LessonStatus = "disputed"
	LessonSuperseded LessonStatus = "superseded"
)

// LessonStatuses are all statuses, the most trusted first.
var LessonStatuses = []LessonStatus{LessonVerified, LessonObserved, LessonDisputed, LessonSuperseded}

// LessonScope is where a lesson applies. A part that is empty says nothing.
type LessonScope struct {
	Task        TaskID   `json:"task,omitempty" doc:"This task and its children only."`
	Component   string   `json:"component,omitempty" doc:"A label of the tasks that it is about."`
	Paths       []string `json:"paths,omitempty" maxItems:"10" doc:"Globs; ** is any number of directories."`
	Version     string   `json:"version,omitempty"`
	Environment string   `json:"environment,omitempty" doc:"Such as windows or ci."`
}

// Empty reports whether the lesson applies everywhere.
func (s LessonScope) Empty() bool {
	return s.Task == "" && s.Component == "" && len(s.Paths) == 0 && s.Version == "" && s.Environment == ""
}

// LessonJudgement is who last said that a lesson holds, or that it does not.
type LessonJudgement struct {
	By      string    `json:"by"`
	Note    string    `json:"note,omitempty"`
	Receipt ReceiptID `json:"receipt,omitempty"`
	At      time.Time `json:"at"`
}

// LessonRule is a revision of a binding rule.
type LessonRule struct {
	Name     string `json:"name"`
	Revision int64  `json:"revision"`
}

// LessonDetail is a lesson with its record.
type LessonDetail struct {
	Lesson
	Supersedes []LessonID       `json:"supersedes,omitempty"`
	Revisions  []LessonRevision `json:"revisions" doc:"Everything that it said, oldest first; the last one is in force."`
	Feedback   []LessonFeedback `json:"feedback,omitempty" doc:"The latest 50, newest first."`
}

// LessonRevision is what a lesson said, and who made it say that.
type LessonRevision struct {
	Revision  int64        `json:"revision"`
	Kind      LessonKind   `json:"kind"`
	Text      string       `json:"text"`
	Reopen    string       `json:"reopen,omitempty"`
	Scope     LessonScope  `json:"scope,omitzero"`
	Tags      []string     `json:"tags,omitempty"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty"`
	Status    LessonStatus `json:"status" doc:"When it was replaced, or now."`
	Author    string       `json:"author"`
	Reason    string       `json:"reason,omitempty"`
	At        time.Time    `json:"at"`
}

// LessonFeedback is whether a lesson helped a session.
type LessonFeedback struct {
	By     string    `json:"by"`
	Useful bool      `json:"useful"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// Learn records a lesson.
type Learn struct {
	Key       Key         `json:"-"`
	Project   ProjectKey  `json:"-"`
	Task      TaskID      `json:"task,omitempty"`
	Receipt   ReceiptID   `json:"receipt,omitempty"`
	Kind      LessonKind  `json:"kind,omitempty" enum:"lesson,fact,rejected,proposal" doc:"A lesson when empty."`
	Text      string      `json:"text"`
	Reopen    string      `json:"reopen,omitempty" doc:"A rejected approach says when to look again."`
	Scope     LessonScope `json:"scope,omitzero"`
	Tags      []string    `json:"tags,omitempty" maxItems:"10"`
	ExpiresAt *time.Time  `json:"expires_at,omitempty" doc:"From then on it is shown only when asked for."`
}

// Lesson is what the command says, completed.
func (c Learn) Lesson() Lesson {
	l := Lesson{
		Project: c.Project, Kind: c.Kind, Text: c.Text, Reopen: c.Reopen, Scope: c.Scope, Tags: Canonical(c.Tags),
		Task: c.Task, Receipt: c.Receipt, ExpiresAt: c.ExpiresAt, Status: LessonObserved, Revision: 1,
	}
	if l.Kind == "" {
		l.Kind = KindLesson
	}
	return l
}

// Validate checks everything that needs no stored record.
func (c Learn) Validate() error { return c.Lesson().validate() }

// CheckExpiry refuses what would be over as it is learnt.
func (c Learn) CheckExpiry(now time.Time) error {
	if c.ExpiresAt != nil && !c.ExpiresAt.After(now) {
		return Errorf(CodeBadRequest, "the lesson would expire at %s, which is past; nothing was recorded", c.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// validate checks what a lesson says, whoever makes it say that.
func (l Lesson) validate() error {
	if !slices.Contains(LessonKinds, l.Kind) {
		return badLessonKind(l.Kind)
	}
	if err := checkText("lesson", l.Text, 1, 2000); err != nil {
		return err
	}
	if err := checkText("reopening condition", l.Reopen, 0, 500); err != nil {
		return err
	}
	switch {
	case l.Kind == KindRejected && strings.TrimSpace(l.Reopen) == "":
		return Errorf(CodeBadRequest, "a rejected approach says when to look at it again; nothing was changed").WithNext("coord learn TEXT --kind rejected --reopen-when CONDITION")
	case l.Kind != KindRejected && l.Reopen != "":
		return Errorf(CodeBadRequest, "only a rejected approach has a reopening condition; nothing was changed").WithNext("coord learn TEXT --kind rejected --reopen-when CONDITION")
	case len(l.Tags) > 10:
		return Errorf(CodeBadRequest, "a lesson takes at most 10 tags, not %d", len(l.Tags))
	}
	for _, t := range l.Tags {
		if !IsLabel(t) {
			return Errorf(CodeBadRequest, "tag %q is not made of 1 to 64 of a-z 0-9 . _ : / -", t)
		}
	}
	return l.Scope.validate()
}

func badLessonKind(k LessonKind) error {
	return Errorf(CodeBadRequest, "kind %q is not lesson, fact, rejected or proposal", string(k))
}

func (s LessonScope) validate() error {
	if s.Task != "" && s.Task.Project() == "" {
		_, _, err := s.Task.Split()
		return err
	}
	if s.Component != "" && !IsLabel(s.Component) {
		return Errorf(CodeBadRequest, "component %q is not made of 1 to 64 of a-z 0-9 . _ : / -", s.Component)
	}
	if len(s.Paths) > 10 {
		return Errorf(CodeBadRequest, "a lesson takes at most 10 paths, not %d", len(s.Paths))
	}
	for _, p := range s.Paths {
		if err := CheckGlob(p); err != nil {
			return err
		}
	}
	if err := checkLine("version", s.Version, 0, 64); err != nil {
		return err
	}
	return checkLine("environment", s.Environment, 0, 64)
}

// LessonQuery searches by words, best first; newest first without any. What
// is superseded or expired is found only with All.
type LessonQuery struct {
	Project   ProjectKey
	Text      string
	Kind      LessonKind   `enum:"lesson,fact,rejected,proposal"`
	Status    LessonStatus `enum:"observed,verified,disputed,superseded"`
	Tag       string
	Component string
	Path      string // lessons whose paths meet it
	For       TaskID // the task whose scope counts first
	Shared    bool   // of all projects, those of Project first
	All       bool
	Limit     int // 20 when 0, at most 100
}

// Validate checks everything that needs no stored record.
func (q LessonQuery) Validate() error {
	switch {
	case len(q.Text) > 500:
		return Errorf(CodeBadRequest, "a search takes at most 500 bytes, not %d", len(q.Text))
	case q.Kind != "" && !slices.Contains(LessonKinds, q.Kind):
		return badLessonKind(q.Kind)
	case q.Status != "" && !slices.Contains(LessonStatuses, q.Status):
		return Errorf(CodeBadRequest, "status %q is not observed, verified, disputed or superseded", string(q.Status))
	}
	return checkLine("path", q.Path, 0, 400)
}
