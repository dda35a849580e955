package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

func newProject(a *app) *cobra.Command {
	return a.group("project", "Show the project, and set its policy", newProjectShow(a), newProjectSet(a))
}

func newProjectShow(a *app) *cobra.Command {
	history := false
	c := a.verb("show", "Show the project with its policy", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		svc, key, err := a.eitherInProject(ctx, false)
		if err != nil {
			return output{}, err
		}
		if history {
			all, err := svc.PolicyRevisions(ctx, key)
			return output{kind: "policy_revisions", data: listOf(all, ""), text: func(w io.Writer) { writeRevisions(w, all) }}, err
		}
		p, err := svc.Project(ctx, key)
		return output{kind: "project", data: p, text: func(w io.Writer) { writeProject(w, p) }}, err
	})
	c.Flags().BoolVar(&history, "history", false, "what changed in the policy, by whom and why")
	return c
}

func writeProject(w io.Writer, p coord.Project) {
	fmt.Fprintf(w, "%s  %s\n", p.Key, p.Name)
	for _, r := range p.Repositories {
		field(w, "lands on", "%s of %s", r.Target, r.Remote)
	}
	field(w, "policy", "revision %d", p.PolicyRevision)
	for _, line := range p.Policy.Lines() {
		field(w, "", "%s", line)
	}
}

func writeRevisions(w io.Writer, all []coord.PolicyRevision) {
	for i, r := range all {
		fmt.Fprintf(w, "%d  %s  %s: %s\n", r.Revision, day(r.At), r.Author, clip(r.Reason, 200))
		if i > 0 {
			for _, change := range all[i-1].Policy.Changes(r.Policy) {
				field(w, "", "%s", change)
			}
		}
	}
}

type projectSet struct {
	*app
	reason string
}

func newProjectSet(a *app) *cobra.Command {
	o := &projectSet{app: a}
	c := a.verb("set KEY=VALUE...", "Change the policy, as the person signed in here", cobra.MinimumNArgs(1), o.run)
	c.Flags().StringVar(&o.reason, "reason", "", "why, as `TEXT`")
	return c
}

func (o *projectSet) run(ctx context.Context, args []string) (output, error) {
	if o.reason == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "a change of the policy needs --reason; nothing was changed")
	}
	key, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	person, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	p, err := person.Project(ctx, key)
	if err != nil {
		return output{}, person.signedOut(err)
	}
	next := p.Policy
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return output{}, coord.Errorf(coord.CodeBadRequest, "%q is not KEY=VALUE; nothing was changed", coord.OneLine(arg)).WithNext("coord project show")
		}
		if next, err = next.With(name, value); err != nil {
			return output{}, err
		}
	}
	changes := p.Policy.Changes(next)
	p, err = person.SetPolicy(ctx, coord.SetPolicy{Project: key, Revision: p.PolicyRevision, Policy: next, Reason: o.reason})
	if err != nil {
		return output{}, person.signedOut(err)
	}
	return output{kind: "project", data: p, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s  policy revision %d\n", p.Key, p.PolicyRevision)
		for _, change := range changes {
			field(w, "", "%s", change)
		}
		if len(changes) == 0 {
			field(w, "", "nothing to change")
		}
	}}, nil
}
