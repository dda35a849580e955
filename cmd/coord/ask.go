package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

// askOptions are the flags of ask.
type askOptions struct {
	options         []string
	recommend       string
	tasks           []string
	noTask          bool
	actor           string
	reopen          string
	reversible      bool
	stands, expires time.Duration
	supersedes      string
	person          bool
}

func newAsk(a *app) *cobra.Command {
	var o askOptions
	c := a.verb("ask [QUESTION]", "ask a question with exact options, and park the task here until it is answered", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.ask(ctx, o, args)
	})
	f := c.Flags()
	f.StringArrayVar(&o.options, "option", nil, "an answer that may be given, as `TEXT`; twice or more")
	f.StringVar(&o.recommend, "recommend", "", "the `OPTION` that you would take")
	f.StringArrayVar(&o.tasks, "task", nil, "park `TASK` instead of the one of this worktree; may be repeated")
	f.BoolVar(&o.noTask, "no-task", false, "park nothing")
	f.StringVar(&o.actor, "required-actor", "", "`WHO` must answer: human, agent or either")
	f.StringVar(&o.reopen, "reopen", "", "when the question should come up again, as `TEXT`")
	f.BoolVar(&o.reversible, "reversible", false, "the choice can be undone later")
	f.DurationVar(&o.stands, "stands-in", 0, "let the recommendation stand after `DURATION` if nobody answers and the policy allows it")
	f.DurationVar(&o.expires, "expires-in", 0, "let the question expire after `DURATION`; its tasks stay parked until it is asked anew")
	f.StringVar(&o.supersedes, "supersedes", "", "ask `DECISION` anew: what is not given stays as it was there")
	f.BoolVar(&o.person, "person", false, "as the person signed in here")
	return c
}

func (a *app) ask(ctx context.Context, o askOptions, args []string) (output, error) {
	if len(o.tasks) > 0 {
		a.task = o.tasks[0]
	}
	svc, project, err := a.eitherInProject(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	cmd := coord.Ask{
		Project: project, Options: o.options, Recommendation: o.recommend, RequiredActor: coord.Actor(o.actor), Reopen: o.reopen, Reversible: o.reversible,
		StandsIn: coord.Duration(o.stands), ExpiresIn: coord.Duration(o.expires), Supersedes: coord.DecisionID(o.supersedes),
	}
	if len(args) > 0 {
		cmd.Question = args[0]
	}
	if err := askAnew(ctx, svc, &cmd); err != nil {
		return output{}, err
	}
	if cmd.Tasks, err = a.toPark(ctx, svc, o, project); err != nil {
		return output{}, err
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	d, err := svc.Ask(ctx, cmd)
	if err != nil {
		return output{}, orAsPerson(err, "coord ask --supersedes "+shellWord(o.supersedes)+" --person")
	}
	return output{kind: "decision", data: d, text: func(w io.Writer) {
		parks := "it parks nothing"
		if len(d.Tasks) > 0 {
			parks = "parks " + clip(joinIDs(d.Tasks), 400) + " until " + whoAnswers(d) + " answers"
		}
		fmt.Fprintf(w, "%s asked; %s\n", d.ID, parks)
		field(w, "next", "coord next")
	}}, nil
}

// askAnew fills in what the decision that is superseded says. Its times were
// that question's own.
func askAnew(ctx context.Context, svc coord.Service, c *coord.Ask) error {
	if c.Supersedes == "" || c.Question != "" && len(c.Options) > 0 {
		return nil
	}
	old, err := svc.Decision(ctx, c.Project, c.Supersedes)
	if err != nil {
		return err
	}
	c.Question = cmp.Or(c.Question, old.Question)
	if len(c.Options) == 0 {
		c.Options, c.Recommendation = old.Options, cmp.Or(c.Recommendation, old.Recommendation)
	}
	c.RequiredActor, c.Reopen, c.Reversible = cmp.Or(c.RequiredActor, old.RequiredActor), cmp.Or(c.Reopen, old.Reopen), c.Reversible || old.Reversible
	return nil
}

// toPark are the tasks that are named, or the one of this worktree. A question
// that is asked anew parks what it did.
func (a *app) toPark(ctx context.Context, svc coord.Service, o askOptions, project coord.ProjectKey) (ids []coord.TaskID, err error) {
	for _, ref := range o.tasks {
		id, err := a.taskNamed(ctx, svc, ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(ids) > 0 || o.noTask || o.supersedes != "" {
		return ids, nil
	}
	b, err := a.binding()
	if err == nil && b.Task != "" && b.Project == project && !b.Ended {
		ids = append(ids, b.Task)
	}
	return ids, err
}

func whoAnswers(d coord.Decision) string {
	switch {
	case d.RequiredActor == coord.ActorHuman:
		return "a person"
	case d.Escalation:
		return "somebody who did not work on it"
	case d.RequiredActor == coord.ActorAgent:
		return "an agent"
	}
	return "somebody"
}
