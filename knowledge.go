package coord

import "time"

// Lesson is knowledge with provenance; it is never binding.
type Lesson struct {
	ID      LessonID     `json:"id"`
	Project ProjectKey   `json:"project"`
	Text    string       `json:"text"`
	Author  string       `json:"author"`
	Task    TaskID       `json:"task,omitempty" doc:"Where it was learnt."`
	Status  LessonStatus `json:"status"`
	Source  string       `json:"source,omitempty" doc:"File it was imported from."`
	At      time.Time    `json:"at"`
}

// LessonStatus says how far a lesson is trusted.
type LessonStatus string

// The statuses of this version. A lesson is verified when the submission that
// carried it has landed.
const (
	LessonObserved LessonStatus = "observed"
	LessonVerified LessonStatus = "verified"
)

// Learn records a lesson.
type Learn struct {
	Key     Key        `json:"-"`
	Project ProjectKey `json:"-"`
	Task    TaskID     `json:"task,omitempty"`
	Text    string     `json:"text"`
}

// Validate checks everything that needs no stored record.
func (c Learn) Validate() error { return checkText("lesson", c.Text, 1, 2000) }

// LessonQuery searches by words, best first; newest first without any.
type LessonQuery struct {
	Project ProjectKey
	Text    string
	Limit   int // 20 when 0, at most 100
}
