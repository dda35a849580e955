package client

import (
	"context"
	"net/url"

	"coord"
)

// Claim implements coord.Attempts.
func (c *Client) Claim(ctx context.Context, cmd coord.Claim) (coord.Claimed, error) {
	return mutate[coord.Claimed](ctx, c, call{path: inProject(cmd.Project, "claims"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// BindWorktree implements coord.Attempts.
func (c *Client) BindWorktree(ctx context.Context, cmd coord.BindWorktree) (coord.Attempt, error) {
	return mutate[coord.Attempt](ctx, c, onAttempt(cmd.Attempt, "worktree", cmd.Key), cmd)
}

// Renew implements coord.Attempts. It is not journaled: a lost renewal is
// made good by the next one.
func (c *Client) Renew(ctx context.Context, cmd coord.Renew) (coord.Lease, error) {
	return ask[coord.Lease](ctx, c, onAttempt(cmd.Attempt, "renewals", ""), cmd)
}

// Resume implements coord.Attempts.
func (c *Client) Resume(ctx context.Context, cmd coord.Resume) (coord.Claimed, error) {
	return mutate[coord.Claimed](ctx, c, onAttempt(cmd.Attempt, "resumptions", cmd.Key), cmd)
}

// Release implements coord.Attempts.
func (c *Client) Release(ctx context.Context, cmd coord.Release) (coord.Attempt, error) {
	q := onAttempt(cmd.Attempt, "releases", cmd.Key)
	if cmd.Fence == (coord.Fence{}) {
		q.session = sessionIfOpen // a person's, who has none
	}
	return mutate[coord.Attempt](ctx, c, q, cmd)
}

// RecordCheckpoint implements coord.Attempts.
func (c *Client) RecordCheckpoint(ctx context.Context, cmd coord.RecordCheckpoint) (coord.Checkpoint, error) {
	return mutate[coord.Checkpoint](ctx, c, onAttempt(cmd.Attempt, "checkpoints", cmd.Key), cmd)
}

// RecordReceipt implements coord.Attempts.
func (c *Client) RecordReceipt(ctx context.Context, cmd coord.RecordReceipt) (coord.Receipt, error) {
	return mutate[coord.Receipt](ctx, c, onAttempt(cmd.Attempt, "receipts", cmd.Key), cmd)
}

// ReceiptsFor implements coord.Attempts.
func (c *Client) ReceiptsFor(ctx context.Context, project coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	q := call{path: inProject(project, "receipts"), query: url.Values{"tree": {string(tree)}}, session: sessionIfOpen}
	list, err := get[items[coord.Receipt]](ctx, c, q)
	return list.Items, err
}

// Submit implements coord.Attempts.
func (c *Client) Submit(ctx context.Context, cmd coord.Submit) (coord.Submitted, error) {
	return mutate[coord.Submitted](ctx, c, onAttempt(cmd.Attempt, "submissions", cmd.Key), cmd)
}

// Review implements coord.Reviews.
func (c *Client) Review(ctx context.Context, cmd coord.RecordReview) (coord.Review, error) {
	return mutate[coord.Review](ctx, c, onAttempt(cmd.Attempt, "reviews", cmd.Key), cmd)
}

func onAttempt(a coord.AttemptID, action string, key coord.Key) call {
	return call{path: at("attempts", string(a), action), key: key, session: sessionNeeded}
}
