package client

import (
	"context"
	"net/url"

	"coord"
)

// Ask implements coord.Decisions.
func (c *Client) Ask(ctx context.Context, cmd coord.Ask) (coord.Decision, error) {
	return mutate[coord.Decision](ctx, c, call{path: inProject(cmd.Project, "decisions"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Decide implements coord.Decisions.
func (c *Client) Decide(ctx context.Context, cmd coord.Decide) (coord.Decision, error) {
	return mutate[coord.Decision](ctx, c, call{path: inProject(cmd.Project, "decisions", string(cmd.Decision), "answer"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Authorize implements coord.Decisions.
func (c *Client) Authorize(ctx context.Context, cmd coord.Authorize) (coord.Authorization, error) {
	return mutate[coord.Authorization](ctx, c, call{path: inProject(cmd.Project, "authorizations"), key: cmd.Key, session: sessionIfOpen}, cmd)
}

// Decision implements coord.Decisions.
func (c *Client) Decision(ctx context.Context, project coord.ProjectKey, id coord.DecisionID) (coord.Decision, error) {
	return get[coord.Decision](ctx, c, call{path: inProject(project, "decisions", string(id)), session: sessionIfOpen})
}

// ListDecisions implements coord.Decisions.
func (c *Client) ListDecisions(ctx context.Context, q coord.DecisionQuery) ([]coord.Decision, error) {
	v := url.Values{}
	set(v, "state", string(q.State))
	set(v, "task", string(q.Task))
	setCount(v, "limit", q.Limit)
	list, err := get[items[coord.Decision]](ctx, c, call{path: inProject(q.Project, "decisions"), query: v, session: sessionIfOpen})
	return list.Items, err
}
