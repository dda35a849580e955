package work

import (
	"context"
	"fmt"
	"time"

	"coord"
	"coord/gitops"
)

// LandOptions says what to land: a code or integration task, or the next
// approved one.
type LandOptions struct {
	Task   coord.TaskID
	Target string
}

// landing is one landing under way on this machine.
type landing struct {
	*Desk
	held   coord.Held
	record coord.Landing
}

// Land takes the hold of a target, merges, verifies, publishes and records,
// or gives the target back with a reason. Interrupted anywhere, the same
// command goes on: the remote is read before anything is pushed again. A named
// task that has landed is answered with its landing; where a dead holder's
// landing stands before it, that one is finished first.
func (d *Desk) Land(ctx context.Context, o LandOptions) (coord.Landed, error) {
	for {
		held, err := d.hold(ctx, o)
		if err != nil {
			return d.alreadyLanded(ctx, o.Task, err)
		}
		landed, err := d.land(ctx, held)
		if err != nil {
			return d.landedUnder(ctx, held, err)
		}
		if o.Task == "" || o.Task == held.Task.ID || o.Task == held.Landing.Integration {
			return landed, nil
		}
		d.Say("%s landed; going on with %s", held.Task.ID, o.Task)
	}
}

// landedUnder answers for a landing that another process of the session
// finished under the same hold. What somebody landed who took the hold over is
// not this session's landing: the refusal stands.
func (d *Desk) landedUnder(ctx context.Context, held coord.Held, refusal error) (coord.Landed, error) {
	if code := coord.CodeOf(refusal); code != coord.CodeStateConflict && code != coord.CodeFenced {
		return coord.Landed{}, refusal
	}
	landed, ok := d.landed(ctx, held.Task.ID)
	if !ok || landed.Landing.ID != held.Landing.ID || landed.Landing.Fence != held.Attempt.Fence {
		return coord.Landed{}, refusal
	}
	return landed, nil
}

// land brings a held landing to its end.
func (d *Desk) land(ctx context.Context, held coord.Held) (coord.Landed, error) {
	if held.Landing.State == coord.LandingLanded {
		return coord.Landed{Task: held.Task, Landing: held.Landing, Replayed: true}, nil
	}
	l := &landing{Desk: d, held: held, record: held.Landing}
	stop := d.renewWhile(ctx, held.Attempt)
	defer stop()
	return l.run(ctx)
}

func (l *landing) run(ctx context.Context) (coord.Landed, error) {
	if err := l.reconcile(ctx); err != nil {
		return coord.Landed{}, l.unable(ctx, err)
	}
	if l.record.State == coord.LandingLanded { // before the restore, as the target shows
		task, err := l.Service.Task(ctx, l.held.Task.ID)
		return coord.Landed{Task: task.Task, Landing: l.record}, err
	}
	if l.record.State == coord.LandingPublishing {
		landed, err := l.settle(ctx)
		if err != nil || landed.Landing.State == coord.LandingLanded {
			return landed, err
		}
		l.record = landed.Landing
	}
	for l.record.Tries < coord.MaxTries || l.record.State == coord.LandingMerged {
		landed, again, err := l.try(ctx)
		if err != nil || !again {
			return landed, err
		}
		l.record = landed.Landing
		l.Say("%s moved; merging again", l.record.Target)
	}
	return coord.Landed{}, l.giveUp(ctx)
}

// renewWhile renews the integration lease until the returned function is
// called. A failed renewal is left to the next request to report.
func (d *Desk) renewWhile(ctx context.Context, a coord.Attempt) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	every := max(time.Duration(a.Lease.RemainingMS)*time.Millisecond/3, 200*time.Millisecond)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, _ = d.Service.Renew(ctx, coord.Renew{Attempt: a.ID, Fence: a.Fence})
			}
		}
	}()
	return func() { cancel(); <-done }
}

// try goes once from the fetched tip to an observation. again is true when
// the target moved in between.
func (l *landing) try(ctx context.Context) (_ coord.Landed, again bool, _ error) {
	s := l.held.Submission
	tip, in, err := l.fetch(ctx)
	if err != nil {
		return coord.Landed{}, false, l.unable(ctx, err)
	}
	if err := l.checkDiverged(ctx, tip); err != nil {
		return coord.Landed{}, false, err
	}
	if in {
		landed, err := l.observed(ctx, coord.RecordObservation{Tip: tip, Contained: true, Tree: s.Tree})
		return landed, false, err
	}
	runs, err := l.mergeAndVerify(ctx, tip)
	if err != nil {
		return coord.Landed{}, false, err
	}
	fence, err := l.readyToPush(ctx)
	if err != nil {
		return coord.Landed{}, false, l.unable(ctx, err)
	}
	permitted, err := l.Service.Permit(ctx, coord.Permit{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence,
		Base: l.record.Base, Result: l.record.Result, Tree: l.record.Tree, Runs: runs,
	})
	if err != nil {
		return coord.Landed{}, false, l.forbidden(ctx, err)
	}
	l.record = permitted
	return l.publish(ctx, fence)
}

// fetch brings the target's tip and the candidate here, and tells whether the
// one contains the other already.
func (l *landing) fetch(ctx context.Context) (tip coord.OID, in bool, err error) {
	if tip, err = l.fetchTarget(ctx, l.record.Target); err != nil {
		return "", false, err
	}
	s := l.held.Submission
	err = l.fetchCommit(ctx, s.Commit, s.Ref)
	if missing, ok := asError(err, coord.CodeRequirement); ok {
		return "", false, missing.WithNext("git push "+l.Remote+" "+string(s.Commit)+":"+s.Ref+" where the commit is",
			"coord revise --withdrawn "+string(l.held.Task.ID))
	}
	if err != nil {
		return "", false, err
	}
	in, err = l.Repo.IsAncestor(ctx, s.Commit, tip)
	return tip, in, err
}

// mergeAndVerify merges the candidate into tip, records it, and runs the
// required checks that no receipt covers yet. It returns the new runs.
func (l *landing) mergeAndVerify(ctx context.Context, tip coord.OID) ([]coord.Run, error) {
	merge, err := l.merge(ctx, tip)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	if len(merge.Conflicts) > 0 || merge.NotForward != "" {
		return nil, l.conflict(ctx, tip, merge)
	}
	checks, err := l.required(ctx, tip)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	receipts, err := l.recordMerge(ctx, tip, merge, definitions(checks))
	if err != nil {
		return nil, err
	}
	return l.verify(ctx, checks, coord.MissingChecks(definitions(checks), receipts, merge.Tree))
}

// recordMerge states the merge and returns the receipts that its tree has. A
// merge that an interrupted run recorded is the same one, since merging is
// deterministic, and is no further try.
func (l *landing) recordMerge(ctx context.Context, tip coord.OID, merge gitops.MergeResult, required []coord.RequiredCheck) ([]coord.Receipt, error) {
	if r := l.record; r.State == coord.LandingMerged && r.Base == tip && r.Result == merge.Commit {
		return l.Service.ReceiptsFor(ctx, l.Project, merge.Tree)
	}
	outside, err := l.outside(ctx, tip)
	if err != nil {
		return nil, l.unable(ctx, err)
	}
	if l.record.Tries >= coord.MaxTries {
		return nil, l.giveUp(ctx)
	}
	merged, err := l.Service.RecordMerge(ctx, coord.RecordMerge{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence,
		Base: tip, Result: merge.Commit, Tree: merge.Tree, Parents: merge.Parents, Required: required, Outside: outside,
	})
	if err == nil {
		l.record = merged.Landing
	}
	return merged.Receipts, err
}

// merge is deterministic for (submission, tip): names and dates come from the
// candidate and the record.
func (l *landing) merge(ctx context.Context, tip coord.OID) (gitops.MergeResult, error) {
	s, task := l.held.Submission, l.held.Task
	candidate, err := l.Repo.ReadCommit(ctx, s.Commit)
	if err != nil {
		return gitops.MergeResult{}, err
	}
	author := candidate.Author
	author.When = s.At
	subject := fmt.Sprintf("Merge %s: %s", task.ID, coord.OneLine(task.Title))
	if l.record.Strategy != coord.StrategyMerge {
		subject = fmt.Sprintf("%s (%s)\n\n%s", coord.OneLine(task.Title), task.ID, s.Summary)
	}
	return l.Repo.Merge(ctx, gitops.MergeSpec{
		Onto: tip, Candidate: s.Commit, Strategy: l.record.Strategy, Author: author, Message: subject,
		Trailers:  fmt.Sprintf("Coord-Task: %s\nCoord-Submission: %s\nCoord-Integration: %s", task.ID, s.ID, s.Integration),
		Committer: gitops.Signature{Name: "coord", Email: "coord@localhost", When: s.At},
	})
}

// outside lists up to 100 commits on the target since the last landing that
// was recorded; on a target without one, since the first try of this landing.
func (l *landing) outside(ctx context.Context, tip coord.OID) ([]coord.OID, error) {
	last, before := l.held.Target.Tip, []coord.OID(nil)
	if last == "" {
		last, before = l.record.Base, l.record.Outside
	}
	if last == "" || last == tip {
		return before, nil
	}
	if _, err := l.Repo.ReadCommit(ctx, last); err != nil {
		return nil, nil // another clone landed it and this one has not fetched it: nothing to compare with
	}
	commits, err := l.Repo.Log(ctx, last, tip, 100)
	if err != nil {
		return nil, err
	}
	var out []coord.OID
	for _, c := range commits {
		out = append(out, c.OID)
	}
	out = append(out, before...)
	return out[:min(len(out), 100)], nil
}
