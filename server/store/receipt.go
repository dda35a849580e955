package store

import (
	"context"
	"fmt"

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

// addReceipt stores the receipt of one run, for good.
func (t *tx) addReceipt(a attemptRow, task coord.TaskID, r coord.Run) (coord.Receipt, error) {
	out := coord.Receipt{
		Task: task, Attempt: a.ID, Check: r.Check, Definition: r.Definition, Tree: r.Tree, Commit: r.Commit, Base: r.Base,
		Result: r.Result, ExitStatus: r.ExitStatus, Reason: r.Reason, Changed: r.Changed, Machine: r.Machine, Toolchain: r.Toolchain,
		LogDigest: r.LogDigest, DurationMS: r.DurationMS, At: t.now,
	}
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO receipts (project, task, attempt, check_name, definition, tree, commit_id, base, result, exit_status, reason, changed,
			machine, toolchain, log_digest, duration_ms, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(a.project), string(task), string(a.ID), r.Check, r.Definition, string(r.Tree), string(r.Commit), string(r.Base), string(r.Result), r.ExitStatus,
		r.Reason, toJSON(r.Changed), r.Machine, r.Toolchain, r.LogDigest, r.DurationMS, nanos(t.now))
	if err != nil {
		return out, err
	}
	out.ID = receiptID(id)
	return out, t.record(coord.Event{
		Kind: coord.EventReceiptRecorded, Project: a.project, Task: task,
		Text: fmt.Sprintf("%s ran check %s on tree %s: %s", t.caller.Name, r.Check, r.Tree.Short(), r.Result),
		Data: map[string]string{"receipt": string(out.ID), "check": r.Check, "tree": string(r.Tree), "result": string(r.Result)},
	})
}

func receiptID(n int64) coord.ReceiptID { return coord.ReceiptID(fmt.Sprintf("r%d", n)) }

const receiptColumns = "id, task, attempt, check_name, definition, tree, commit_id, base, result, exit_status, reason, changed, machine, toolchain, log_digest, duration_ms, at"

func scanReceipt(r scanner) (x coord.Receipt, err error) {
	var id, at int64
	var changed string
	err = r.Scan(&id, &x.Task, &x.Attempt, &x.Check, &x.Definition, &x.Tree, &x.Commit, &x.Base, &x.Result, &x.ExitStatus, &x.Reason, &changed,
		&x.Machine, &x.Toolchain, &x.LogDigest, &x.DurationMS, &at)
	if err != nil {
		return x, err
	}
	x.ID, x.At = receiptID(id), instant(at)
	err = fromJSON(changed, &x.Changed)
	return x, err
}

// receipts are those that the project has for the tree, oldest first.
func (v *view) receipts(p coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	return list(v, scanReceipt, "SELECT "+receiptColumns+" FROM receipts WHERE project = ? AND tree = ? ORDER BY id", string(p), string(tree))
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
