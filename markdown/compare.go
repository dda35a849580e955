package markdown

import (
	"slices"
	"strings"

	"coord"
)

// The facets that are compared, by the names that plans use.
const (
	facetTitle    = "title"
	facetBody     = "body"
	facetCriteria = "criteria"
	facetPriority = "priority"
)

var allFacets = []string{facetTitle, facetBody, facetCriteria, facetPriority}

// difference is the outcome of a three-way comparison, facet by facet: what
// the source changed, the service changed, both changed to the same, and both
// changed differently.
type difference struct {
	source, here, converged, both []string
	was                           string // the service's values where they differ
	strange                       bool   // the titles have next to nothing in common
	status                        bool   // the source says of an open record that it stands otherwise: parked, blocked
}

func (d difference) differs() bool { return len(d.source)+len(d.here)+len(d.both) > 0 }

func (d difference) state() coord.ImportState {
	switch {
	case len(d.both) > 0:
		return coord.ImportConflict
	case (len(d.source) > 0 || d.status) && len(d.here) > 0:
		return coord.ImportMerged
	case len(d.source) > 0 || d.status:
		return coord.ImportChangedInSource
	case len(d.here) > 0:
		return coord.ImportChangedHere
	case len(d.converged) > 0:
		return coord.ImportConverged
	}
	return coord.ImportUnchanged
}

// keep leaves the base of facets in conflict as it was, so that the conflict
// is found again until it is settled.
func (d difference) keep(anchor, before *coord.ImportAnchor) {
	if before == nil || anchor == nil {
		return
	}
	for _, f := range d.both {
		switch f {
		case facetTitle:
			anchor.Base.Title = before.Base.Title
		case facetBody:
			anchor.Base.Body = before.Base.Body
		case facetCriteria:
			anchor.Base.Criteria = before.Base.Criteria
		case facetPriority:
			anchor.Base.Priority = before.Base.Priority
		case coord.FacetKind:
			anchor.Base.Kind = learnt(before.Base.Kind)
		case coord.FacetTags:
			anchor.Base.Tags = before.Base.Tags
		case coord.FacetScope:
			anchor.Base.Scope = before.Base.Scope
		case coord.FacetReopen:
			anchor.Base.Reopen = before.Base.Reopen
		}
	}
}

// sides holds the versions that are compared. The service's value counts as
// equal in its stored form and in the form that it has after an export.
type sides struct {
	source, stored, exported coord.RecordFacets
	base                     *coord.RecordFacets // its Body is a digest
	baseIsHere               bool                // nothing changed here since the file was exported
}

func (p *planner) compareTask(r *found) difference {
	t := r.task
	s := sides{source: r.Facets, stored: coord.RecordFacets{Title: t.Title, Body: t.Outcome, Criteria: t.Criteria, Priority: t.Priority}}
	s.exported = s.stored
	if !s.agree(allFacets) {
		s.exported = exportedTask(*t)
	}
	p.addBase(&s, r, t.Edited)
	d := s.compare(allFacets)
	if !slices.Equal(s.exported.Criteria, criteriaLines(t.Criteria)) {
		d.source, d.both = d.withCriteria(d.source), d.withCriteria(d.both)
	}
	d.strange = slices.Contains(slices.Concat(d.source, d.both), facetTitle) && strangers(s.source.Title, s.stored.Title, r.Label)
	if s.base != nil && !t.Lifecycle.Closed() && (r.how != matchedMarker || p.exportedFor(r) == 0) { // an export does not say why work waits
		d.status = s.base.Status != r.Facets.Status && !s.base.Status.Closed() && !r.Facets.Status.Closed()
	}
	if d.status {
		d.was = join(d.was, "status: "+string(s.base.Status))
	}
	return d
}

func (p *planner) addBase(s *sides, r *found, edited coord.Seq) {
	if p.beganFromAnchor(r) {
		s.base = &r.anchor.Base
	}
	s.baseIsHere = r.Marker != "" && edited <= p.exportedFor(r)
}

// criteriaLines are criteria as an export writes them.
func criteriaLines(criteria []string) (out []string) {
	for _, c := range criteria {
		if c = clean(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// withCriteria takes a task's outcome and its criteria together: a line of the
// outcome that a file has among its criteria must not get lost between the two.
func (d difference) withCriteria(facets []string) []string {
	all := slices.Concat(d.source, d.here, d.both)
	for _, f := range [][2]string{{facetBody, facetCriteria}, {facetCriteria, facetBody}} {
		if slices.Contains(facets, f[0]) && !slices.Contains(all, f[1]) {
			facets = append(facets[:len(facets):len(facets)], f[1])
		}
	}
	return facets
}

// beganFromAnchor reports that r is what its anchor remembers, or was made of it.
// An export that was written since then began from what was recorded here.
func (p *planner) beganFromAnchor(r *found) bool {
	at := p.exportedFor(r)
	return r.anchor != nil && (at == 0 || at < p.lastSeen(r.anchor.Path))
}

// lastSeen is the event of the latest import of a path.
func (p *planner) lastSeen(path string) (at coord.Seq) {
	for _, f := range p.seen[path] {
		at = max(at, f.Seen)
	}
	return at
}

// agree is the common case, cheaply.
func (s sides) agree(facets []string) bool {
	return !slices.ContainsFunc(facets, func(f string) bool { return !sameFacet(f, s.source, s.stored) })
}

func (s sides) compare(facets []string) difference {
	var d difference
	for _, f := range facets {
		equal := sameFacet(f, s.source, s.stored) || sameFacet(f, s.source, s.exported)
		sourceMoved, hereMoved := s.moved(f)
		switch {
		case equal && !s.baseIsHere && s.base != nil && sourceMoved && hereMoved:
			d.converged = append(d.converged, f)
		case equal:
		case s.baseIsHere, sourceMoved && !hereMoved:
			d.source = append(d.source, f)
		case hereMoved && !sourceMoved:
			d.here = append(d.here, f)
		default:
			d.both = append(d.both, f)
		}
		if !equal {
			d.was = join(d.was, f+": "+shown(f, s.stored))
		}
	}
	return d
}

// moved says which sides differ from the base; both, where there is none.
func (s sides) moved(f string) (source, here bool) {
	if s.base == nil {
		return true, true
	}
	return !sameBase(f, s.source, *s.base), !sameBase(f, s.stored, *s.base) && !sameBase(f, s.exported, *s.base)
}

func sameFacet(f string, a, b coord.RecordFacets) bool {
	switch f {
	case facetTitle:
		return a.Title == b.Title
	case facetBody:
		return a.Body == b.Body
	case facetCriteria:
		return slices.Equal(a.Criteria, b.Criteria)
	case coord.FacetKind:
		return learnt(a.Kind) == learnt(b.Kind)
	case coord.FacetTags:
		return slices.Equal(a.Tags, b.Tags)
	case coord.FacetScope:
		return a.Scope.Equal(b.Scope)
	case coord.FacetReopen:
		return a.Reopen == b.Reopen
	}
	return stated(a.Priority) == stated(b.Priority)
}

func sameBase(f string, a, base coord.RecordFacets) bool {
	if f == facetBody {
		return bodyDigest(a.Body) == base.Body
	}
	return sameFacet(f, a, base)
}

// stated reads no priority as the normal one.
func stated(p coord.Priority) coord.Priority {
	if p == "" {
		return coord.PriorityNormal
	}
	return p
}

func shown(f string, v coord.RecordFacets) string {
	text := ""
	switch f {
	case facetTitle:
		text = v.Title
	case facetBody:
		text = clean(v.Body)
	case facetCriteria:
		text = strings.Join(v.Criteria, "; ")
	case facetPriority:
		return string(stated(v.Priority))
	case coord.FacetKind:
		return string(learnt(v.Kind))
	case coord.FacetTags:
		text = strings.Join(v.Tags, ", ")
	case coord.FacetScope:
		text = scopeText(v.Scope)
	case coord.FacetReopen:
		text = clean(v.Reopen)
	}
	const most = 120
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return quote(text)
}
