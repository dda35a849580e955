package markdown

import (
	"cmp"
	"slices"

	"coord"
)

// matcher pairs the records of one import with what the service knows. A tier
// looks only at what earlier tiers left, and decides only where it is one to
// one.
type matcher struct {
	base    coord.ImportBase
	records []*found
	anchors []*coord.ImportAnchor
	used    map[string]bool // keys of anchors that are spoken for
	tasks   map[coord.TaskID]*coord.ImportTask
	lessons map[coord.LessonID]*coord.ImportLesson
	notes   map[string]*notes // by path
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

// run applies the tiers in order.
func (m *matcher) run() {
	m.byMarker()
	m.byNewMarker()
	m.tier(fullHere, func(a *coord.ImportAnchor) string { return key(place(a), a.Full) }, false)
	m.tier(leadHere, func(a *coord.ImportAnchor) string { return key(place(a), a.Lead) }, false)
	m.tier(fullAnywhere, func(a *coord.ImportAnchor) string { return key(string(a.Kind), a.Label, a.Full) }, true)
	m.doubles()
	m.askAbout()
}

func place(a *coord.ImportAnchor) string {
	return key(string(a.Kind), a.Path, a.Shape, a.Section, a.Label)
}

func (r *found) place() string {
	return key(string(r.Kind), r.path, r.Shape, r.Section, r.Label)
}

func fullHere(r *found) string     { return key(r.place(), r.Full) }
func leadHere(r *found) string     { return key(r.place(), r.leadOrFull()) }
func fullAnywhere(r *found) string { return key(string(r.Kind), r.Label, r.Full) }

// byMarker is the strongest tier: a marker names the record. One that this
// project does not know is reported and not trusted.
func (m *matcher) byMarker() {
	of := map[string][]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		of[became(a)] = append(of[became(a)], a)
	}
	for _, r := range m.records {
		if r.Marker == "" || r.Marker == markNew || r.Kind == coord.RecordHandoff {
			continue
		}
		if r.Kind == coord.RecordTask {
			r.task = m.tasks[coord.TaskID(r.Marker)]
		} else {
			r.lesson = m.lessons[coord.LessonID(r.Marker)]
		}
		if r.claimed = r.task != nil || r.lesson != nil; !r.claimed {
			m.note(r, "unknown_marker", "markers that name no task or lesson of this project are ignored")
			continue
		}
		for _, a := range of[r.Marker] {
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
			m.pair(r, a, false)
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

// tier pairs records and anchors that agree in a key, in file order, wherever
// there are as many of one as of the other. A moved record must be unique.
func (m *matcher) tier(recordKey func(*found) string, anchorKey func(*coord.ImportAnchor) string, moved bool) {
	anchors := map[string][]*coord.ImportAnchor{}
	for _, a := range m.anchors {
		if !m.used[a.Key] {
			k := anchorKey(a)
			anchors[k] = append(anchors[k], a)
		}
	}
	records := map[string][]*found{}
	for _, r := range m.records {
		if !r.claimed && r.Marker != markNew && !(moved && r.Kind == coord.RecordHandoff) {
			k := recordKey(r)
			records[k] = append(records[k], r)
		}
	}
	for _, r := range m.records {
		if r.claimed {
			continue
		}
		k := recordKey(r)
		rs, as := records[k], anchors[k]
		if len(rs) == 0 || len(rs) != len(as) || moved && len(rs) > 1 {
			continue
		}
		for i := range rs {
			m.pair(rs[i], as[i], moved)
		}
		delete(records, k)
	}
}

func (m *matcher) pair(r *found, a *coord.ImportAnchor, moved bool) {
	r.claimed, r.anchor, r.moved = true, a, moved && a.Path != r.path
	r.task, r.lesson = m.tasks[a.Task], m.lessons[a.Lesson]
	m.used[a.Key] = true
}

// authority orders the roles: of two records that are one, the backlog's
// stands for both.
var authority = map[coord.SourceRole]int{coord.AsBacklog: 0, coord.AsRecord: 1, coord.AsHandoff: 2}
