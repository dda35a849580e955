package servicetest

import "coord"

// keyOf is a command's key; a renewal has none.
func keyOf(command any) coord.Key {
	_, key := altered(command)
	return key
}

// altered is the command with another body under the same key. What is
// altered is what a caller might get wrong.
func altered(command any) (any, coord.Key) {
	switch c := command.(type) {
	case coord.CreateTask:
		c.Title += "!"
		return c, c.Key
	case coord.EditTask:
		c.Reason += "!"
		return c, c.Key
	case coord.CancelTask:
		c.Reason += "!"
		return c, c.Key
	case coord.Unblock:
		c.Reason += "!"
		return c, c.Key
	case coord.Revise:
		c.Note += "!"
		return c, c.Key
	case coord.Claim:
		c.Recovery = &coord.Recovery{Generation: 99, Disposition: coord.DispositionRestart, Reason: "altered"}
		return c, c.Key
	case coord.Resume:
		c.Fence.Generation++
		return c, c.Key
	case coord.Release:
		c.Reason += "!"
		return c, c.Key
	case coord.RecordCheckpoint:
		c.Note += "!"
		return c, c.Key
	case coord.Submit:
		c.Summary += "!"
		return c, c.Key
	case coord.RecordReview:
		c.Note += "!"
		return c, c.Key
	case coord.CloseSession:
		c.Reason += "!"
		return c, c.Key
	}
	return alteredOn(command)
}

// alteredOn is altered for decisions and landings.
func alteredOn(command any) (any, coord.Key) {
	switch c := command.(type) {
	case coord.Ask:
		c.Question += "!"
		return c, c.Key
	case coord.Decide:
		c.Note += "!"
		return c, c.Key
	case coord.Hold:
		c.Recovery = &coord.Recovery{Generation: 99, Disposition: coord.DispositionRestart, Reason: "altered"}
		return c, c.Key
	case coord.RecordMerge:
		c.Result = newOID()
		return c, c.Key
	case coord.Permit:
		c.Base = newOID()
		return c, c.Key
	case coord.FailLanding:
		c.Reason += "!"
		return c, c.Key
	case coord.RecordObservation:
		c.Refusal += "!"
		return c, c.Key
	case coord.DivergeTarget:
		c.Tip = newOID()
		return c, c.Key
	case coord.SettleTarget:
		c.Reason += "!"
		return c, c.Key
	case coord.Reconcile:
		c.Tip = newOID()
		return c, c.Key
	}
	return command, ""
}
