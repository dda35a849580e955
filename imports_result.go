package coord

// ImportResult is what an applied import did, built from what its transactions
// changed. A plan that was gone on with has what all of them did.
type ImportResult struct {
	Digest   string               `json:"digest"`
	Applied  map[ImportAction]int `json:"applied"` // by action; none is not counted
	Skipped  int                  `json:"skipped"` // changes that need an operator and were not applied for an agent
	Done     int                  `json:"done"`    // changes that were dealt with, of those that do or store anything
	Total    int                  `json:"total"`   // all of those
	Outdated []OutdatedChange     `json:"outdated,omitempty"`
	Tasks    []TaskID             `json:"tasks,omitempty"`
	Lessons  []LessonID           `json:"lessons,omitempty"`
	Handoffs []HandoffID          `json:"handoffs,omitempty"`
	Replayed bool                 `json:"replayed,omitempty"` // the plan had been applied before: this is what was done then
	AsOf     Seq                  `json:"as_of"`
}

// OutdatedChange is a change that was left out since what it was planned on
// moved between two transactions of one import. The next import plans it anew.
type OutdatedChange struct {
	Path  string `json:"path"`
	Line  int    `json:"line,omitempty"`
	Title string `json:"title"`
	Task  TaskID `json:"task,omitempty"`
	Why   string `json:"why"`
}

// Effective are the changes that do or store something, in the order in which
// they are applied: those that take another record's place come first, and
// nothing comes before what it waits for. early is how many have to be applied
// together for the places.
func (p ImportPlan) Effective() (changes []ImportChange, early int) {
	byKey, done := make(map[string]int, len(p.Changes)), make([]bool, len(p.Changes))
	for i, c := range p.Changes {
		if c.Action == ActionCreateTask {
			byKey[c.Key] = i
		}
	}
	var visit func(int)
	visit = func(i int) {
		c := p.Changes[i]
		if done[i] || c.Action == ActionNone && c.Anchor == nil {
			return
		}
		done[i] = true
		for _, k := range c.AfterKeys {
			if n, ok := byKey[k]; ok {
				visit(n)
			}
		}
		changes = append(changes, c)
	}
	for i, c := range p.Changes {
		if c.Anchor != nil && c.Replaces != "" && c.Replaces != c.Key {
			visit(i)
		}
	}
	early = len(changes)
	for i := range p.Changes {
		visit(i)
	}
	return changes, early
}

// Admits reports whether c makes work ready.
func (c ImportChange) Admits() bool {
	switch c.Action {
	case ActionCreateTask:
		return c.Lifecycle == LifecycleOpen
	case ActionUpdateTask:
		for _, f := range c.Facets {
			if f == FacetLifecycle {
				return true
			}
		}
	}
	return false
}

// ForOperator reports whether only an operator may apply c: it admits, closes,
// frees a task of what it waits for, or somebody has to look at it.
func (c ImportChange) ForOperator() bool {
	return c.Needs != "" || c.Action == ActionCloseTask || len(c.NotAfter) > 0 || c.Admits()
}

// CheckImport decides whether the role may apply the plan. What only an
// operator may apply is left out for an agent; a plan that was made to admit is
// refused to one, or its items would be missing afterwards instead of planned.
func (p Policy) CheckImport(r Role, plan ImportPlan) error {
	if r == RoleOperator {
		return nil
	}
	if p.OperatorImports {
		return Errorf(CodeNotPermitted, "the policy leaves imports to operators; nothing was applied").WithActor("operator").WithNext("coord board")
	}
	admits := 0
	for _, c := range plan.Changes {
		if c.Admits() {
			admits++
		}
	}
	if admits == 0 {
		return nil
	}
	return Errorf(CodeNotPermitted, "the plan makes %d of its items ready, which an operator decides; nothing was applied", admits).
		WithActor("operator").WithNext("coord import")
}
