package markdown

import (
	"cmp"
	"slices"
	"strings"

	"coord"
)

// attach makes applying c link r to what it waits for, three-way: what the file
// names now and did not before is added, what it named before and does not any
// more is taken away, and what was changed only here stays.
func (p *planner) attach(r *found, c *coord.ImportChange) {
	if !linkable(r, c) {
		return
	}
	var have []coord.TaskID
	if r.task != nil && p.wait.nodes[r.task.ID] != nil {
		have = p.wait.nodes[r.task.ID].After
	}
	before := r.baseAfter(p, have)
	var stated []string
	for _, t := range r.waits {
		stated = append(stated, t.ref)
		switch {
		case t.task != "" && slices.Contains(have, t.task), slices.Contains(before, t.ref):
		case t.task != "":
			c.After = append(c.After, t.task)
		default:
			c.AfterKeys = append(c.AfterKeys, t.to.key)
		}
	}
	c.NotAfter = p.dropped(r, before, have)
	slices.Sort(stated)
	r.keepAfter(c, slices.Compact(stated))
	if len(c.After)+len(c.AfterKeys)+len(c.NotAfter) > 0 && c.Action != coord.ActionCreateTask {
		changesLinks(c)
	}
	slices.SortFunc(c.After, byNumber)
	slices.SortFunc(c.NotAfter, byNumber)
	slices.Sort(c.AfterKeys)
}

func byNumber(a, b coord.TaskID) int {
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}

// dropped are the tasks that r waits for here since its file said so, and that
// the file does not name any more.
func (p *planner) dropped(r *found, before []string, have []coord.TaskID) []coord.TaskID {
	var out []coord.TaskID
	for _, ref := range before {
		if slices.Contains(r.Facets.After, ref) {
			continue
		}
		t, why := p.wait.resolve(r, ref)
		named := slices.ContainsFunc(r.waits, func(o waited) bool { return o.task == t.task })
		if why == "" && t.task != "" && !named && slices.Contains(have, t.task) && !slices.Contains(out, t.task) {
			out = append(out, t.task)
		}
	}
	return out
}

func linkable(r *found, c *coord.ImportChange) bool {
	switch {
	case r.Kind != coord.RecordTask || r.double != nil || r.clash != "":
		return false
	case c.Action == coord.ActionCreateTask:
		return !c.Lifecycle.Closed()
	}
	return r.task != nil && !r.closed() && c.State != coord.ImportConflict
}

func changesLinks(c *coord.ImportChange) {
	c.Action = coord.ActionUpdateTask
	c.Facets = append(c.Facets[:len(c.Facets):len(c.Facets)], coord.FacetAfter)
	switch c.State {
	case coord.ImportUnchanged, coord.ImportConverged, coord.ImportMoved:
		c.State = coord.ImportChangedInSource
	case coord.ImportChangedHere:
		c.State = coord.ImportMerged
	}
	if len(c.NotAfter) > 0 && c.Needs == "" {
		c.Needs = "the file does not say any more that it waits for " + listed(c.NotAfter) + "; without that it may become ready"
	}
}

func listed(ids []coord.TaskID) string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return strings.Join(out, ", ")
}

// baseAfter is what the file named when it was last imported, as written then.
func (r *found) baseAfter(p *planner, have []coord.TaskID) []string {
	switch {
	case p.beganFromAnchor(r):
		return r.anchor.Base.After
	case r.how == matchedMarker && r.task != nil && p.exportedFor(r) > 0:
		then := *r.task
		then.After = p.afterAt(r.task.ID, have, p.exportedFor(r))
		if len(then.After) == 0 {
			return nil
		}
		return exportedTask(then).After
	}
	return nil
}

// afterAt is what a task that has these dependencies now had at an event.
func (p *planner) afterAt(id coord.TaskID, have []coord.TaskID, at coord.Seq) []coord.TaskID {
	then := slices.Clone(have)
	for _, l := range slices.Backward(p.links[id]) {
		switch {
		case l.At <= at:
			return then
		case l.Removed:
			then = append(then, l.After)
		default:
			then = slices.DeleteFunc(then, func(d coord.TaskID) bool { return d == l.After })
		}
	}
	return then
}

// keepAfter remembers what was resolved; what was not is tried again by the
// next import.
func (r *found) keepAfter(c *coord.ImportChange, stated []string) {
	if len(stated) == 0 {
		stated = nil
	}
	switch {
	case c.Anchor != nil:
		c.Anchor.Base.After = stated
		r.settled(c)
	case r.anchor != nil && !slices.Equal(r.anchor.Base.After, stated):
		a := *r.anchor
		a.Base.After = stated
		c.Anchor = &a
	}
}
