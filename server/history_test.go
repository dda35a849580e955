package server

import (
	"flag"
	"testing"

	"coord/servicetest"
)

var operations = flag.Int("operations", servicetest.HistorySize(10_000), "requests of the histories")

// Client → API → store is held to the same histories as the store alone.
func TestL1_K1_K3_HistoriesOverHTTP(t *testing.T) { servicetest.RunHistory(t, overHTTP, *operations) }
