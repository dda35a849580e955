package coord

import (
	"fmt"
	"strings"
)

// EndedAttempt is an attempt that ended with its session: what is left of it,
// and how its task goes on.
type EndedAttempt struct {
	Attempt AttemptID `json:"attempt"`
	Task    TaskID    `json:"task"`
	Kind    Kind      `json:"kind"`
	Kept    string    `json:"kept" doc:"What is left of it, in a sentence."`
	Next    string    `json:"next" doc:"How another session goes on."`
}

// EndAttempt describes an attempt at t that ended with its session. left is what
// is still open for the task; pushing says that its landing may be on the
// target already.
func EndAttempt(t Task, a Attempt, left Obligations, pushing bool) EndedAttempt {
	e := EndedAttempt{Attempt: a.ID, Task: t.ID, Kind: t.Kind}
	var kept []string
	switch {
	case t.Kind == KindReview:
		kept, e.Next = append(kept, "the review is to be given by another session"), "coord review "+t.Source
	case pushing:
		kept, e.Next = append(kept, "its result may have been pushed: the target is held until somebody has looked at the remote"), "coord integrate "+t.Source
	case t.Kind == KindIntegration:
		kept, e.Next = append(kept, "its target is free again"), "coord integrate "+t.Source
	default:
		kept, e.Next = append(kept, t.savedText()), "coord start "+string(t.ID)
		if w := a.Worktree; w != nil {
			kept = append(kept, "what was not saved is in "+OneLine(w.Path)+" on "+OneLine(w.Machine))
		}
	}
	switch n := len(left.Jobs); {
	case n > 0:
		kept, e.Next = append(kept, left.jobsText()), e.Next+", then coord job adopt"
	case len(left.Reservations) > 0:
		e.Next += ", then coord reserve --adopt"
	}
	if len(left.Reservations) > 0 {
		kept = append(kept, left.heldText())
	}
	e.Kept = strings.Join(kept, "; ")
	return e
}

func (t Task) savedText() string {
	switch {
	case t.Saved == nil:
		return "nothing was saved"
	case t.Saved.LocalOnly:
		return "its work is saved as commit " + t.Saved.Commit.Short() + ", only on the machine that made it"
	}
	return "its work is saved as commit " + t.Saved.Commit.Short()
}

func (o Obligations) jobsText() string {
	if len(o.Jobs) == 1 {
		return "1 job may still run"
	}
	return fmt.Sprintf("%d jobs may still run", len(o.Jobs))
}

// heldText names up to ten reservations.
func (o Obligations) heldText() string {
	const named = 10
	var words []string
	for _, n := range o.Reservations[:min(len(o.Reservations), named)] {
		words = append(words, Want{n.Resource, n.Units}.String())
	}
	if more := len(o.Reservations) - named; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return isOrAre(words) + " still held"
}
