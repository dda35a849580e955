package markdown

import (
	"cmp"
	"slices"

	"coord"
)

// matcher pairs the records of one import with what the service knows, in
// tiers. A tier looks only at what earlier tiers left, and decides only where
// it is one to one.
type matcher struct {
	base     coord.ImportBase
	records  []*found
	anchors  []*coord.ImportAnchor
	read     map[string]bool // paths of the files that are applied
	late     bool            // the tiers look at files that are no longer in use
	used     map[string]bool // keys of anchors that are spoken for
	tasks    map[coord.TaskID]*coord.ImportTask
	lessons  map[coord.LessonID]*coord.ImportLesson
	notes    map[string]*notes // by path
	problems []coord.ImportProblem
}

func newMatcher(base coord.ImportBase, records []*found) *matcher {
	m := &matcher{
		base: base, records: records, used: map[string]bool{}, notes: map[string]*notes{},
		tasks: map[coord.TaskID]*coord.ImportTask{}, lessons: map[coord.LessonID]*coord.ImportLesson{},
	}
	for i := range base.Tasks {
		m.tasks[base.Tasks[i].ID] = &base.Tasks[i]
	}
	for i := range base.Lessons {
		m.lessons[base.Lessons[i].ID] = &base.Lessons[i]
	}
	for i := range base.Records {
		a := &base.Records[i]
		if a.Kind == coord.RecordHandoff || m.tasks[a.Task] != nil || m.lessons[a.Lesson] != nil {
			m.anchors = append(m.anchors, a)
		}
	}
	slices.SortFunc(m.anchors, func(a, b *coord.ImportAnchor) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
	return m
}

// run applies the tiers in order: first to the files that are in use, since what
// is still in others was moved out of them.
func (m *matcher) run() {
	m.byMarker()
	m.byNewMarker()
	for _, m.late = range []bool{false, true} {
		m.equals()
		m.tier(matchedHere, leadHere, func(a *coord.ImportAnchor) string { return key(place(a), a.Lead) })
		m.tier(matchedMoved, fullAnywhere, func(a *coord.ImportAnchor) string { return key(string(a.Kind), a.Label, a.Full) })
		m.tier(matchedMoved, leadAnywhere, func(a *coord.ImportAnchor) string { return key(string(a.Kind), a.Label, a.Lead) })
	}
	m.renamed()
	m.doubles()
	m.askAbout()
}

// matching says how a record was matched.
type matching string

const (
	unmatched      matching = ""
	matchedMarker  matching = "marker"
	matchedHere    matching = "here"    // same file and section
	matchedMoved   matching = "moved"   // same text or lead elsewhere
	matchedRenamed matching = "renamed" // same label, much the same title
)

func place(a *coord.ImportAnchor) string {
	return key(string(a.Kind), a.Path, a.Shape, a.Section, a.Label)
}

func (r *found) place() string {
	return key(string(r.Kind), r.path, r.Shape, r.Section, r.Label)
}

func fullHere(r *found) string     { return key(r.place(), r.Full) }
func leadHere(r *found) string     { return key(r.place(), r.leadOrFull()) }
func fullAnywhere(r *found) string { return key(string(r.Kind), r.Label, r.Full) }
func leadAnywhere(r *found) string { return key(string(r.Kind), r.Label, r.leadOrFull()) }

// byMarker is the strongest tier: a marker names the record. One that this
// project does not know is reported and not trusted.
func (m *matcher) byMarker() {
	of := map[string][]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		of[became(a)] = append(of[became(a)], a)
	}
	unmarked := map[string]bool{}
	for _, r := range m.records {
		if r.Marker == "" {
			unmarked[leadHere(r)] = true
		}
	}
	for _, r := range m.records {
		if r.Marker == "" || r.Marker == markNew || r.Kind == coord.RecordHandoff {
			continue
		}
		if r.Kind == coord.RecordTask {
			r.task = m.tasks[coord.TaskID(r.Marker)]
		} else if !r.alien {
			r.lesson = m.lessons[coord.LessonID(r.Marker)]
		}
		if r.task == nil && r.lesson == nil {
			m.note(r, "unknown_marker", "markers that name no task or lesson of this project are ignored")
			m.problem(coord.ProblemMarker, "the marker "+r.Marker+" names nothing of this project; it is ignored", r.side("has the marker "+r.Marker))
			continue
		}
		r.how = matchedMarker
		for _, a := range of[r.Marker] {
			if here := key(place(a), a.Lead); here != leadHere(r) && (unmarked[here] || !m.read[a.Path] && a.Full != r.Full) {
				continue // the line that it is about is still there, or may be
			}
			m.used[a.Key] = true
			if r.anchor == nil || a.Path == r.path && r.anchor.Path != r.path {
				r.anchor = a
			}
		}
	}
}

// became is the id of the task or lesson that a source record turned into.
func became(a *coord.ImportAnchor) string { return string(a.Task) + string(a.Lesson) }

// byNewMarker finds again what a person once declared new: by its key alone.
func (m *matcher) byNewMarker() {
	byKey := map[string]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		byKey[a.Key] = a
	}
	for _, r := range m.records {
		if a := byKey[r.key]; r.Marker == markNew && a != nil && !m.used[a.Key] {
			m.pair(r, a, matchedHere)
		}
	}
}

func (m *matcher) note(r *found, code, message string) {
	n := m.notes[r.path]
	if n == nil {
		n = &notes{}
		m.notes[r.path] = n
	}
	n.add(code, r.Line-1, message)
}

func (m *matcher) problem(kind coord.ProblemKind, text string, sides ...coord.ImportSide) {
	m.problems = append(m.problems, coord.ImportProblem{Kind: kind, Text: text, Sides: sides})
}

// groups are the records and anchors that no tier has matched so far, by a key.
func (m *matcher) groups(recordKey func(*found) string, anchorKey func(*coord.ImportAnchor) string, notes bool) (map[string][]*found, map[string][]*coord.ImportAnchor) {
	anchors := map[string][]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		if !m.used[a.Key] {
			k := anchorKey(a)
			anchors[k] = append(anchors[k], a)
		}
	}
	records := map[string][]*found{}
	for _, r := range m.records {
		if r.how == unmatched && r.late == m.late && r.Marker != markNew && (notes || r.Kind != coord.RecordHandoff) {
			if k := recordKey(r); anchors[k] != nil {
				records[k] = append(records[k], r)
			}
		}
	}
	return records, anchors
}

// tier pairs the records and anchors that are alone on both sides with a key.
// A note of a handoff stays where it is: it is dated history.
func (m *matcher) tier(how matching, recordKey func(*found) string, anchorKey func(*coord.ImportAnchor) string) {
	records, anchors := m.groups(recordKey, anchorKey, how == matchedHere)
	for k, rs := range records {
		if as := anchors[k]; len(rs) == 1 && len(as) == 1 {
			m.pair(rs[0], as[0], how)
		}
	}
}

// equals pairs what has the same place and text. Several that are equal are
// paired only if there are as many as before: first those whose body and status
// tell them apart, then by their order.
func (m *matcher) equals() {
	records, anchors := m.groups(fullHere, func(a *coord.ImportAnchor) string { return key(place(a), a.Full) }, true)
	for k, rs := range records {
		as := anchors[k]
		if len(rs) != len(as) {
			continue
		}
		if len(rs) > 1 {
			rs, as = m.telling(rs, as)
		}
		for i := range rs {
			m.pair(rs[i], as[i], matchedHere)
		}
	}
}

// telling pairs the equals that only one on each side is like in body and
// status too, and returns the others.
func (m *matcher) telling(rs []*found, as []*coord.ImportAnchor) ([]*found, []*coord.ImportAnchor) {
	records, anchors := map[string][]*found{}, map[string][]*coord.ImportAnchor{}
	for _, r := range rs {
		k := key(string(r.Facets.Status), bodyDigest(r.Facets.Body))
		records[k] = append(records[k], r)
	}
	for _, a := range as {
		k := key(string(a.Base.Status), a.Base.Body)
		anchors[k] = append(anchors[k], a)
	}
	for k, same := range records {
		if len(same) == 1 && len(anchors[k]) == 1 {
			m.pair(same[0], anchors[k][0], matchedHere)
		}
	}
	return slices.DeleteFunc(slices.Clone(rs), func(r *found) bool { return r.how != unmatched }),
		slices.DeleteFunc(slices.Clone(as), func(a *coord.ImportAnchor) bool { return m.used[a.Key] })
}

func (m *matcher) pair(r *found, a *coord.ImportAnchor, how matching) {
	r.how, r.anchor = how, a
	r.task, r.lesson = m.tasks[a.Task], m.lessons[a.Lesson]
	m.used[a.Key] = true
}

// authority orders the roles: of two records that are one, the backlog's
// stands for both.
var authority = map[coord.SourceRole]int{
	coord.AsBacklog: 0, coord.AsBeads: 0, coord.AsBacklogMD: 0, coord.AsTaskMaster: 0,
	coord.AsRecord: 1, coord.AsMemory: 2, coord.AsHandoff: 3, coord.AsArchive: 4, coord.AsInstructions: 5,
}
