package coord

import (
	"strings"
	"testing"
	"time"
)

func TestHandoffID(t *testing.T) {
	for id, want := range map[HandoffID]bool{"H1": true, "H30": true, "H0": false, "H01": false, "H": false, "h1": false, "L1": false, "1": false, "H-1": false} {
		if got := id.Valid(); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}

// The day that a note states counts before the day of the file, and that before
// the day of the import.
func TestDayOfAHandoffNote(t *testing.T) {
	at := time.Date(2026, 5, 3, 1, 0, 0, 0, time.UTC)
	n := HandoffNote{At: at}
	if got := n.Day(); got != "2026-05-03" {
		t.Errorf("imported: %s", got)
	}
	n.Written = at.Add(-48 * time.Hour).In(time.FixedZone("", -5*3600))
	if got := n.Day(); got != "2026-05-01" {
		t.Errorf("written: %s", got)
	}
	n.Date = "2025-12-31"
	if got := n.Day(); got != "2025-12-31" {
		t.Errorf("stated: %s", got)
	}
}

func TestHandoffQueryIsChecked(t *testing.T) {
	for _, q := range []HandoffQuery{{Text: strings.Repeat("x", 501)}, {Path: "a\nb"}, {Path: strings.Repeat("x", 1025)}} {
		if CodeOf(q.Validate()) != CodeBadRequest {
			t.Errorf("%+v is taken", q)
		}
	}
	if err := (HandoffQuery{Text: strings.Repeat("x", 500), Path: "docs/HANDOFF.md"}).Validate(); err != nil {
		t.Error(err)
	}
}
