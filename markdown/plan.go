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
	if err := (coord.ImportRequest{Project: base.Project, Files: files, Paths: base.Paths}).Validate(); err != nil {
		return coord.ImportPlan{}, err
	}
	docs, bad := make([]*Document, len(files)), make([]error, len(files))
	for i, f := range files {
		if doc, err := Read(f); err != nil {
			bad[i] = err
		} else {
			docs[i] = &doc
		}
	}
	return planOf(base, files, docs, bad), nil
}

// planOf makes the plan of files that were read, or could not be.
func planOf(base coord.ImportBase, files []coord.SourceFile, docs []*Document, bad []error) coord.ImportPlan {
	p := planner{base: base, files: files, docs: docs, seen: seenFiles(base.Files), links: map[coord.TaskID][]coord.ImportLink{}}
	for _, l := range base.Links {
		p.links[l.Task] = append(p.links[l.Task], l)
	}
	p.plan = coord.ImportPlan{Project: base.Project, AsOf: base.AsOf, Admit: base.Admit, Changes: []coord.ImportChange{}}
	for i := range files {
		p.take(i, bad[i])
	}
	records := slices.Clone(p.records)
	slices.SortStableFunc(records, func(a, b *found) int {
		return cmp.Or(cmp.Compare(rank(a.late), rank(b.late)), cmp.Compare(authority[files[a.file].As], authority[files[b.file].As]))
	})
	identify(base.Project, records)
	p.match = newMatcher(base, records)
	p.match.read = p.read()
	p.match.run()
	gather(p.match, p.old).weigh(p.match)
	p.wait = newWaiting(p.match, p.retired)
	p.wait.run()
	p.change()
	p.missing()
	p.check()
	p.diagnose()
	return p.plan.Sealed()
}

func rank(late bool) int {
	if late {
		return 1
	}
	return 0
}

type planner struct {
	base    coord.ImportBase
	files   []coord.SourceFile
	docs    []*Document // nil for a file of which nothing is applied
	seen    map[string][]coord.ImportedFile
	links   map[coord.TaskID][]coord.ImportLink
	records []*found // in file order
	old     []*found // those of stale files
	match   *matcher
	wait    *waiting
	plan    coord.ImportPlan
}

// take adds the records of file i, or says why nothing of it is applied.
func (p *planner) take(i int, bad error) {
	f := &p.files[i]
	file := coord.ImportFile{Path: f.Path, As: f.As, Digest: digest(f.Content), Revision: f.Revision, At: f.At}
	whole := coord.ImportChange{Action: coord.ActionNone, Path: f.Path, Title: f.Path}
	doc := p.docs[i]
	if bad != nil {
		doc, whole.Needs = nil, bad.Error()
		whole.State, file.State = coord.ImportUnreadable, coord.ImportUnreadable
		p.plan.Changes = append(p.plan.Changes, whole)
	}
	if why := p.stale(f, file.Digest); why != "" && doc != nil {
		whole.State, file.State, whole.Needs = coord.ImportStaleSource, coord.ImportStaleSource, why
		p.plan.Changes = append(p.plan.Changes, whole)
		p.docs[i] = nil
	}
	if doc != nil {
		file.Lines, file.Records = doc.Lines, len(doc.Records)
		p.find(i, doc)
	}
	p.plan.Files = append(p.plan.Files, file)
}

// find makes the records of document i ready to be matched. What is in an
// archive is over, whatever it says; instructions hold no records.
func (p *planner) find(i int, doc *Document) {
	f := &p.files[i]
	for n, r := range doc.Records {
		x := &found{Record: r, file: i, index: n, src: f, path: f.Path, late: doc.banner != ""}
		from := doc.front["project"]
		x.alien = doc.front["coord"] != "" && from != "" && from != string(p.base.Project)
		switch {
		case f.As == coord.AsInstructions:
			continue
		case f.As == coord.AsArchive && r.Kind == coord.RecordTask:
			x.Ready, x.Disputed = false, ""
			if !r.Facets.Status.Closed() {
				x.Facets.Status = coord.SourceConsumed
			}
		}
		if p.docs[i] != nil {
			p.records = append(p.records, x)
			continue
		}
		p.old = append(p.old, x)
		c := x.change(coord.ImportStaleSource, coord.ActionNone)
		c.Key, c.Body, c.Criteria = "", "", nil
		p.plan.Changes = append(p.plan.Changes, c)
	}
}

func seenFiles(files []coord.ImportedFile) map[string][]coord.ImportedFile {
	seen := map[string][]coord.ImportedFile{}
	for _, f := range files {
		seen[f.Path] = append(seen[f.Path], f)
	}
	return seen
}

// stale says why nothing of a version of a file is applied: the last imported
// one contains it, or neither contains the other. Where a client could not
// tell, bytes that were imported before others of the same path, or that are
// older than the last ones, are stale.
func (p *planner) stale(f *coord.SourceFile, sum string) string {
	versions := p.seen[f.Path]
	if len(versions) == 0 || f.Order == coord.OrderNewer {
		return ""
	}
	last := versions[0]
	var mine coord.Seq
	for _, v := range versions {
		if v.Seen > last.Seen || v.Seen == last.Seen && v.Digest == sum {
			last = v
		}
		if v.Digest == sum {
			mine = max(mine, v.Seen)
		}
	}
	const again = "; change any line of it if it is meant to be imported"
	switch {
	case last.Digest == sum:
		return ""
	case f.Order == coord.OrderOlder:
		return "the file is older than the version that was imported last, which contains it; bring the branch up to date"
	case f.Order == coord.OrderDiverged:
		return "the file and the version that was imported last diverged; merge the two"
	case mine != 0:
		return "the file is an earlier version that was imported before" + again + " again"
	case !f.At.IsZero() && f.At.Before(last.At):
		return "the file is older than the version that was imported last" + again
	}
	return ""
}

// change decides about every record, in file order.
func (p *planner) change() {
	first := len(p.plan.Changes)
	for _, r := range p.records {
		p.plan.Changes = append(p.plan.Changes, p.decide(r))
	}
	changes := p.plan.Changes[first:]
	p.rekey(changes)
	for i, r := range p.records {
		c := &changes[i]
		p.attach(r, c)
		if c.State == coord.ImportUnchanged && r.anchor == nil && p.exportedFor(r) > 0 {
			c.Anchor = nil // the marker and the event of the export say as much
		}
	}
}

// rekey gives a record another key when its own belongs to a stored record that
// stays where it is.
func (p *planner) rekey(changes []coord.ImportChange) {
	taken := map[string]bool{}
	for _, a := range p.base.Records {
		taken[a.Key] = true
	}
	for _, c := range changes {
		if c.Anchor != nil && c.Replaces != "" {
			delete(taken, c.Replaces)
		}
	}
	for i, r := range p.records {
		c := &changes[i]
		if c.Anchor == nil || !taken[r.key] || r.anchor != nil && r.anchor.Key == r.key {
			continue
		}
		for n := 2; taken[r.key] && (r.anchor == nil || r.anchor.Key != r.key); n++ {
			r.key = key(c.Anchor.Key, "beside", strconv.Itoa(n))
		}
		taken[r.key] = true
		c.Key, c.Anchor.Key, c.Replaces = r.key, r.key, ""
		if r.anchor != nil && r.anchor.Key != r.key {
			c.Replaces = r.anchor.Key
		}
		r.settled(c)
	}
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
		c.Task, c.Revision, c.From = r.task.ID, r.task.Revision, r.task.Lifecycle
	}
	if r.Kind == coord.RecordLesson {
		c.LessonKind, c.Tags, c.Scope, c.Reopen = r.Facets.Kind, r.Facets.Tags, r.Facets.Scope, r.Facets.Reopen
	}
	if r.Kind == coord.RecordHandoff {
		c.Last, c.Handoff = r.Last, r.Handoff
	}
	if r.lesson != nil {
		c.Lesson, c.Revision = r.lesson.ID, int64(r.lesson.Edited)
	}
	switch {
	case r.anchor == nil:
	case r.anchor.Path != r.path:
		c.MovedFrom = r.anchor.Path
	case r.how == matchedMoved && r.anchor.Section != r.Section:
		c.MovedFrom = r.anchor.Path + " › " + r.anchor.Section
	}
	return c
}

// remember makes applying c store r as it is now, unless that is what is
// stored already.
func (r *found) remember(c coord.ImportChange) coord.ImportChange {
	c.Anchor = r.fresh()
	if r.anchor != nil && r.anchor.Key != r.key {
		c.Replaces = r.anchor.Key
	}
	r.settled(&c)
	return c
}

// settled leaves out an anchor that is stored as it is.
func (r *found) settled(c *coord.ImportChange) {
	if c.Anchor != nil && r.anchor != nil && reflect.DeepEqual(*c.Anchor, *r.anchor) {
		c.Anchor, c.Replaces = nil, ""
	}
}

func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) }

func toValid(s string) string { return strings.ToValidUTF8(s, "") }
