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
// than it adds, on average, and too few to be felt. Once there is less to do
// than that, nothing is looked for until forgetEvery has passed.
const (
	forgetStep  = 50
	forgetEvery = time.Minute
)

// Parameters: before when the key was used, how many. Each walks the old end
// of its own index.
const (
	dropAnswers = `UPDATE idempotency SET outcome = '' WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency WHERE outcome <> '' AND at < ? ORDER BY at LIMIT ?)`
	dropTombstones = `DELETE FROM idempotency WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM idempotency WHERE outcome = '' AND at < ? ORDER BY at LIMIT ?)`
)

// forget turns a few old answers into tombstones and drops a few old
// tombstones. Transactions do it on the way, so that what is kept stays
// bounded by what is written, without a timer.
func (b *batchRun) forget() error {
	now := b.w.store.now()
	if now.Before(b.w.forgetNext) {
		return nil
	}
	b.w.forgetNext = now.Add(forgetEvery)
	b.w.store.clock.watch(b.w.store.opt.Log)
	for query, age := range map[string]time.Duration{dropAnswers: keepAnswers, dropTombstones: keepAnswers + keepTombstones} {
		st, err := b.w.prepared(query)
		if err != nil {
			return err
		}
		done, err := st.ExecContext(context.Background(), nanos(now.Add(-age)), forgetStep)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err == nil && n == forgetStep {
			b.w.forgetNext = now // there is more
		}
	}
	return nil
}
