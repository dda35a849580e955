package client

import (
	"context"
	"net/url"
	"strconv"

	"coord"
)

// CreateTask implements coord.Tasks.
func (c *Client) CreateTask(ctx context.Context, cmd coord.CreateTask) (coord.Created, error) {
	return mutate[coord.Created](ctx, c, call{path: inProject(cmd.Project, "tasks"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Task implements coord.Tasks.
func (c *Client) Task(ctx context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	return get[coord.TaskDetail](ctx, c, call{path: at("tasks", string(id)), session: sessionIfOpen})
}

// ListTasks implements coord.Tasks.
func (c *Client) ListTasks(ctx context.Context, q coord.TaskQuery) (coord.Page[coord.Task], error) {
	v := url.Values{}
	set(v, "status", string(q.Status))
	set(v, "kind", string(q.Kind))
	set(v, "label", q.Label)
	set(v, "parent", string(q.Parent))
	set(v, "owner", q.Owner)
	set(v, "text", q.Text)
	set(v, "title", q.Title)
	set(v, "cursor", q.Cursor)
	setCount(v, "limit", q.Limit)
	return get[coord.Page[coord.Task]](ctx, c, call{path: inProject(q.Project, "tasks"), query: v, session: sessionIfOpen})
}

// Revise implements coord.Reviews.
func (c *Client) Revise(ctx context.Context, cmd coord.Revise) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "revisions"), key: cmd.Key, session: sessionNeeded}, cmd)
}

func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func setFlag(v url.Values, name string, on bool) {
	if on {
		v.Set(name, "true")
	}
}

func setCount(v url.Values, name string, n int) {
	if n != 0 {
		v.Set(name, strconv.Itoa(n))
	}
}
