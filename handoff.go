package coord

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// HandoffNote is a note that an import brought in from a handoff: dated history
// for who works on. What it claims about branches and merges was so when it was
// written; no rule reads it, and it permits nothing.
type HandoffNote struct {
	ID      HandoffID  `json:"id"`
	Project ProjectKey `json:"project"`
	Title   string     `json:"title"`
	Body    string     `json:"body,omitempty" doc:"Absent in a list."`
	HandoffFacts

	Path    string    `json:"path" doc:"File that it was imported from."`
	Line    int       `json:"line" doc:"Of its first line, from 1."`
	Last    int       `json:"last" doc:"Of the last line that belongs to it."`
	Commit  OID       `json:"commit,omitempty" doc:"Commit that the file was read from, or that the work tree stood on."`
	Digest  string    `json:"digest" doc:"SHA-256 of the file's exact bytes, in hex."`
	Written time.Time `json:"written,omitzero" doc:"When these bytes were committed, or last written in a work tree."`
	At      time.Time `json:"at" doc:"When it was imported."`
	Import  Seq       `json:"import" doc:"Events of its import are this one and later ones."`
}

// HandoffFacts are what a note says of itself, or its file of all its notes.
// They are read out of the text, so none is ever compared or merged.
type HandoffFacts struct {
	Date     string `json:"date,omitempty" doc:"Day that the note states: 2006-01-02."`
	Branch   string `json:"branch,omitempty" doc:"Branch that it names. A claim of that day, not permission."`
	Revision string `json:"revision,omitempty" doc:"Object id that it names, of 7 to 64 digits."`
}

// Day orders notes: the one that the note states, else that of the file, else
// that of the import.
func (n HandoffNote) Day() string {
	switch {
	case n.Date != "":
		return n.Date
	case !n.Written.IsZero():
		return n.Written.UTC().Format(time.DateOnly)
	}
	return n.At.UTC().Format(time.DateOnly)
}

// Terms are what a note is found by: every word of it, as it is spelled and
// without endings.
func (n HandoffNote) Terms() []string {
	return wordTerms(math.MaxInt, n.Title, n.Branch, n.Revision, n.Path, n.Body)
}

// HandoffDetail is a note with its other versions.
type HandoffDetail struct {
	HandoffNote
	Later   HandoffID     `json:"later,omitempty" doc:"The latest version of the note, if this is an earlier one."`
	Earlier []HandoffNote `json:"earlier,omitempty" doc:"Earlier versions without their texts: the latest 50, newest first."`
}

// Valid reports whether an id names a handoff note: H and a number from 1.
func (h HandoffID) Valid() bool {
	n, err := parseCount(strings.TrimPrefix(string(h), "H"))
	return err == nil && n > 0 && h == NewHandoffID(n)
}

// NewHandoffID names the nth handoff note of a project.
func NewHandoffID(n int64) HandoffID { return HandoffID("H" + strconv.FormatInt(n, 10)) }

// HandoffQuery lists the latest version of each note, the newest day first. Of
// those that have the words of Text, the 1000 that were imported last are
// looked at.
type HandoffQuery struct {
	Project ProjectKey
	Text    string // words, all of them; the last may be the beginning of one
	Path    string // notes of this file
	Limit   int    // 20 when 0, at most 100
	Cursor  string // NextCursor of the page before
}

// Validate checks everything that needs no stored record.
func (q HandoffQuery) Validate() error {
	if len(q.Text) > 500 {
		return Errorf(CodeBadRequest, "a search takes at most 500 bytes, not %d", len(q.Text))
	}
	return checkLine("path", q.Path, 0, 1024)
}
