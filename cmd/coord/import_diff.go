package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"coord"
	"coord/markdown"
)

// diffLinesEach is how many lines of a difference are shown for one record.
const diffLinesEach = 14

// hasDifference reports a change whose text in the file differs from what is
// here.
func hasDifference(c coord.ImportChange) bool {
	if c.Task == "" && c.Lesson == "" || c.State == coord.ImportStaleSource {
		return false
	}
	return c.Action == coord.ActionUpdateTask || c.Action == coord.ActionUpdateLesson || c.State == coord.ImportConflict || c.State == coord.ImportMerged
}

// writeDifference shows the facets that differ, as lines that go and come.
func (p *preview) writeDifference(w io.Writer, c coord.ImportChange) {
	if !hasDifference(c) || p.diffRoom <= 0 {
		return
	}
	before, after, ok := p.sides(c)
	if !ok {
		return
	}
	lines := 0
	for l := range strings.Lines(markdown.Diff(c.Path, []byte(before), []byte(after))) {
		l = strings.TrimRight(l, "\r\n")
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") || strings.HasPrefix(l, "@@ -1") || strings.HasPrefix(l, `\`) {
			continue
		}
		if lines++; lines <= diffLinesEach {
			field(w, "", "  %s%s", l[:1], clip(l[1:], 150))
		}
	}
	if lines > diffLinesEach {
		field(w, "", "  … %s more", plural(lines-diffLinesEach, "line"))
	}
	p.diffRoom -= min(lines, diffLinesEach)
}

// sides are what is here and what the file says, one facet after another.
func (p *preview) sides(c coord.ImportChange) (before, after string, ok bool) {
	if c.Lesson != "" {
		l, ok := p.lessons[c.Lesson]
		here := coord.ImportChange{Body: l.Text, LessonKind: l.Kind, Tags: l.Tags, Scope: l.Scope, Reopen: l.Reopen}
		return lessonFacets(c.Facets, here), lessonFacets(c.Facets, c), ok
	}
	t, ok := p.tasks[c.Task]
	priority := c.Priority
	if priority == "" {
		priority = t.Priority
	}
	facets := c.Facets
	if len(facets) == 0 || c.Needs != "" {
		facets = []string{"title", "priority", "criteria", "body"}
	}
	before = facetText(facets, t.Title, t.Outcome, t.Priority, t.Criteria)
	after = facetText(facets, c.Title, c.Body, priority, c.Criteria)
	return before, after, ok
}

func facetText(facets []string, title, body string, priority coord.Priority, criteria []string) string {
	var b strings.Builder
	if slices.Contains(facets, "title") {
		fmt.Fprintf(&b, "title: %s\n", title)
	}
	if slices.Contains(facets, "priority") {
		fmt.Fprintf(&b, "priority: %s\n", priority)
	}
	if slices.Contains(facets, "criteria") {
		for _, k := range criteria {
			fmt.Fprintf(&b, "accept: %s\n", k)
		}
	}
	if slices.Contains(facets, "body") && body != "" {
		b.WriteString(strings.TrimRight(body, "\n") + "\n")
	}
	return b.String()
}

// lessonFacets are the facets of a lesson that a change is about; its text if
// that names none.
func lessonFacets(facets []string, c coord.ImportChange) string {
	var b strings.Builder
	for _, f := range [][2]string{
		{coord.FacetKind, "kind: " + kindText(c.LessonKind)},
		{coord.FacetTags, "tags: " + strings.Join(c.Tags, ", ")},
		{coord.FacetScope, cmp.Or(scopeText(c.Scope), "everywhere")},
		{coord.FacetReopen, "reopen when: " + c.Reopen},
		{"body", strings.TrimRight(c.Body, "\n")},
	} {
		if slices.Contains(facets, f[0]) || f[0] == "body" && len(facets) == 0 {
			b.WriteString(strings.TrimRight(f[1], " ") + "\n")
		}
	}
	return b.String()
}
