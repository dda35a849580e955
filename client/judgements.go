package client

import (
	"context"

	"coord"
)

// Judge implements coord.Reviews.
func (c *Client) Judge(ctx context.Context, cmd coord.Judge) (coord.Review, error) {
	return mutate[coord.Review](ctx, c, call{path: at("submissions", string(cmd.Submission), "judgements"), key: cmd.Key, session: sessionIfOpen}, cmd)
}

// WithdrawApproval implements coord.Reviews.
func (c *Client) WithdrawApproval(ctx context.Context, cmd coord.WithdrawApproval) (coord.Submission, error) {
	return mutate[coord.Submission](ctx, c, call{path: at("reviews", string(cmd.Review), "withdrawals"), key: cmd.Key, session: sessionNeeded}, cmd)
}
