package coord

import "strings"

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
	ids := []string{string(from)}
	for at := from; at != ""; at = before[at] {
		ids = append([]string{string(at)}, ids...)
	}
	ids = append(ids[len(ids)-1:], ids[:len(ids)-1]...)
	return strings.Join(ids, " → ")
}
