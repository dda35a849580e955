package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coord"
)

// An import that takes several transactions is killed after the first: nothing
// counts as imported then, and the same command goes on with it, to the end
// and no further.
func TestImportGoesOnWhenTypedAgain(t *testing.T) {
	const items = 5000 // a transaction applies 1,000
	h := newTestHome(t)
	dir := h.repository("pay")
	var text strings.Builder
	for i := range items {
		fmt.Fprintf(&text, "- [ ] **B-%d** Item number %d of the list\n", i+1, i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "BACKLOG.md"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := h.coord(dir, "up").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	preview, err := h.coord(dir, "import", "BACKLOG.md").Output()
	apply := regexp.MustCompile(`(?m)^next +coord (import .*)$`).FindSubmatch(preview)
	if err != nil || apply == nil {
		t.Fatalf("%v: %s", err, preview)
	}
	typed := strings.Fields(string(apply[1]))
	first := h.coord(dir, typed...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	var begun struct {
		Items []coord.Task `json:"items"`
	}
	for len(begun.Items) == 0 {
		if err := h.json(dir, &begun, "task", "list", "--status", "planned"); err != nil {
			t.Fatal(err)
		}
	}
	_ = first.Process.Kill()
	_ = first.Wait() // it was killed
	var sources coord.Sources
	if err := h.json(dir, &sources, "sources"); err != nil || len(sources.Files) != 0 {
		t.Fatalf("half imported: %v, %+v", err, sources.Files)
	}
	var got coord.ImportResult
	if err := h.json(dir, &got, typed...); err != nil || got.Done != items || got.Total != items || got.Applied[coord.ActionCreateTask] != items || len(got.Outdated) != 0 {
		t.Fatalf("typed again: %v, %d of %d, %v", err, got.Done, got.Total, got.Applied)
	}
	var again coord.ImportPlan
	if err := h.json(dir, &again, "import", "BACKLOG.md"); err != nil || again.Actions() != 0 || again.Counts[coord.ImportUnchanged] != items {
		t.Errorf("the same file: %v, %v", err, again.Counts)
	}
}
