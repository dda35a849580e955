package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

func newResource(a *app) *cobra.Command {
	return a.group("resource", "Name and list what attempts can reserve", newResourceNew(a), newResourceList(a))
}

type resourceNew struct {
	*app
	scope    string
	capacity int
	note     string
}

func newResourceNew(a *app) *cobra.Command {
	o := &resourceNew{app: a}
	c := a.verb("new NAME", "Name a resource, so that it can be reserved", cobra.ExactArgs(1), o.run)
	c.Flags().StringVar(&o.scope, "scope", "", "one for everybody, or one in each: `SCOPE` is shared, machine or checkout")
	c.Flags().IntVar(&o.capacity, "capacity", 1, "how many `UNITS` of it there are")
	c.Flags().StringVarP(&o.note, "message", "m", "", "what it is, as `TEXT`")
	return c
}

func (o *resourceNew) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	cmd := coord.CreateResource{Project: project, Name: args[0], Scope: coord.Scope(o.scope), Capacity: o.capacity, Note: o.note}
	if o.capacity < 1 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--capacity takes 1 to 10000, not %d; nothing was created", o.capacity)
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	r, err := svc.CreateResource(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "resource", data: r, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s, capacity %d\n", r.Name, r.Scope, r.Capacity)
	}}, nil
}

func newResourceList(a *app) *cobra.Command {
	return a.verb("list", "List the resources, who holds them and how many wait", cobra.NoArgs, a.resourceList)
}

func (a *app) resourceList(ctx context.Context, _ []string) (output, error) {
	project, err := a.projectKey()
	if err != nil {
		return output{}, err
	}
	svc, err := a.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	all, err := svc.ListResources(ctx, project)
	if err != nil {
		return output{}, err
	}
	return output{kind: "resources", data: listOf(all, ""), text: func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintf(w, "%s has no resource; coord resource new NAME makes one\n", project)
		}
		columns(w, func(w io.Writer) {
			for _, r := range all {
				fmt.Fprintln(w, row(r.Name, string(r.Scope), taken(r), holders(r), waiting(r)))
			}
		})
	}}, nil
}

// taken says how much of a shared resource is held; in each of several places
// there are as many as its capacity.
func taken(r coord.Resource) string {
	if r.Scope != coord.ScopeShared {
		return fmt.Sprintf("%d in each", r.Capacity)
	}
	n := 0
	for _, h := range r.Held {
		n += h.Units
	}
	return fmt.Sprintf("%d of %d taken", n, r.Capacity)
}

func holders(r coord.Resource) string {
	var all []string
	for _, h := range r.Held {
		all = append(all, fmt.Sprintf("%s for %s", h.Holder, h.Task))
	}
	return clip(strings.Join(all, ", "), 80)
}

func waiting(r coord.Resource) string {
	if r.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d in line", r.Waiting)
}
