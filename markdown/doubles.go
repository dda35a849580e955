package markdown

import "coord"

// doubles finds records of one import that are the same thing: two that were
// matched to one task or lesson, and unmatched ones of different files that
// say the same under the same label. The first by authority stands for the
// others. Equal items of one file are two items.
func (m *matcher) doubles() {
	first := map[string]*found{}
	for _, r := range m.records {
		k := ""
		switch {
		case r.Kind == coord.RecordHandoff:
			continue
		case r.task != nil:
			k = "task " + string(r.task.ID)
		case r.lesson != nil:
			k = "lesson " + string(r.lesson.ID)
		default:
			k = "text " + fullAnywhere(r)
		}
		p := first[k]
		switch {
		case p == nil:
			first[k] = r
		case r.task == nil && r.lesson == nil && p.path == r.path:
		default:
			r.double = p
			m.contradict(p, r)
		}
	}
}

// contradict makes an open record disputed when its double is closed: nothing
// is ready that any evidence calls closed.
func (m *matcher) contradict(p, r *found) {
	if p.task != nil || p.Disputed != "" || p.Facets.Status.Closed() || !r.Facets.Status.Closed() {
		return
	}
	p.Ready = false
	p.Disputed = "it is open here, but " + r.path + " says " + string(r.Facets.Status)
}
