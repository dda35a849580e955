package markdown

import "coord"

// rings numbers the groups of tasks that can reach each other, from 1; a task
// that is in no cycle with another one has none. It is Tarjan's algorithm with
// a stack of its own: a chain of dependencies may be as long as a file.
func rings(next map[coord.TaskID][]coord.TaskID) map[coord.TaskID]int {
	t := tarjan{next: next, index: map[coord.TaskID]int{}, low: map[coord.TaskID]int{}, on: map[coord.TaskID]bool{}, ring: map[coord.TaskID]int{}}
	for id := range next {
		if t.index[id] == 0 {
			t.visit(id)
		}
	}
	return t.ring
}

type tarjan struct {
	next       map[coord.TaskID][]coord.TaskID
	index, low map[coord.TaskID]int
	on         map[coord.TaskID]bool
	stack      []coord.TaskID
	ring       map[coord.TaskID]int
	rings      int
}

// step is a task that is being visited, and how many of its edges were walked.
type step struct {
	id coord.TaskID
	at int
}

func (t *tarjan) visit(root coord.TaskID) {
	path := []step{{id: root}}
	t.enter(root)
	for len(path) > 0 {
		top := &path[len(path)-1]
		if to := t.next[top.id]; top.at < len(to) {
			n := to[top.at]
			top.at++
			switch {
			case t.index[n] == 0:
				t.enter(n)
				path = append(path, step{id: n})
			case t.on[n]:
				t.low[top.id] = min(t.low[top.id], t.index[n])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].id
			t.low[up] = min(t.low[up], t.low[top.id])
		}
		if t.low[top.id] == t.index[top.id] {
			t.leave(top.id)
		}
	}
}

func (t *tarjan) enter(id coord.TaskID) {
	t.index[id] = len(t.index) + 1
	t.low[id] = t.index[id]
	t.on[id] = true
	t.stack = append(t.stack, id)
}

// leave takes the group off the stack that id is the first of.
func (t *tarjan) leave(id coord.TaskID) {
	alone := t.stack[len(t.stack)-1] == id
	if !alone {
		t.rings++
	}
	for {
		n := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[n] = false
		if !alone {
			t.ring[n] = t.rings
		}
		if n == id {
			return
		}
	}
}
