package coord

import (
	"slices"
	"strings"
)

// Edges are the tasks that a task waits for: its dependencies and, for an
// objective, its children.
type Edges func(TaskID) ([]TaskID, error)

// CheckAcyclic refuses an edge that would close a cycle: from is to wait for
// to. The refusal names the way round. It reads no more of the graph than what
// to reaches, and returns the error of edges as it is.
func CheckAcyclic(from, to TaskID, edges Edges) error {
	before := map[TaskID]TaskID{to: ""}
	for queue := []TaskID{to}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == from {
			return Errorf(CodeStateConflict, "%s would wait for itself: %s; nothing was changed", from, way(from, before)).
				WithNext("coord task show " + string(to))
		}
		next, err := edges(at)
		if err != nil {
			return err
		}
		for _, n := range next {
			if _, seen := before[n]; !seen {
				before[n] = at
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// way is the cycle as people read it, from the task round to itself.
func way(from TaskID, before map[TaskID]TaskID) string {
	var back []string
	for at := from; at != ""; at = before[at] {
		back = append(back, string(at))
	}
	slices.Reverse(back)
	return string(from) + " → " + strings.Join(back, " → ")
}
