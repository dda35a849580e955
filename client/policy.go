package client

import (
	"context"

	"coord"
)

// SetPolicy implements coord.Projects.
func (c *Client) SetPolicy(ctx context.Context, cmd coord.SetPolicy) (coord.Project, error) {
	return mutate[coord.Project](ctx, c, call{path: inProject(cmd.Project, "policy"), key: cmd.Key, session: sessionIfOpen}, cmd)
}

// SetRule implements coord.Projects.
func (c *Client) SetRule(ctx context.Context, cmd coord.SetRule) (coord.Rule, error) {
	return mutate[coord.Rule](ctx, c, call{path: inProject(cmd.Project, "rules"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// PolicyRevisions implements coord.Projects.
func (c *Client) PolicyRevisions(ctx context.Context, project coord.ProjectKey) ([]coord.PolicyRevision, error) {
	list, err := get[items[coord.PolicyRevision]](ctx, c, call{path: inProject(project, "policy"), session: sessionIfOpen})
	return list.Items, err
}

// Rules implements coord.Projects.
func (c *Client) Rules(ctx context.Context, project coord.ProjectKey) ([]coord.Rule, error) {
	list, err := get[items[coord.Rule]](ctx, c, call{path: inProject(project, "rules"), session: sessionIfOpen})
	return list.Items, err
}
