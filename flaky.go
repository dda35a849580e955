package coord

import (
	"fmt"
	"slices"
)

// AllowedFailures is how often a check may fail on a tree and pass there all
// the same: one run may be repeated, and then counts. What failed more often
// does not become evidence by being run until it passes.
const AllowedFailures = 1

// RunAgain is the option of a decision that allows another run of a check that
// failed too often.
const RunAgain = "run again"

// CheckState is what all runs of a check on one tree amount to.
type CheckState struct {
	RequiredCheck
	Passed   bool   `json:"passed" doc:"It is evidence for the tree."`
	Flaky    bool   `json:"flaky,omitempty" doc:"It passed and failed on the same tree."`
	Failures int    `json:"failures,omitempty" doc:"Since a decision last let it run again and it passed."`
	Last     Result `json:"last,omitempty" doc:"How the latest run ended."`
}

// Spent reports whether another run counts only with a decision.
func (s CheckState) Spent() bool { return s.Failures > AllowedFailures }

// StateOf reads the receipts, oldest first. A pass counts unless the check
// failed more than AllowedFailures times; a pass that carries a decision counts
// whatever was before. Later failures count against either. A run that was
// skipped or interrupted, and a pass that changed its own input, say nothing.
func StateOf(check RequiredCheck, receipts []Receipt, tree OID) CheckState {
	s := CheckState{RequiredCheck: check}
	passed, failed := false, false
	for _, r := range receipts {
		if !r.about(check, tree) {
			continue
		}
		s.Last = r.Result
		switch {
		case r.Result == ResultFailed:
			failed = true
			s.Failures++
		case !r.Counts(check, tree):
		case r.Decision != "":
			passed, s.Passed, s.Failures = true, true, 0
		default:
			passed = true
			s.Passed = s.Passed || !s.Spent()
		}
	}
	s.Passed, s.Flaky = s.Passed && !s.Spent(), passed && failed
	return s
}

// StatesOf is StateOf for each required check.
func StatesOf(required []RequiredCheck, receipts []Receipt, tree OID) []CheckState {
	var out []CheckState
	for _, c := range required {
		out = append(out, StateOf(c, receipts, tree))
	}
	return out
}

// MissingChecks returns the required checks that the receipts, oldest first,
// are no evidence for on tree.
func MissingChecks(required []RequiredCheck, receipts []Receipt, tree OID) []RequiredCheck {
	var missing []RequiredCheck
	for _, s := range StatesOf(required, receipts, tree) {
		if !s.Passed {
			missing = append(missing, s.RequiredCheck)
		}
	}
	return missing
}

// MarkRuns fills in what all runs of the same check on the same tree amount
// to. The receipts are all of their trees, oldest first.
func MarkRuns(receipts []Receipt) {
	type place struct {
		check RequiredCheck
		tree  OID
	}
	known := map[place]CheckState{}
	for i := range receipts {
		r := &receipts[i]
		at := place{RequiredCheck{Name: r.Check, Digest: r.Definition}, r.Tree}
		s, ok := known[at]
		if !ok {
			s = StateOf(at.check, receipts, r.Tree)
			known[at] = s
		}
		r.Flaky, r.Spent = s.Flaky, s.Spent()
	}
}

// Why says what keeps the check from being evidence for the tree.
func (s CheckState) Why(tree OID) string {
	switch {
	case s.Spent() && s.Flaky:
		return fmt.Sprintf("check %s failed %d times and also passed on tree %s, so a pass counts only with a decision", s.Name, s.Failures, tree.Short())
	case s.Spent():
		return fmt.Sprintf("check %s failed %d times on tree %s, so a pass counts only with a decision", s.Name, s.Failures, tree.Short())
	case s.Last == ResultFailed, s.Last == ResultSkipped, s.Last == ResultInterrupted:
		return fmt.Sprintf("check %s has not passed on tree %s: its latest run %s", s.Name, tree.Short(), s.Last.did())
	case s.Last == ResultPassed:
		return fmt.Sprintf("check %s has not passed on tree %s: it changed files", s.Name, tree.Short())
	}
	return fmt.Sprintf("check %s has not passed on tree %s", s.Name, tree.Short())
}

func (r Result) did() string {
	if r == ResultFailed || r == ResultPassed {
		return string(r)
	}
	return "was " + string(r)
}

// Rerun is how the checks of a task are run again.
type Rerun struct {
	Task    TaskID
	Command string
}

// Next is what to type to go on.
func (s CheckState) Next(tree OID, again Rerun) []string {
	if !s.Spent() {
		return []string{again.Command}
	}
	return []string{
		fmt.Sprintf("coord ask \"Check %s failed %d times on tree %s; may it run again and count?\" --option \"%s\" --option \"mend it\" --task %s",
			OneLine(s.Name), s.Failures, tree.Short(), RunAgain, again.Task),
		again.Command + " --decision DECISION",
	}
}

// RefuseMissing is the refusal of the first required check that the receipts
// are no evidence for, or nil. undone says what was not done.
func RefuseMissing(required []RequiredCheck, receipts []Receipt, tree OID, undone string, again Rerun) error {
	i := slices.IndexFunc(required, func(c RequiredCheck) bool { return !StateOf(c, receipts, tree).Passed })
	if i < 0 {
		return nil
	}
	s := StateOf(required[i], receipts, tree)
	return Errorf(CodeRequirement, "%s; %s", s.Why(tree), undone).WithDetail("check", s.Name).WithNext(s.Next(tree, again)...)
}

// CheckRerun refuses a decision that does not allow the run of a check of the
// task: it names the task, its answer is RunAgain, and no receipt of another
// check or tree carries it.
func (d Decision) CheckRerun(task TaskID, r Run, carrying []Receipt) error {
	refuse := func(why string) error {
		return Errorf(CodeRequirement, "%s does not let check %s of %s run again: %s; nothing was recorded", d.ID, OneLine(r.Check), task, why).
			WithNext(CheckState{RequiredCheck: RequiredCheck{Name: r.Check}, Failures: AllowedFailures + 1}.Next(r.Tree, Rerun{task, "coord check"})...)
	}
	switch {
	case !slices.Contains(d.Tasks, task):
		return refuse("it is not about this task")
	case d.State != DecisionAnswered:
		return refuse("it is " + string(d.State))
	case d.Answer == nil || d.Answer.Option != RunAgain:
		return refuse("its answer is not \"" + RunAgain + "\"")
	}
	for _, x := range carrying {
		if !x.about(RequiredCheck{Name: r.Check, Digest: r.Definition}, r.Tree) {
			return refuse("it was taken for check " + OneLine(x.Check) + " on tree " + x.Tree.Short())
		}
	}
	return nil
}
