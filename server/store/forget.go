package store

import (
	"context"
	"time"
)

// How long keys are remembered: with their answer, and after that as
// tombstones, which only refuse. A client sends a request again for a day at
// most.
const (
	keepAnswers    = 7 * 24 * time.Hour
	keepTombstones = 90 * 24 * time.Hour
)

// forgetStep is how many keys of each kind one transaction deals with: more
// than it adds, on average, and too few to be felt.
const forgetStep = 50

// Parameters: before when the key was used, how many. Each walks the old end
// of its own index.
const (
	dropAnswers = `UPDATE idempotency SET outcome = '' WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency WHERE outcome <> '' AND at < ? ORDER BY at LIMIT ?)`
	dropTombstones = `DELETE FROM idempotency WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency WHERE outcome = '' AND at < ? ORDER BY at LIMIT ?)`
)

// forget turns a few old answers into tombstones and drops a few old
// tombstones. It runs in every transaction, so that what is kept stays
// bounded by what is written, without a timer.
func (b *batchRun) forget() error {
	now := b.w.store.now()
	for _, step := range []struct {
		query string
		age   time.Duration
	}{{dropAnswers, keepAnswers}, {dropTombstones, keepAnswers + keepTombstones}} {
		st, err := b.w.prepared(step.query)
		if err != nil {
			return err
		}
		if _, err := st.ExecContext(context.Background(), nanos(now.Add(-step.age)), forgetStep); err != nil {
			return err
		}
	}
	return nil
}
