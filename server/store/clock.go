package store

import (
	"context"
	"log/slog"
	"time"
)

// clock is the server's time. It goes on from where the last run of the
// server came to, and then advances as now does: after a restart it is never
// below a time that a decision was made at, and a machine whose clock is
// behind at its start ends no lease twice.
type clock struct {
	now    func() time.Time
	ahead  time.Duration    // of now; 0 unless that was behind at the start
	wall   func() time.Time // the machine's clock, adjustments included; nil: not watched
	warned time.Duration    // the difference that was last warned of
}

// driftAllowed is how far the machine's clock may be from the server's time
// before the log says so, and by how much more before it does again.
const driftAllowed = time.Minute

// startClock reads how far earlier runs came.
func (s *Store) startClock(ctx context.Context) error {
	var high int64
	if err := s.writer.conn.QueryRowContext(ctx, "SELECT high_water, epoch FROM server WHERE id = 1").Scan(&high, &s.epoch); err != nil {
		return unreadable(err)
	}
	s.clock = clock{now: s.opt.Now, wall: s.opt.Wall}
	if behind := instant(high).Sub(s.opt.Now()); behind > 0 {
		s.clock.ahead, s.clock.warned = behind, behind
		if behind > driftAllowed {
			s.opt.Log.Warn("the machine's clock is behind the time that the server had come to; leases go on from there", "behind", behind.String())
		}
	}
	return nil
}

func (s *Store) now() time.Time { return s.clock.now().Add(s.clock.ahead).Round(0).UTC() }

// Epoch changes only when the database is restored from a backup.
func (s *Store) Epoch() int64 { return s.epoch }

// raise notes how far time has come, in the transaction of what was decided at
// it.
func (b *batchRun) raise() error {
	st, err := b.w.prepared("UPDATE server SET high_water = ? WHERE id = 1 AND high_water < ?")
	if err != nil {
		return err
	}
	now := nanos(b.w.store.now())
	_, err = st.ExecContext(context.Background(), now, now)
	return err
}

// watch warns when the machine's clock was set while the server ran. Only the
// leader calls it.
func (c *clock) watch(log *slog.Logger) {
	if c.wall == nil {
		return
	}
	drift := c.now().Add(c.ahead).Sub(c.wall())
	if (drift - c.warned).Abs() <= driftAllowed {
		return
	}
	c.warned = drift
	log.Warn("the machine's clock and the server's time differ; leases go by the server's time, which does not jump", "server_ahead", drift.String())
}
