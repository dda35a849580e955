package main

import (
	"context"
	"fmt"
	"io"
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
	}
	if err := cmd.Validate(); err != nil {
		return output{}, err
	}
	if err := o.checkTarget(ctx); err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	for _, ref := range o.after {
		id, err := o.taskNamed(ctx, svc, ref)
		if err != nil {
			return output{}, err
		}
		cmd.DependsOn = append(cmd.DependsOn, id)
	}
	t, err := svc.CreateTask(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "task", data: t, text: func(w io.Writer) { writeNewTask(w, t) }}, nil
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

func writeNewTask(w io.Writer, t coord.Task) {
	fmt.Fprintf(w, "%s %s", t.ID, t.Status)
	if len(t.WaitsFor) > 0 {
		fmt.Fprintf(w, ", waits for %s", joinIDs(t.WaitsFor))
	}
	fmt.Fprintln(w)
}

func joinIDs(ids []coord.TaskID) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return strings.Join(all, ", ")
}
