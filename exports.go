package coord

import "time"

// ExportFile names one of the documents an export writes.
type ExportFile string

// The documents, named as their files are.
const (
	ExportBacklog ExportFile = "BACKLOG.md"
	ExportHandoff ExportFile = "HANDOFF.md"
	ExportRecord  ExportFile = "DURABLE-RECORD.md"
)

// ExportFiles lists every document in the order they are written.
var ExportFiles = []ExportFile{ExportBacklog, ExportHandoff, ExportRecord}

// ExportData is the state of a project that the Markdown documents show. AsOf
// is the last event that changed anything in it and Time is when that event
// happened, so that two exports of one state have the same bytes, whatever
// else was recorded in between.
type ExportData struct {
	Project  ProjectKey      `json:"project"`
	Name     string          `json:"name,omitempty"` // display name; the key stands in when empty
	AsOf     Seq             `json:"as_of"`
	Time     time.Time       `json:"time"`
	Tasks    []ExportTask    `json:"tasks"` // those of ImportBase.Tasks, in any order
	Attempts []ExportAttempt `json:"attempts"`
	Lessons  []ExportLesson  `json:"lessons"`
}

// ExportTask is a task with how far it is. Only Lifecycle decides the
// checkbox; Status is shown.
type ExportTask struct {
	ID        TaskID    `json:"id"`
	Title     string    `json:"title"`
	Outcome   string    `json:"outcome,omitempty"`
	Criteria  []string  `json:"criteria,omitempty"`
	Priority  Priority  `json:"priority"`
	Lifecycle Lifecycle `json:"lifecycle"`
	Status    Status    `json:"status,omitempty"`
	Landed    OID       `json:"landed,omitempty"` // commit on the target branch

	After        []TaskID  `json:"after,omitempty"`  // what it waits for, done or not
	Source       string    `json:"source,omitempty"` // path of a file that it stands in; empty for one recorded here
	Closed       time.Time `json:"closed,omitzero"`
	Reason       string    `json:"reason,omitempty"` // of a canceled one
	SupersededBy TaskID    `json:"superseded_by,omitempty"`
}

// ExportAttempt is work in flight: who holds which task, where it is saved,
// and what the last checkpoint said.
type ExportAttempt struct {
	Task       TaskID    `json:"task"`
	Title      string    `json:"title"`
	Generation int64     `json:"generation"`
	Owner      string    `json:"owner"`
	Branch     string    `json:"branch,omitempty"`
	Commit     OID       `json:"commit,omitempty"` // of the last checkpoint; empty before the first
	Saved      time.Time `json:"saved,omitzero"`   // when it was checkpointed
	Note       string    `json:"note,omitempty"`
	Next       string    `json:"next,omitempty"`
}

// ExportLesson is a lesson with where it comes from ("verified, pay-7").
type ExportLesson struct {
	ID     LessonID `json:"id"`
	Text   string   `json:"text"`
	Source string   `json:"source,omitempty"`

	Kind         LessonKind   `json:"kind,omitempty"`
	Status       LessonStatus `json:"status,omitempty"`
	Reopen       string       `json:"reopen,omitempty"` // of a rejected approach
	Scope        LessonScope  `json:"scope,omitzero"`
	Tags         []string     `json:"tags,omitempty"`
	ExpiresAt    *time.Time   `json:"expires_at,omitempty"`
	SupersededBy LessonID     `json:"superseded_by,omitempty"`
	Rule         *LessonRule  `json:"rule,omitempty"` // what a proposal became
}
