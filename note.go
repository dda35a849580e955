package coord

import "time"

// Note is a remark on a task by a session that holds or once held an attempt
// of it. A late one, after the attempt's authority ended, changes nothing
// else.
type Note struct {
	Task    TaskID    `json:"task"`
	Attempt AttemptID `json:"attempt"`
	Author  string    `json:"author"`
	Text    string    `json:"text"`
	Late    bool      `json:"late,omitempty"`
	At      time.Time `json:"at"`
}

// AddNote records a note under the attempt of the caller's own session, live
// or not.
type AddNote struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Text    string    `json:"text"`
}

// Validate checks everything that needs no stored record.
func (c AddNote) Validate() error { return checkText("note", c.Text, 1, 4000) }

// NoteOn is the note that the command adds to an attempt, which owner holds or
// held. Others' attempts take none: what is said under an attempt is its own
// session's word.
func NoteOn(a Attempt, owner SessionID, by Caller, c AddNote, now time.Time) (Note, error) {
	if by.Session != owner {
		return Note{}, Errorf(CodeFenced, "%s is not an attempt of this session, so it takes no note of it; nothing was changed", a.ID).WithNext("coord status", "coord task show "+string(a.Task))
	}
	return Note{Task: a.Task, Attempt: a.ID, Author: by.Name, Text: c.Text, Late: a.Standing != StandingLive, At: now}, nil
}
