package store

import (
	"strings"

	"coord"
)

// restoredReason is what the records say of whatever a restore ended.
const restoredReason = "the server was restored from a backup"

// voids are what a restore takes away besides attempts: everything that would
// let somebody go on as if nothing had happened. What is granted for a time,
// or remembered of a request, gets a line here. Each "?" is the time of the
// restore.
var voids = []struct{ what, statement string }{
	{"sessions", "UPDATE sessions SET closed_at = ?, close_reason = '" + restoredReason + "' WHERE closed_at IS NULL"},
	{"web_sessions", "DELETE FROM web_sessions"},
	{"operator_tokens", "UPDATE tokens SET revoked_at = ?, revoke_reason = '" + restoredReason + "' WHERE role = 'operator' AND revoked_at IS NULL"},
	{"keys", "DELETE FROM idempotency"},
	{"tickets", "UPDATE tickets SET ended_at = ? WHERE ended_at IS NULL"},
	// A job may still run, and what it uses is not free.
	{"reservations", `UPDATE reservations SET released_at = ? WHERE released_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.state IN ('registered', 'running') AND (j.id = reservations.job OR reservations.job IS NULL AND j.attempt = reservations.attempt))`},
}

// voidAll ends every authority that the backup knew, and counts what ended.
// Saved work stays and waits for a disposition, without a grace. A landing that
// may have been pushed stays reserved until the remote was observed, under a
// lease that is over.
func (t *tx) voidAll() (map[string]int64, error) {
	ended := map[string]int64{}
	ids, err := list(&t.view, scanText[coord.AttemptID], "SELECT id FROM attempts WHERE ended IS NULL ORDER BY started_at, id")
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		a, err := t.attempt(id)
		if err != nil {
			return nil, err
		}
		if err := t.endAuthority(a, coord.StandingRevoked, restoredReason); err != nil {
			return nil, err
		}
		ended["attempts"]++
	}
	for _, v := range voids {
		args := make([]any, strings.Count(v.statement, "?"))
		for i := range args {
			args[i] = nanos(t.now)
		}
		if ended[v.what], err = t.exec(v.statement, args...); err != nil {
			return nil, err
		}
	}
	return ended, nil
}
