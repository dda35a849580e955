package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"coord"
)

// How much of a plan a preview shows; the rest is counted, and --json has it.
const (
	decideRows  = 40
	changeRows  = 60
	noticeRows  = 10
	problemRows = 20
	passedRows  = 20
	sideRows    = 4
)

// preview is a plan as a person reads it, with what the client knows besides.
type preview struct {
	coord.ImportPlan
	LeftOut   []leftOut `json:"left_out,omitempty"`
	Decisions int       `json:"decisions"`
	Apply     string    `json:"apply,omitempty"`

	again    string // the command of the preview
	changed  map[string]bool
	tasks    map[coord.TaskID]coord.ExportTask // as they are here
	lessons  map[coord.LessonID]coord.ExportLesson
	diffRoom int
}

// compare fetches what the service has of the tasks and lessons that would
// change, so that the difference can be shown.
func (p *preview) compare(ctx context.Context, svc coord.Service) error {
	for _, c := range p.Changes {
		if c.Needs != "" {
			p.Decisions++
		}
	}
	if !slices.ContainsFunc(p.Changes, hasDifference) {
		return nil
	}
	data, err := svc.ExportData(ctx, p.Project)
	if err != nil {
		return err
	}
	p.tasks, p.lessons = map[coord.TaskID]coord.ExportTask{}, map[coord.LessonID]coord.ExportLesson{}
	for _, t := range data.Tasks {
		p.tasks[t.ID] = t
	}
	for _, l := range data.Lessons {
		p.lessons[l.ID] = l
	}
	return nil
}

// output is the preview with its status: a plan that leaves a question is no
// success.
func (p *preview) output() output {
	o := output{kind: "import_plan", data: p, text: p.write}
	if p.Decisions == 0 {
		return o
	}
	e := coord.Errorf(coord.CodeRequirement, "%s to decide, as shown; nothing was applied", haveOrHas(p.Decisions))
	if p.Apply != "" {
		e = e.WithNext(p.Apply)
	} else {
		e = e.WithNext(p.again)
	}
	o.err = e
	return o
}

func haveOrHas(n int) string {
	if n == 1 {
		return "1 record leaves something"
	}
	return fmt.Sprintf("%d records leave something", n)
}

func (p *preview) write(w io.Writer) {
	p.writeFiles(w)
	field(w, "found", "%s", countsText(p.Counts))
	p.diffRoom = 120
	p.list(w, "decide", decideRows, func(c coord.ImportChange) bool { return c.Needs != "" })
	p.list(w, "change", changeRows, func(c coord.ImportChange) bool {
		return c.Needs == "" && c.Action != coord.ActionNone && c.State != coord.ImportHistorical
	})
	p.writeNotices(w)
	p.writeProblems(w)
	p.writePassed(w)
	p.writeEnd(w)
}

// writeFiles says what was read, and how it stands, file by file.
func (p *preview) writeFiles(w io.Writer) {
	in := map[string]map[coord.ImportState]int{}
	for _, c := range p.Changes {
		if in[c.Path] == nil {
			in[c.Path] = map[coord.ImportState]int{}
		}
		in[c.Path][c.State]++
	}
	for n, f := range p.Files {
		if n == changeRows {
			field(w, "", "… %d more files: %s --json", len(p.Files)-n, p.again)
			break
		}
		at := ""
		if f.Revision != "" {
			if at = " @ " + coord.OID(f.Revision).Short(); p.changed[f.Path] {
				at = ", changed since " + coord.OID(f.Revision).Short() + ","
			}
		}
		label := map[coord.ImportState]string{"": "read", coord.ImportStaleSource: "stale"}[f.State]
		field(w, cmp.Or(label, "not read"), "%s%s as %s: %s, %s", coord.OneLine(f.Path), at, f.As, plural(f.Lines, "line"), plural(f.Records, "record"))
		if len(p.Files) > 1 && len(in[f.Path]) > 0 {
			field(w, "", "  %s", countsText(in[f.Path]))
		}
	}
	for n, l := range p.LeftOut {
		if n == passedRows {
			field(w, "", "… %d more: %s --json", len(p.LeftOut)-n, p.again)
			break
		}
		field(w, "left out", "%s: %s", coord.OneLine(l.Path), clip(l.Why, 240))
	}
}

// list writes the changes that are meant, with what differs in them.
func (p *preview) list(w io.Writer, label string, most int, meant func(coord.ImportChange) bool) {
	rows := 0
	for _, c := range p.Changes {
		if !meant(c) {
			continue
		}
		if rows++; rows > most {
			continue
		}
		field(w, label, "%s  %s  %s", at(c.Path, c.Line), verbOf(c), clip(c.Title, 100))
		if c.Needs != "" {
			field(w, "", "  %s", clip(c.Needs, 240))
			if do := p.remedy(c); do != "" {
				field(w, "", "  %s", do)
			}
		}
		if after := p.waitsFor(c); c.Action != coord.ActionNone && len(after) > 0 {
			field(w, "", "  after %s", clip(strings.Join(after, ", "), 160))
		}
		if c.MovedFrom != "" {
			field(w, "", "  was in %s", clip(c.MovedFrom, 160))
		}
		p.writeDifference(w, c)
	}
	if rows > most {
		field(w, "", "… %d more: %s --json", rows-most, p.again)
	}
}

// waitsFor names what a change makes its task wait for: tasks, and lines of the
// plan that become tasks.
func (p *preview) waitsFor(c coord.ImportChange) (after []string) {
	for _, id := range c.After {
		after = append(after, string(id))
	}
	for _, key := range c.AfterKeys {
		if i := slices.IndexFunc(p.Changes, func(o coord.ImportChange) bool { return o.Key == key }); i >= 0 {
			after = append(after, at(p.Changes[i].Path, p.Changes[i].Line))
		}
	}
	return after
}

// remedy is what to do about a record beyond what its own sentence says.
func (p *preview) remedy(c coord.ImportChange) string {
	switch {
	case c.State == coord.ImportStaleSource && !strings.Contains(p.again, "--accept-diverged"):
		return "or, if it is the newest all the same: " + p.again + " --accept-diverged"
	case c.State == coord.ImportClosedInSource:
		return "an operator who applies the plan closes it"
	}
	return ""
}

func (p *preview) writeEnd(w io.Writer) {
	switch {
	case p.Apply == "" && p.Decisions > 0:
		field(w, "nothing", "to apply until that is decided")
		return
	case p.Apply == "":
		field(w, "nothing", "to apply: what the files say is recorded here")
		return
	case p.Actions() == 0:
		field(w, "nothing", "to change; applying the plan only remembers how the files stand now")
	}
	reserved := 0
	for _, c := range p.Changes {
		if c.Action != coord.ActionNone && c.ForOperator() {
			reserved++
		}
	}
	if reserved > 0 && !strings.Contains(p.again, "--person") {
		field(w, "operator", "%s only an operator may apply; an agent's import leaves %s out", plural(reserved, "change"), themOrIt(reserved))
	}
	field(w, "plan", "of %s, valid until anything that it rests on changes", cmp.Or(p.Project, "an empty project"))
	field(w, "next", "%s", p.Apply)
}

func themOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// verbOf says what applying a change does, or for one that does nothing why
// it is listed.
func verbOf(c coord.ImportChange) string {
	what := words(string(c.Action))
	switch {
	case c.Action == coord.ActionNone:
		what = words(string(c.State))
	case c.Action == coord.ActionCreateTask && c.Lifecycle == coord.LifecycleOpen:
		what = "create ready task"
	}
	switch {
	case c.Task != "":
		return what + " " + string(c.Task) + facetsText(c)
	case c.Lesson != "":
		return what + " " + string(c.Lesson) + strings.Replace(facetsText(c), "body", "text", 1)
	case c.Action == coord.ActionCreateLesson && c.LessonKind != "" && c.LessonKind != coord.KindLesson:
		return what + " (" + kindText(c.LessonKind) + ")"
	}
	return what
}

// kindText is what a lesson is, in a sentence.
func kindText(k coord.LessonKind) string {
	switch k {
	case coord.KindRejected:
		return "rejected approach"
	case coord.KindProposal:
		return "rule proposal"
	}
	return string(k)
}

// facetsText is what an update sets.
func facetsText(c coord.ImportChange) string {
	if len(c.Facets) == 0 {
		return ""
	}
	said := strings.Join(c.Facets, ", ")
	return " (" + strings.Replace(said, coord.FacetLifecycle, "admitted", 1) + ")"
}

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

func at(path string, line int) string {
	if line == 0 {
		return coord.OneLine(path)
	}
	return fmt.Sprintf("%s:%d", coord.OneLine(path), line)
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}
