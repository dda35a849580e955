package gitops

// walk gives the commits that s.to reaches and s.from does not, in the order
// of git rev-list --topo-order. It fails rather than read more than budget
// commits, and rather than guess what s.from reaches.
func walk(s span, budget int, read func(OID) (Commit, error)) ([]Commit, error) {
	w := walker{read: read, budget: budget, seen: map[OID]Commit{}}
	rooted, err := w.reach(s.to, s.from)
	if err != nil {
		return nil, err
	}
	// If every path from s.to ends at s.from, nothing met on the way is older
	// than s.from, and the rest of the history does not matter.
	hidden := map[OID]bool{s.from: true}
	if s.from != "" && rooted {
		mine := w.seen
		w.seen = map[OID]Commit{}
		if _, err = w.reach(s.from, ""); err != nil {
			return nil, err
		}
		for o := range w.seen {
			hidden[o] = true
		}
		w.seen = mine
	}
	if hidden[s.to] {
		return nil, nil
	}
	return w.inOrder(s, hidden), nil
}

type walker struct {
	read   func(OID) (Commit, error)
	budget int
	seen   map[OID]Commit
}

// reach reads the history of a commit down to stop, and says whether it came
// to a root on another way.
func (w *walker) reach(from, stop OID) (rooted bool, err error) {
	for todo := []OID{from}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, done := w.seen[o]; done || o == stop {
			continue
		}
		if w.budget--; w.budget < 0 {
			return false, errAskGit
		}
		c, err := w.read(o)
		if err != nil {
			return false, err
		}
		w.seen[o] = c
		rooted = rooted || len(c.Parents) == 0
		todo = append(todo, c.Parents...)
	}
	return rooted, nil
}

// inOrder puts children before parents and keeps lines of history together:
// after a commit comes the last of its parents that has no other child to
// wait for.
func (w *walker) inOrder(s span, hidden map[OID]bool) []Commit {
	waits := map[OID]int{}
	for o, c := range w.seen {
		if hidden[o] {
			continue
		}
		for _, p := range c.Parents {
			waits[p]++
		}
	}
	var out []Commit
	for ready := []OID{s.to}; len(ready) > 0 && len(out) < s.limit; {
		c := w.seen[ready[len(ready)-1]]
		ready = ready[:len(ready)-1]
		out = append(out, c)
		for _, p := range c.Parents {
			if waits[p]--; waits[p] == 0 && !hidden[p] {
				ready = append(ready, p)
			}
		}
	}
	return out
}
