package store

import (
	"context"
	"fmt"
	"slices"

	"coord"
)

// Reconcile compares a target with the record of a restored server, once: what
// landed after the backup is recorded as landed, and a task that a commit says
// is done, but the record cannot confirm, is blocked until somebody looked.
func (s *service) Reconcile(ctx context.Context, c coord.Reconcile) (coord.Reconciled, error) {
	if err := s.mayWork(); err != nil {
		return coord.Reconciled{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Reconciled{}, err
	}
	i := intent[coord.Reconciled]{operation: "reconcile", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentReconciled}
	return mutate(ctx, s, i, func(t *tx) (coord.Reconciled, error) { return t.reconcile(c) })
}

func currentReconciled(t *tx, out *coord.Reconciled) error {
	l, err := t.landing(out.Landing.ID)
	if err != nil {
		return err
	}
	out.Landing = l.Landing
	out.Target, err = t.target(l.Repository, l.Target)
	return err
}

func (t *tx) reconcile(c coord.Reconcile) (out coord.Reconciled, err error) {
	l, a, err := t.ownedLanding(c.Landing, c.Fence)
	if err != nil {
		return out, err
	}
	target, err := t.target(l.Repository, l.Target)
	if err != nil {
		return out, err
	}
	if target.Unreconciled {
		// Before what lands now: that moves the tip which the next look starts at.
		err = t.change(`INSERT INTO targets (repository, target, tip, observed_at, reconciled_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (repository, target) DO UPDATE SET tip = excluded.tip, observed_at = excluded.observed_at, reconciled_at = excluded.reconciled_at`,
			string(l.Repository), l.Target, string(c.Tip), nanos(t.now), nanos(t.now))
		if err != nil {
			return out, err
		}
		found := reconciling{tx: t, held: l, by: a, tip: c.Tip, out: &out}
		if err := found.takeAll(c.Found); err != nil {
			return out, err
		}
		text := fmt.Sprintf("%s compared %s with the restored record: %d commits since, %d of them landings that it did not know", t.caller.Name, l.Target, len(c.Found), len(out.Landed))
		if err := t.recordTarget(coord.EventTargetReconciled, l.Task.Project(), target, c.Tip, text); err != nil {
			return out, err
		}
	}
	out.Landing.ID = l.ID
	return out, currentReconciled(t, &out)
}

// reconciling takes the commits of one target into the record.
type reconciling struct {
	*tx
	held landingRow
	by   attemptRow
	tip  coord.OID
	out  *coord.Reconciled
}

// takeAll takes commits that come newest first. Of several that stand for one
// submission, such as a merge and the candidate in it, the newest counts. They
// are recorded in the order in which they landed.
func (r reconciling) takeAll(commits []coord.FoundCommit) error {
	var acts []func() error
	taken := map[coord.SubmissionID]bool{}
	for _, f := range commits {
		x, task, err := r.named(f)
		if err != nil {
			return err
		}
		id := f.Submission
		if x != nil {
			id = x.ID
		}
		if taken[id] {
			continue
		}
		switch f.Means(x, task.ID != "" && task.Lifecycle == coord.LifecycleOpen) {
		case coord.FoundLanded:
			acts = append(acts, func() error { return r.landedAs(x, f) })
		case coord.FoundDoubtful:
			acts = append(acts, func() error { return r.doubt(task, f) })
		case coord.FoundOutside:
			continue
		}
		taken[id] = true
	}
	for _, act := range slices.Backward(acts) {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

// named is the submission that a commit names, or whose candidate it is, and
// the task that it is of. A submission for another target is none.
func (r reconciling) named(f coord.FoundCommit) (*coord.Submission, taskRow, error) {
	x, found, err := one(&r.view, scanSubmission, "SELECT "+submissionColumns+` FROM submissions WHERE repository = ? AND target = ? AND (id = ? OR commit_id = ?)
		ORDER BY state = 'approved' DESC, id = ? DESC, at DESC LIMIT 1`, string(r.held.Repository), r.held.Target, string(f.Submission), string(f.Commit), string(f.Submission))
	if err != nil {
		return nil, taskRow{}, err
	}
	id := f.Submission.Task()
	if found {
		id = x.Task
	}
	if id == "" {
		return nil, taskRow{}, nil
	}
	task, err := r.task(id)
	if coord.CodeOf(err) == coord.CodeNotFound {
		return nil, taskRow{}, nil
	}
	if !found {
		return nil, task, err
	}
	return &x.Submission, task, err
}

// landedAs records the landing of an approved submission from what is on the
// target. The caller's own that may have been pushed is left to be observed.
func (r reconciling) landedAs(x *coord.Submission, f coord.FoundCommit) error {
	if x.ID == r.held.Submission {
		if r.held.State == coord.LandingPublishing {
			return nil
		}
		l, err := r.saveLanding(r.held, r.held.Reconstruct(f, r.tip))
		if err == nil {
			err = r.land(l, r.by)
		}
		r.out.Landed = append(r.out.Landed, l.ID)
		return err
	}
	l, err := r.reconstruct(x, f)
	if err != nil {
		return err
	}
	r.out.Landed = append(r.out.Landed, l.ID)
	return r.landed(l, fmt.Sprintf("%s found after the restore that %s landed on %s as %s", r.caller.Name, l.Task, l.Target, l.Result.Short()))
}

// reconstruct makes the record of a landing that the backup did not have. Its
// attempt is that of whoever found it.
func (r reconciling) reconstruct(x *coord.Submission, f coord.FoundCommit) (coord.Landing, error) {
	var n int64
	if _, err := r.get([]any{&n}, "SELECT count(*) + 1 FROM landings WHERE task = ?", string(x.Task)); err != nil {
		return coord.Landing{}, err
	}
	l := coord.Landing{
		ID: coord.NewLandingID(x.Task, n), Submission: x.ID, Task: x.Task, Integration: x.Integration, Repository: x.Repository, Target: x.Target,
		Strategy: r.held.Strategy, Holder: r.caller.Name, HeldAt: r.now, ChangedAt: r.now,
	}.Reconstruct(f, r.tip)
	return l, r.change(`INSERT INTO landings (id, project, task, number, submission, integration, attempt, generation, repository, target, strategy, state, holder,
			base, result, tree, reconstructed, observed_tip, held_at, changed_at, landed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'landed', ?, ?, ?, ?, 1, ?, ?, ?, ?)`,
		string(l.ID), string(l.Task.Project()), string(l.Task), n, string(l.Submission), string(l.Integration), string(r.by.ID), r.by.Generation, string(l.Repository), l.Target,
		string(l.Strategy), l.Holder, string(l.Base), string(l.Result), string(l.Tree), string(l.ObservedTip), nanos(r.now), nanos(r.now), nanos(r.now))
}

// doubt blocks a task once for a commit that says it landed.
func (r reconciling) doubt(task taskRow, f coord.FoundCommit) error {
	if slices.Contains(r.out.Blocked, task.ID) {
		return nil
	}
	r.out.Blocked = append(r.out.Blocked, task.ID)
	return r.addBlocker(coord.Blocker{
		Task: task.ID, Kind: coord.BlockedByEvidence, Actor: coord.ActorEither,
		Text:   fmt.Sprintf("commit %s on %s says that it landed %s, which this restored server does not know as approved", f.Commit.Short(), r.held.Target, f.Submission),
		Reopen: fmt.Sprintf("look at it, then: coord task cancel %s -m REASON, if it is done; coord task unblock %s -m REASON, if it is not", task.ID, task.ID),
	}, 0)
}
