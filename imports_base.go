package coord

import "time"

// ImportBase is everything a Planner may know about the service: one
// consistent view as of the event AsOf. Admit repeats the request's wish.
type ImportBase struct {
	Project ProjectKey     `json:"project"`
	AsOf    Seq            `json:"as_of"`
	Admit   bool           `json:"admit,omitempty"`
	Records []ImportAnchor `json:"records"`
	Tasks   []ImportTask   `json:"tasks"`
	Lessons []ImportLesson `json:"lessons"`
	Files   []ImportedFile `json:"files"`
	Graph   []ImportNode   `json:"graph"`
	Links   []ImportLink   `json:"links,omitempty"` // of every task, oldest first; there may be none if no file is of an export
	Paths   []string       `json:"paths,omitempty"` // as in the request
}

// ImportNode is a task of any kind with what it waits for: for links between
// tasks. The base holds every task that people or agents recorded.
type ImportNode struct {
	ID        TaskID    `json:"id"`
	Lifecycle Lifecycle `json:"lifecycle"`
	After     []TaskID  `json:"after,omitempty"` // its dependencies, closed ones too
	Parts     []TaskID  `json:"parts,omitempty"` // an objective's children that are not closed
}

// ImportLink is a dependency that a task got or lost after it was created.
type ImportLink struct {
	Task    TaskID `json:"task"`
	After   TaskID `json:"after"`
	Removed bool   `json:"removed,omitempty"`
	At      Seq    `json:"at"` // event that says so
}

// ImportTask is a task as the planner sees it. The base holds exactly the
// tasks that an exported backlog lists: no review or integration tasks.
type ImportTask struct {
	ID        TaskID    `json:"id"`
	Title     string    `json:"title"`
	Outcome   string    `json:"outcome,omitempty"`
	Criteria  []string  `json:"criteria,omitempty"`
	After     []TaskID  `json:"after,omitempty"` // what it waits for, done or not
	Priority  Priority  `json:"priority"`
	Lifecycle Lifecycle `json:"lifecycle"`
	Revision  int64     `json:"revision"`
	Busy      bool      `json:"busy,omitempty"`   // an attempt, submission or landing is under way
	Created   Seq       `json:"created"`          // event that created it
	Edited    Seq       `json:"edited"`           // last event that changed title, outcome, criteria or priority; Created if none
	Closed    Seq       `json:"closed,omitempty"` // event that closed it; 0 while it is not closed
}

// ImportLesson is a lesson as the planner sees it.
type ImportLesson struct {
	ID      LessonID `json:"id"`
	Text    string   `json:"text"`
	Created Seq      `json:"created"`
	Edited  Seq      `json:"edited"` // last event that changed what it says; Created if none

	Kind   LessonKind   `json:"kind,omitempty"`
	Status LessonStatus `json:"status,omitempty"`
	Reopen string       `json:"reopen,omitempty"` // of a rejected approach
	Scope  LessonScope  `json:"scope,omitzero"`
	Tags   []string     `json:"tags,omitempty"`

	// What ExportLesson says of the same lesson, which no import changes.
	Source       string      `json:"source,omitempty"`
	ExpiresAt    *time.Time  `json:"expires_at,omitempty"`
	SupersededBy LessonID    `json:"superseded_by,omitempty"`
	Rule         *LessonRule `json:"rule,omitempty"`
}

// ImportedFile is one version of a file that was imported before. A path
// seen in several versions appears once per version, in any order.
type ImportedFile struct {
	Path     string     `json:"path"`
	As       SourceRole `json:"as"`
	Digest   string     `json:"digest"` // as ImportFile.Digest
	Revision string     `json:"revision,omitempty"`
	At       time.Time  `json:"at,omitzero"` // as SourceFile.At
	Seen     Seq        `json:"seen"`        // event of its latest import
}

// ImportAnchor is what the service remembers about one source record: where
// it was, what it said when it was last imported, and which task, lesson or
// handoff note it became. Key is unique in a project.
type ImportAnchor struct {
	Key      string       `json:"key"`
	Kind     RecordKind   `json:"kind"`
	Path     string       `json:"path"`
	Line     int          `json:"line"`
	Shape    string       `json:"shape"`
	Section  string       `json:"section,omitempty"`
	Label    string       `json:"label,omitempty"`
	Lead     string       `json:"lead"`
	Full     string       `json:"full"` // digest of the normalised own text
	Task     TaskID       `json:"task,omitempty"`
	Lesson   LessonID     `json:"lesson,omitempty"`
	Handoff  HandoffID    `json:"handoff,omitempty"` // its latest version
	Base     RecordFacets `json:"base"`
	Revision string       `json:"revision,omitempty"`
}

// RecordKind says what a source record becomes.
type RecordKind string

// The kinds of record.
const (
	RecordTask    RecordKind = "task"
	RecordLesson  RecordKind = "lesson"
	RecordHandoff RecordKind = "handoff"
)

// RecordFacets are the parts of a record that are compared one by one. Body is
// a task's outcome, a lesson's whole text or a handoff's note; a lesson's and a
// handoff's title is only for display. In an anchor Body is the SHA-256 of the
// body in hex, "" for an empty one. Kind, Tags, Scope and Reopen are a lesson's;
// in an anchor Kind is never empty for one, and what the source does not speak
// of is as it was when the record was first matched.
type RecordFacets struct {
	Title    string       `json:"title"`
	Body     string       `json:"body,omitempty"`
	Criteria []string     `json:"criteria,omitempty"`
	Priority Priority     `json:"priority,omitempty"` // "" when the source gives none
	After    []string     `json:"after,omitempty"`    // tasks only: what it waits for, as written (B-12, pay-42), sorted
	Status   RecordStatus `json:"status,omitempty"`   // tasks only
	Kind     LessonKind   `json:"kind,omitempty"`     // "" when the source names none
	Tags     []string     `json:"tags,omitempty"`     // sorted
	Scope    LessonScope  `json:"scope,omitzero"`
	Reopen   string       `json:"reopen,omitempty"`
}

// ReopenUnstated stands for the reopening condition of a rejected approach that
// was imported from a file which states none.
const ReopenUnstated = "somebody says so: the source states no condition"

// RecordStatus is what a source says about its record.
type RecordStatus string

// The statuses a source can state. Unknown is reported, never guessed.
const (
	SourceOpen       RecordStatus = "open"
	SourceBlocked    RecordStatus = "blocked"
	SourceParked     RecordStatus = "parked"
	SourceActive     RecordStatus = "active"  // somebody is at it; no work is offered for it
	SourcePartial    RecordStatus = "partial" // done in part: neither done nor ready
	SourceDone       RecordStatus = "done"
	SourceRejected   RecordStatus = "rejected"
	SourceSuperseded RecordStatus = "superseded"
	SourceConsumed   RecordStatus = "consumed" // handoffs and archives: history
	SourceUnknown    RecordStatus = "unknown"
)

// Closed reports whether the source calls the record finished in any way.
func (s RecordStatus) Closed() bool {
	return s == SourceDone || s == SourceRejected || s == SourceSuperseded || s == SourceConsumed
}
