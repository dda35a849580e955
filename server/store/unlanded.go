package store

import (
	"fmt"
	"slices"
	"strings"

	"coord"
)

// blockLanding blocks the integration task of a landing that ended in a
// conflict or a failed check, and names the verb that lifts it.
func (t *tx) blockLanding(l coord.Landing) error {
	var kind coord.BlockerKind
	var reopen string
	switch l.State {
	case coord.LandingConflict:
		kind, reopen = coord.BlockedByConflict, "coord revise --conflict "+string(l.Task)
	case coord.LandingFailed:
		kind, reopen = coord.BlockedByCheck, "coord revise --check-failed "+string(l.Task)
	default:
		return nil
	}
	return t.addBlocker(coord.Blocker{Task: l.Integration, Kind: kind, Text: failureText(l), Reopen: reopen, Actor: coord.ActorEither}, 0)
}

func failureText(l coord.Landing) string {
	text := fmt.Sprintf("gave %s back before landing %s", l.Target, l.Task)
	switch l.State {
	case coord.LandingConflict:
		text = fmt.Sprintf("found that %s conflicts with %s", l.Task, conflictsAt(l))
	case coord.LandingFailed:
		text = fmt.Sprintf("found that a required check fails on %s merged into %s", l.Task, l.Target)
	}
	return withReason(text, l)
}

// whyNotLanded says what ended a landing in a conflict or a failed check, to
// whoever takes the work up.
func (v *view) whyNotLanded(l coord.Landing) (string, error) {
	if l.State == coord.LandingConflict {
		text := "conflicts with " + conflictsAt(l)
		return strings.Replace(withReason(text, l), "conflicts", "conflict", 1), nil
	}
	receipts, err := v.receipts(l.Task.Project(), l.Tree)
	text := "a required check failed on the merged tree " + l.Tree.Short()
	for _, r := range receipts {
		required := slices.Contains(l.Required, coord.RequiredCheck{Name: r.Check, Digest: r.Definition})
		switch {
		case required && len(r.Changed) > 0:
			text = fmt.Sprintf("check %s changed %s on the merged tree %s", r.Check, r.Changed[0], l.Tree.Short())
		case required && r.Result != coord.ResultPassed:
			text = fmt.Sprintf("check %s %s on the merged tree %s", r.Check, r.Result, l.Tree.Short())
		}
	}
	return withReason(text, l), err
}

// conflictsAt is where the target was, and the conflicting paths.
func conflictsAt(l coord.Landing) string {
	at := l.Target
	if l.Base != "" {
		at += " at " + l.Base.Short()
	}
	if len(l.Conflicts) == 0 { // the strategy has no result for it
		return at
	}
	return at + " in " + strings.Join(l.Conflicts, ", ")
}

// withReason adds the landing's reason to a text that does not say it yet.
func withReason(text string, l coord.Landing) string {
	if l.Reason == "" || strings.Contains(text, l.Reason) {
		return text
	}
	return text + ": " + l.Reason
}
