package markdown

import (
	"slices"
	"strconv"
	"strings"

	"coord"
)

// waited is one thing that a record waits for: a task, or a record of the same
// import that becomes one.
type waited struct {
	ref  string // as written
	task coord.TaskID
	to   *found
}

// waiting resolves what the records of an import wait for.
type waiting struct {
	m       *matcher
	nodes   map[coord.TaskID]*coord.ImportNode
	labels  map[spot][]*found                // records of this import, or those that stand for them
	anchors map[string][]*coord.ImportAnchor // the same for what was imported before
	retired func(*found) bool                // in a file that is no longer in use

	prefixes map[string]bool           // of the labels
	places   map[coord.TaskID][]*found // records by their node
}

// spot is where a folded label is looked for, the nearest first: in a section of
// a file, in a file, or anywhere.
type spot struct{ label, path, section, near string }

func spots(label, path, section string) [3]spot {
	return [3]spot{{label, path, section, "section"}, {label, path, "", "file"}, {label, "", "", ""}}
}

func newWaiting(m *matcher, retired func(*found) bool) *waiting {
	w := &waiting{m: m, nodes: map[coord.TaskID]*coord.ImportNode{}, labels: map[spot][]*found{}, anchors: map[string][]*coord.ImportAnchor{}, retired: retired}
	for i := range m.base.Graph {
		w.nodes[m.base.Graph[i].ID] = &m.base.Graph[i]
	}
	for _, t := range m.base.Tasks {
		if w.nodes[t.ID] == nil {
			w.nodes[t.ID] = &coord.ImportNode{ID: t.ID, Lifecycle: t.Lifecycle, After: t.After}
		}
	}
	type named struct {
		label string
		r     *found
	}
	seen := map[named]bool{}
	for _, r := range m.records {
		o := r
		if r.double != nil {
			o = r.double
		}
		n := named{foldLabel(r.Label), o}
		if r.Kind != coord.RecordTask || r.Label == "" || seen[n] {
			continue
		}
		seen[n] = true
		for _, s := range spots(n.label, o.path, o.Section) {
			w.labels[s] = append(w.labels[s], o)
		}
	}
	for _, a := range m.anchors {
		if a.Task != "" && a.Label != "" {
			w.anchors[foldLabel(a.Label)] = append(w.anchors[foldLabel(a.Label)], a)
		}
	}
	return w
}

func foldLabel(s string) string { return strings.ToLower(strings.Trim(s, "[]() ")) }

// run resolves every record's dependencies. A record with one that leads
// nowhere, to several things or back to itself has no link for it, and is not
// ready: what it waits for is not known to be done.
func (w *waiting) run() {
	var edges []edge
	for _, r := range w.m.records {
		if r.Kind != coord.RecordTask || r.double != nil {
			continue
		}
		for _, ref := range r.Facets.After {
			to, why := w.resolve(r, ref)
			if why == "" {
				edges = append(edges, edge{from: r, to: to})
				continue
			}
			if !r.closed() {
				r.Ready = false
				w.m.problem(coord.ProblemDependency, r.name()+" waits for "+ref+", which "+why, r.side("waits for "+ref))
			}
		}
	}
	for _, e := range w.acyclic(edges) {
		if !slices.ContainsFunc(e.from.waits, func(o waited) bool { return o.task == e.to.task && o.to == e.to.to }) {
			e.from.waits = append(e.from.waits, e.to)
		}
	}
}

func (r *found) closed() bool {
	return r.task != nil && r.task.Lifecycle.Closed() || r.Facets.Status.Closed()
}

// resolve finds what ref means beside r: an id of this project, or the label of
// a record, nearest first. It says why not, if nothing or several are meant.
func (w *waiting) resolve(r *found, ref string) (to waited, why string) {
	to.ref = ref
	if id := coord.TaskID(strings.TrimSpace(ref)); w.nodes[id] != nil {
		to.task = id
		return to, w.unusable(to)
	}
	rs := w.nearest(r, foldLabel(ref))
	switch {
	case len(rs) > 1:
		return to, "is the label of several records"
	case len(rs) == 1 && rs[0].task != nil:
		to.task = rs[0].task.ID
		return to, w.unusable(to)
	case len(rs) == 1:
		to.to = rs[0]
		return to, w.unusable(to)
	}
	return w.stored(to)
}

// stored looks for a label among what was imported before.
func (w *waiting) stored(to waited) (waited, string) {
	ids := map[coord.TaskID]bool{}
	for _, a := range w.anchors[foldLabel(to.ref)] {
		ids[a.Task] = true
		to.task = a.Task
	}
	switch len(ids) {
	case 0:
		return to, "is not there"
	case 1:
		return to, w.unusable(to)
	}
	return waited{ref: to.ref}, "is the label of several tasks"
}

// unusable says why nothing can wait for what was found.
func (w *waiting) unusable(to waited) string {
	if r := to.to; r != nil {
		switch {
		case r.clash != "" || r.ask != "" || r.Disputed != "" || w.retired(r):
			return "is not recorded yet: its own line leaves a question"
		case r.Facets.Status.Closed() && closedAs(r.Facets.Status) != coord.LifecycleDone:
			return "was given up"
		}
		return ""
	}
	if n := w.nodes[to.task]; n != nil && n.Lifecycle.Closed() && n.Lifecycle != coord.LifecycleDone {
		return "is " + string(n.Lifecycle)
	}
	return ""
}

// nearest are the records of that label in the section of r, else in its file,
// else in all files.
func (w *waiting) nearest(r *found, label string) []*found {
	for _, s := range spots(label, r.path, r.Section) {
		if rs := w.labels[s]; len(rs) > 0 {
			return rs
		}
	}
	return nil
}

// node names r in the graph: its task, or its place in this import.
func (r *found) node() coord.TaskID {
	if r.task != nil {
		return r.task.ID
	}
	return coord.TaskID(strconv.Itoa(r.file) + ":" + strconv.Itoa(r.index))
}

func (t waited) node() coord.TaskID {
	if t.to != nil {
		return t.to.node()
	}
	return t.task
}

// edge is a link that the files ask for.
type edge struct {
	from *found
	to   waited
}

// unfinished is what every task that is not closed waits for and that is not
// closed either.
func (w *waiting) unfinished() map[coord.TaskID][]coord.TaskID {
	next := map[coord.TaskID][]coord.TaskID{}
	for _, n := range w.nodes {
		if n.Lifecycle.Closed() {
			continue
		}
		for _, id := range slices.Concat(n.After, n.Parts) {
			if to := w.nodes[id]; to == nil || !to.Lifecycle.Closed() {
				next[n.ID] = append(next[n.ID], id)
			}
		}
	}
	return next
}

// maxWalked is how many tasks are visited in all to look for ways round.
const maxWalked = 1_000_000

// acyclic leaves out the edges that would have a task wait for itself, in the
// order of the files, and reports each. Only edges inside a ring are walked; in
// rings that are too large for that, all are left out.
func (w *waiting) acyclic(edges []edge) []edge {
	next, all := w.unfinished(), w.unfinished()
	for _, e := range edges {
		all[e.from.node()] = append(all[e.from.node()], e.to.node())
	}
	ring := rings(all)
	walked := 0
	beyond := func(id coord.TaskID) ([]coord.TaskID, error) {
		if walked++; walked > maxWalked {
			return nil, coord.Errorf(coord.CodeStateConflict, "the rings are too large")
		}
		return next[id], nil
	}
	var out []edge
	for _, e := range edges {
		from, to := e.from.node(), e.to.node()
		if from == to || ring[from] != 0 && ring[from] == ring[to] {
			if coord.CheckAcyclic(from, to, beyond) != nil {
				e.from.Ready = false
				w.m.problem(coord.ProblemCycle, e.from.name()+" waits for "+e.to.ref+", which waits for it in turn; the link is left out", w.round(e)...)
				continue
			}
		}
		next[from] = append(next[from], to)
		out = append(out, e)
	}
	return out
}

func (w *waiting) round(e edge) []coord.ImportSide {
	if w.places == nil {
		w.places = map[coord.TaskID][]*found{}
		for _, r := range w.m.records {
			w.places[r.node()] = append(w.places[r.node()], r)
		}
	}
	sides := []coord.ImportSide{e.from.side("waits for " + e.to.ref)}
	for _, r := range w.places[e.to.node()] {
		if r != e.from && len(r.Facets.After) > 0 {
			sides = append(sides, r.side("waits for "+strings.Join(r.Facets.After, ", ")))
		}
	}
	return sides
}
