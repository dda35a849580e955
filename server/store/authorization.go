package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"coord"
)

// authorizedFor is how long an authorization holds that says nothing else.
const authorizedFor = 24 * time.Hour

// Authorize records what a person allowed.
func (s *service) Authorize(ctx context.Context, c coord.Authorize) (coord.Authorization, error) {
	if err := cmp.Or(s.need(coord.RoleOperator), c.Validate()); err != nil {
		return coord.Authorization{}, err
	}
	i := intent[coord.Authorization]{operation: "authorize", key: c.Key, ids: []string{string(c.Project)}, command: c}
	return mutate(ctx, s, i, func(t *tx) (coord.Authorization, error) { return t.authorize(c) })
}

func (t *tx) authorize(c coord.Authorize) (out coord.Authorization, err error) {
	if _, err := t.project(c.Project); err != nil {
		return out, err
	}
	if c.Task != "" { // the id of its review or integration task stands for a task too
		task, err := t.taskOf(c.Project, c.Task)
		if err != nil {
			return out, err
		}
		if err := c.CheckTask(task.Task); err != nil {
			return out, err
		}
		c.Task = codeTask(task)
	}
	out = coord.Authorization{
		Project: c.Project, Task: c.Task, Action: cmp.Or(c.Action, coord.ActionLand), Environment: c.Environment, Revision: c.Revision,
		Until: t.now.Add(cmp.Or(time.Duration(c.For), authorizedFor)), By: t.actor(), Note: c.Note, At: t.now,
	}
	var n int64
	if _, err := t.get([]any{&n}, "UPDATE projects SET last_authorization = last_authorization + 1 WHERE key = ? RETURNING last_authorization", string(c.Project)); err != nil {
		return out, err
	}
	out.ID = authorizationID(n)
	err = t.change("INSERT INTO authorizations (project, number, task, action, environment, revision, until, given_by, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		string(out.Project), n, orNull(string(out.Task)), out.Action, out.Environment, string(out.Revision), nanos(out.Until), out.By, out.Note, nanos(out.At))
	if err != nil {
		return out, err
	}
	return out, t.record(coord.Event{
		Kind: coord.EventAuthorized, Project: out.Project, Task: out.Task, Text: authorizedText(out),
		Data: map[string]string{"authorization": string(out.ID), "action": out.Action, "revision": string(out.Revision), "until": out.Until.Format(time.RFC3339)},
	})
}

func authorizedText(a coord.Authorization) string {
	what := cmp.Or(string(a.Task), "any task")
	if a.Revision != "" {
		what += " at " + a.Revision.Short()
	}
	return fmt.Sprintf("%s allowed to %s %s until %s", a.By, a.Action, what, a.Until.Format(time.RFC3339))
}

func authorizationID(n int64) coord.AuthorizationID {
	return coord.AuthorizationID("A" + strconv.FormatInt(n, 10))
}

const authorizationColumns = "number, project, coalesce(task, ''), action, environment, revision, until, given_by, note, at"

func scanAuthorization(r scanner) (x coord.Authorization, err error) {
	var n, until, at int64
	err = r.Scan(&n, &x.Project, &x.Task, &x.Action, &x.Environment, &x.Revision, &until, &x.By, &x.Note, &at)
	x.ID, x.Until, x.At = authorizationID(n), instant(until), instant(at)
	return x, err
}

// authorizations are those of the project for the action that hold now.
func (v *view) authorizations(p coord.ProjectKey, action string) ([]coord.Authorization, error) {
	return list(v, scanAuthorization, "SELECT "+authorizationColumns+" FROM authorizations WHERE project = ? AND action = ? AND until > ? ORDER BY number", string(p), action, nanos(v.now))
}

// authorizationsOf are all that were ever given for the task or for any, as
// its record shows them.
func (v *view) authorizationsOf(task coord.TaskID) ([]coord.Authorization, error) {
	return list(v, scanAuthorization, "SELECT "+authorizationColumns+" FROM authorizations WHERE project = ? AND (task = ? OR task IS NULL) ORDER BY number", string(task.Project()), string(task))
}
