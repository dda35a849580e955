//go:build !race

package servicetest

// HistorySize is how many requests a history has that has n without the race
// detector.
func HistorySize(n int) int { return n }
