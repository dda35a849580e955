package work_test

import (
	"context"
	"sync"

	"coord"
	"coord/gitops"
)

// network is Git whose remote can be lost: each Push, Fetch and Observe may
// fail before or after its effect.
type network struct {
	git    *gitops.Git
	around func(call string, n int) fault

	mu    sync.Mutex
	calls int
}

func (n *network) Open(ctx context.Context, dir string) (gitops.Repo, error) {
	r, err := n.git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return wired{r, n}, nil
}

// wired is a repository on that network.
type wired struct {
	gitops.Repo
	net *network
}

var errCut = coord.Errorf(coord.CodeUnavailable, "the connection to the remote was cut").WithNext("git ls-remote origin")

func (n *network) send(call string, do func() error) error {
	n.mu.Lock()
	n.calls++
	var f fault
	if n.around != nil {
		f = n.around(call, n.calls)
	}
	n.mu.Unlock()
	if f.during != nil {
		f.during()
	}
	if f.before {
		return errCut
	}
	err := do()
	if f.after {
		return errCut
	}
	return err
}

func (w wired) Fetch(ctx context.Context, remote string, specs ...string) error {
	return w.net.send("Fetch", func() error { return w.Repo.Fetch(ctx, remote, specs...) })
}

func (w wired) Push(ctx context.Context, remote string, updates []gitops.RefUpdate, atomic bool) error {
	return w.net.send("Push", func() error { return w.Repo.Push(ctx, remote, updates, atomic) })
}

func (w wired) Observe(ctx context.Context, remote string, refs ...string) (seen map[string]coord.OID, err error) {
	err = w.net.send("Observe", func() error { seen, err = w.Repo.Observe(ctx, remote, refs...); return err })
	return seen, err
}

// unplug puts the agent's Git on a network of its own.
func (a *agent) unplug() *network {
	a.w.t.Helper()
	n := &network{git: a.w.git}
	repo, err := n.Open(a.w.t.Context(), a.Repo.Info().Root)
	must(a.w.t, err)
	a.Git, a.Repo = n, repo
	return n
}
