package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

type lessons struct {
	*app
	q            coord.LessonQuery
	kind, status string
}

func newLessons(a *app) *cobra.Command {
	o := &lessons{app: a}
	c := a.verb("lessons [QUERY]", "Search what was learnt; the newest without a query", cobra.ArbitraryArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "", "`KIND`: lesson, fact, rejected or proposal")
	f.StringVar(&o.status, "status", "", "`STATUS`: verified, observed, disputed or superseded")
	f.StringVar(&o.q.Tag, "tag", "", "those with `TAG`")
	f.StringVar(&o.q.Component, "component", "", "those about `LABEL`")
	f.StringVar(&o.q.Path, "path", "", "those about the files of `PATH`")
	f.BoolVar(&o.q.Shared, "shared", false, "of all projects, those of this one first")
	f.BoolVar(&o.q.All, "all", false, "those that are superseded or expired too")
	f.IntVar(&o.q.Limit, "limit", 20, "at most `N` lessons, up to 100")
	return c
}

func (o *lessons) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	q := o.q
	if q.Limit < 1 || q.Limit > 100 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--limit takes 1 to 100, not %d", q.Limit).WithNext("coord lessons --limit 100")
	}
	q.Project, q.Text, q.Kind, q.Status = project, strings.Join(args, " "), coord.LessonKind(o.kind), coord.LessonStatus(o.status)
	if q.For = coord.TaskID(o.task); q.For == "" {
		if q.For, err = o.taskHere(project); err != nil {
			return output{}, err
		}
	}
	if err := q.Validate(); err != nil {
		return output{}, err
	}
	svc, err := o.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	found, err := svc.Lessons(ctx, q)
	if err != nil {
		return output{}, err
	}
	return output{kind: "lessons", data: listOf(found, ""), text: func(w io.Writer) { writeLessons(w, q, found) }}, nil
}

func writeLessons(w io.Writer, q coord.LessonQuery, found []coord.Lesson) {
	if len(found) == 0 {
		where := "in " + string(q.Project)
		if q.Shared {
			where = "in any project"
		}
		fmt.Fprintf(w, "no such lesson %s\n", where)
	}
	for _, l := range found {
		line := lessonLine(l, coord.OneLine(cmp.Or(l.Excerpt, l.Text)))
		if q.Shared {
			line = string(l.Project) + " " + line
		}
		fmt.Fprintln(w, line)
	}
}
