package markdown

import (
	"slices"
	"strings"

	"coord"
)

// decide says what one record means for the service.
func (p *planner) decide(r *found) coord.ImportChange {
	switch {
	case r.clash != "":
		c := r.change(coord.ImportConflict, coord.ActionNone)
		c.Needs = r.clash
		return c
	case r.double != nil:
		return p.duplicate(r)
	case r.Kind == coord.RecordHandoff:
		return handoffChange(r)
	case r.task != nil:
		return p.matchedTask(r)
	case r.lesson != nil:
		return p.matchedLesson(r)
	case p.retired(r):
		return r.change(coord.ImportHistorical, coord.ActionNone)
	case r.ask != "":
		c := r.change(coord.ImportProbableMatch, coord.ActionNone)
		c.Needs = r.ask + "; end the line with <!-- coord:ID --> to link it, or with <!-- coord:new --> if it is new"
		return c
	case r.Kind == coord.RecordLesson:
		return p.newLesson(r)
	}
	return p.newTask(r)
}

func (p *planner) duplicate(r *found) coord.ImportChange {
	c := r.change(coord.ImportDuplicate, coord.ActionNone)
	c.Was = r.double.path
	return c
}

// retired reports a record of a file that says that it is no longer in use.
func (p *planner) retired(r *found) bool { return p.docs[r.file] != nil && p.docs[r.file].banner != "" }

// handoffChange keeps a note that is new or says something else than before.
func handoffChange(r *found) coord.ImportChange {
	switch {
	case r.Intact, r.anchor != nil && r.anchor.Base.Body == bodyDigest(r.Facets.Body):
		c := r.change(coord.ImportUnchanged, coord.ActionNone)
		c.Body = ""
		return c
	case r.anchor != nil:
		return r.remember(r.change(coord.ImportChangedInSource, coord.ActionRecordHandoff))
	}
	return r.remember(r.change(coord.ImportNew, coord.ActionRecordHandoff))
}

// newTask records what no known task was matched to: open items as planned,
// or ready if that was asked and nothing speaks against it; closed ones as
// closed history.
func (p *planner) newTask(r *found) coord.ImportChange {
	if r.Disputed != "" {
		c := r.change(coord.ImportConflict, coord.ActionNone)
		c.Needs = r.Disputed + "; make the line say one thing"
		return c
	}
	c := r.remember(r.change(coord.ImportNew, coord.ActionCreateTask))
	c.Lifecycle = coord.LifecyclePlanned
	if c.Priority == "" {
		c.Priority = coord.PriorityNormal
	}
	switch {
	case r.Facets.Status.Closed():
		c.State, c.Lifecycle = coord.ImportHistorical, closedAs(r.Facets.Status)
	case r.Ready && p.base.Admit:
		c.Lifecycle = coord.LifecycleOpen
	}
	return c
}

func closedAs(s coord.RecordStatus) coord.Lifecycle {
	if s == coord.SourceDone {
		return coord.LifecycleDone
	}
	return coord.LifecycleCanceled
}

// sameEnd reports that a source's closed status means the lifecycle. History
// says only that it is over, not how.
func sameEnd(s coord.RecordStatus, l coord.Lifecycle) bool {
	return s == coord.SourceConsumed || (closedAs(s) == coord.LifecycleDone) == (l == coord.LifecycleDone)
}

func closed(l coord.Lifecycle) bool {
	return l == coord.LifecycleDone || l == coord.LifecycleCanceled
}

// matchedTask compares a record with its task. The service's closing always
// stands: no import reopens a task or changes the text of a closed one.
func (p *planner) matchedTask(r *found) coord.ImportChange {
	d := p.compareTask(r)
	c := r.change(r.placed(d.state()), coord.ActionNone)
	c.Was = d.was
	switch {
	case d.strange && r.how == matchedMarker:
		c.State = coord.ImportConflict
		c.Needs = "the line says something quite different from " + string(c.Task) + "; put its marker in the right place, or change the task's title here first"
		return c
	case r.task.Lifecycle.Closed():
		return p.closedTask(r, c, d)
	case r.Disputed != "":
		c.State, c.Needs = coord.ImportConflict, r.Disputed+"; make the line say one thing"
		return c
	case r.Facets.Status.Closed():
		return p.closeTask(r, c, d)
	}
	return p.updateTask(r, c, d)
}

// placed is the state of a record whose text says no more than that it is
// somewhere else, or has another title.
func (r *found) placed(state coord.ImportState) coord.ImportState {
	still := state == coord.ImportUnchanged || state == coord.ImportConverged
	switch {
	case r.how == matchedRenamed && (still || state == coord.ImportChangedInSource):
		return coord.ImportRenamed
	case r.how == matchedMoved && still && (r.anchor.Path != r.path || r.anchor.Section != r.Section):
		return coord.ImportMoved
	}
	return state
}

// closedTask is a record of a closed task.
func (p *planner) closedTask(r *found, c coord.ImportChange, d difference) coord.ImportChange {
	s, base := r.Facets.Status, coord.RecordStatus("")
	if r.anchor != nil {
		base = r.anchor.Base.Status
	}
	switch {
	case !s.Closed() || r.Disputed != "":
		return p.openAgain(r, c)
	case !sameEnd(s, r.task.Lifecycle) && base != s:
		c.State, c.Needs = coord.ImportConflict, "the file says "+string(s)+", but "+string(c.Task)+" is "+string(r.task.Lifecycle)+" here, and stays so"
		return c
	case !sameEnd(s, r.task.Lifecycle) && c.State == coord.ImportUnchanged:
		c.State = coord.ImportChangedHere
	case base != "" && !base.Closed() && c.State == coord.ImportUnchanged:
		c.State = coord.ImportConverged
	}
	if d.differs() {
		c.Needs = string(c.Task) + " is closed; its text stays as it is"
	}
	return r.remember(c)
}

// openAgain is an open line of a closed task. If the line was closed before,
// a person opened it; if not, it is only behind.
func (p *planner) openAgain(r *found, c coord.ImportChange) coord.ImportChange {
	at := p.exportedFor(r)
	wasClosed := r.anchor != nil && r.anchor.Base.Status.Closed() || r.Marker != "" && r.task.Closed != 0 && r.task.Closed <= at
	if wasClosed {
		c.State = coord.ImportReopenRequested
		c.Needs = string(c.Task) + " is closed and stays closed; write a new item for more work"
		return c
	}
	c.State = coord.ImportClosedHere
	return r.remember(c)
}

func (p *planner) closeTask(r *found, c coord.ImportChange, d difference) coord.ImportChange {
	if r.task.Busy {
		c.State = coord.ImportConflict
		c.Needs = "the line is closed, but work on " + string(c.Task) + " is under way; release it or let it land first"
		return c
	}
	c = r.remember(c)
	d.keep(c.Anchor, r.anchor)
	c.State, c.Action = coord.ImportClosedInSource, coord.ActionCloseTask
	c.Lifecycle, c.Facets = closedAs(r.Facets.Status), d.source
	c.Needs = "the file closes " + string(c.Task) + ", and nothing of it has landed"
	return c
}

func (p *planner) updateTask(r *found, c coord.ImportChange, d difference) coord.ImportChange {
	c = r.remember(c)
	d.keep(c.Anchor, r.anchor)
	if len(d.source) > 0 {
		c.Action, c.Facets = coord.ActionUpdateTask, d.source
	}
	if p.base.Admit && r.Ready && r.task.Lifecycle == coord.LifecyclePlanned && len(d.both) == 0 {
		c.Action, c.Lifecycle = coord.ActionUpdateTask, coord.LifecycleOpen
		c.Facets = append(slices.Clone(d.source), coord.FacetLifecycle)
		if c.State == coord.ImportUnchanged || c.State == coord.ImportMoved {
			c.State = coord.ImportChangedInSource // the import wishes more than the last one did
		}
	}
	switch {
	case len(d.both) > 0:
		c.Needs = "the file and the service changed it differently; make the line say what is right: " + d.was
	case c.Action == coord.ActionUpdateTask && r.task.Busy:
		c.Needs = "work on " + string(c.Task) + " is under way, and what it is judged by would change"
	}
	return c
}

// strangers reports that two titles have next to nothing in common, not even
// their label.
func strangers(a, b, label string) bool {
	if label != "" && labelOf(clean(b)) == label {
		return false
	}
	x, y := content(a), content(b)
	if inCommon(trigrams(strings.Join(x, " ")), trigrams(strings.Join(y, " "))) >= 0.1 {
		return false
	}
	return !slices.ContainsFunc(x, func(w string) bool { return slices.Contains(y, w) })
}

// filler are words that two titles may share and still be about different things.
var filler = strings.Fields("a an and as at by for from in is it not of on or the this to with")

// content are the words of a title without those, unless it has no others.
func content(title string) []string {
	words := strings.Fields(normal(title))
	if rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(filler, w) }); len(rest) > 0 {
		return rest
	}
	return words
}
