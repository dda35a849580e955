package markdown

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"coord"
)

// DefaultTemplates write what Export writes: what a template of one's own
// begins with.
var DefaultTemplates = map[coord.ExportFile]string{
	coord.ExportBacklog: backlogTemplate,
	coord.ExportHandoff: handoffTemplate,
	coord.ExportRecord:  recordTemplate,
}

const (
	backlogTemplate = `{{.Front}}
# Backlog of {{.Name}}
` + sectionsTemplate
	recordTemplate = `{{.Front}}
# Durable record of {{.Name}}
` + sectionsTemplate
	sectionsTemplate = `{{range .Sections}}
## {{.Title}}

{{range .Items}}{{.Text}}
{{end}}{{end}}`
	handoffTemplate = `{{.Front}}
# Handoff of {{.Name}}
{{range .Items}}
{{.Text}}
{{end}}
## Next steps
`
)

// ExportView is what a template sees. All texts are Markdown already.
type ExportView struct {
	Front    string // the front matter, by which an import knows the document
	Project  string
	Name     string
	AsOf     int64
	Time     string
	Sections []ExportSection // of a backlog or a durable record
	Items    []ExportItem    // all of them, of a handoff its attempts
}

// ExportSection is a section with what it holds; there is none without.
type ExportSection struct {
	Title string
	Items []ExportItem
}

// ExportItem is a task, a lesson or an attempt. Text is all of it; a template
// that writes it in another way keeps Text, since an import reads that.
type ExportItem struct {
	ID   string
	Text string
}

// maxRendered is the largest document that a template may make.
const maxRendered = 64 << 20

// Render writes one document as a template has it. It fails with
// CodeBadRequest if the template is wrong, or if an import of the result would
// not plan nothing: the sentence names what got lost.
func Render(data coord.ExportData, which coord.ExportFile, text string) ([]byte, error) {
	name := string(which) + ".tmpl"
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, coord.Errorf(coord.CodeBadRequest, "the template %s cannot be read: %w; nothing was written", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&limitedWriter{&b, maxRendered}, viewOf(data, which)); err != nil {
		return nil, coord.Errorf(coord.CodeBadRequest, "the template %s does not work: %w; nothing was written", name, err)
	}
	out := append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
	if lost := lostBy(data, which, out); lost != "" {
		return nil, coord.Errorf(coord.CodeBadRequest, "what the template %s writes cannot be imported again: %s; nothing was written", name, lost)
	}
	return out, nil
}

// limitedWriter writes no more than room bytes.
type limitedWriter struct {
	w    io.Writer
	room int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, fmt.Errorf("the document would have more than %d MiB", maxRendered>>20)
	}
	return l.w.Write(p)
}

func viewOf(data coord.ExportData, which coord.ExportFile) ExportView {
	v := ExportView{Project: string(data.Project), Name: nameOf(data), AsOf: int64(data.AsOf), Time: stamp(data.Time)}
	var b bytes.Buffer
	writeFrontMatter(&b, data, which)
	v.Front = b.String()
	switch which {
	case coord.ExportBacklog:
		tasks := backlogOrder(data.Tasks)
		for _, s := range backlogSections {
			v.section(s.title, tasks, s.holds)
		}
	case coord.ExportRecord:
		v.lessons(data.Lessons)
	case coord.ExportHandoff:
		for _, a := range handoffOrder(data.Attempts) {
			b.Reset()
			writeAttempt(&b, a)
			v.Items = append(v.Items, ExportItem{string(a.Task), strings.Trim(b.String(), "\n")})
		}
	}
	return v
}

func (v *ExportView) section(title string, tasks []coord.ExportTask, holds func(coord.ExportTask) bool) {
	var items []ExportItem
	for _, t := range tasks {
		if holds(t) {
			var b bytes.Buffer
			writeTask(&b, t)
			items = append(items, ExportItem{string(t.ID), strings.TrimSuffix(b.String(), "\n")})
		}
	}
	v.add(title, items)
}

func (v *ExportView) lessons(lessons []coord.ExportLesson) {
	lessons = recordOrder(lessons)
	for _, s := range recordSections {
		var items []ExportItem
		for _, l := range lessons {
			if s.holds(l) {
				var b bytes.Buffer
				writeLesson(&b, l)
				items = append(items, ExportItem{string(l.ID), strings.TrimSuffix(b.String(), "\n")})
			}
		}
		v.add(s.title, items)
	}
}

// add adds a section; the blank line behind its last item is the template's.
func (v *ExportView) add(title string, items []ExportItem) {
	if len(items) == 0 {
		return
	}
	last := &items[len(items)-1]
	last.Text = strings.TrimRight(last.Text, "\n")
	v.Sections = append(v.Sections, ExportSection{title, items})
	v.Items = append(v.Items, items...)
}

// lostBy says what an import of an untouched document would plan, or miss.
func lostBy(data coord.ExportData, which coord.ExportFile, text []byte) string {
	base := coord.ImportBase{Project: data.Project, AsOf: data.AsOf}
	want := len(data.Attempts)
	role := map[coord.ExportFile]coord.SourceRole{coord.ExportBacklog: coord.AsBacklog, coord.ExportHandoff: coord.AsHandoff, coord.ExportRecord: coord.AsRecord}[which]
	switch which {
	case coord.ExportBacklog:
		want = len(data.Tasks)
		for _, t := range data.Tasks {
			base.Tasks = append(base.Tasks, knownTask(t))
		}
	case coord.ExportRecord:
		want = len(data.Lessons)
		for _, l := range data.Lessons {
			base.Lessons = append(base.Lessons, coord.ImportLesson{
				ID: l.ID, Text: l.Text, Created: 1, Edited: 1, Kind: l.Kind, Status: l.Status, Reopen: l.Reopen, Scope: l.Scope, Tags: l.Tags,
				Source: l.Source, ExpiresAt: l.ExpiresAt, SupersededBy: l.SupersededBy, Rule: l.Rule,
			})
		}
	}
	if p := newPage(text); p.front["coord"] != frontName[which] || p.front["as_of"] != fmt.Sprint(int64(data.AsOf)) || p.front["project"] != string(data.Project) {
		return "its front matter is not first in it, or was changed"
	}
	plan, err := Plan(base, []coord.SourceFile{{Path: string(which), As: role, Content: text}})
	if err != nil {
		return err.Error()
	}
	for _, c := range plan.Changes {
		if c.State != coord.ImportUnchanged || c.Action != coord.ActionNone {
			id := string(c.Task) + string(c.Lesson)
			if id == "" {
				return quote(brieflyOf(c.Title)) + " in line " + fmt.Sprint(c.Line) + " would be " + string(c.State)
			}
			return id + " would be " + strings.ReplaceAll(string(c.State), "_", " ")
		}
	}
	if len(plan.Changes) != want {
		return fmt.Sprintf("it has %d records instead of %d", len(plan.Changes), want)
	}
	return ""
}

func knownTask(t coord.ExportTask) coord.ImportTask {
	k := coord.ImportTask{
		ID: t.ID, Title: t.Title, Outcome: t.Outcome, Criteria: t.Criteria, After: slices.Clone(t.After),
		Priority: t.Priority, Lifecycle: t.Lifecycle, Created: 1, Edited: 1,
	}
	if t.Lifecycle.Closed() {
		k.Closed = 1
	}
	return k
}
