package client

import "time"

// wallClock is the one place of this package that reads the machine's clock.
func wallClock() time.Time { return time.Now() }
