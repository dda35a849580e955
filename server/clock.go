package server

import "time"

// Clock returns a clock that starts at the wall time of now and then runs
// with the monotonic clock: an adjustment of the machine's clock neither
// grants nor ends a lease.
func Clock() func() time.Time {
	start := time.Now()
	return anchored(start, func() time.Duration { return time.Since(start) })
}

// anchored is a clock that starts at a wall time and then runs with since.
func anchored(start time.Time, since func() time.Duration) func() time.Time {
	wall := start.Round(0)
	return func() time.Time { return wall.Add(since()) }
}

// Wall is the machine's clock as it is, adjustments included. Nothing is
// decided by it.
func Wall() time.Time { return time.Now().Round(0) }
