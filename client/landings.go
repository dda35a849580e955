package client

import (
	"context"

	"coord"
)

// Hold implements coord.Landings.
func (c *Client) Hold(ctx context.Context, cmd coord.Hold) (coord.Held, error) {
	return mutate[coord.Held](ctx, c, call{path: inProject(cmd.Project, "holds"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// RecordMerge implements coord.Landings.
func (c *Client) RecordMerge(ctx context.Context, cmd coord.RecordMerge) (coord.Merged, error) {
	return mutate[coord.Merged](ctx, c, onLanding(cmd.Landing, "merges", cmd.Key), cmd)
}

// Permit implements coord.Landings.
func (c *Client) Permit(ctx context.Context, cmd coord.Permit) (coord.Landing, error) {
	return mutate[coord.Landing](ctx, c, onLanding(cmd.Landing, "permits", cmd.Key), cmd)
}

// RecordObservation implements coord.Landings.
func (c *Client) RecordObservation(ctx context.Context, cmd coord.RecordObservation) (coord.Landed, error) {
	return mutate[coord.Landed](ctx, c, onLanding(cmd.Landing, "observations", cmd.Key), cmd)
}

// FailLanding implements coord.Landings.
func (c *Client) FailLanding(ctx context.Context, cmd coord.FailLanding) (coord.Landing, error) {
	return mutate[coord.Landing](ctx, c, onLanding(cmd.Landing, "failures", cmd.Key), cmd)
}

// DivergeTarget implements coord.Landings.
func (c *Client) DivergeTarget(ctx context.Context, cmd coord.DivergeTarget) (coord.Target, error) {
	return mutate[coord.Target](ctx, c, onLanding(cmd.Landing, "divergence", cmd.Key), cmd)
}

// Reconcile implements coord.Landings.
func (c *Client) Reconcile(ctx context.Context, cmd coord.Reconcile) (coord.Reconciled, error) {
	return mutate[coord.Reconciled](ctx, c, onLanding(cmd.Landing, "reconciliation", cmd.Key), cmd)
}

// SettleTarget implements coord.Landings.
func (c *Client) SettleTarget(ctx context.Context, cmd coord.SettleTarget) (coord.Target, error) {
	return mutate[coord.Target](ctx, c, call{path: inProject(cmd.Project, "targets"), key: cmd.Key, session: sessionNeeded}, cmd)
}

func onLanding(l coord.LandingID, action string, key coord.Key) call {
	return call{path: at("landings", string(l), action), key: key, session: sessionNeeded}
}
