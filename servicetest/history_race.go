//go:build race

package servicetest

// HistorySize is how many requests a history has that has n without the race
// detector, which is there for other defects and slows SQLite down.
func HistorySize(n int) int { return n / 20 }
