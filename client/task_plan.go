package client

import (
	"context"

	"coord"
)

// EditTask implements coord.Tasks.
func (c *Client) EditTask(ctx context.Context, cmd coord.EditTask) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "edits"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// LinkTask implements coord.Tasks.
func (c *Client) LinkTask(ctx context.Context, cmd coord.LinkTask) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "links"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// CancelTask implements coord.Tasks.
func (c *Client) CancelTask(ctx context.Context, cmd coord.CancelTask) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "cancellations"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// SupersedeTask implements coord.Tasks.
func (c *Client) SupersedeTask(ctx context.Context, cmd coord.SupersedeTask) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "successions"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// AcceptObjective implements coord.Tasks.
func (c *Client) AcceptObjective(ctx context.Context, cmd coord.AcceptObjective) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "acceptances"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Unblock implements coord.Tasks.
func (c *Client) Unblock(ctx context.Context, cmd coord.Unblock) (coord.Task, error) {
	return mutate[coord.Task](ctx, c, call{path: at("tasks", string(cmd.Task), "unblockings"), key: cmd.Key, session: sessionNeeded}, cmd)
}
