package work

import (
	"context"

	"coord"
)

// Outcome is what became of one submission in a batch: landed, or back with
// its author for the reason in Refusal.
type Outcome struct {
	Task    coord.TaskID   `json:"task"`
	Landed  *coord.Landing `json:"landed,omitempty"`
	Refusal *coord.Error   `json:"refusal,omitempty"`
}

// LandAll lands one approved submission after another, by priority and age,
// until none is left that may land. What conflicts, or fails a check, goes back
// to its author and stops nobody else. Anything else ends the batch: what it
// was is returned after what was done, which each is told of.
func (d *Desk) LandAll(ctx context.Context, target string, each func(Outcome)) ([]Outcome, error) {
	done, back := []Outcome{}, map[coord.TaskID]bool{}
	tell := func(o Outcome) {
		done = append(done, o)
		each(o)
	}
	for {
		landed, err := d.Land(ctx, LandOptions{Target: target})
		switch coord.CodeOf(err) {
		case "":
			tell(Outcome{Task: landed.Task.ID, Landed: &landed.Landing})
		case coord.CodeMergeConflict, coord.CodeCheckFailed:
			refusal, _ := asError(err, coord.CodeOf(err))
			task := coord.TaskID(refusal.Details["task"])
			if task == "" || back[task] { // it was not sent back, so it would come again and again
				return done, err
			}
			back[task] = true
			tell(Outcome{Task: task, Refusal: refusal})
		case coord.CodeNothingEligible:
			if len(done) > 0 {
				return done, nil
			}
			return done, err
		default:
			return done, err
		}
	}
}
