package markdown

import (
	"cmp"
	"slices"
	"strings"

	"coord"
)

// learnt reads no kind as the usual one.
func learnt(k coord.LessonKind) coord.LessonKind { return cmp.Or(k, coord.KindLesson) }

// newLesson records what no known lesson was matched to. A rejected approach
// whose source does not say when to look at it again says that.
func (p *planner) newLesson(r *found) coord.ImportChange {
	switch {
	case r.Facets.Reopen == "" || r.Facets.Kind == coord.KindRejected:
	case r.Facets.Kind == "":
		r.Facets.Kind = coord.KindRejected
	default:
		p.passOverReopen(r)
	}
	c := r.remember(r.change(coord.ImportNew, coord.ActionCreateLesson))
	if c.LessonKind == coord.KindRejected {
		c.Reopen = cmp.Or(c.Reopen, coord.ReopenUnstated)
	}
	if why := p.impossible(coord.RecordFacets{Kind: c.LessonKind, Body: cmp.Or(c.Body, c.Title), Tags: c.Tags, Scope: c.Scope, Reopen: c.Reopen}); why != "" {
		return r.cannot(c, why)
	}
	return c
}

// matchedLesson compares a record with its lesson. Where it comes from and what
// became of it is the service's to say.
func (p *planner) matchedLesson(r *found) coord.ImportChange {
	l := r.lesson
	stored := coord.RecordFacets{Kind: learnt(l.Kind), Body: l.Text, Tags: l.Tags, Scope: l.Scope, Reopen: l.Reopen}
	facets := p.spoken(r, stored)
	s := sides{source: r.Facets, stored: stored, exported: stored}
	if !s.agree(facets) {
		s.exported = exportedLesson(*l)
	}
	p.addBase(&s, r, l.Edited)
	d := s.compare(facets)
	p.provenance(r)
	c := r.remember(r.change(r.placed(d.state()), coord.ActionNone))
	c.Was = d.was
	d.keep(c.Anchor, r.anchor)
	if len(d.source) > 0 {
		if why := p.keepsItsText(l); why != "" {
			c.Needs, c.Anchor, c.Replaces = why, nil, ""
			return c
		}
		if why := p.impossible(d.taken(stored, r.Facets)); why != "" {
			return r.cannot(c, why)
		}
		c.Action, c.Facets = coord.ActionUpdateLesson, d.source
	}
	if len(d.both) > 0 {
		c.Needs = "the file and the service changed it differently; make the line say what is right: " + d.was
	}
	return c
}

// spoken are the facets that the record says anything about. A file that
// has no brackets behind a lesson does not say that it has no tags; and only of
// a rejected approach it is said when to look at it again.
func (p *planner) spoken(r *found, stored coord.RecordFacets) []string {
	facets := []string{facetBody}
	if r.Facets.Kind != "" {
		facets = append(facets, coord.FacetKind)
	}
	if r.Brackets.There {
		facets = append(facets, coord.FacetTags)
	}
	if r.Brackets.There && !r.Brackets.Nowhere {
		facets = append(facets, coord.FacetScope)
	}
	switch kind := cmp.Or(r.Facets.Kind, stored.Kind); {
	case kind != coord.KindRejected:
		p.passOverReopen(r)
		if stored.Reopen != "" {
			facets = append(facets, coord.FacetReopen)
		}
	case r.Brackets.There, r.Facets.Reopen != "":
		facets = append(facets, coord.FacetReopen)
	case stored.Reopen == "":
		r.Facets.Reopen = coord.ReopenUnstated
		facets = append(facets, coord.FacetReopen)
	}
	return facets
}

func (p *planner) passOverReopen(r *found) {
	if r.Facets.Reopen != "" {
		p.match.note(r, "reopen_when", "only a rejected approach has a reopening condition; elsewhere it is passed over")
	}
	r.Facets.Reopen = ""
}

// unspoken gives the base of a lesson what its source says nothing of: as it
// was when the record was matched first, or as it is made.
func (r *found) unspoken(base *coord.RecordFacets) {
	was := coord.RecordFacets{Kind: cmp.Or(r.Facets.Kind, coord.KindLesson)}
	switch {
	case r.anchor != nil:
		was = r.anchor.Base
	case r.lesson != nil:
		was = coord.RecordFacets{Kind: r.lesson.Kind, Tags: r.lesson.Tags, Scope: r.lesson.Scope, Reopen: r.lesson.Reopen}
	case r.Facets.Kind == coord.KindRejected:
		was.Reopen = coord.ReopenUnstated
	}
	base.Kind = cmp.Or(base.Kind, learnt(was.Kind))
	if !r.Brackets.There {
		base.Tags = was.Tags
		if base.Reopen == "" && base.Kind == coord.KindRejected {
			base.Reopen = was.Reopen
		}
	}
	if !r.Brackets.There || r.Brackets.Nowhere {
		base.Scope = was.Scope
	}
}

// taken is what the service has with what the source changed.
func (d difference) taken(stored, source coord.RecordFacets) coord.RecordFacets {
	for _, f := range d.source {
		switch f {
		case facetBody:
			stored.Body = source.Body
		case coord.FacetKind:
			stored.Kind = source.Kind
		case coord.FacetTags:
			stored.Tags = source.Tags
		case coord.FacetScope:
			stored.Scope = source.Scope
		case coord.FacetReopen:
			stored.Reopen = source.Reopen
		}
	}
	return stored
}

// impossible says why the service would not take a lesson; empty if it would.
func (p *planner) impossible(f coord.RecordFacets) string {
	err := coord.Learn{Kind: f.Kind, Text: f.Body, Reopen: f.Reopen, Scope: f.Scope, Tags: f.Tags}.Validate()
	known := func(n coord.ImportNode) bool { return n.ID == f.Scope.Task }
	switch {
	case f.Kind == coord.KindRejected && strings.TrimSpace(f.Reopen) == "":
		return "a rejected approach says when to look at it again; write it into the brackets: reopen when: CONDITION"
	case err != nil:
		why, _, _ := strings.Cut(err.Error(), "; nothing was ")
		return why + "; make the line say what is right"
	case f.Scope.Task != "" && !slices.ContainsFunc(p.base.Graph, known) && p.match.tasks[f.Scope.Task] == nil:
		return "there is no task " + string(f.Scope.Task) + ", which it would be for; make the line say what is right"
	}
	return ""
}

// cannot is a change that nothing is applied of until the line is another.
func (r *found) cannot(c coord.ImportChange, why string) coord.ImportChange {
	c.State, c.Action, c.Needs = coord.ImportConflict, coord.ActionNone, why
	c.Facets, c.Anchor, c.Replaces = nil, nil, ""
	return c
}

// keepsItsText says why a lesson takes no change any more.
func (p *planner) keepsItsText(l *coord.ImportLesson) string {
	switch {
	case l.Rule != nil:
		return string(l.ID) + " is the rule " + l.Rule.Name + ", which no import changes: coord rule set " + l.Rule.Name + " TEXT --reason WHY"
	case l.Status == coord.LessonSuperseded || l.SupersededBy != "":
		return string(l.ID) + " is superseded and keeps what it says; write a new item"
	}
	return ""
}

// provenance reports what a file says of a lesson's origin and trust and the
// service says otherwise. In an export of an earlier state only the word of
// trust can be told from what was true then.
func (p *planner) provenance(r *found) {
	if !r.Brackets.There || r.Brackets.Service == "" {
		return
	}
	ours := strings.Join(serviceParts(asExported(*r.lesson)), "; ")
	differs := r.Brackets.Service != ours
	if p.exportedFor(r) != p.base.AsOf {
		word := trustIn(r.Brackets.Service)
		differs = word != "" && word != trustIn(ours)
	}
	if differs {
		p.match.note(r, "provenance", "where a lesson comes from, how far it is trusted and what became of it is the service's to say; what a file says of it is passed over")
	}
}

// trustIn is the word in brackets that says how far its lesson is trusted.
func trustIn(service string) coord.LessonStatus {
	word := coord.LessonStatus(strings.TrimSpace(firstOf(strings.TrimPrefix(service, partFrom))))
	if !slices.Contains(coord.LessonStatuses, word) {
		return ""
	}
	return word
}

func firstOf(s string) string {
	first, _, _ := strings.Cut(s, ";")
	first, _, _ = strings.Cut(first, ",")
	return first
}
