package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newDecisions(a *app) *cobra.Command {
	var all bool
	c := a.verb("decisions [DECISION]", "show the questions that wait for an answer, or one with its record", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		if len(args) == 1 {
			return a.showDecision(ctx, coord.DecisionID(args[0]))
		}
		return a.decisions(ctx, all)
	})
	c.Flags().BoolVar(&all, "all", false, "show those that were answered, expired or superseded too")
	return c
}

// decisionsShown is how many a list shows.
const decisionsShown = 200

func (a *app) decisions(ctx context.Context, all bool) (output, error) {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	q := coord.DecisionQuery{Project: project, State: coord.DecisionOpen, Task: coord.TaskID(a.task), Limit: decisionsShown}
	if all {
		q.State = ""
	}
	found, err := svc.ListDecisions(ctx, q)
	if err != nil {
		return output{}, err
	}
	return output{kind: "decisions", data: listOf(found, ""), text: func(w io.Writer) {
		if len(found) == 0 {
			open := "open "
			if all {
				open = ""
			}
			fmt.Fprintf(w, "no %sdecision in %s\n", open, project)
		}
		columns(w, func(w io.Writer) {
			for _, d := range found {
				fmt.Fprintln(w, decisionRow(d))
			}
		})
		if len(found) == decisionsShown {
			fmt.Fprintf(w, "… more: coord decisions --task TASK\n")
		}
	}}, nil
}

// decisionRow is a decision in a line: what is asked, and what became of it.
func decisionRow(d coord.Decision) string {
	s := clip(d.Question, 120)
	switch {
	case d.Answer != nil:
		s += ": " + clip(d.Answer.Option, 60)
	case d.SupersededBy != "":
		s += "  by " + string(d.SupersededBy)
	case len(d.Tasks) > 0:
		s += "  parks " + clip(joinIDs(d.Tasks), 60)
	}
	if d.State == coord.DecisionOpen && d.RequiredActor == coord.ActorHuman {
		s += "  (a person answers)"
	}
	return string(d.ID) + "\t" + string(d.State) + "\t" + s
}

func (a *app) showDecision(ctx context.Context, id coord.DecisionID) (output, error) {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	d, err := svc.Decision(ctx, project, id)
	if err != nil {
		return output{}, err
	}
	return output{kind: "decision", data: d, text: func(w io.Writer) { writeDecision(w, d) }}, nil
}

func writeDecision(w io.Writer, d coord.Decision) {
	fmt.Fprintf(w, "%s  %s\n", d.ID, coord.OneLine(d.Question))
	field(w, "state", "%s, asked by %s at %s", d.State, coord.OneLine(d.AskedBy), day(d.At))
	for i, o := range d.Options {
		label, mark := "", ""
		if i == 0 {
			label = "options"
		}
		if o == d.Recommendation {
			mark = "  (recommended)"
		}
		field(w, label, "%d. %s%s", i+1, coord.OneLine(o), mark)
	}
	if len(d.Tasks) > 0 {
		parks := "parks"
		if d.Answer != nil || d.State == coord.DecisionSuperseded {
			parks = "parked"
		}
		field(w, parks, "%s", joinIDs(d.Tasks))
	}
	if x := d.Answer; x != nil {
		field(w, "answer", "%s, by %s (%s) at %s", coord.OneLine(x.Option), coord.OneLine(x.By), x.Actor, day(x.At))
		if x.Note != "" {
			field(w, "note", "%s", coord.OneLine(x.Note))
		}
	}
	if d.Reopen != "" {
		field(w, "reopen", "%s", coord.OneLine(d.Reopen))
	}
	writeDecisionTimes(w, d)
}

// writeDecisionTimes says what becomes of an open question by itself, and what
// to type.
func writeDecisionTimes(w io.Writer, d coord.Decision) {
	if d.State == coord.DecisionOpen && d.StandsAt != nil {
		field(w, "stands", "the recommendation, from %s, where the policy allows it", day(*d.StandsAt))
	}
	if d.ExpiresAt != nil && d.Answer == nil {
		field(w, "expires", "%s", day(*d.ExpiresAt))
	}
	if d.Supersedes != "" {
		field(w, "instead", "of %s", d.Supersedes)
	}
	switch d.State {
	case coord.DecisionOpen:
		person := ""
		if d.RequiredActor == coord.ActorHuman {
			person = " --person"
		}
		field(w, "next", "coord decide %s OPTION%s   (%s answers)", d.ID, person, whoAnswers(d))
	case coord.DecisionExpired:
		field(w, "next", "coord ask --supersedes %s", d.ID)
	case coord.DecisionSuperseded:
		field(w, "next", "coord decisions %s", d.SupersededBy)
	}
}
