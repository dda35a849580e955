package markdown

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"coord"
)

// Plan is the coord.Planner: it says what importing files would do to the
// state base. It fails with CodeBadRequest for a request that Validate refuses;
// a file that cannot be read is part of the plan.
func Plan(base coord.ImportBase, files []coord.SourceFile) (coord.ImportPlan, error) {
	if err := (coord.ImportRequest{Project: base.Project, Files: files}).Validate(); err != nil {
		return coord.ImportPlan{}, err
	}
	p := planner{base: base, files: files, docs: make([]*Document, len(files))}
	p.plan = coord.ImportPlan{Project: base.Project, AsOf: base.AsOf, Admit: base.Admit, Changes: []coord.ImportChange{}}
	for i := range files {
		p.read(i)
	}
	records := slices.Clone(p.records)
	slices.SortStableFunc(records, func(a, b *found) int {
		return cmp.Compare(authority[files[a.file].As], authority[files[b.file].As])
	})
	identify(base.Project, records)
	p.match = newMatcher(base, records)
	p.match.run()
	for _, r := range p.records {
		c := p.decide(r)
		if c.State == coord.ImportUnchanged && r.anchor == nil && p.exportedAt(r.file) > 0 {
			c.Anchor = nil // the marker and the event of the export say as much
		}
		p.plan.Changes = append(p.plan.Changes, c)
	}
	p.missing()
	p.diagnose()
	return p.plan.Sealed(), nil
}

type planner struct {
	base    coord.ImportBase
	files   []coord.SourceFile
	docs    []*Document // nil for a file that is not read
	records []*found    // in file order
	match   *matcher
	plan    coord.ImportPlan
}

func (p *planner) read(i int) {
	f := p.files[i]
	file := coord.ImportFile{Path: f.Path, As: f.As, Digest: digest(f.Content), Revision: f.Revision}
	defer func() { p.plan.Files = append(p.plan.Files, file) }()
	whole := coord.ImportChange{Action: coord.ActionNone, Path: f.Path, Title: f.Path}
	if p.stale(f.Path, file.Digest) {
		whole.State = coord.ImportStaleSource
		whole.Needs = "the file is an earlier version that was imported before; change any line of it if it is meant to be imported again"
		p.plan.Changes = append(p.plan.Changes, whole)
		return
	}
	doc, err := Read(f)
	if err != nil {
		whole.State, whole.Needs = coord.ImportUnreadable, err.Error()
		p.plan.Changes = append(p.plan.Changes, whole)
		return
	}
	p.docs[i] = &doc
	file.Lines, file.Records = doc.Lines, len(doc.Records)
	for _, r := range doc.Records {
		p.records = append(p.records, &found{Record: r, file: i, path: f.Path, revision: f.Revision})
	}
}

// stale reports that these bytes were imported before, and other bytes of the
// same path after them.
func (p *planner) stale(path, sum string) bool {
	var mine, latest coord.Seq
	for _, f := range p.base.Files {
		if f.Path != path {
			continue
		}
		latest = max(latest, f.Seen)
		if f.Digest == sum {
			mine = max(mine, f.Seen)
		}
	}
	return mine != 0 && mine < latest
}

// exportedAt is the event that file i shows the state of, if it is an export
// of this project; else 0.
func (p *planner) exportedAt(i int) coord.Seq {
	if p.docs[i] == nil || p.docs[i].front["coord"] == "" || p.docs[i].front["project"] != string(p.base.Project) {
		return 0
	}
	n, err := strconv.ParseInt(p.docs[i].front["as_of"], 10, 64)
	if err != nil || coord.Seq(n) > p.base.AsOf {
		return 0
	}
	return coord.Seq(n)
}

// missing reports what was in a file of this import and is not any more: what
// was imported from it, and what an export of it held.
func (p *planner) missing() {
	there := map[string]bool{}
	for _, r := range p.records {
		if r.task != nil {
			there[string(r.task.ID)] = true
		}
		if r.lesson != nil {
			there[string(r.lesson.ID)] = true
		}
	}
	read := map[string]bool{}
	for i, f := range p.files {
		read[f.Path] = p.docs[i] != nil
	}
	for _, a := range p.match.anchors {
		if id := became(a); read[a.Path] && id != "" && !there[id] {
			there[id] = true
			p.gone(a.Path, p.match.tasks[a.Task], p.match.lessons[a.Lesson])
		}
	}
	for i, f := range p.files {
		at := p.exportedAt(i)
		for n := range p.base.Tasks {
			if t := &p.base.Tasks[n]; p.holds(i, coord.ExportBacklog) && t.Created <= at && !there[string(t.ID)] {
				p.gone(f.Path, t, nil)
			}
		}
		for n := range p.base.Lessons {
			if l := &p.base.Lessons[n]; p.holds(i, coord.ExportRecord) && l.Created <= at && !there[string(l.ID)] {
				p.gone(f.Path, nil, l)
			}
		}
	}
}

// holds reports that file i is an export of the document named.
func (p *planner) holds(i int, which coord.ExportFile) bool {
	return p.docs[i] != nil && p.docs[i].front["coord"] == frontName[which]
}

func (p *planner) gone(path string, t *coord.ImportTask, l *coord.ImportLesson) {
	c := coord.ImportChange{State: coord.ImportMissing, Action: coord.ActionNone, Path: path}
	if t != nil {
		c.Kind, c.Task, c.Title = coord.RecordTask, t.ID, t.Title
	} else {
		c.Kind, c.Lesson, c.Title = coord.RecordLesson, l.ID, readOwn([]string{clean(l.Text)}).title
	}
	p.plan.Changes = append(p.plan.Changes, c)
}

func (p *planner) diagnose() {
	for i, doc := range p.docs {
		if doc != nil {
			p.plan.Diagnostics = append(p.plan.Diagnostics, doc.Diagnostics...)
		}
		if n := p.match.notes[p.files[i].Path]; n != nil {
			p.plan.Diagnostics = append(p.plan.Diagnostics, n.list(p.files[i].Path)...)
		}
	}
}

// change is the common part of every change about r.
func (r *found) change(state coord.ImportState, action coord.ImportAction) coord.ImportChange {
	c := coord.ImportChange{
		State: state, Action: action, Kind: r.Kind, Key: r.key, Path: r.path, Line: r.Line,
		Title: r.Facets.Title, Body: r.Facets.Body, Criteria: r.Facets.Criteria, Priority: r.Facets.Priority,
	}
	if r.task != nil {
		c.Task = r.task.ID
	}
	if r.lesson != nil {
		c.Lesson = r.lesson.ID
	}
	if r.anchor != nil && r.anchor.Path != r.path {
		c.MovedFrom = r.anchor.Path
	}
	return c
}

// remember makes applying c store r as it is now, unless that is what is
// stored already.
func (r *found) remember(c coord.ImportChange) coord.ImportChange {
	if c.Anchor = r.fresh(); r.anchor != nil && reflect.DeepEqual(*c.Anchor, *r.anchor) {
		c.Anchor = nil
	}
	if r.anchor != nil && r.anchor.Key != r.key {
		c.Replaces = r.anchor.Key
	}
	return c
}

func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) }
