package store

import (
	"flag"
	"testing"

	"coord/servicetest"
)

var operations = flag.Int("operations", servicetest.HistorySize(100_000), "requests of the histories")

func TestL1_K1_K3_Histories(t *testing.T) { servicetest.RunHistory(t, openHarness, *operations) }
