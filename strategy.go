package coord

import "slices"

// Strategy is how a candidate becomes part of its target. Each gives one result
// for one candidate and one tip, whoever computes it.
type Strategy string

// The strategies.
const (
	StrategyMerge  Strategy = "merge"  // a merge commit on the tip
	StrategySquash Strategy = "squash" // one commit on the tip, with the tree that a merge would have
	StrategyRebase Strategy = "rebase" // the candidate's commits one by one on the tip, ending in the tree that a merge would have
	StrategyFF     Strategy = "ff"     // the candidate itself, which must contain the tip
)

// Strategies lists them all.
var Strategies = []Strategy{StrategyMerge, StrategySquash, StrategyRebase, StrategyFF}

// CheckResult refuses a result whose parents are not those that the strategy
// gives for the candidate on base. A rebase in which nothing had to be moved is
// the candidate itself.
func (s Strategy) CheckResult(candidate OID, c RecordMerge) error {
	right := false
	switch s {
	case StrategySquash:
		right = slices.Equal(c.Parents, []OID{c.Base})
	case StrategyRebase:
		right = c.Result == candidate || len(c.Parents) == 1
	case StrategyFF:
		right = c.Result == candidate
	default:
		right = slices.Equal(c.Parents, []OID{c.Base, candidate})
	}
	if right && len(c.Parents) > 0 {
		return nil
	}
	return Errorf(CodeBadRequest, "the result %s does not have the parents that a %s of %s onto %s has; nothing was changed", c.Result.Short(), s, candidate.Short(), c.Base.Short())
}
