package client

import (
	"context"

	"coord"
)

// CreateResource implements coord.Resources.
func (c *Client) CreateResource(ctx context.Context, cmd coord.CreateResource) (coord.Resource, error) {
	return mutate[coord.Resource](ctx, c, call{path: inProject(cmd.Project, "resources"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Reserve implements coord.Resources.
func (c *Client) Reserve(ctx context.Context, cmd coord.Reserve) (coord.Reserved, error) {
	return mutate[coord.Reserved](ctx, c, onAttempt(cmd.Attempt, "reservations", cmd.Key), cmd)
}

// Unreserve implements coord.Resources.
func (c *Client) Unreserve(ctx context.Context, cmd coord.Unreserve) ([]coord.Reservation, error) {
	list, err := mutate[items[coord.Reservation]](ctx, c, onAttempt(cmd.Attempt, "unreservations", cmd.Key), cmd)
	return list.Items, err
}

// Adopt implements coord.Resources.
func (c *Client) Adopt(ctx context.Context, cmd coord.Adopt) (coord.Obligations, error) {
	return mutate[coord.Obligations](ctx, c, onAttempt(cmd.Attempt, "adoptions", cmd.Key), cmd)
}

// ListResources implements coord.Resources.
func (c *Client) ListResources(ctx context.Context, project coord.ProjectKey) ([]coord.Resource, error) {
	list, err := get[items[coord.Resource]](ctx, c, call{path: inProject(project, "resources"), session: sessionIfOpen})
	return list.Items, err
}
