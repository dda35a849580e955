package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

type lessons struct {
	*app
	limit int
}

func newLessons(a *app) *cobra.Command {
	o := &lessons{app: a}
	c := a.verb("lessons [QUERY]", "Search what was learnt; the newest without a query", cobra.ArbitraryArgs, o.run)
	c.Flags().IntVar(&o.limit, "limit", 20, "at most `N` lessons, up to 100")
	return c
}

func (o *lessons) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	if o.limit < 1 || o.limit > 100 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--limit takes 1 to 100, not %d", o.limit).WithNext("coord lessons --limit 100")
	}
	svc, err := o.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	found, err := svc.Lessons(ctx, coord.LessonQuery{Project: project, Text: strings.Join(args, " "), Limit: o.limit})
	if err != nil {
		return output{}, err
	}
	return output{kind: "lessons", data: listOf(found, ""), text: func(w io.Writer) {
		if len(found) == 0 {
			fmt.Fprintf(w, "no such lesson in %s\n", project)
		}
		for _, l := range found {
			fmt.Fprintf(w, "%s  %s (%s%s)\n", l.ID, coord.OneLine(l.Text), l.Status, ofTask(l.Task))
		}
	}}, nil
}
