package work_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"coord"
	"coord/gitops"
)

// depot holds objects by name, as Git does: commits, and trees as what lies at
// each path.
type depot struct {
	blobs   map[coord.OID]string
	trees   map[coord.OID]map[string]coord.OID
	commits map[coord.OID]gitops.Commit
}

func newDepot() depot {
	return depot{map[coord.OID]string{}, map[coord.OID]map[string]coord.OID{}, map[coord.OID]gitops.Commit{}}
}

func (d depot) clone() depot {
	return depot{maps.Clone(d.blobs), maps.Clone(d.trees), maps.Clone(d.commits)}
}

func named(kind, text string) coord.OID {
	sum := sha1.Sum([]byte(kind + "\x00" + text))
	return coord.OID(hex.EncodeToString(sum[:]))
}

func (d depot) blob(text string) coord.OID {
	o := named("blob", text)
	d.blobs[o] = text
	return o
}

func (d depot) tree(paths map[string]coord.OID) coord.OID {
	var text strings.Builder
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&text, "%s %s\n", paths[p], p)
	}
	o := named("tree", text.String())
	d.trees[o] = paths
	return o
}

func (d depot) commit(c gitops.Commit) coord.OID {
	who := func(s gitops.Signature) string { return fmt.Sprintf("%s <%s> %d", s.Name, s.Email, s.When.Unix()) }
	c.OID = named("commit", fmt.Sprint(c.Tree, c.Parents, who(c.Author), who(c.Committer), "\n", c.Message))
	d.commits[c.OID] = c
	return c.OID
}

// changed is a tree with one file more, or with another text in it.
func (d depot) changed(commit coord.OID, path, text string) coord.OID {
	paths := maps.Clone(d.trees[d.commits[commit].Tree])
	if paths == nil {
		paths = map[string]coord.OID{}
	}
	paths[path] = d.blob(text)
	return d.tree(paths)
}

// take copies a commit with all that it leads to.
func (d depot) take(from depot, commit coord.OID) {
	for o := range from.history(commit) {
		c := from.commits[o]
		d.commits[o], d.trees[c.Tree] = c, from.trees[c.Tree]
		for _, b := range from.trees[c.Tree] {
			d.blobs[b] = from.blobs[b]
		}
	}
}

// history is a commit and its ancestors.
func (d depot) history(commit coord.OID) map[coord.OID]bool {
	seen := map[coord.OID]bool{}
	for todo := []coord.OID{commit}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c, here := d.commits[o]; here && !seen[o] {
			seen[o] = true
			todo = append(todo, c.Parents...)
		}
	}
	return seen
}

// base is a best common ancestor: the first by name where there are several.
func (d depot) base(a, b coord.OID) coord.OID {
	in := d.history(b)
	var common []coord.OID
	for o := range d.history(a) {
		if in[o] {
			common = append(common, o)
		}
	}
	slices.Sort(common)
	for _, o := range common {
		if !slices.ContainsFunc(common, func(other coord.OID) bool { return other != o && d.history(other)[o] }) {
			return o
		}
	}
	return ""
}

// merged is the three-way merge of trees, path by path, or what conflicts.
func (d depot) merged(base, ours, theirs coord.OID) (coord.OID, []string) {
	b, o, t := d.trees[base], d.trees[ours], d.trees[theirs]
	out, conflicts := map[string]coord.OID{}, []string{}
	paths := maps.Clone(o)
	maps.Copy(paths, t)
	maps.Copy(paths, b)
	for p := range paths {
		pick := o[p]
		switch {
		case o[p] == b[p]:
			pick = t[p]
		case t[p] != b[p] && t[p] != o[p]:
			conflicts = append(conflicts, p)
		}
		if pick != "" {
			out[p] = pick
		}
	}
	slices.Sort(conflicts)
	return d.tree(out), conflicts
}

// memory is a remote that lives in the test: it takes and refuses pushes as
// Git's does, and remembers how its refs moved.
type memory struct {
	depot
	refs   map[string]coord.OID
	atomic bool                           // it takes atomic pushes
	refuse func(name string) (why string) // its hook; "" takes the push
	main   []moved                        // of refs/heads/main, in order
	fences []coord.OID                    // of the fence of main, in order
}

// moved is one move of the target.
type moved struct {
	by   string
	from coord.OID
	to   coord.OID
}

const (
	mainRef  = "refs/heads/main"
	fenceRef = "refs/coord/fence/main"
)

func newMemory() *memory {
	return &memory{depot: newDepot(), refs: map[string]coord.OID{}, atomic: true}
}

func (m *memory) clone() *memory {
	return &memory{depot: m.depot.clone(), refs: maps.Clone(m.refs), atomic: m.atomic, main: slices.Clone(m.main), fences: slices.Clone(m.fences)}
}

// set moves a ref without asking anybody.
func (m *memory) set(by, name string, to coord.OID) {
	from := m.refs[name]
	if from == to {
		return
	}
	switch name {
	case mainRef:
		m.main = append(m.main, moved{by, from, to})
	case fenceRef:
		m.fences = append(m.fences, to)
	}
	if m.refs[name] = to; to == "" {
		delete(m.refs, name)
	}
}

// pushed commits a file on main from outside.
func (m *memory) pushed(by, path, text string) coord.OID {
	tip := m.refs[mainRef]
	c := m.commit(gitops.Commit{Tree: m.changed(tip, path, text), Parents: parents(tip), Message: by + " " + path, Author: outsider, Committer: outsider})
	m.set(by, mainRef, c)
	return c
}

var outsider = gitops.Signature{Name: "outside", Email: "outside@example.org"}

func parents(tip coord.OID) []coord.OID {
	if tip == "" {
		return nil
	}
	return []coord.OID{tip}
}

// receive is a push as git-receive-pack answers it: what is there already is
// up to date, whatever was expected; otherwise the expected value counts, and a
// lease allows to move a branch backwards.
func (m *memory) receive(by string, from depot, updates []gitops.RefUpdate, atomic bool) error {
	if atomic && !m.atomic {
		return coord.Errorf(coord.CodeUnavailable, "the receiving end does not support --atomic push")
	}
	var bad error
	var todo []gitops.RefUpdate
	for _, u := range updates {
		now := m.refs[u.Name]
		switch {
		case now == u.New:
			continue
		case u.Old == gitops.Any && now != "" && !from.history(u.New)[now]:
			bad = coord.Errorf(coord.CodeStateConflict, "%s [rejected] (non-fast-forward)", u.Name)
			continue
		case u.Old != gitops.Any && string(now) != u.Old.String() && (now != "" || u.Old != gitops.Absent):
			bad = coord.Errorf(coord.CodeStateConflict, "%s [rejected] (stale info)", u.Name)
			continue
		case m.refuse != nil && m.refuse(u.Name) != "":
			bad = coord.Errorf(coord.CodeRemoteRefused, "%s [remote rejected] (%s)", u.Name, m.refuse(u.Name))
			continue
		}
		todo = append(todo, u)
	}
	if bad != nil && atomic {
		return bad
	}
	for _, u := range todo {
		m.take(from, u.New)
		m.set(by, u.Name, u.New)
	}
	return bad
}

// memClone is a clone of it. Each call to the remote goes over wire, under a
// name of its own: fetch, observe, push target, push fence.
type memClone struct {
	gitops.Repo // nil: what a landing does not need
	depot
	by     string
	remote *memory
	refs   map[string]coord.OID
	places map[string]coord.OID // work trees: the commit that each has
	dir    string               // of this view's own work tree
	wire   func(call string) fault
}

func (m *memory) cloned(by string) *memClone {
	return &memClone{by: by, remote: m, depot: newDepot(), refs: map[string]coord.OID{}, places: map[string]coord.OID{}, wire: func(string) fault { return fault{} }}
}

// Open makes it the Git that work trees are opened with.
func (c *memClone) Open(_ context.Context, dir string) (gitops.Repo, error) {
	there := *c
	there.dir = dir
	return &there, nil
}

// over does a call to the remote, unless the wire is cut before or after it.
func (c *memClone) over(call string, do func() error) error {
	f := c.wire(call)
	if f.during != nil {
		f.during()
	}
	if f.before {
		return errCut
	}
	err := do()
	if f.then != nil {
		f.then()
	}
	if f.after {
		return errCut
	}
	return err
}

func (c *memClone) Fetch(_ context.Context, _ string, specs ...string) error {
	return c.over("fetch", func() error {
		for _, s := range specs {
			source, to, tracked := strings.Cut(strings.TrimPrefix(s, "+"), ":")
			o, there := c.remote.refs[source]
			if !there {
				return coord.Errorf(coord.CodeNotFound, "the remote has no %s", source)
			}
			c.take(c.remote.depot, o)
			if tracked {
				c.refs[to] = o
			}
		}
		return nil
	})
}

func (c *memClone) Observe(_ context.Context, _ string, names ...string) (map[string]coord.OID, error) {
	seen := map[string]coord.OID{}
	err := c.over("observe", func() error {
		for _, n := range names {
			if o, there := c.remote.refs[n]; there {
				seen[n] = o
			}
		}
		return nil
	})
	return seen, err
}

func (c *memClone) Push(_ context.Context, _ string, updates []gitops.RefUpdate, atomic bool) error {
	call := "push fence"
	for _, u := range updates {
		if _, here := c.commits[u.New]; !here {
			return coord.Errorf(coord.CodeNotFound, "%s is not here; nothing was pushed", u.New.Short())
		}
		if u.Name == mainRef {
			call = "push target"
		}
	}
	return c.over(call, func() error { return c.remote.receive(c.by, c.depot, updates, atomic) })
}

func (c *memClone) Resolve(_ context.Context, ref string) (coord.OID, error) {
	if o, here := c.refs[ref]; here {
		return o, nil
	}
	return "", coord.Errorf(coord.CodeNotFound, "there is no %s", ref)
}

func (c *memClone) ReadCommit(_ context.Context, o coord.OID) (gitops.Commit, error) {
	if commit, here := c.commits[o]; here {
		return commit, nil
	}
	return gitops.Commit{}, coord.Errorf(coord.CodeNotFound, "%s is not a commit here", o.Short())
}

func (c *memClone) ReadFile(_ context.Context, commit coord.OID, path string) ([]byte, error) {
	b, there := c.trees[c.commits[commit].Tree][path]
	if !there {
		return nil, fs.ErrNotExist
	}
	return []byte(c.blobs[b]), nil
}

func (c *memClone) IsAncestor(_ context.Context, ancestor, descendant coord.OID) (bool, error) {
	for _, o := range []coord.OID{ancestor, descendant} {
		if _, here := c.commits[o]; !here {
			return false, coord.Errorf(coord.CodeNotFound, "%s is not a commit here", o.Short())
		}
	}
	return c.history(descendant)[ancestor], nil
}

func (c *memClone) Log(_ context.Context, from, to coord.OID, limit int) ([]gitops.Commit, error) {
	wanted := c.history(to)
	for o := range c.history(from) {
		delete(wanted, o)
	}
	var out []gitops.Commit
	for len(wanted) > 0 && len(out) < limit {
		next := coord.OID("")
		for _, o := range slices.Sorted(maps.Keys(wanted)) { // whose children are all listed
			if next == "" && !c.parentIn(wanted, o) {
				next = o
			}
		}
		out = append(out, c.commits[next])
		delete(wanted, next)
	}
	return out, nil
}

func (c *memClone) parentIn(set map[coord.OID]bool, o coord.OID) bool {
	for child := range set {
		if slices.Contains(c.commits[child].Parents, o) {
			return true
		}
	}
	return false
}

func (c *memClone) CommitTree(_ context.Context, s gitops.CommitSpec) (coord.OID, error) {
	return c.commit(gitops.Commit{Tree: s.Tree, Parents: s.Parents, Message: s.Message, Author: *s.Author, Committer: *s.Committer}), nil
}

// Merge makes merge and squash commits.
func (c *memClone) Merge(_ context.Context, s gitops.MergeSpec) (gitops.MergeResult, error) {
	base := c.base(s.Onto, s.Candidate)
	if base == s.Candidate {
		onto := c.commits[s.Onto]
		return gitops.MergeResult{Commit: onto.OID, Tree: onto.Tree, Parents: onto.Parents, AlreadyContained: true}, nil
	}
	tree, conflicts := c.merged(c.commits[base].Tree, c.commits[s.Onto].Tree, c.commits[s.Candidate].Tree)
	if len(conflicts) > 0 {
		return gitops.MergeResult{Conflicts: conflicts}, nil
	}
	ends := []coord.OID{s.Onto, s.Candidate}
	if s.Strategy == coord.StrategySquash {
		ends = ends[:1]
	}
	made := c.commit(gitops.Commit{Tree: tree, Parents: ends, Message: s.Message + "\n\n" + s.Trailers + "\n", Author: s.Author, Committer: s.Committer})
	return gitops.MergeResult{Commit: made, Tree: tree, Parents: ends}, nil
}

func (c *memClone) AddWorktree(_ context.Context, s gitops.WorktreeSpec) error {
	c.places[s.Path] = s.Start
	return nil
}

func (c *memClone) RemoveWorktree(_ context.Context, path string, _ coord.OID) error {
	delete(c.places, path)
	return nil
}

func (c *memClone) Snapshot(ctx context.Context) (coord.OID, error) { return c.KeepSnapshot(ctx) }

func (c *memClone) KeepSnapshot(context.Context) (coord.OID, error) {
	return c.commits[c.places[c.dir]].Tree, nil
}

func (c *memClone) Head(context.Context) (gitops.Head, error) {
	return gitops.Head{Commit: c.places[c.dir], Detached: true}, nil
}
