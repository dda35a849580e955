package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

type taskNew struct {
	*app
	accept   []string
	outcome  string
	priority string
	after    []string
	target   string
	kind     string
	parent   string
	labels   []string
	paths    []string
	needs    []string
	source   string
	planned  bool
	twin     bool
}

func newTaskNew(a *app) *cobra.Command {
	o := &taskNew{app: a}
	c := a.verb("new TITLE", "Record a task, open for claiming at once", cobra.ExactArgs(1), o.run)
	f := c.Flags()
	f.StringArrayVar(&o.accept, "accept", nil, "acceptance `CRITERION`; repeat for more")
	f.StringVar(&o.outcome, "outcome", "", "what will be true when it is done, as `TEXT`")
	f.StringVar(&o.priority, "priority", "", "`PRIORITY`: urgent, high, normal or low (default normal)")
	f.StringArrayVar(&o.after, "after", nil, "`TASK` that must be done first; repeat for more")
	f.StringVar(&o.target, "target", "", "`BRANCH` to land on (default the repository's)")
	f.StringVar(&o.kind, "kind", "", "`KIND`: code, general (nothing lands) or objective (done by its children) (default code)")
	f.StringVar(&o.parent, "parent", "", "the `OBJECTIVE` that it is part of")
	f.StringArrayVar(&o.labels, "label", nil, "`LABEL` to find it by; repeat for more")
	f.StringArrayVar(&o.paths, "path", nil, "`PATH` that it expects to touch; repeat for more")
	f.StringArrayVar(&o.needs, "needs", nil, "`CAPABILITY` that a session must offer to claim it; repeat for more")
	f.StringVar(&o.source, "source-key", "", "its `NAMESPACE:KEY` elsewhere: a second task of the same key is the first one")
	f.BoolVar(&o.planned, "planned", false, "record it without admitting it")
	f.BoolVar(&o.twin, "same-title", false, "record it although an unfinished task has the same title")
	return c
}

func (o *taskNew) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	cmd := coord.CreateTask{
		Project: project, Title: args[0], Outcome: o.outcome, Criteria: o.accept,
		Priority: coord.Priority(o.priority), Target: o.target, Planned: o.planned, SameTitle: o.twin,
		Kind: coord.Kind(o.kind), Labels: o.labels, Paths: o.paths, Capabilities: o.needs, SourceKey: o.source,
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	if err := o.checkTarget(ctx); err != nil {
		return output{}, err
	}
	svc, err := o.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	if err := o.link(ctx, svc, &cmd); err != nil {
		return output{}, err
	}
	t, err := svc.CreateTask(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: t, text: func(w io.Writer) { writeNewTask(w, t) }}, nil
}

// link adds what the task waits for and is part of.
func (o *taskNew) link(ctx context.Context, svc coord.Service, cmd *coord.CreateTask) (err error) {
	for _, ref := range o.after {
		id, err := o.taskNamed(ctx, svc, ref)
		if err != nil {
			return err
		}
		cmd.DependsOn = append(cmd.DependsOn, id)
	}
	if o.parent != "" {
		cmd.Parent, err = o.taskNamed(ctx, svc, o.parent)
	}
	return err
}

// checkTarget refuses a branch that the remote does not have, as far as this
// can be seen from here: nobody could start the task.
func (o *taskNew) checkTarget(ctx context.Context) error {
	p, err := o.place()
	if err != nil || o.target == "" || p.root == "" {
		return err
	}
	repo, err := o.repo(ctx)
	if err != nil {
		return err
	}
	origin, err := remoteOf(ctx, repo)
	if err != nil {
		return err
	}
	branch := "refs/heads/" + o.target
	refs, err := repo.Observe(ctx, origin.name, branch)
	if err != nil || refs[branch] != "" {
		return err
	}
	return coord.Errorf(coord.CodeNotFound, "%s has no branch %s to land on; nothing was created", origin.name, o.target).
		WithNext("git push " + origin.name + " COMMIT:" + branch)
}

// writeNewTask says where the task stands, and what it might be the same as.
func writeNewTask(w io.Writer, t coord.Created) {
	writeTaskLine(w, t.Task)
	if t.Existing {
		fmt.Fprintf(w, "%-10s%s was recorded before as %s; nothing was created\n", "existing", coord.OneLine(t.SourceKey), t.ID)
	}
	for _, r := range t.Similar {
		if r.ID == t.Parent || slices.Contains(t.DependsOn, r.ID) {
			continue // whoever named it knows it
		}
		fmt.Fprintf(w, "%-10s%s %s  %s\n", "similar", r.ID, r.Status, clip(r.Title, 60))
	}
}

func joinIDs[T ~string](ids []T) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return strings.Join(all, ", ")
}
