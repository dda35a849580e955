package markdown

import (
	"bytes"
	"slices"
	"time"

	"coord"
)

// Markers says on which lines of a hand-written file an export leaves markers.
type Markers string

// The settings. The lines of a region have one in any case.
const (
	MarkersTouched Markers = "touched" // on lines that it changes anyway
	MarkersAll     Markers = "all"     // on every line that stands for a task
	MarkersNone    Markers = "none"
)

// AllMarkers are the settings, the usual one first.
var AllMarkers = []Markers{MarkersTouched, MarkersAll, MarkersNone}

// Update is a hand-written file brought up to date with the service.
type Update struct {
	Path  string         `json:"path"`
	Lines []SaidLine     `json:"lines"`          // what is said now of the tasks of the file
	Open  []coord.TaskID `json:"open,omitempty"` // tasks of the region
	Left  []LeftLine     `json:"left,omitempty"` // what stays as it is although the service says otherwise
	Diff  string         `json:"diff,omitempty"` // unified; empty if nothing changes
	Text  []byte         `json:"-"`              // the whole file
}

// SaidLine is a record that says something else from now on.
type SaidLine struct {
	Task   coord.TaskID       `json:"task"`
	Line   int                `json:"line"`
	Title  string             `json:"title"`
	Status coord.RecordStatus `json:"status,omitempty"` // empty if it only got a marker
	Marked bool               `json:"marked,omitempty"`
}

// LeftLine is what an export does not write, and why. Paste is how the line
// could read.
type LeftLine struct {
	Task  coord.TaskID `json:"task,omitempty"`
	Line  int          `json:"line,omitempty"`
	Title string       `json:"title,omitempty"`
	Why   string       `json:"why"`
	Paste string       `json:"paste,omitempty"`
}

// Into brings a hand-written file up to date: signs of tasks that the service
// has closed, and a region with the open tasks that stand in no file. plan is
// what an import of exactly this file would do, which says which record is which
// task; data is the state of the project. Every other byte stays as it is, and
// a file that the service has nothing to say to is returned as it was.
func Into(f coord.SourceFile, plan coord.ImportPlan, data coord.ExportData, markers Markers) (Update, error) {
	u := Update{Path: f.Path, Lines: []SaidLine{}, Text: f.Content}
	doc, err := readable(f, plan)
	if err != nil {
		return u, err
	}
	o := into{update: &u, doc: doc, markers: markers, tasks: map[coord.TaskID]coord.ExportTask{}, there: map[coord.TaskID]bool{}, held: map[coord.TaskID]bool{}}
	o.inside, o.intact = newPage(f.Content).regionLines()
	for _, t := range data.Tasks {
		o.tasks[t.ID] = t
	}
	if err := o.match(f.Path, plan); err != nil {
		return u, err
	}
	patch, err := MakePatch(f, o.wishes)
	if err != nil {
		return u, err
	}
	o.report(patch)
	u.Text = patch.Text
	if f.As == coord.AsBacklog {
		o.region(f, data)
	}
	u.Diff = Diff(f.Path, f.Content, u.Text)
	return u, nil
}

// readable reads a file that may be changed: a person's Markdown, which the
// plan takes as current.
func readable(f coord.SourceFile, plan coord.ImportPlan) (Document, error) {
	const nothing = "; nothing was written"
	switch f.As {
	case coord.AsBacklog, coord.AsHandoff:
	default:
		return Document{}, coord.Errorf(coord.CodeBadRequest, "%s is read as %s, and only a backlog or a handoff is brought up to date%s", f.Path, f.As, nothing)
	}
	for _, p := range plan.Files {
		if p.Path != f.Path || p.Digest != digest(f.Content) {
			return Document{}, coord.Errorf(coord.CodeBadRequest, "the plan is of another version of %s%s", f.Path, nothing)
		}
	}
	for _, c := range plan.Changes {
		if c.Line == 0 && (c.State == coord.ImportStaleSource || c.State == coord.ImportUnreadable) {
			return Document{}, coord.Errorf(coord.CodeStateConflict, "%s: %s%s", f.Path, c.Needs, nothing)
		}
	}
	if p := newPage(f.Content); p.exportedFile() {
		return Document{}, coord.Errorf(coord.CodeBadRequest, "%s is an export as a whole%s", f.Path, nothing).WithNext("coord export")
	}
	return Read(f)
}

// into is one file's update under way.
type into struct {
	update  *Update
	doc     Document
	markers Markers
	tasks   map[coord.TaskID]coord.ExportTask
	there   map[coord.TaskID]bool // tasks that stand in the file, and not in an intact region
	held    map[coord.TaskID]bool // those that an intact region has
	inside  map[int]bool          // lines of regions
	intact  map[int]bool          // of those that nobody edited
	wishes  []Wish
	of      []coord.TaskID // of each wish
}

// match finds the task of every record: the plan has a change for each, in
// order.
func (o *into) match(path string, plan coord.ImportPlan) error {
	changes := slices.DeleteFunc(slices.Clone(plan.Changes), func(c coord.ImportChange) bool { return c.Path != path || c.Line == 0 })
	if len(changes) != len(o.doc.Records) {
		return coord.Errorf(coord.CodeBadRequest, "the plan has %d records of %s, which has %d; nothing was written", len(changes), path, len(o.doc.Records))
	}
	for i, r := range o.doc.Records {
		c := changes[i]
		if c.Line != r.Line || c.Kind != r.Kind {
			return coord.Errorf(coord.CodeBadRequest, "the plan's record at line %d is not the one at line %d of %s; nothing was written", c.Line, r.Line, path)
		}
		t, known := o.tasks[c.Task]
		if !known || r.Kind != coord.RecordTask {
			continue
		}
		if o.intact[r.Line-1] {
			o.held[t.ID] = true
		} else {
			o.there[t.ID] = true
		}
		if !o.inside[r.Line-1] && c.State != coord.ImportDuplicate {
			o.wish(i, t, c)
		}
	}
	return nil
}

// wish adds what record i is to say, or why it cannot be said.
func (o *into) wish(i int, t coord.ExportTask, c coord.ImportChange) {
	r := o.doc.Records[i]
	w := Wish{Record: i}
	if t.Lifecycle.Closed() && !r.Facets.Status.Closed() || t.Lifecycle.Closed() && r.Disputed != "" {
		if c.State != coord.ImportClosedHere {
			o.update.Left = append(o.update.Left, LeftLine{Task: t.ID, Line: r.Line, Title: r.Facets.Title, Why: c.Needs})
			return
		}
		w.Status, w.Note = ending(t)
	}
	if o.markers == MarkersAll || o.markers == MarkersTouched && w.Status != "" {
		w.Marker = string(t.ID)
	}
	if r.Marker != "" {
		w.Marker = ""
	}
	if w.Status != "" || w.Marker != "" {
		o.wishes, o.of = append(o.wishes, w), append(o.of, t.ID)
	}
}

// ending is how a closed task is called in a file.
func ending(t coord.ExportTask) (coord.RecordStatus, string) {
	switch t.Lifecycle {
	case coord.LifecycleCanceled:
		return coord.SourceRejected, t.Reason
	case coord.LifecycleSuperseded:
		return coord.SourceSuperseded, join("by", string(t.SupersededBy))
	}
	if t.Closed.IsZero() {
		return coord.SourceDone, ""
	}
	return coord.SourceDone, t.Closed.UTC().Format(time.DateOnly)
}

func (o *into) report(p Patch) {
	refused := map[int]bool{}
	for _, no := range p.Refused {
		refused[no.Wish] = true
		if w := o.wishes[no.Wish]; w.Status != "" {
			r := o.doc.Records[w.Record]
			o.update.Left = append(o.update.Left, LeftLine{o.of[no.Wish], r.Line, r.Facets.Title, no.Why, no.Paste})
		}
	}
	for i, w := range o.wishes {
		if !refused[i] {
			r := o.doc.Records[w.Record]
			o.update.Lines = append(o.update.Lines, SaidLine{o.of[i], r.Line, r.Facets.Title, w.Status, p.Marked[i]})
		}
	}
}

// region brings the region up to date, and proves that nothing else reads
// otherwise.
func (o *into) region(f coord.SourceFile, data coord.ExportData) {
	var open []coord.ExportTask
	for _, t := range data.Tasks {
		if !t.Lifecycle.Closed() && (t.Source == "" || o.held[t.ID]) && !o.there[t.ID] {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b coord.ExportTask) int { return byNumber(a.ID, b.ID) })
	text, why := withRegion(o.update.Text, open, data.AsOf)
	if why == "" && !bytes.Equal(text, o.update.Text) && !sameRecords(f, o.update.Text, text) {
		text, why = o.update.Text, "a region at the end of the file would be read as part of what stands there; end the code or the comment that is open"
	}
	o.update.Text = text
	if why != "" {
		o.update.Left = append(o.update.Left, LeftLine{Why: why})
		return
	}
	for _, t := range open {
		o.update.Open = append(o.update.Open, t.ID)
	}
}

// sameRecords reports that two versions of a file that differ in a region only
// hold the same records, and that the second one's region is intact.
func sameRecords(f coord.SourceFile, before, after []byte) bool {
	var was, is []Record
	for _, v := range []struct {
		text []byte
		out  *[]Record
	}{{before, &was}, {after, &is}} {
		f.Content = v.text
		doc, err := Read(f)
		if err != nil {
			return false
		}
		inside, _ := newPage(v.text).regionLines()
		*v.out = slices.DeleteFunc(doc.Records, func(r Record) bool { return inside[r.Line-1] })
		for i := range *v.out {
			(*v.out)[i].Last = 0 // the last section reaches to the end of the file
		}
	}
	if !slices.EqualFunc(was, is, func(a, b Record) bool { return bare(a).equal(bare(b)) }) {
		return false
	}
	p := newPage(after)
	regions := p.openRegions(p.blocks())
	return len(regions) == 1 && regions[0].intact
}
