package markdown

import (
	"fmt"

	"coord"
)

// doubles finds records of one import that are the same thing: several that
// were matched to one task or lesson, and those of different files that say the
// same under the same label. The first by authority stands for the others.
// Equal items of one file are two items.
func (m *matcher) doubles() {
	first, text := map[string]*found{}, map[string]*found{}
	for _, r := range m.records {
		if p := first[r.id()]; p == nil || p.file == r.file && p.anchor == nil && r.anchor != nil {
			first[r.id()] = r
		}
	}
	for _, r := range m.records {
		p := first[r.id()]
		switch {
		case r.id() == "":
			continue
		case p != r:
			m.second(p, r)
			continue
		}
		if k := fullAnywhere(r); text[k] == nil {
			text[k] = r
		}
	}
	for _, r := range m.records {
		if r.id() != "" || r.Kind == coord.RecordHandoff || r.Marker == markNew {
			continue
		}
		k := fullAnywhere(r)
		p := text[k]
		switch {
		case p == nil:
			text[k] = r
		case p.path == r.path:
		default:
			m.copied(p, r)
		}
	}
}

// id is what r was matched to; empty for what was matched to nothing.
func (r *found) id() string {
	switch {
	case r.task != nil:
		return string(r.task.ID)
	case r.lesson != nil:
		return string(r.lesson.ID)
	}
	return ""
}

// second handles a record r of a task or lesson that p stands for already. One
// marker may stand in several files that say the same; twice in one file, or at
// two texts that differ, it says nothing.
func (m *matcher) second(p, r *found) {
	r.double = p
	differ := strangers(p.Facets.Title, r.Facets.Title, "") && p.Label != r.Label
	switch {
	case p.how != matchedMarker && r.how == matchedMarker && differ:
		r.clash, r.double = fmt.Sprintf("it has the marker of %s, but line %d of %s is that, and says something else; remove the marker", r.id(), p.Line, p.path), nil
	case p.how != matchedMarker || r.how != matchedMarker:
		m.contradict(p, r)
		return
	case p.path == r.path:
		clash := fmt.Sprintf("the marker of %s stands in line %d and in line %d; keep one of them", r.id(), p.Line, r.Line)
		p.clash, r.clash, r.double = clash, clash, nil
	case differ:
		r.clash, r.double = fmt.Sprintf("the marker of %s stands in %s too, where it says something else; keep one of them", r.id(), p.path), nil
	default:
		m.contradict(p, r)
		return
	}
	m.problem(coord.ProblemMarker, "the marker of "+r.id()+" stands in two places", p.side(p.Facets.Title), r.side(r.Facets.Title))
}

// copied handles a record r that was matched to nothing and says what p says in
// another file. A copy that is open, while the other is closed, is not work:
// nothing closed is admitted again.
func (m *matcher) copied(p, r *found) {
	if p.id() != "" && r.Kind == coord.RecordTask && !r.Facets.Status.Closed() && (p.Facets.Status.Closed() || p.task.Lifecycle.Closed()) {
		r.dispute("it is open here, but " + p.path + " says that " + p.id() + " is closed")
		m.contradiction(r, p)
		return
	}
	r.double = p
	m.contradict(p, r)
}

// contradict makes an open record that nothing is known of disputed when its
// double is closed, and keeps a known one from being admitted.
func (m *matcher) contradict(p, r *found) {
	if p.Kind != coord.RecordTask {
		return
	}
	open, shut := p, r
	if p.Facets.Status.Closed() {
		open, shut = r, p
	}
	if open.Facets.Status.Closed() || !shut.Facets.Status.Closed() {
		return
	}
	m.contradiction(open, shut)
	p.Ready = false
	if p == open && p.task == nil {
		p.dispute("it is open here, but " + r.path + " says " + string(r.Facets.Status))
	}
}

func (m *matcher) contradiction(open, shut *found) {
	m.problem(coord.ProblemContradiction, open.name()+" is open in one place and closed in another", open.side(stand(open)), shut.side(stand(shut)))
}

func stand(r *found) string { return string(r.Facets.Status) + ": " + brieflyOf(r.Facets.Title) }

func (r *found) dispute(why string) {
	r.Ready = false
	if r.Disputed == "" {
		r.Disputed, r.argued = why, true
	}
}
