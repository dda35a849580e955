package coord

import "slices"

// The landing's state machine. Each method takes the stored landing and a
// command whose authority was already checked, and returns the next state of
// the record, or with an error the record as it was; the caller sets times.

// MaxTries is how often a candidate is merged anew because the target moved,
// before it keeps its place and passes the hold on.
const MaxTries = 3

// Merge records that the candidate was brought onto base. Allowed from held,
// and again from merged when the target moved before a permit.
func (l Landing) Merge(c RecordMerge, candidate OID) (Landing, error) {
	if l.State != LandingHeld && l.State != LandingMerged {
		return l, l.wrongState("merged")
	}
	if err := checkOIDs(slices.Concat([]OID{c.Base, c.Result, c.Tree}, c.Parents, c.Outside)...); err != nil {
		return l, err
	}
	if err := l.Strategy.CheckResult(candidate, c); err != nil {
		return l, err
	}
	if err := checkRequired(c.Required); err != nil {
		return l, err
	}
	if l.Tries >= MaxTries {
		return l, Errorf(CodeStateConflict, "%s was merged %d times while the target kept moving; give the target back: the work keeps its place and others may land; nothing was changed", l.ID, l.Tries).
			WithNext("coord integrate " + string(l.Task))
	}
	l.State, l.Tries = LandingMerged, l.Tries+1
	l.Base, l.Result, l.Tree = c.Base, c.Result, c.Tree
	l.Required, l.Verified, l.Outside = c.Required, false, c.Outside
	return l, nil
}

// Allow permits the push of exactly the merged result, when the receipts
// cover every required check on its tree.
func (l Landing) Allow(c Permit, receipts []Receipt) (Landing, error) {
	if l.State != LandingMerged {
		return l, l.wrongState("published")
	}
	if c.Base != l.Base || c.Result != l.Result || c.Tree != l.Tree {
		return l, Errorf(CodeStateConflict, "the permit names another merge than the recorded one of %s; nothing was published", l.ID).
			WithNext("coord integrate " + string(l.Task))
	}
	if err := RefuseMissing(l.Required, receipts, l.Tree, "nothing was published", Rerun{l.Task, "coord integrate " + string(l.Task)}); err != nil {
		return l, err
	}
	l.State, l.Verified = LandingPublishing, true
	return l, nil
}

// Observe applies what the remote holds. Landed if and only if the result (or
// before a permit the candidate) is contained in the tip, and then only with
// the verified tree; else the landing goes back to held and is merged again. What
// was seen of an earlier publication says nothing about the one under way.
func (l Landing) Observe(c RecordObservation, s Submission) (Landing, error) {
	if !l.State.Reserves() {
		return l, l.wrongState("observed")
	}
	if err := checkOIDs(c.Tip); err != nil {
		return l, err
	}
	if l.State == LandingPublishing && c.Try != 0 && c.Try != l.Tries {
		return l, Errorf(CodeStateConflict, "that was seen of try %d of %s, and try %d is being published; nothing was changed", c.Try, l.ID, l.Tries).
			WithNext("coord integrate " + string(l.Task))
	}
	was := l
	l.ObservedTip, l.Weak = c.Tip, l.Weak || c.Weak
	if !c.Contained {
		if l.State == LandingPublishing {
			l.State, l.Reason = LandingHeld, OneLine(c.Refusal)
		}
		return l, nil
	}
	if l.State != LandingPublishing {
		// The submission's receipts cover the candidate's own tree.
		l.AlreadyIn, l.Verified, l.Result, l.Tree = true, true, s.Commit, s.Tree
	}
	if c.Tree != l.Tree {
		return was, Errorf(CodeStateConflict, "the landed tree %s is not the verified tree %s; %s was not recorded as landed", c.Tree.Short(), l.Tree.Short(), l.ID).
			WithActor("operator")
	}
	l.State, l.Reason = LandingLanded, "" // what an earlier try met is in the events
	return l, nil
}

// Fail gives the target back before a permit.
func (l Landing) Fail(c FailLanding) (Landing, error) {
	if l.State != LandingHeld && l.State != LandingMerged {
		return l, l.wrongState(string(c.State))
	}
	switch c.State {
	case LandingConflict:
		if len(c.Conflicts) == 0 && (l.Strategy == StrategyMerge || l.Strategy == StrategySquash) {
			return l, Errorf(CodeBadRequest, "a conflict names the conflicting paths; nothing was changed")
		}
	case LandingFailed:
		if !l.failedBy(c.Runs) {
			return l, Errorf(CodeBadRequest, "a failed landing reports a run of a required check that did not pass on the merged tree")
		}
	case LandingReleased:
	default:
		return l, Errorf(CodeBadRequest, "a landing cannot be given back as %q", string(c.State))
	}
	if c.Base != "" {
		if err := checkOIDs(c.Base); err != nil {
			return l, err
		}
		l.Base = c.Base
	}
	l.State, l.Conflicts, l.Reason = c.State, c.Conflicts, OneLine(c.Reason)
	return l, nil
}

// failedBy reports whether one of the runs is of a required check on the
// merged tree and is no evidence for it.
func (l Landing) failedBy(runs []Run) bool {
	for _, r := range runs {
		for _, c := range l.Required {
			same := r.Check == c.Name && r.Definition == c.Digest && r.Tree == l.Tree
			if same && (r.Result != ResultPassed || len(r.Changed) > 0) {
				return true
			}
		}
	}
	return false
}

func (l Landing) wrongState(verb string) error {
	return Errorf(CodeStateConflict, "landing %s is %s and cannot be %s; nothing was changed", l.ID, l.State, verb).
		WithNext("coord task show " + string(l.Task))
}
