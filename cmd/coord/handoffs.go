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

type handoffs struct {
	*app
	q coord.HandoffQuery
}

func newHandoffs(a *app) *cobra.Command {
	o := &handoffs{app: a}
	c := a.verb("handoffs [QUERY]", "List the notes of imported handoffs, or search them; the newest day first", cobra.ArbitraryArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.q.Path, "path", "", "those of the file `PATH`")
	f.IntVar(&o.q.Limit, "limit", 20, "at most `N` notes, up to 100")
	f.StringVar(&o.q.Cursor, "cursor", "", "go on at `CURSOR`, where an earlier page ended")
	return c
}

func (o *handoffs) run(ctx context.Context, args []string) (output, error) {
	q := o.q
	if q.Limit < 1 || q.Limit > 100 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--limit takes 1 to 100, not %d", q.Limit).WithNext("coord handoffs --limit 100")
	}
	q.Text = strings.Join(args, " ")
	if err := q.Validate(); err != nil {
		return output{}, err
	}
	svc, project, err := o.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	q.Project = project
	page, err := svc.Handoffs(ctx, q)
	if err != nil {
		return output{}, err
	}
	return output{kind: "handoffs", data: listOf(page.Items, page.NextCursor), text: func(w io.Writer) {
		if len(page.Items) == 0 {
			fmt.Fprintf(w, "no such handoff note in %s\n", project)
		}
		writeHandoffRows(w, page.Items)
		if page.NextCursor != "" {
			fmt.Fprintf(w, "more: %s --cursor %s\n", o.again(q), page.NextCursor)
		}
	}}, nil
}

// again is the command that was typed, for its next page.
func (o *handoffs) again(q coord.HandoffQuery) string {
	cmd := "coord handoffs"
	if q.Text != "" {
		cmd += " " + shellWord(q.Text)
	}
	for _, f := range []struct{ name, value string }{{"path", q.Path}, {"project", o.project}} {
		if f.value != "" {
			cmd += fmt.Sprintf(" --%s %s", f.name, shellWord(f.value))
		}
	}
	if q.Limit != 20 {
		cmd += fmt.Sprintf(" --limit %d", q.Limit)
	}
	return cmd
}

// writeHandoffRows prints a note a line.
func writeHandoffRows(w io.Writer, notes []coord.HandoffNote) {
	columns(w, func(w io.Writer) {
		for _, n := range notes {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", n.ID, cmp.Or(n.Date, "-"), cmp.Or(clip(handoffWork(n), 48), "-"), clip(n.Title, 60), clip(at(n.Path, n.Line), 60))
		}
	})
}

// handoffWork is what a note calls the work: branch@revision.
func handoffWork(n coord.HandoffNote) string {
	if n.Revision == "" {
		return n.Branch
	}
	return n.Branch + "@" + coord.OID(n.Revision).Short()
}

func newHandoff(a *app) *cobra.Command {
	return a.group("handoff", "Show notes of imported handoffs",
		a.verb("show NOTE", "Show a note of a handoff with where it is from and its earlier versions", cobra.ExactArgs(1), a.handoffShow))
}

func (a *app) handoffShow(ctx context.Context, args []string) (output, error) {
	id := coord.HandoffID(args[0])
	if !id.Valid() {
		return output{}, coord.Errorf(coord.CodeBadRequest, "%q is not the id of a handoff note, such as H3; nothing was done", args[0]).WithNext("coord handoffs " + shellWord(args[0]))
	}
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	d, err := svc.Handoff(ctx, project, id)
	if err != nil {
		return output{}, err
	}
	return output{kind: "handoff", data: d, text: func(w io.Writer) { writeHandoff(w, d) }}, nil
}

func writeHandoff(w io.Writer, d coord.HandoffDetail) {
	fmt.Fprintf(w, "%s  %s\n", d.ID, coord.OneLine(d.Title))
	for _, x := range []struct{ label, value string }{{"date", d.Date}, {"branch", d.Branch}, {"revision", d.Revision}} {
		if x.value != "" {
			field(w, x.label, "%s, as the note says", coord.OneLine(x.value))
		}
	}
	source := fmt.Sprintf("%s-%d", at(d.Path, d.Line), d.Last)
	if d.Commit != "" {
		source += " @ " + d.Commit.Short()
	}
	field(w, "from", "%s", source)
	field(w, "digest", "%s", d.Digest)
	if !d.Written.IsZero() {
		field(w, "written", "%s", day(d.Written))
	}
	field(w, "imported", "%s", day(d.At))
	label := "earlier"
	for _, e := range d.Earlier {
		field(w, label, "%s, imported %s: coord handoff show %s", e.ID, day(e.At), e.ID)
		label = ""
	}
	if d.Later != "" {
		field(w, "later", "coord handoff show %s", d.Later)
	}
	if d.Body != "" {
		fmt.Fprintf(w, "\n%s\n", d.Body)
	}
}
