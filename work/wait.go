package work

import (
	"context"
	"errors"
	"time"

	"coord"
)

// AwaitChange waits, after a refusal, until the project has a new event or
// the refusal's own time to look again has come. It polls nothing.
func (d *Desk) AwaitChange(ctx context.Context, refusal error) error {
	var e *coord.Error
	if !errors.As(refusal, &e) {
		return refusal
	}
	var after coord.Seq
	if err := after.UnmarshalText([]byte(e.Details["as_of"])); err != nil {
		return refusal // it does not say what it saw, so nothing tells when that changed
	}
	limit := time.Minute
	if e.RetryAfterMS > 0 {
		limit = min(limit, time.Duration(e.RetryAfterMS)*time.Millisecond)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := d.Service.WaitEvents(wait, d.Project, after)
	if ctx.Err() == nil && wait.Err() != nil {
		return nil // it is time to look again
	}
	return err
}
