package work

import (
	"context"
	"fmt"
	"time"

	"coord"
	"coord/gitops"
)

// unable gives the target back because something on this machine or at the
// remote stands in the way, before a permit: others may land meanwhile. It
// returns the cause, which is what the caller needs to know; also when ctx was
// cancelled. Where the target cannot be given back, the same command goes on.
func (l *landing) unable(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = l.Service.FailLanding(ctx, coord.FailLanding{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence, State: coord.LandingReleased, Reason: clip(cause.Error(), 500),
	})
	return cause
}

// forbidden gives the target back after a refusal that only others can lift: an
// approval that was taken back, a task that was edited or blocked, a person's
// word that is missing. It returns the refusal.
func (l *landing) forbidden(ctx context.Context, refusal error) error {
	switch coord.CodeOf(refusal) {
	case coord.CodeStateConflict, coord.CodeNotPermitted:
		return l.unable(ctx, refusal)
	}
	return refusal
}

// conflict gives the target back and says who can do what.
func (l *landing) conflict(ctx context.Context, tip coord.OID, merge gitops.MergeResult) error {
	task, paths := l.held.Task.ID, merge.Conflicts
	reason := "conflicts with " + l.record.Target + " at " + tip.Short()
	if merge.NotForward != "" {
		reason = "does not go onto " + l.record.Target + " at " + tip.Short() + " as a " + string(l.record.Strategy) + ": " + merge.NotForward
	}
	_, err := l.Service.FailLanding(ctx, coord.FailLanding{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence, State: coord.LandingConflict, Base: tip,
		Conflicts: paths[:min(len(paths), 500)], Reason: reason,
	})
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		reason += " in " + summary(paths)
	}
	return coord.Errorf(coord.CodeMergeConflict, "%s %s; the target is free again and nothing was published", task, reason).WithDetail("task", string(task)).WithNext("coord revise --conflict " + string(task))
}

func summary(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
}

// failed gives the target back after a check that did not pass.
func (l *landing) failed(ctx context.Context, bad coord.Run, runs []coord.Run) error {
	task := l.held.Task.ID
	reason := "check " + bad.Check + " " + string(bad.Result) + " on the merged tree"
	if len(bad.Changed) > 0 {
		reason = "check " + bad.Check + " changed " + bad.Changed[0] + " on the merged tree"
	}
	_, err := l.Service.FailLanding(ctx, coord.FailLanding{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence, State: coord.LandingFailed, Base: l.record.Base, Reason: reason, Runs: runs,
	})
	if err != nil {
		return err
	}
	return coord.Errorf(coord.CodeCheckFailed, "%s was not landed: %s %s; the target is free again and nothing was published", task, reason, l.record.Tree.Short()).
		WithDetail("task", string(task)).WithNext("coord revise --check-failed " + string(task))
}

// giveUp passes the hold on after too many merges.
func (l *landing) giveUp(ctx context.Context) error {
	_, err := l.Service.FailLanding(ctx, coord.FailLanding{
		Landing: l.record.ID, Fence: l.held.Attempt.Fence, State: coord.LandingReleased,
		Reason: fmt.Sprintf("%s was merged %d times and %s moved on", l.held.Task.ID, l.record.Tries, l.record.Target),
	})
	if err != nil {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, "%s moved on each of the %d times that %s was merged; it keeps its place and the target is free",
		l.record.Target, l.record.Tries, l.held.Task.ID).WithNext("coord integrate " + string(l.held.Task.ID))
}
