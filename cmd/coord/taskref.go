package main

import (
	"context"
	"strings"

	"coord"
)

// taskNamed finds the task that a person means: an id, a bare number of this
// project, or an exact title.
func (a *app) taskNamed(ctx context.Context, svc coord.Service, ref string) (coord.TaskID, error) {
	id := coord.TaskID(ref)
	if _, _, err := id.Split(); err == nil {
		return id, nil
	}
	project, err := a.projectKey()
	if err != nil {
		return "", err
	}
	id = coord.TaskID(string(project) + "-" + ref)
	if _, _, err := id.Split(); err == nil {
		return id, nil
	}
	page, err := svc.ListTasks(ctx, coord.TaskQuery{Project: project, Title: ref, Limit: 10})
	if err != nil {
		return "", err
	}
	switch len(page.Items) {
	case 0:
		return "", coord.Errorf(coord.CodeNotFound, "%s has no task %q; a task is named by its id or its exact title", project, coord.OneLine(ref)).
			WithNext("coord task list")
	case 1:
		return page.Items[0].ID, nil
	}
	var ids, show []string
	for _, t := range page.Items {
		ids = append(ids, string(t.ID))
		show = append(show, "coord task show "+string(t.ID))
	}
	return "", coord.Errorf(coord.CodeAmbiguous, "several tasks are titled %q: %s; say which by its id", coord.OneLine(ref), strings.Join(ids, ", ")).
		WithNext(show...)
}
