package work

import (
	"errors"
	"strconv"
	"strings"

	"coord"
)

// asError returns err as a *coord.Error of the code.
func asError(err error, code coord.Code) (*coord.Error, bool) {
	var e *coord.Error
	ok := errors.As(err, &e) && e.Code == code
	return e, ok
}

// resumable reports a refusal that the same session lifts by resuming.
func resumable(err error) bool {
	var e *coord.Error
	return errors.As(err, &e) && e.Details["resumable"] == "true"
}

// ended reports a refusal that says the attempt is over for this session.
func ended(err error) bool {
	switch coord.CodeOf(err) {
	case coord.CodeFenced, coord.CodeTaskTaken, coord.CodeStateConflict, coord.CodeRecoveryRequired, coord.CodeNotFound, coord.CodeNotIndependent:
		return !resumable(err)
	}
	return false
}

// undecided reports a failure that decided nothing: no answer, or none about
// the record.
func undecided(err error) bool {
	status := coord.CodeOf(err).HTTPStatus()
	return err != nil && (status >= 500 || status == 429)
}

// clip bounds a text that another program wrote, for the record.
func clip(s string, limit int) string {
	s = coord.OneLine(s)
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + " ..."
	}
	return s
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // the server wrote it; 0 is refused as a wrong generation
	return n
}
