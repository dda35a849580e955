package work

import (
	"context"
	"fmt"
	"strings"

	"coord"
	"coord/gitops"
)

// revertPoint is where an attempt begins that takes a landing back: at a commit
// that does so, or at the target's tip where that cannot be computed.
func (d *Desk) revertPoint(ctx context.Context, task coord.TaskID, id coord.LandingID, tip coord.OID) (startingPoint, error) {
	plain := startingPoint{commit: tip, base: tip}
	l, err := d.landedAs(ctx, id)
	if err != nil {
		return plain, err
	}
	in, err := d.inHistory(ctx, l.Result, tip)
	if err != nil {
		return plain, err
	}
	if !in {
		d.Say("%s does not contain what %s landed, so there is nothing to take back there", l.Target, l.Task)
		return plain, nil
	}
	made, err := d.Repo.Revert(ctx, gitops.RevertSpec{
		Onto: tip, Base: l.Base, Landed: l.Result,
		Message: fmt.Sprintf("Revert %s\n\nThis takes back what landed as %s.\n\nCoord-Task: %s\nCoord-Reverts: %s\n", l.Task, l.Result, task, l.ID),
	})
	switch {
	case err != nil:
		return plain, err
	case len(made.Conflicts) > 0:
		d.Say("later work conflicts with taking %s back in %s: the worktree begins at %s, and the revert is yours to make", l.Task, strings.Join(made.Conflicts, ", "), tip.Short())
		return plain, nil
	}
	d.Say("the branch begins with a commit that takes %s back", l.Task)
	return startingPoint{commit: made.Commit, base: tip}, nil
}

func (d *Desk) landedAs(ctx context.Context, id coord.LandingID) (coord.Landing, error) {
	t, err := d.Service.Task(ctx, id.Task())
	if err != nil {
		return coord.Landing{}, err
	}
	for _, l := range t.Landings {
		if l.ID == id && l.State == coord.LandingLanded {
			return l, nil
		}
	}
	return coord.Landing{}, coord.Errorf(coord.CodeNotFound, "there is no landing %s to take back", coord.OneLine(string(id))).WithNext("coord task show " + string(id.Task()))
}
