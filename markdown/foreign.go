package markdown

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"coord"
)

// foreign reads the files of other tools; it reports false for Markdown that is
// read as such.
func foreign(f coord.SourceFile) (doc Document, err error, ok bool) {
	read := map[coord.SourceRole]func(*tracker) error{
		coord.AsBeads: (*tracker).beads, coord.AsBacklogMD: (*tracker).backlogMD, coord.AsTaskMaster: (*tracker).taskMaster,
	}[f.As]
	if read == nil {
		return Document{}, nil, false
	}
	if err := checkLimits(f.Content); err != nil {
		return Document{}, err, true
	}
	t := newTracker(f)
	if bytes.Contains(f.Content, []byte("\n>>>>>>> ")) || bytes.HasPrefix(f.Content, []byte("<<<<<<< ")) {
		return Document{}, coord.Errorf(coord.CodeBadRequest, "the file has the marks of a merge conflict; settle it first, nothing was imported from it"), true
	}
	if err := read(t); err != nil {
		return Document{}, err, true
	}
	return t.done(), nil, true
}

// tracker is a file of another tool as it is read. The id of each of its tasks
// is the record's label and lead: a task stays the same whatever its title
// becomes, and wherever its file moves.
type tracker struct {
	f      coord.SourceFile
	starts []int // of the lines
	doc    Document
	notes  notes
	unused map[string]int // fields that have no counterpart here
}

func newTracker(f coord.SourceFile) *tracker {
	t := &tracker{f: f, unused: map[string]int{}}
	for at := 0; at < len(f.Content); {
		t.starts = append(t.starts, at)
		n := bytes.IndexByte(f.Content[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	t.doc.Lines = len(t.starts)
	return t
}

// lineOf is the line, from 0, that holds the byte.
func (t *tracker) lineOf(at int) int { return max(sort.SearchInts(t.starts, at+1)-1, 0) }

// entry is a task as another tool has it.
type entry struct {
	id, group string
	title     string
	body      []string // paragraphs, empty ones left out
	about     []string // what is said of it besides, on one line below the body
	criteria  []string
	priority  coord.Priority
	after     []string
	status    coord.RecordStatus
	disputed  string
	parent    int // record that it is part of; -1 for none
	at        Span
}

// add makes a record of e, and gives its place among the records. Without an id
// or a title it is none.
func (t *tracker) add(e entry) (index int, ok bool) {
	e.title = clean(e.title)
	line := t.lineOf(e.at.From)
	if e.title == "" || e.id == "" || len(e.id) > 80 {
		t.notes.add("no_task", line, "entries without an id or a title are no tasks")
		return -1, false
	}
	o := own{title: e.title}
	o.shorten()
	body := clean(o.rest)
	for _, part := range e.body {
		body = paragraphs(body, strings.Trim(valid(strings.ReplaceAll(part, "\r\n", "\n")), "\n \t"))
	}
	about := "(" + strings.Join(append([]string{string(t.f.As) + " " + e.id}, e.about...), "; ") + ")"
	about = clean(about[:runeStart(about, 1000)])
	r := Record{
		Kind: coord.RecordTask, Shape: "entry", Label: e.id, Lead: normal(strings.TrimSpace(e.group + " " + e.id)), Section: normal(e.group),
		Full: digest([]byte(normal(e.title))), Line: line + 1, Last: t.lineOf(max(e.at.To-1, e.at.From)) + 1,
		Own: e.at, Whole: e.at, Parent: e.parent, Disputed: e.disputed, Ready: e.status == coord.SourceOpen && e.disputed == "",
	}
	r.Facets = coord.RecordFacets{
		Title: o.title, Body: paragraphs(limit(body, maxBody-len(about)-2), about), Criteria: criteriaOf(e.criteria),
		Priority: e.priority, After: merged(nil, e.after), Status: e.status,
	}
	if r.Lead == "" {
		r.Lead = r.Full
	}
	if e.status == coord.SourceUnknown {
		t.notes.add("unknown_status", line, "status words that are not known are reported, never guessed")
	}
	t.doc.Records = append(t.doc.Records, r)
	return len(t.doc.Records) - 1, true
}

// criteriaOf are lines of text as criteria, without list signs and boxes.
func criteriaOf(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if n := listSign([]byte(l)); n > 0 {
			l = strings.TrimSpace(l[n:])
		}
		l = clean(withoutBox(l))
		if l != "" && len(l) <= maxCriterion && len(out) < maxCriteria {
			out = append(out, l)
		}
	}
	return out
}

// done is the document with what was counted on the way.
func (t *tracker) done() Document {
	t.doc.Diagnostics = t.notes.list(t.f.Path)
	if len(t.unused) > 0 {
		n, names := 0, make([]string, 0, len(t.unused))
		for k, count := range t.unused {
			n += count
			names = append(names, clean(k))
		}
		slices.Sort(names)
		said := strings.Join(names[:min(len(names), 12)], ", ")
		t.doc.Diagnostics = append(t.doc.Diagnostics, coord.ImportDiagnostic{
			Path: t.f.Path, Code: "unused_field", Count: n, Message: "fields that have no counterpart here stay with the source: " + brieflyOf(said),
		})
	}
	if len(t.doc.Tiles) == 0 && len(t.f.Content) > 0 {
		t.doc.Tiles = []Tile{{Span: Span{0, len(t.f.Content)}, Kind: KindText, Record: -1}}
	}
	return t.doc
}

// wordStatus is the status that a tool's word means, by its own words first.
func wordStatus(word string, own map[string]coord.RecordStatus) coord.RecordStatus {
	word = strings.ToLower(strings.TrimSpace(word))
	if s, ok := own[strings.NewReplacer("_", "-", " ", "-").Replace(word)]; ok {
		return s
	}
	return cellStatus(strings.NewReplacer("_", " ", "-", " ").Replace(word))
}
