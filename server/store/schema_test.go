package store

import (
	"errors"
	"strings"
	"testing"
)

// TestSchemaRefuses tries straight on the tables what no code may do: the last
// line of defence does not depend on the rules above it.
func TestSchemaRefuses(t *testing.T) {
	s, alpha := guardedWorld(t)
	const another = "INSERT INTO attempts (id, project, task, kind, generation, session, owner, started_at, expires_at, progress_at, ended, ended_at) " +
		"SELECT id || 'x', project, task, kind, "
	const review = "INSERT INTO reviews (submission, task, attempt, principal, commit_id, digest, verdict, actor, reviewer, note, at) " +
		"VALUES ('pay-4.s1', 'pay-4', 'pay-1.a1', 'p', 'c', 'd', 'approved', 'agent', 'r', '', 1)"
	const receipt = "INSERT INTO receipts (project, task, attempt, check_name, definition, command, tree, commit_id, base, result, exit_status, reason, changed, machine, toolchain, log_digest, duration_ms, decision, at) " +
		"VALUES ('pay', 'pay-1', 'pay-1.a1', 'test', 'd', '', 't', '', '', 'passed', 0, '', 'null', '', '', '', 1, '', 1)"
	for _, c := range []struct {
		name           string
		first, refused string
	}{
		{"L1 a second owner", "", another + "7, session, owner, started_at, expires_at, progress_at, NULL, NULL FROM attempts WHERE id = 'pay-1.a1'"},
		{"L1 an ended attempt that owns again", "", "UPDATE attempts SET ended = NULL, ended_at = NULL WHERE id = 'pay-4.a1'"},
		{"L3 a generation used twice", "", another + "1, session, owner, started_at, expires_at, progress_at, 'released', 1 FROM attempts WHERE id = 'pay-1.a1'"},
		{"L3 a generation that decreases", "", "UPDATE tasks SET generation = 0 WHERE id = 'pay-1'"},
		{"L3 an attempt of another generation", "", "UPDATE attempts SET generation = 9 WHERE id = 'pay-1.a1'"},
		{"L8 an ended lease that is extended", "", "UPDATE attempts SET expires_at = expires_at + 1 WHERE id = 'pay-4.a1'"},
		{"L12 an attempt of another session", "", "UPDATE attempts SET session = (SELECT id FROM sessions WHERE name = 'bravo') WHERE id = 'pay-1.a1'"},
		{"V1 an edited receipt", receipt, "UPDATE receipts SET result = 'failed'"},
		{"V1 a deleted receipt", receipt, "DELETE FROM receipts"},
		{"V4 a submission of another commit", "", "UPDATE submissions SET commit_id = 'x' WHERE id = 'pay-4.s1'"},
		{"V8 an edited review", review, "UPDATE reviews SET verdict = 'changes_requested'"},
		{"V8 a deleted review", review, "DELETE FROM reviews"},
		{"V8 a second review", review, review},
		{"D6 an edited event", "", "UPDATE events SET text = 'x' WHERE seq = 1"},
		{"D6 a deleted event", "", "DELETE FROM events WHERE seq = 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			undo := errors.New("leave everything as it was")
			err := s.writer.do(t.Context(), alpha, func(x *tx) error {
				if c.first != "" {
					if err := x.change(c.first); err != nil {
						return err
					}
				}
				if n, err := x.exec(c.refused); err == nil {
					t.Errorf("%d rows were changed", n)
				} else if !strings.Contains(err.Error(), "constraint failed") {
					t.Errorf("it fails for another reason: %v", err)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Errorf("%v", err)
			}
		})
	}
}
