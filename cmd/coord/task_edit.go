package main

import (
	"context"

	"github.com/spf13/cobra"

	"coord"
)

type taskEdit struct {
	*app
	flags    func(name string) bool // whether it was given
	title    string
	outcome  string
	accept   []string
	priority string
	kind     string
	labels   []string
	paths    []string
	needs    []string
	admit    bool
	reason   string
}

func newTaskEdit(a *app) *cobra.Command {
	o := &taskEdit{app: a}
	c := a.verb("edit TASK", "Change what a task says; a list that is given replaces the one before", cobra.ExactArgs(1), o.run)
	o.flags = c.Flags().Changed
	f := c.Flags()
	f.StringVar(&o.title, "title", "", "new title, as `TEXT`")
	f.StringVar(&o.outcome, "outcome", "", "what will be true when it is done, as `TEXT`")
	f.StringArrayVar(&o.accept, "accept", nil, "acceptance `CRITERION`; repeat for all of them, one empty one for none")
	f.StringVar(&o.priority, "priority", "", "`PRIORITY`: urgent, high, normal or low")
	f.StringVar(&o.kind, "kind", "", "`KIND`: code, general or objective")
	f.StringArrayVar(&o.labels, "label", nil, "`LABEL`; repeat for all of them, one empty one for none")
	f.StringArrayVar(&o.paths, "path", nil, "`PATH` that it expects to touch; repeat for all of them")
	f.StringArrayVar(&o.needs, "needs", nil, "`CAPABILITY` that a session must offer; repeat for all of them")
	f.BoolVar(&o.admit, "admit", false, "open a planned task for claiming")
	f.StringVarP(&o.reason, "reason", "m", "", "why, as `TEXT`")
	return c
}

func (o *taskEdit) run(ctx context.Context, args []string) (output, error) {
	cmd := o.command()
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, id, err := o.app.planned(ctx, args[0])
	if err != nil {
		return output{}, err
	}
	now, err := svc.Task(ctx, id)
	if err != nil {
		return output{}, err
	}
	cmd.Task, cmd.Revision = id, now.Revision
	return changedTask(svc.EditTask(ctx, cmd))
}

// command is the edit of what was typed.
func (o *taskEdit) command() coord.EditTask {
	cmd := coord.EditTask{Admit: o.admit, Reason: o.reason}
	if o.flags("title") {
		cmd.Title = &o.title
	}
	if o.flags("outcome") {
		cmd.Outcome = &o.outcome
	}
	if o.flags("priority") {
		p := coord.Priority(o.priority)
		cmd.Priority = &p
	}
	if o.flags("kind") {
		k := coord.Kind(o.kind)
		cmd.Kind = &k
	}
	for name, list := range map[string]struct {
		given []string
		into  **[]string
	}{"accept": {o.accept, &cmd.Criteria}, "label": {o.labels, &cmd.Labels}, "path": {o.paths, &cmd.Paths}, "needs": {o.needs, &cmd.Capabilities}} {
		if o.flags(name) {
			all := named(list.given)
			*list.into = &all
		}
	}
	return cmd
}

// named drops the empty words by which a list is emptied.
func named(list []string) []string {
	out := []string{}
	for _, x := range list {
		if x != "" {
			out = append(out, x)
		}
	}
	return out
}
