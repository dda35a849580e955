package coord

import (
	"slices"
	"time"
)

// EditTask changes what a task says. Fields that are nil stay. Kind, title,
// outcome and criteria are its substance: they change its digest, and with it void
// what was judged by the old one. Revision is the one that the caller read.
type EditTask struct {
	Key          Key       `json:"-"`
	Task         TaskID    `json:"-"`
	Revision     int64     `json:"revision"`
	Kind         *Kind     `json:"kind,omitempty" enum:"code,general,objective"`
	Title        *string   `json:"title,omitempty"`
	Outcome      *string   `json:"outcome,omitempty"`
	Criteria     *[]string `json:"criteria,omitempty"`
	Priority     *Priority `json:"priority,omitempty"`
	Labels       *[]string `json:"labels,omitempty"`
	Paths        *[]string `json:"paths,omitempty"`
	Capabilities *[]string `json:"capabilities,omitempty"`
	Admit        bool      `json:"admit,omitempty" doc:"Open a planned task for claiming."`
	Reason       string    `json:"reason,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c EditTask) Validate() error {
	if !c.Admit && !c.Substantive() && c.Priority == nil && c.Labels == nil && c.Paths == nil && c.Capabilities == nil {
		return Errorf(CodeBadRequest, "the edit names nothing to change")
	}
	return checkText("reason", c.Reason, 0, 2000)
}

// Substantive reports whether the edit touches the task's digest.
func (c EditTask) Substantive() bool {
	return c.Kind != nil || c.Title != nil || c.Outcome != nil || c.Criteria != nil
}

// Apply is the task after the edit, with its new digest and revision.
func (c EditTask) Apply(t Task) (Task, error) {
	set(&t.Kind, c.Kind)
	set(&t.Title, c.Title)
	set(&t.Outcome, c.Outcome)
	set(&t.Criteria, c.Criteria)
	set(&t.Priority, c.Priority)
	set(&t.Labels, c.Labels)
	set(&t.Paths, c.Paths)
	set(&t.Capabilities, c.Capabilities)
	if !t.Kind.ByHand() {
		return t, Errorf(CodeBadRequest, "kind %q is not code, general or objective; nothing was changed", string(t.Kind))
	}
	if err := checkSubstance(t.Title, t.Outcome, t.Criteria); err != nil {
		return t, err
	}
	if t.Priority.Rank() < 0 {
		return t, badPriority(t.Priority)
	}
	if err := checkFacets(t.Labels, t.Paths, t.Capabilities); err != nil {
		return t, err
	}
	t.Labels, t.Capabilities = Canonical(t.Labels), Canonical(t.Capabilities)
	if c.Admit {
		t.Lifecycle = LifecycleOpen
	}
	t.Digest = Digest(t.Kind, t.Title, t.Outcome, t.Criteria)
	t.Revision++
	return t, nil
}

// Changed names what the edit made different, in the order of the fields.
func (c EditTask) Changed(before, after Task) []string {
	var out []string
	note := func(name string, same bool) {
		if !same {
			out = append(out, name)
		}
	}
	note("kind", before.Kind == after.Kind)
	note("title", before.Title == after.Title)
	note("outcome", before.Outcome == after.Outcome)
	note("criteria", slices.Equal(before.Criteria, after.Criteria))
	note("priority", before.Priority == after.Priority)
	note("labels", slices.Equal(before.Labels, after.Labels))
	note("paths", slices.Equal(before.Paths, after.Paths))
	note("capabilities", slices.Equal(before.Capabilities, after.Capabilities))
	note("admitted", before.Lifecycle == after.Lifecycle)
	return out
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// CheckEdit decides whether the edit may be made. contributor says that the
// caller's session worked on the task, or descends from one that did: it may not
// change the criteria that its own work is judged by, only propose an amendment
// with its submission.
func (c EditTask) CheckEdit(t Task, contributor bool) error {
	show := "coord task show " + string(t.ID)
	switch {
	case !t.Kind.ByHand():
		return Errorf(CodeStateConflict, "%s is a %s task, which its submission made; it has nothing to edit; nothing was changed", t.ID, t.Kind).WithNext(show)
	case t.Lifecycle.Closed():
		return Errorf(CodeStateConflict, "%s is %s and is not edited any more; nothing was changed", t.ID, t.Lifecycle).WithNext(show, "coord task new TITLE")
	case c.Revision != t.Revision:
		return Errorf(CodeStateConflict, "%s is at revision %d, not %d: somebody else edited it meanwhile; nothing was changed", t.ID, t.Revision, c.Revision).WithNext(show)
	case c.Admit && t.Lifecycle != LifecyclePlanned:
		return Errorf(CodeStateConflict, "%s is %s already, not planned; nothing was changed", t.ID, t.Lifecycle).WithNext(show)
	case c.Kind != nil && *c.Kind != t.Kind && (t.Owner != nil || t.Submission != ""):
		return Errorf(CodeStateConflict, "%s is being worked on as a %s task; nothing was changed", t.ID, t.Kind).WithNext(show, "coord release -m REASON")
	case c.Kind != nil && (*c.Kind == KindObjective) != (t.Kind == KindObjective) && (t.Generation > 0 || len(t.WaitsFor) > 0):
		return Errorf(CodeStateConflict, "%s has work or children as a %s task, so it stays one; nothing was changed", t.ID, t.Kind).WithNext("coord task new TITLE", "coord task supersede "+string(t.ID)+" --by TASK")
	case c.Substantive() && contributor:
		return Errorf(CodeNotIndependent, "this session worked on %s, so it may not change what its work is judged by; nothing was changed", t.ID).
			WithNext("coord submit --amend CRITERION", "coord ask QUESTION --option YES --option NO")
	}
	return nil
}

// LinkTask adds or removes one edge: Task waits for After, or Task is part of
// the objective Parent. An edge that is there already, or is gone already, is
// no error.
type LinkTask struct {
	Key    Key    `json:"-"`
	Task   TaskID `json:"-"`
	After  TaskID `json:"after,omitempty"`
	Parent TaskID `json:"parent,omitempty"`
	Remove bool   `json:"remove,omitempty"`
	Reason string `json:"reason,omitempty" doc:"Needed to remove an edge."`
}

// Validate checks everything that needs no stored record.
func (c LinkTask) Validate() error {
	if (c.After == "") == (c.Parent == "") {
		return Errorf(CodeBadRequest, "a link names either the task to wait for or the objective to be part of")
	}
	if c.Remove {
		return checkText("reason", c.Reason, 1, 2000)
	}
	return checkText("reason", c.Reason, 0, 2000)
}

// CheckLink decides whether the edge may be added; the graph is
// CheckAcyclic's.
func (c LinkTask) CheckLink(t, to Task) error {
	show := "coord task show " + string(t.ID)
	switch {
	case !t.Kind.ByHand() || !to.Kind.ByHand():
		return Errorf(CodeStateConflict, "what a submission made has the links of its submission; nothing was changed").WithNext(show)
	case t.Lifecycle.Closed():
		return Errorf(CodeStateConflict, "%s is %s; nothing was changed", t.ID, t.Lifecycle).WithNext(show)
	case c.Remove:
		return nil
	case c.Parent != "" && to.Kind != KindObjective:
		return Errorf(CodeStateConflict, "%s is a %s task, and only an objective has children; nothing was changed", to.ID, to.Kind).WithNext("coord task new --kind objective TITLE")
	case c.Parent != "" && t.Parent != "" && t.Parent != to.ID:
		return Errorf(CodeStateConflict, "%s is part of %s, and a task has one objective; nothing was changed", t.ID, t.Parent).
			WithNext("coord task link " + string(t.ID) + " --parent " + string(t.Parent) + " --remove -m REASON")
	case c.Parent != "" && to.Lifecycle.Closed(), to.Lifecycle == LifecycleCanceled, to.Lifecycle == LifecycleSuperseded:
		return Errorf(CodeStateConflict, "%s is %s; nothing was changed", to.ID, to.Lifecycle).WithNext("coord task show " + string(to.ID))
	}
	return nil
}

// CancelTask closes a task that is not wanted any more. What waits for it goes
// on waiting until its link is removed.
type CancelTask struct {
	Key    Key    `json:"-"`
	Task   TaskID `json:"-"`
	Reason string `json:"reason"`
}

// Validate checks everything that needs no stored record.
func (c CancelTask) Validate() error { return checkText("reason", c.Reason, 1, 2000) }

// SupersedeTask closes a task that another one stands for. What waits for it
// waits for the other one from now on.
type SupersedeTask struct {
	Key    Key    `json:"-"`
	Task   TaskID `json:"-"`
	By     TaskID `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Validate checks everything that needs no stored record.
func (c SupersedeTask) Validate() error {
	if _, _, err := c.By.Split(); err != nil {
		return err
	}
	return checkText("reason", c.Reason, 0, 2000)
}

// CheckClose decides whether a task may be canceled or superseded. The
// caller's own attempt ends with it; another's live one is in the way.
func (f TaskFacts) CheckClose(caller SessionID, p Policy, now time.Time) error {
	show := "coord task show " + string(f.ID)
	switch {
	case f.Lifecycle.Closed():
		return Errorf(CodeStateConflict, "%s is %s already; nothing was changed", f.ID, f.Lifecycle).WithNext(show)
	case !f.Kind.ByHand():
		return Errorf(CodeStateConflict, "%s belongs to its submission and ends with it; nothing was changed", f.ID).WithNext("coord revise --withdrawn", show)
	case f.Landing.Reserves():
		return Errorf(CodeTargetHeld, "%s is being landed right now; nothing was changed", f.ID).WithNext(show)
	case f.Attempt != nil && f.Attempt.Session != caller:
		return f.recoverable(caller, p, now)
	}
	return nil
}

// CheckSupersede decides whether by may stand for the task.
func (f TaskFacts) CheckSupersede(by Task) error {
	switch {
	case by.ID == f.ID:
		return Errorf(CodeBadRequest, "%s cannot stand for itself; nothing was changed", f.ID)
	case !by.Kind.ByHand(), (by.Kind == KindObjective) != (f.Kind == KindObjective):
		return Errorf(CodeStateConflict, "%s is a %s task and cannot stand for a %s task; nothing was changed", by.ID, by.Kind, f.Kind)
	case by.Lifecycle == LifecycleCanceled, by.Lifecycle == LifecycleSuperseded:
		return Errorf(CodeStateConflict, "%s is %s itself; nothing was changed", by.ID, by.Lifecycle).WithNext("coord task show " + string(by.ID))
	}
	return nil
}

// AcceptObjective says that an objective's own criteria hold, after its
// children are done.
type AcceptObjective struct {
	Key  Key    `json:"-"`
	Task TaskID `json:"-"`
	Note string `json:"note"`
}

// Validate checks everything that needs no stored record.
func (c AcceptObjective) Validate() error { return checkText("note", c.Note, 1, 8000) }

// Family is what an objective's completion is judged by.
type Family struct {
	Open []TaskID // children that are not closed
	Done int      // children that are done
}

// CheckAccept decides whether the role may accept the objective. Who may do
// so is what the review mode says: a person where it asks for one.
func (f TaskFacts) CheckAccept(fam Family, p Policy, r Role) error {
	show := "coord task show " + string(f.ID)
	switch {
	case f.Kind != KindObjective:
		return Errorf(CodeStateConflict, "%s is a %s task and is done by its submission; nothing was changed", f.ID, f.Kind).WithNext("coord start " + string(f.ID))
	case f.Lifecycle != LifecycleOpen:
		return Errorf(CodeStateConflict, "%s is %s; nothing was changed", f.ID, f.Lifecycle).WithNext(show)
	case len(fam.Open) > 0:
		return Errorf(CodeRequirement, "%s of %s is not done; nothing was changed", fam.Open[0], f.ID).WithNext("coord task show " + string(fam.Open[0]))
	case fam.Done == 0:
		return Errorf(CodeRequirement, "%s has no child that was done; nothing was changed", f.ID).WithNext("coord task new TITLE --parent " + string(f.ID))
	case len(f.Waiting) > 0:
		return Errorf(CodeStateConflict, "%s waits for %s; nothing was changed", f.ID, f.Waiting[0]).WithNext(show)
	case len(f.Blockers) > 0:
		return f.blocked()
	}
	if slices.Contains(p.Review.Slots(), ActorHuman) && r != RoleOperator {
		return Errorf(CodeNotPermitted, "the policy leaves the acceptance of %s to a person; nothing was changed", f.ID).WithActor("operator").WithNext("coord next")
	}
	return nil
}

// CompletesWith reports whether an objective is done with its last child: it
// has no criteria of its own to be accepted, and nothing is in its way.
func CompletesWith(t Task, fam Family) bool {
	return t.Kind == KindObjective && t.Lifecycle == LifecycleOpen && len(t.Criteria) == 0 &&
		len(fam.Open) == 0 && fam.Done > 0 && len(t.WaitsFor) == 0 && len(t.Blockers) == 0
}
