package markdown

import (
	"bytes"
	"slices"
	"strings"

	"coord"
)

// beadsWords are the statuses of bd.
var beadsWords = map[string]coord.RecordStatus{
	"": coord.SourceOpen, "open": coord.SourceOpen, "in-progress": coord.SourceActive, "hooked": coord.SourceActive,
	"blocked": coord.SourceBlocked, "deferred": coord.SourceParked, "pinned": coord.SourceParked, "closed": coord.SourceDone,
}

// beadsWork are the kinds of issue that are work; bd keeps messages, agents
// and templates in the same file.
var beadsWork = []string{"", "task", "bug", "feature", "epic", "chore", "enhancement", "docs", "spike", "story", "decision"}

var beadsPriority = map[string]coord.Priority{
	"0": coord.PriorityUrgent, "1": coord.PriorityHigh, "2": coord.PriorityNormal, "3": coord.PriorityLow, "4": coord.PriorityLow,
}

// beads reads an export of bd: one issue on each line. Of an issue that stands
// in the file twice, as after a merge, the last one counts. A line that cannot
// be read is reported, and the others are read.
func (t *tracker) beads() error {
	var lines []fields
	var spans []Span
	last, deleted := map[string]int{}, map[string]bool{}
	for n, from := range t.starts {
		to := len(t.f.Content)
		if n+1 < len(t.starts) {
			to = t.starts[n+1]
		}
		text := bytes.TrimSpace(bytes.TrimPrefix(t.f.Content[from:to], bom))
		if len(text) == 0 {
			continue
		}
		v, err := wholeOf(text)
		if err != nil || v.raw[0] != '{' {
			t.notes.add("unreadable_line", n, "lines that hold no JSON object are passed over")
			continue
		}
		f := v.fields()
		id := f.text("id")
		switch status := f.text("status"); {
		case status == "tombstone":
			deleted[id] = true
			t.notes.add("deleted", n, "deleted issues are passed over")
			continue
		case !isBeadsWork(f):
			t.notes.add("no_work", n, "messages, memories, templates and the like are no tasks")
			continue
		}
		if at, ok := last[id]; ok && id != "" {
			t.notes.add("twice", t.lineOf(spans[at].From), "an issue that stands in the file twice is read where it stands last")
			spans[at] = Span{}
		}
		last[id] = len(lines)
		lines, spans = append(lines, f), append(spans, Span{from, to})
	}
	if len(lines) == 0 && len(t.notes.of) == 1 && t.notes.of["unreadable_line"] != nil {
		return coord.Errorf(coord.CodeBadRequest, "the file holds no JSON Lines as bd exports them; nothing was imported from it")
	}
	for i, f := range lines {
		if spans[i] != (Span{}) {
			t.bead(f, spans[i], deleted)
		}
	}
	return nil
}

func isBeadsWork(f fields) bool {
	kind := f.text("_type")
	return (kind == "" || kind == "issue") && slices.Contains(beadsWork, f.text("issue_type")) && !f.yes("ephemeral") && !f.yes("is_template")
}

func (t *tracker) bead(f fields, at Span, deleted map[string]bool) {
	e := entry{id: beadLabel(f.text("id")), title: f.text("title"), parent: -1, at: at}
	e.priority = beadsPriority[f.text("priority")]
	e.criteria = f.texts("acceptance_criteria")
	e.body = []string{f.text("description"), titled("Design", f.text("design")), titled("Notes", f.text("notes"))}
	e.status = wordStatus(f.text("status"), beadsWords)
	if reason := f.text("close_reason"); e.status == coord.SourceDone && reason != "" {
		if s, _ := leadingStatus(reason); s.Closed() {
			e.status = s
		}
		e.body = append(e.body, titled("Closed", reason))
	}
	if f.text("defer_until") != "" && e.status == coord.SourceOpen {
		e.status = coord.SourceParked
	}
	if kind := f.text("issue_type"); kind != "" && kind != "task" {
		e.about = append(e.about, kind)
	}
	for _, d := range f.list("dependencies") {
		t.beadNeeds(&e, d.fields(), deleted)
	}
	if l := f.texts("labels"); len(l) > 0 {
		e.about = append(e.about, "labels: "+strings.Join(l, ", "))
	}
	if ref := f.text("external_ref"); ref != "" {
		e.about = append(e.about, "see "+ref)
	}
	f.ignore("created_at", "updated_at", "closed_at", "content_hash", "compaction_level", "compacted_at", "original_size", "dependency_count", "dependent_count", "comment_count")
	t.rest(f)
	t.add(e)
}

// beadNeeds takes in a dependency. Of bd's kinds only those that block keep a
// task waiting.
func (t *tracker) beadNeeds(e *entry, d fields, deleted map[string]bool) {
	id := d.text("depends_on_id", "id")
	on := beadLabel(id)
	switch kind := d.text("type", "dependency_type"); {
	case id == "" || on == e.id:
	case kind == "parent-child":
		e.about = append(e.about, "part of "+on)
	case kind != "" && kind != "blocks" && kind != "conditional-blocks" && kind != "waits-for":
		e.about = append(e.about, kind+" "+on)
	case deleted[id]:
		t.notes.add("deleted", t.lineOf(e.at.From), "what waits for a deleted issue waits for nothing")
	default:
		e.after = append(e.after, on)
	}
}

// beadLabel is an issue's id, told from the id of a task here, which may look the
// same.
func beadLabel(id string) string {
	if frontMarker().MatchString(id) {
		return "bd:" + id
	}
	return id
}

// titled is a paragraph under its name; empty if it says nothing.
func titled(name, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return name + ": " + text
}
