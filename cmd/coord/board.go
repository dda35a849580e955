package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

// boardBytes bounds what board prints, however many tasks there are.
const boardBytes = 4000

// boardTail is how many of what is closed are shown, the latest.
const boardTail = 5

type board struct {
	*app
	landing bool
}

func newBoard(a *app) *cobra.Command {
	o := &board{app: a}
	c := a.verb("board", "Show the project's tasks by status, or where their work is", cobra.NoArgs, o.run)
	c.Flags().BoolVar(&o.landing, "landing", false, "branch versus integrated: the targets, and how far each piece of work has come")
	return c
}

func (o *board) run(ctx context.Context, _ []string) (output, error) {
	if o.landing {
		return o.landingBoard(ctx)
	}
	svc, project, err := o.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	b, err := svc.Board(ctx, project)
	if err != nil {
		return output{}, err
	}
	return output{kind: "board", data: b, text: func(w io.Writer) { io.WriteString(w, boardText(b)) }}, nil
}

// boardText is the fullest board that fits: as many rows per status as the
// bound allows, the same for each.
func boardText(b coord.Board) string {
	for rows := 40; ; rows-- {
		if s := boardOf(b, rows); len(s) <= boardBytes || rows == 0 {
			return s
		}
	}
}

func boardOf(b coord.Board, rows int) string {
	var s strings.Builder
	for _, c := range b.Columns {
		if c.Count == 0 {
			continue
		}
		fmt.Fprintf(&s, "%s  %d\n", c.Status, c.Count)
		most := rows
		if closed(c.Status) {
			most = min(rows, boardTail)
		}
		shown := c.Tasks[:min(len(c.Tasks), most)]
		width := 0
		for _, t := range shown {
			width = max(width, len(t.ID))
		}
		for _, t := range shown {
			fmt.Fprintf(&s, "  %-*s  %s%s\n", width, t.ID, clip(t.Title, 60), boardNote(t, b.Now))
		}
		if left := c.Count - len(shown); left > 0 {
			rest := fmt.Sprintf("%d more", left)
			if len(c.Tasks) == 0 {
				rest = "only reviews and landings of late"
			}
			fmt.Fprintf(&s, "  … %s: coord task list --status %s\n", rest, c.Status)
		}
	}
	if s.Len() == 0 {
		fmt.Fprintf(&s, "%s has no task yet\nnext  coord task new \"…\"\n", b.Project.Key)
	}
	return s.String()
}

func closed(s coord.Status) bool {
	return s == coord.StatusDone || s == coord.StatusCanceled || s == coord.StatusSuperseded
}

// boardNote is what one wants to know beside the title: who is at it, or what
// it waits for.
func boardNote(t coord.Task, now time.Time) string {
	switch {
	case t.Owner != nil:
		return fmt.Sprintf("  (%s, %s)", clip(t.Owner.Name, 24), span(now.Sub(t.Owner.Since)))
	case len(t.Blockers) > 0:
		return "  (" + string(t.Blockers[0].Kind) + ")"
	case len(t.WaitsFor) > 0:
		return "  (waits for " + clip(joinIDs(t.WaitsFor), 30) + ")"
	}
	return ""
}
