package work

import (
	"cmp"
	"context"
	"fmt"

	"coord"
	"coord/gitops"
)

// readyToPush proves, before the permit, that the push can only move the
// target forward, and makes the fence's next value.
func (l *landing) readyToPush(ctx context.Context) (gitops.RefUpdate, error) {
	ok, err := l.Repo.IsAncestor(ctx, l.record.Base, l.record.Result)
	if err == nil && !ok {
		err = coord.Errorf(coord.CodeInternal, "the merge %s does not contain the tip %s; it was not pushed", l.record.Result.Short(), l.record.Base.Short())
	}
	if err != nil {
		return gitops.RefUpdate{}, err
	}
	return l.nextFence(ctx, "publish", l.record.Base)
}

// publish pushes the permitted result together with the fence ref, and
// reports what the remote then holds.
func (l *landing) publish(ctx context.Context, fence gitops.RefUpdate) (_ coord.Landed, again bool, _ error) {
	target := gitops.RefUpdate{Name: "refs/heads/" + l.record.Target, New: l.record.Result, Old: gitops.Exactly(l.record.Base)}
	pushErr := l.Repo.Push(ctx, l.Remote, []gitops.RefUpdate{target, fence}, true)
	o, err := l.readBack(ctx)
	if err == nil && l.untouched(o) && pushErr != nil && coord.CodeOf(pushErr) != coord.CodeStateConflict {
		o, pushErr, err = l.second(ctx, target, fence, pushErr)
	}
	if err != nil {
		return coord.Landed{}, false, uncertain(l.held.Task.ID, err)
	}
	return l.conclude(ctx, o, pushErr)
}

// untouched reports whether the target is where the permit found it.
func (l *landing) untouched(o coord.RecordObservation) bool {
	return !o.Contained && o.Tip == l.record.Base
}

// second finds out why the first push did not arrive. Moving the fence alone
// ends whatever of it may still be under way, and tells the causes apart: the
// remote takes no fence ref, and then the target is pushed without one; or the
// push broke off, and then it is made once more; or the remote does not take
// this target. A fence that someone else moved is neither: then nothing more
// is pushed.
func (l *landing) second(ctx context.Context, target, first gitops.RefUpdate, pushErr error) (coord.RecordObservation, error, error) {
	fence, err := l.nextFence(ctx, "settle", l.record.Base)
	if err != nil {
		return coord.RecordObservation{}, nil, err
	}
	fence.Old = first.Old // not what is there now: that may be another holder's
	fenceErr := l.moveFence(ctx, fence)
	if coord.CodeOf(fenceErr) == coord.CodeUnavailable {
		return coord.RecordObservation{}, nil, fenceErr
	}
	o, err := l.readBack(ctx)
	switch {
	case err != nil || !l.untouched(o):
		return o, pushErr, err
	case coord.CodeOf(fenceErr) == coord.CodeRemoteRefused:
		return l.weakly(ctx, target)
	case fenceErr == nil && coord.CodeOf(pushErr) == coord.CodeUnavailable:
		return l.onceMore(ctx, target, fence.New)
	}
	return o, pushErr, nil
}

// onceMore repeats a push that broke off. If it breaks off again although the
// remote answers, the remote takes no atomic push, and the fence, which moved
// just before, and the target go one after the other.
func (l *landing) onceMore(ctx context.Context, target gitops.RefUpdate, moved coord.OID) (o coord.RecordObservation, pushErr, err error) {
	fence, err := l.nextFence(ctx, "publish again", l.record.Base)
	if err != nil {
		return o, nil, err
	}
	fence.Old = gitops.Exactly(moved)
	pushErr = l.Repo.Push(ctx, l.Remote, []gitops.RefUpdate{target, fence}, true)
	o, err = l.readBack(ctx)
	if err == nil && l.untouched(o) && coord.CodeOf(pushErr) == coord.CodeUnavailable {
		return l.weakly(ctx, target)
	}
	return o, pushErr, err
}

// weakly pushes the target without the fence.
func (l *landing) weakly(ctx context.Context, target gitops.RefUpdate) (o coord.RecordObservation, pushErr, err error) {
	pushErr = l.Repo.Push(ctx, l.Remote, []gitops.RefUpdate{target}, false)
	o, err = l.readBack(ctx)
	o.Weak = true
	return o, pushErr, err
}

// conclude records the observation, and gives the target back when the remote
// definitely refused although it did not move.
func (l *landing) conclude(ctx context.Context, o coord.RecordObservation, pushErr error) (coord.Landed, bool, error) {
	if pushErr != nil && !o.Contained {
		o.Refusal = clip(pushErr.Error(), 500)
	}
	landed, err := l.observed(ctx, o)
	if err != nil || o.Contained {
		return landed, false, err
	}
	if !l.untouched(o) {
		return landed, true, nil
	}
	why := cmp.Or(o.Refusal, "it reported success and changed nothing")
	_, err = l.Service.FailLanding(ctx, coord.FailLanding{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence, State: coord.LandingReleased, Reason: "the remote did not take the push: " + why,
	})
	if err != nil {
		return coord.Landed{}, false, err
	}
	return coord.Landed{}, false, coord.Errorf(coord.CodeRemoteRefused, "the remote did not take the push of %s to %s: %s; the target is free again",
		l.held.Task.ID, l.record.Target, why).WithNext("coord doctor", "coord integrate "+string(l.held.Task.ID))
}

// settle decides a publication that a former holder, or an earlier run, left
// uncertain. The fence moves first, so that a paused pusher can no longer
// push; then the remote is read.
func (l *landing) settle(ctx context.Context) (coord.Landed, error) {
	at, err := l.fetchTarget(ctx, l.record.Target)
	if err != nil {
		return coord.Landed{}, uncertain(l.held.Task.ID, err)
	}
	fence, err := l.nextFence(ctx, "settle", at)
	if err != nil {
		return coord.Landed{}, uncertain(l.held.Task.ID, err)
	}
	fenceErr := l.moveFence(ctx, fence)
	if fenceErr != nil && coord.CodeOf(fenceErr) != coord.CodeRemoteRefused {
		return coord.Landed{}, uncertain(l.held.Task.ID, fenceErr)
	}
	o, err := l.readBack(ctx)
	if err != nil {
		return coord.Landed{}, uncertain(l.held.Task.ID, err)
	}
	o.Weak = fenceErr != nil
	return l.observed(ctx, o)
}

// nextFence is the update that moves the target's fence ref from the value it
// has on the remote to a new one. Step is part of the value: a publication and
// its settling must differ, because a remote takes a push of the value that it
// already has, whatever the push expected. The tree is that of a commit which
// is here and on the remote.
func (l *landing) nextFence(ctx context.Context, step string, at coord.OID) (gitops.RefUpdate, error) {
	name := l.fenceRef(l.record.Target)
	refs, err := l.Repo.Observe(ctx, l.Remote, name)
	if err != nil {
		return gitops.RefUpdate{}, err
	}
	commit, err := l.Repo.ReadCommit(ctx, at)
	if err != nil {
		return gitops.RefUpdate{}, err
	}
	spec := gitops.CommitSpec{
		Tree: commit.Tree,
		Message: fmt.Sprintf("Fence of %s\n\nCoord-Landing: %s\nCoord-Fence: %s\nCoord-Try: %d\nCoord-Step: %s\n",
			l.record.Target, l.record.ID, l.held.Attempt.Fence, l.record.Tries, step),
		Author:    &gitops.Signature{Name: "coord", Email: "coord@localhost", When: l.record.ChangedAt},
		Committer: &gitops.Signature{Name: "coord", Email: "coord@localhost", When: l.record.ChangedAt},
	}
	next, err := l.Repo.CommitTree(ctx, spec)
	return gitops.RefUpdate{Name: name, New: next, Old: expectation(refs[name])}, err
}

// moveFence pushes the fence alone. Code remote_refused means that the remote
// takes no fence ref; one that somebody else moved, before or after, is a
// state_conflict.
func (l *landing) moveFence(ctx context.Context, fence gitops.RefUpdate) error {
	err := l.pushAndReadBack(ctx, fence)
	if coord.CodeOf(err) != coord.CodeRemoteRefused {
		return err
	}
	refs, obsErr := l.Repo.Observe(ctx, l.Remote, fence.Name)
	if obsErr != nil {
		return obsErr
	}
	if now := refs[fence.Name]; expectation(now) != fence.Old {
		return coord.Errorf(coord.CodeStateConflict, "somebody else moved %s to %s; nothing was pushed", fence.Name, now.Short()).
			WithNext("coord integrate " + string(l.held.Task.ID))
	}
	return err
}

// readBack reads the target from the remote and decides by ancestry whether
// it contains the result.
func (l *landing) readBack(ctx context.Context) (coord.RecordObservation, error) {
	tip, err := l.fetchTarget(ctx, l.record.Target)
	if err != nil {
		return coord.RecordObservation{}, err
	}
	o := coord.RecordObservation{Tip: tip}
	if o.Contained, err = l.inHistory(ctx, l.record.Result, tip); err != nil || !o.Contained {
		return o, err
	}
	landed, err := l.Repo.ReadCommit(ctx, l.record.Result)
	o.Tree = landed.Tree
	return o, err
}

func (l *landing) observed(ctx context.Context, o coord.RecordObservation) (coord.Landed, error) {
	o.Landing, o.Fence, o.Try = l.record.ID, l.held.Attempt.Fence, l.record.Tries
	return l.Service.RecordObservation(ctx, o)
}

func uncertain(task coord.TaskID, cause error) error {
	return coord.Errorf(coord.CodeUnavailable, "the push of %s may or may not have arrived: %w; the remote decides", task, cause).
		WithNext("coord integrate " + string(task))
}
