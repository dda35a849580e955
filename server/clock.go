package server

import "time"

// Clock returns a clock that starts at the wall time of now and then runs
// with the monotonic clock: an adjustment of the machine's clock neither
// grants nor ends a lease.
func Clock() func() time.Time {
	start := time.Now()
	wall := start.Round(0)
	return func() time.Time { return wall.Add(time.Since(start)) }
}
