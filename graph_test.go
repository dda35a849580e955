package coord_test

import (
	"testing"

	"coord"
)

func TestCheckAcyclic(t *testing.T) {
	graph := map[coord.TaskID][]coord.TaskID{"p-1": {"p-2"}, "p-2": {"p-3", "p-4"}, "p-4": {"p-3"}}
	edges := func(id coord.TaskID) ([]coord.TaskID, error) { return graph[id], nil }
	for _, c := range []struct {
		from, to coord.TaskID
		refused  string
	}{
		{"p-5", "p-1", ""},
		{"p-1", "p-3", ""},
		{"p-1", "p-1", "p-1 would wait for itself: p-1 → p-1; nothing was changed"},
		{"p-2", "p-1", "p-2 would wait for itself: p-2 → p-1 → p-2; nothing was changed"},
		{"p-3", "p-1", "p-3 would wait for itself: p-3 → p-1 → p-2 → p-3; nothing was changed"},
	} {
		err := coord.CheckAcyclic(c.from, c.to, edges)
		if got := message(err); got != c.refused {
			t.Errorf("%s on %s: %q, want %q", c.from, c.to, got, c.refused)
		}
	}
	failing := func(coord.TaskID) ([]coord.TaskID, error) { return nil, coord.Errorf(coord.CodeUnavailable, "no") }
	if err := coord.CheckAcyclic("p-1", "p-2", failing); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("an unreadable graph: %v", err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
