package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"coord"
)

// RecordReceipt records one check run under a live attempt.
func (s *service) RecordReceipt(ctx context.Context, c coord.RecordReceipt) (coord.Receipt, error) {
	if err := s.mayWork(); err != nil {
		return coord.Receipt{}, err
	}
	if err := c.Run.Validate(); err != nil {
		return coord.Receipt{}, err
	}
	i := intent[coord.Receipt]{operation: "record_receipt", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Receipt, error) {
		a, err := t.owned(c.Attempt, c.Fence)
		if err != nil {
			return coord.Receipt{}, err
		}
		task, err := t.task(a.Task)
		if err != nil {
			return coord.Receipt{}, err
		}
		return t.addReceipt(a, codeTask(task), c.Run)
	})
}

// codeTask is the task whose work a task is about: its own or its subject's.
func codeTask(t taskRow) coord.TaskID {
	if t.Kind != coord.KindReview && t.Kind != coord.KindIntegration {
		return t.ID
	}
	return t.Submission.Task()
}

// addReceipt stores the receipt of one run, for good. A decision that it states
// has to allow it.
func (t *tx) addReceipt(a attemptRow, task coord.TaskID, r coord.Run) (coord.Receipt, error) {
	if err := cmp.Or(r.CheckTimes(t.now), t.mayRerun(a.project, task, r)); err != nil {
		return coord.Receipt{}, err
	}
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO receipts (project, task, attempt, check_name, definition, command, tree, commit_id, base, result, exit_status, reason, changed,
			machine, toolchain, log_digest, started_at, ended_at, duration_ms, decision, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(a.project), string(task), string(a.ID), r.Check, r.Definition, r.Command, string(r.Tree), string(r.Commit), string(r.Base), string(r.Result), r.ExitStatus,
		r.Reason, toJSON(r.Changed), r.Machine, r.Toolchain, r.LogDigest, nanosOrNull(r.StartedAt), nanosOrNull(r.EndedAt), r.DurationMS, string(r.Decision), nanos(t.now))
	if err != nil {
		return coord.Receipt{}, err
	}
	all, err := t.receipts(a.project, r.Tree)
	if err != nil {
		return coord.Receipt{}, err
	}
	out := all[len(all)-1]
	flaky := ""
	if out.Flaky {
		flaky = ", flaky"
	}
	return out, t.record(coord.Event{
		Kind: coord.EventReceiptRecorded, Project: a.project, Task: task,
		Text: fmt.Sprintf("%s ran check %s on tree %s: %s%s", t.caller.Name, r.Check, r.Tree.Short(), r.Result, flaky),
		Data: map[string]string{"receipt": string(out.ID), "check": r.Check, "tree": string(r.Tree), "result": string(r.Result)},
	})
}

const underDecision = "SELECT " + receiptColumns + " FROM receipts WHERE project = ? AND decision = ? AND decision <> '' ORDER BY id"

// mayRerun refuses a run whose decision does not allow it.
func (t *tx) mayRerun(p coord.ProjectKey, task coord.TaskID, r coord.Run) error {
	if r.Decision == "" {
		return nil
	}
	d, err := t.decision(p, r.Decision)
	if err != nil {
		return err
	}
	carrying, err := list(&t.view, scanReceipt, underDecision, string(p), string(r.Decision))
	if err != nil {
		return err
	}
	return d.CheckRerun(task, r, carrying)
}

func nanosOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return nanos(t)
}

func receiptID(n int64) coord.ReceiptID { return coord.ReceiptID(fmt.Sprintf("r%d", n)) }

const receiptColumns = `id, task, attempt, check_name, definition, command, tree, commit_id, base, result, exit_status, reason, changed, machine, toolchain, log_digest,
	started_at, ended_at, duration_ms, decision, at`

func scanReceipt(r scanner) (x coord.Receipt, err error) {
	var id, at int64
	var started, ended sql.NullInt64
	var changed string
	err = r.Scan(&id, &x.Task, &x.Attempt, &x.Check, &x.Definition, &x.Command, &x.Tree, &x.Commit, &x.Base, &x.Result, &x.ExitStatus, &x.Reason, &changed,
		&x.Machine, &x.Toolchain, &x.LogDigest, &started, &ended, &x.DurationMS, &x.Decision, &at)
	if err != nil {
		return x, err
	}
	x.ID, x.At, x.StartedAt, x.EndedAt = receiptID(id), instant(at), instantOrNil(started), instantOrNil(ended)
	err = fromJSON(changed, &x.Changed)
	return x, err
}

// receipts are those that the project has for the tree, oldest first.
func (v *view) receipts(p coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	all, err := list(v, scanReceipt, "SELECT "+receiptColumns+" FROM receipts WHERE project = ? AND tree = ? ORDER BY id", string(p), string(tree))
	coord.MarkRuns(all)
	return all, err
}

// taskReceipts are those that were recorded for a task, oldest first. What they
// amount to depends on all runs on their trees.
const taskReceipts = "SELECT " + receiptColumns + " FROM receipts WHERE project = ? AND tree IN (SELECT tree FROM receipts WHERE task = ?) ORDER BY id"

func (v *view) taskReceipts(p coord.ProjectKey, task coord.TaskID) ([]coord.Receipt, error) {
	all, err := list(v, scanReceipt, taskReceipts, string(p), string(task))
	coord.MarkRuns(all)
	return slices.DeleteFunc(all, func(r coord.Receipt) bool { return r.Task != task }), err
}

// ReceiptsFor returns the receipts that cover a tree, oldest first.
func (s *service) ReceiptsFor(ctx context.Context, project coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Receipt, error) {
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		return v.receipts(project, tree)
	})
}
