package client

import (
	"context"

	"coord"
)

// AddNote implements coord.Attempts.
func (c *Client) AddNote(ctx context.Context, cmd coord.AddNote) (coord.Note, error) {
	return mutate[coord.Note](ctx, c, onAttempt(cmd.Attempt, "notes", cmd.Key), cmd)
}
