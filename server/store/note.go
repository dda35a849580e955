package store

import (
	"context"
	"strconv"

	"coord"
)

// AddNote records a note under an attempt of the caller's own session. After
// the attempt's authority ended it is late, and changes nothing else.
func (s *service) AddNote(ctx context.Context, c coord.AddNote) (coord.Note, error) {
	if err := s.mayWork(); err != nil {
		return coord.Note{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Note{}, err
	}
	i := intent[coord.Note]{operation: "add_note", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Note, error) { return t.addNote(c) })
}

func (t *tx) addNote(c coord.AddNote) (coord.Note, error) {
	a, err := t.attempt(c.Attempt)
	if err != nil {
		return coord.Note{}, err
	}
	n, err := coord.NoteOn(a.Attempt, a.facts.Session, t.caller, c, t.now)
	if err != nil {
		return n, err
	}
	err = t.change("INSERT INTO notes (task, attempt, author, text, late, at) VALUES (?, ?, ?, ?, ?, ?)", string(n.Task), string(n.Attempt), n.Author, n.Text, n.Late, nanos(n.At))
	if err != nil {
		return n, err
	}
	said := n.Author + " noted on " + string(n.Task) + ": "
	if n.Late {
		said = n.Author + " noted late on " + string(n.Task) + ": "
	}
	return n, t.record(coord.Event{
		Kind: coord.EventNoteAdded, Project: a.project, Task: n.Task, Text: said + coord.OneLine(n.Text),
		Data: map[string]string{"attempt": string(n.Attempt), "late": strconv.FormatBool(n.Late)},
	})
}

func scanNote(r scanner) (n coord.Note, err error) {
	var at int64
	err = r.Scan(&n.Task, &n.Attempt, &n.Author, &n.Text, &n.Late, &at)
	n.At = instant(at)
	return n, err
}

// notesLimit bounds what a task's record shows.
const notesLimit = 200

// remarksOf adds what was said about a task: the latest notes, the decisions
// that park it or parked it, and all that ever blocked it.
func (v *view) remarksOf(d *coord.TaskDetail) (err error) {
	const notes = "SELECT task, attempt, author, text, late, at FROM (SELECT * FROM notes WHERE task = ? ORDER BY id DESC LIMIT ?) ORDER BY id"
	if d.Notes, err = list(v, scanNote, notes, string(d.ID), notesLimit); err != nil {
		return err
	}
	if d.Decisions, err = v.decisions(coord.DecisionQuery{Project: d.Project, Task: d.ID, Limit: notesLimit}); err != nil {
		return err
	}
	d.Blocked, err = v.blockersOf(d.ID)
	return err
}
