package store

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"coord"
)

// addHandoff stores a note under the project's next number, as the latest
// version of the note before, if that is there. It fills in what the note does
// not say.
func (t *tx) addHandoff(n coord.HandoffNote, before coord.HandoffID) (coord.HandoffID, error) {
	var number, first, id int64
	if _, err := t.get([]any{&number}, "UPDATE projects SET last_handoff = last_handoff + 1 WHERE key = ? RETURNING last_handoff", string(n.Project)); err != nil {
		return "", err
	}
	if before != "" {
		_, err := t.get([]any{&first}, "SELECT first FROM handoffs WHERE project = ? AND number = ?", string(n.Project), handoffNumber(before))
		if err = cmp.Or(err, t.retireHandoff(n.Project, first)); err != nil {
			return "", err
		}
	}
	n.ID, n.At, n.Import = coord.NewHandoffID(number), t.now, t.head.seq+1
	_, err := t.get([]any{&id}, `INSERT INTO handoffs (project, number, first, title, body, date, branch, revision, path, line, last, commit_id, digest, written, day, at, seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(n.Project), number, cmp.Or(first, number), n.Title, n.Body, n.Date, n.Branch, n.Revision, n.Path, n.Line, n.Last, string(n.Commit), n.Digest,
		stamp(n.Written), n.Day(), nanos(n.At), int64(n.Import))
	if err != nil {
		return "", err
	}
	return n.ID, t.change("INSERT INTO handoff_words (rowid, words) VALUES (?, ?)", id, handoffTokens(n))
}

// retireHandoff makes room for a later version: lists do not show the latest one
// so far any more.
func (t *tx) retireHandoff(p coord.ProjectKey, first int64) error {
	if first == 0 {
		return nil
	}
	var id int64
	_, err := t.get([]any{&id}, "UPDATE handoffs SET latest = 0 WHERE project = ? AND first = ? AND latest = 1 RETURNING id", string(p), first)
	if err != nil {
		return err
	}
	return t.change("DELETE FROM handoff_words WHERE rowid = ?", id)
}

// handoffTokens are the words of a note, which have no colon, and its project.
func handoffTokens(n coord.HandoffNote) string {
	return named('p', string(n.Project)) + " " + strings.Join(n.Terms(), " ")
}

// handoffNumber is the inverse of coord.NewHandoffID; 0, which no note has, for
// anything else.
func handoffNumber(id coord.HandoffID) int64 {
	if !id.Valid() {
		return 0
	}
	n, _ := strconv.ParseInt(string(id[1:]), 10, 64)
	return n
}

const handoffColumns = "h.number, h.project, h.title, h.date, h.branch, h.revision, h.path, h.line, h.last, h.commit_id, h.digest, h.written, h.at, h.seq"

// scanHandoff reads a note without its text, and what more was asked for.
func scanHandoff(r scanner, more ...any) (n coord.HandoffNote, err error) {
	var number, written, at int64
	err = r.Scan(append([]any{&number, &n.Project, &n.Title, &n.Date, &n.Branch, &n.Revision, &n.Path, &n.Line, &n.Last, &n.Commit, &n.Digest, &written, &at, &n.Import}, more...)...)
	n.ID, n.At = coord.NewHandoffID(number), instant(at)
	if written != 0 {
		n.Written = instant(written)
	}
	return n, err
}

// Handoffs lists the latest versions, the newest day first.
func (s *service) Handoffs(ctx context.Context, q coord.HandoffQuery) (coord.Page[coord.HandoffNote], error) {
	page := coord.Page[coord.HandoffNote]{Items: []coord.HandoffNote{}}
	if err := cmp.Or(s.mayRead(), q.Validate()); err != nil {
		return page, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Page[coord.HandoffNote], error) {
		if _, err := v.project(q.Project); err != nil {
			return page, err
		}
		err := v.listHandoffs(q, &page)
		return page, err
	})
}

// foundHandoffs bounds how many that have the words of a search are put in
// order.
const foundHandoffs = 1000

// handoffList is a list of the latest versions from a table h that fit where.
func handoffList(from, where string) string {
	return "SELECT " + handoffColumns + ", h.day FROM " + from + " WHERE h.project = ? AND h.latest = 1" + where + " ORDER BY h.day DESC, h.number DESC LIMIT ?"
}

const (
	handoffAll    = "handoffs h"
	handoffOfText = "(SELECT rowid AS id FROM handoff_words WHERE handoff_words MATCH ? ORDER BY rowid DESC LIMIT ?) w CROSS JOIN handoffs h ON h.id = w.id"
	handoffOfPath = " AND h.path = ?"
	handoffBefore = " AND (h.day, h.number) < (?, ?)"
)

func (v *view) listHandoffs(q coord.HandoffQuery, page *coord.Page[coord.HandoffNote]) (err error) {
	if page.AsOf, err = v.projectSeq(q.Project); err != nil {
		return err
	}
	from, where, args := handoffAll, "", []any{}
	if strings.TrimSpace(q.Text) != "" {
		terms := coord.SearchTerms(q.Text)
		if len(terms) == 0 {
			return nil // nothing was asked for that a text could have
		}
		words := append(wordMatch(terms), sought(named('p', string(q.Project))))
		from, args = handoffOfText, append(args, strings.Join(words, " AND "), foundHandoffs)
	}
	args = append(args, string(q.Project))
	if q.Path != "" {
		where, args = where+handoffOfPath, append(args, q.Path)
	}
	if q.Cursor != "" {
		day, number, err := parseHandoffCursor(q.Cursor)
		if err != nil {
			return err
		}
		where, args = where+handoffBefore, append(args, day, number)
	}
	limit := 20
	if q.Limit > 0 {
		limit = min(q.Limit, 100)
	}
	var days []string
	page.Items, err = list(v, func(r scanner) (coord.HandoffNote, error) {
		var day string
		n, err := scanHandoff(r, &day)
		days = append(days, day)
		return n, err
	}, handoffList(from, where), append(args, limit+1)...)
	if err == nil && len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.NextCursor = days[limit-1] + "." + strings.TrimPrefix(string(page.Items[limit-1].ID), "H")
	}
	return err
}

// parseHandoffCursor reads the place of a note in a list: its day and number.
func parseHandoffCursor(s string) (day string, number int64, err error) {
	day, n, ok := strings.Cut(s, ".")
	number = handoffNumber(coord.HandoffID("H" + n))
	if _, err := time.Parse(time.DateOnly, day); err != nil || !ok || number == 0 {
		return "", 0, badCursor()
	}
	return day, number, nil
}

// Handoff is one note with its other versions.
func (s *service) Handoff(ctx context.Context, p coord.ProjectKey, id coord.HandoffID) (coord.HandoffDetail, error) {
	if err := s.mayRead(); err != nil {
		return coord.HandoffDetail{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.HandoffDetail, error) {
		if _, err := v.project(p); err != nil {
			return coord.HandoffDetail{}, err
		}
		return v.handoffDetail(p, id)
	})
}

// earlierHandoffs are the versions before one. Parameters: project, number of
// the first version, its own, how many.
const earlierHandoffs = "SELECT " + handoffColumns + " FROM handoffs h WHERE h.project = ? AND h.first = ? AND h.number < ? ORDER BY h.number DESC LIMIT ?"

func (v *view) handoffDetail(p coord.ProjectKey, id coord.HandoffID) (d coord.HandoffDetail, err error) {
	var first int64
	var latest bool
	note, found, err := one(v, func(r scanner) (coord.HandoffNote, error) { return scanHandoff(r, &d.Body, &first, &latest) },
		"SELECT "+handoffColumns+", h.body, h.first, h.latest FROM handoffs h WHERE h.project = ? AND h.number = ?", string(p), handoffNumber(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no handoff note %q in %s; nothing was changed", string(id), p).WithNext("coord handoffs")
	}
	if err != nil {
		return d, err
	}
	note.Body = d.Body
	d.HandoffNote = note
	if !latest {
		var n int64
		if _, err = v.get([]any{&n}, "SELECT number FROM handoffs WHERE project = ? AND first = ? AND latest = 1", string(p), first); err != nil {
			return d, err
		}
		d.Later = coord.NewHandoffID(n)
	}
	d.Earlier, err = list(v, func(r scanner) (coord.HandoffNote, error) { return scanHandoff(r) }, earlierHandoffs, string(p), first, handoffNumber(id), 50)
	return d, err
}
