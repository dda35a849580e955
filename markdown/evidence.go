package markdown

import "coord"

// evidence is all that says that something is closed: records of this import,
// of files that are too old to be applied, what was imported before, and tasks.
type evidence map[string][]witness

type witness struct {
	r    *found       // nil for what is only stored
	task coord.TaskID // what it was matched to
	path string
	weak bool // it only keeps a record from being ready
}

// gather collects the closed things. old are the records of stale files.
func gather(m *matcher, old []*found) evidence {
	e := evidence{}
	for _, r := range m.records {
		if r.Kind == coord.RecordTask && r.closed() {
			e.add(r, witness{r: r, task: coord.TaskID(r.id()), path: r.path})
		}
	}
	for _, r := range old {
		if r.Kind == coord.RecordTask && r.Facets.Status.Closed() {
			e.add(r, witness{r: r, path: r.path, weak: true})
		}
	}
	known := map[coord.TaskID]bool{}
	for _, a := range m.anchors {
		if t := m.tasks[a.Task]; t != nil && (t.Lifecycle.Closed() || a.Base.Status.Closed()) {
			known[t.ID] = true
			w := witness{task: t.ID, path: a.Path}
			e[key(a.Label, a.Full)] = append(e[key(a.Label, a.Full)], w)
			if a.Lead != a.Full {
				e[key(a.Label, a.Lead)] = append(e[key(a.Label, a.Lead)], w)
			}
			e.addTitle(a.Base.Title, a.Label, w)
		}
	}
	for _, t := range m.base.Tasks {
		if t.Lifecycle.Closed() && !known[t.ID] {
			title := clean(t.Title)
			k := key(labelOf(title), normal(leadOf(title)))
			e[k] = append(e[k], witness{task: t.ID, weak: true})
			e.addTitle(title, labelOf(title), witness{task: t.ID})
		}
	}
	return e
}

func (e evidence) add(r *found, w witness) {
	e[key(r.Label, r.Full)] = append(e[key(r.Label, r.Full)], w)
	if lead := r.leadOrFull(); lead != r.Full {
		e[key(r.Label, lead)] = append(e[key(r.Label, lead)], w)
	}
	e.addTitle(r.Facets.Title, r.Label, w)
}

// addTitle counts what is closed for whatever has its title, under another label
// too: labels are given anew.
func (e evidence) addTitle(title, label string, w witness) {
	const enough = 8
	if k := titleKey(title, label); k != "" && len(e[k]) < enough {
		w.weak = true
		e[k] = append(e[k], w)
	}
}

// titleKey is empty for a title that is too short to be of one thing only.
func titleKey(title, label string) string {
	if title = bareOf(title, label); len(title) < 12 {
		return ""
	}
	return key("title", title)
}

// weigh keeps every open record from being ready that anything calls closed.
// One that nothing is known of is not even recorded when another file closes
// it, unless a person declared it new.
func (e evidence) weigh(m *matcher) {
	for _, r := range m.records {
		if r.Kind != coord.RecordTask || r.double != nil || r.closed() {
			continue
		}
		for _, k := range []string{key(r.Label, r.Full), key(r.Label, r.leadOrFull()), titleKey(r.Facets.Title, r.Label)} {
			for _, w := range e[k] {
				e.count(m, r, w)
			}
		}
	}
}

func (e evidence) count(m *matcher, r *found, w witness) {
	if w.r == r || w.r != nil && w.r.double == r || r.task != nil && r.task.ID == w.task {
		return
	}
	r.Ready = false
	if w.weak || r.task != nil || r.Marker == markNew || w.path == r.path || r.ask != "" || r.Disputed != "" {
		return
	}
	says := string(w.task)
	if w.r != nil {
		m.contradiction(r, w.r)
		says = string(w.r.Facets.Status)
	}
	r.dispute("it is open here, but it is closed in " + w.path + " (" + says + ")")
}
