package store

import "coord"

// told is the activity and what else one is told of a task that the option
// found. Saved work of a task that nobody holds is resumed: nobody is gone.
func (v *view) told(out *coord.NextAction, a coord.Activity, t taskRow) error {
	out.Activity, out.Task = a, &t.Task
	if a != coord.ActivityRecover || t.Owner != nil {
		return nil
	}
	out.Activity = coord.ActivityResume
	var c coord.Claimed
	c.Task = t.Task
	if err := v.whyReturned(&c); err != nil {
		return err
	}
	out.Reason = c.ReturnedReason
	if r := c.Returned; r != nil {
		out.Reason = r.Reviewer + ": " + r.Note
	}
	return nil
}
