package markdown

import (
	"bytes"
	"slices"
	"strings"

	"coord"
)

var backlogWords = map[string]coord.RecordStatus{
	"to-do": coord.SourceOpen, "todo": coord.SourceOpen, "in-progress": coord.SourceActive, "done": coord.SourceDone, "draft": coord.SourceParked,
}

var (
	backlogMark   = pattern(`<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS?):(?:BEGIN|END) -->`)
	backlogNumber = pattern(`^#[0-9]+[ \t]+`)
	backlogTitles = pattern(`(?m)^## (?:Description|Acceptance Criteria|Definition of Done)[ \t]*\n*`)
)

// backlogMD reads a file of Backlog.md, which is one task. What lies among the
// completed ones is done, a draft is not ready, and the archive is history.
func (t *tracker) backlogMD() error {
	src := backlogMark().ReplaceAllFunc(t.f.Content, func(m []byte) []byte { return bytes.Repeat([]byte(" "), len(m)) })
	p := newPage(src)
	front := t.front(p)
	if front["id"] == nil || front["title"] == nil {
		t.notes.add("no_task", 0, "files without an id and a title in their front matter are no tasks of Backlog.md")
		return nil
	}
	x := newExtraction(p, p.blocks(), coord.AsBacklogMD)
	s := span{to: len(x.blocks), parent: -1, first: x.lineOf(min(x.body, max(len(x.raw)-1, 0))), last: len(x.starts) - 1}
	if x.body >= len(x.raw) {
		s.first = len(x.starts)
	}
	body, criteria := x.content(s)
	for i, c := range criteria {
		criteria[i] = backlogNumber().ReplaceAllString(c, "")
	}
	e := entry{
		id: front.one("id"), title: front.one("title"), criteria: criteria, parent: -1, at: Span{0, len(src)},
		priority: priorityOf(front.one("priority")), after: front["dependencies"], status: wordStatus(front.one("status"), backlogWords),
		body: []string{strings.TrimSpace(backlogTitles().ReplaceAllString(body, ""))},
	}
	for _, k := range []string{"type", "labels", "milestone", "references", "documentation"} {
		if v := strings.Join(front[k], ", "); v != "" {
			e.about = append(e.about, k+": "+v)
		}
	}
	if up := front.one("parent_task_id"); up != "" {
		e.about = append(e.about, "part of "+up)
	}
	e.byFolder(t.f.Path)
	if front.one("status") == "" && e.status == coord.SourceUnknown {
		e.status = coord.SourceOpen
	}
	t.restOfFront(front)
	if _, ok := t.add(e); ok {
		t.doc.Links = x.links([]Tile{{Span: Span{0, len(src)}, Kind: KindText}})
	}
	return nil
}

// byFolder takes in what the place of a file says.
func (e *entry) byFolder(path string) {
	in := func(dir string) bool { return slices.Contains(strings.Split(path, "/"), dir) }
	switch {
	case e.status.Closed():
	case in("archive"):
		e.status = coord.SourceConsumed
	case in("completed"):
		e.disputed, e.status = "its status says "+string(e.status)+", but it lies among the completed tasks", coord.SourceDone
	case in("drafts"):
		e.status = coord.SourceParked
	}
}

func (t *tracker) restOfFront(front yamlFront) {
	known := []string{
		"id", "title", "status", "priority", "dependencies", "labels", "type", "milestone", "references", "documentation", "parent_task_id",
		"created_date", "updated_date", "ordinal", "subtasks", "onStatusChange",
	}
	for k, v := range front {
		if len(v) > 0 && !slices.Contains(known, k) {
			t.unused[k]++
		}
	}
}

// yamlFront is front matter as far as trackers write it: by key its value, or
// its values.
type yamlFront map[string][]string

func (f yamlFront) one(key string) string { return strings.Join(f[key], " ") }

// front reads the front matter of p: scalars, plain, quoted and folded over
// lines, and lists in both forms. Deeper structure is left alone.
func (t *tracker) front(p *page) yamlFront {
	f := yamlFront{}
	key, folded := "", false
	for n := 1; n < len(p.starts) && p.starts[n] < p.body; n++ {
		line := strings.TrimRight(p.line(n), " \t")
		text := strings.TrimSpace(line)
		switch {
		case text == "---" || text == "..." || text == "" || text[0] == '#':
		case line[0] != ' ' && line[0] != '\t' && text[0] != '-':
			name, value, ok := strings.Cut(text, ":")
			if key = ""; !ok {
				continue
			}
			key, value = strings.TrimSpace(name), strings.TrimSpace(value)
			folded = strings.TrimLeft(value, ">|-+0123456789") == "" && strings.ContainsAny(value, ">|")
			f[key] = nil
			if !folded {
				f[key] = yamlValues(value)
			}
		case key == "":
		case !folded && strings.HasPrefix(text, "- "):
			f[key] = append(f[key], yamlScalar(strings.TrimSpace(text[2:])))
		case len(f[key]) == 1 && !folded:
			f[key] = []string{yamlScalar(f[key][0] + " " + text)}
		default:
			f[key] = append(f[key], text)
		}
	}
	for k, v := range f {
		f[k] = slices.DeleteFunc(v, func(s string) bool { return s == "" })
	}
	return f
}

// yamlValues are the values behind a key: one, or those of a list on one line.
func yamlValues(s string) []string {
	inner, ok := strings.CutPrefix(s, "[")
	if !ok {
		return []string{yamlScalar(s)}
	}
	var out []string
	inner, _, _ = strings.Cut(inner, "]")
	for v := range strings.SplitSeq(inner, ",") {
		out = append(out, yamlScalar(strings.TrimSpace(v)))
	}
	return out
}

// yamlScalar takes quotes and a remark off.
func yamlScalar(s string) string {
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		if s[0] == '\'' {
			return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
		}
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ").Replace(s[1 : len(s)-1])
	}
	if s != "" && s[0] != '\'' && s[0] != '"' {
		s, _, _ = strings.Cut(s, " #")
	}
	return strings.TrimSpace(s)
}
