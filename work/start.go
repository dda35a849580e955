package work

import (
	"context"

	"coord"
	"coord/worktree"
)

// StartOptions says what to start. The zero value means: go on with what this
// session holds, else claim the next task.
type StartOptions struct {
	Task    coord.TaskID
	Kind    coord.Kind
	Another bool   // take a further task although the session holds one
	Restart string // decline saved work, for this reason
	// Delivered names a commit on the task's target that holds the work
	// already: it is what will be submitted.
	Delivered string
}

// Started is an attempt with its worktree.
type Started struct {
	coord.Claimed
	Worktree coord.Worktree `json:"worktree"`
	// Resumed is set when the session's own expired lease was resumed.
	Resumed bool `json:"resumed,omitempty"`
	// Delivered is set when the attempt begins at a commit of the target that
	// holds the work already.
	Delivered bool `json:"delivered,omitempty"`
}

// tip is a target branch as it was fetched.
type tip struct {
	target string
	commit coord.OID
	exact  bool // begin right there, whatever is saved
}

// Start claims a task, or finds again the one that this session holds, and
// gives it a worktree. It may be run again at any point. A remote that does
// not answer is found out before anything is claimed.
func (d *Desk) Start(ctx context.Context, o StartOptions) (Started, error) {
	bound, err := worktree.Find(d.Repo.Info())
	if err != nil {
		return Started{}, err
	}
	if o.Delivered != "" {
		return d.startDelivered(ctx, o)
	}
	if held, ok := d.held(bound, o); ok {
		s, err := d.reconnect(ctx, held)
		if err == nil || !ended(err) {
			return s, err
		}
		d.Say("%v", err)
	}
	fetched, err := d.reach(ctx)
	if err != nil {
		return Started{}, err
	}
	c := coord.Claim{Project: d.Project, Task: o.Task, Kind: o.Kind, Another: o.Another, Repository: d.Repository}
	claimed, resumed, err := d.claim(ctx, c, o.Restart)
	if err != nil {
		return Started{}, err
	}
	if o.Restart != "" && claimed.Replayed && !restarted(claimed.Attempt) {
		return Started{}, coord.Errorf(coord.CodeStateConflict, "this session holds %s already; nothing was restarted", claimed.Task.ID).
			WithNext(`coord release -m "WHY"`, "coord start "+string(claimed.Task.ID)+" --restart REASON")
	}
	s, err := d.furnish(ctx, claimed, fetched)
	if missing, ok := asError(err, coord.CodeNotFound); ok {
		return Started{}, d.giveBack(ctx, claimed, missing)
	}
	s.Resumed = resumed
	return s, err
}

// restarted tells an attempt that declined what was there before: the late
// answer to this very command is no refusal.
func restarted(a coord.Attempt) bool { return a.Generation > 1 && a.StartedFrom == "" }

// giveBack releases an attempt that cannot get a worktree, because its target
// is not there, and says what would help.
func (d *Desk) giveBack(ctx context.Context, c coord.Claimed, cause *coord.Error) error {
	target := c.Task.Target
	if tip, err := d.remoteRef(ctx, "refs/heads/"+target); err != nil || tip != "" {
		return cause // something else was not found
	}
	if _, err := d.Service.Release(ctx, coord.Release{Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: clip(cause.Error(), 500)}); err != nil {
		return cause
	}
	return coord.Errorf(coord.CodeRequirement, "%s lands on %s, which %s does not have; the task was given back", c.Task.ID, target, d.Remote).
		WithNext("git push "+d.Remote+" COMMIT:refs/heads/"+target, "coord start "+string(c.Task.ID))
}

// reach fetches the project's default target, so that a remote that cannot be
// used refuses the start and not its second half.
func (d *Desk) reach(ctx context.Context) (tip, error) {
	p, err := d.Service.Project(ctx, d.Project)
	if err != nil || len(p.Repositories) != 1 {
		return tip{}, err
	}
	if err := p.CheckRepository(d.Repository, p.Repositories[0].ID); err != nil {
		return tip{}, err
	}
	t := tip{target: p.Repositories[0].Target}
	t.commit, err = d.fetchTarget(ctx, t.target)
	return t, err
}

// held finds the worktree of this session that start should go on with.
func (d *Desk) held(bound []worktree.Bound, o StartOptions) (worktree.Bound, bool) {
	if o.Another || o.Restart != "" {
		return worktree.Bound{}, false
	}
	var found *worktree.Bound
	for _, b := range worktree.OfSession(bound, d.Session, o.Kind) {
		if b.Server != d.Server || b.Project != d.Project || (o.Task != "" && o.Task != b.Task) {
			continue
		}
		if b.GitDir == d.Repo.Info().GitDir {
			return b, true
		}
		if found == nil {
			found = &b
		}
	}
	if found == nil {
		return worktree.Bound{}, false
	}
	return *found, true
}

func (d *Desk) place(b worktree.Bound) coord.Worktree {
	return coord.Worktree{Machine: d.Machine, Path: b.Path, GitDir: b.GitDir, Branch: b.Branch, Base: b.Base}
}

func (d *Desk) keep(a coord.Attempt) {
	if d.Keep != nil && a.Standing == coord.StandingLive {
		d.Keep(a)
	}
}

// furnish gives a claimed attempt its worktree and tells the service.
func (d *Desk) furnish(ctx context.Context, c coord.Claimed, fetched tip) (Started, error) {
	b, found, err := d.furnished(ctx, c)
	if err == nil && !found {
		b, err = d.create(ctx, c, fetched)
	}
	if err != nil {
		return Started{}, err
	}
	return d.bind(ctx, c, b)
}

// bind saves what the worktree serves, here and on the record.
func (d *Desk) bind(ctx context.Context, c coord.Claimed, b worktree.Bound) (Started, error) {
	b.Binding.Server, b.Binding.Project, b.Binding.Session = d.Server, d.Project, d.Session
	b.Task, b.Kind, b.Target = c.Task.ID, c.Task.Kind, c.Task.Target
	b.Attempt, b.Fence, b.Ended = c.Attempt.ID, c.Attempt.Fence, false
	b.Digest = c.Task.Digest
	if err := b.Save(b.GitDir); err != nil {
		return Started{}, err
	}
	if w := c.Attempt.Worktree; w == nil || *w != d.place(b) {
		attempt, err := d.Service.BindWorktree(ctx, coord.BindWorktree{Attempt: b.Attempt, Fence: b.Fence, Worktree: d.place(b)})
		if err != nil {
			return Started{}, err
		}
		c.Attempt = attempt
	}
	d.keep(c.Attempt)
	return Started{Claimed: c, Worktree: d.place(b)}, nil
}

// furnished finds the worktree that the record says the attempt already has.
// One of another clone on this machine is not left behind.
func (d *Desk) furnished(ctx context.Context, c coord.Claimed) (worktree.Bound, bool, error) {
	w := c.Attempt.Worktree
	if w == nil || w.Machine != d.Machine {
		return worktree.Bound{}, false, nil
	}
	there, err := d.Git.Open(ctx, w.Path)
	if err != nil || there.Info().GitDir != w.GitDir {
		return worktree.Bound{}, false, nil // removed by hand, or another repository by now
	}
	if there.Info().CommonDir != d.Repo.Info().CommonDir {
		return worktree.Bound{}, false, coord.Errorf(coord.CodeStateConflict, "this session works on %s in another clone, at %s; nothing was changed", c.Task.ID, w.Path).
			WithNext("cd " + w.Path)
	}
	b := worktree.Bound{GitDir: w.GitDir, Binding: worktree.Binding{Path: w.Path, Branch: w.Branch, Base: w.Base}}
	return b, true, nil
}

func (d *Desk) create(ctx context.Context, c coord.Claimed, fetched tip) (worktree.Bound, error) {
	start, err := d.startPoint(ctx, c, fetched)
	if err != nil {
		return worktree.Bound{}, err
	}
	spec := worktree.Spec{Parent: d.Parent, Task: c.Task.ID, Generation: c.Attempt.Generation, Start: start.commit, Overlay: start.overlay}
	gitDir, err := worktree.Create(ctx, d.Git, d.Repo, spec)
	b := worktree.Bound{GitDir: gitDir, Binding: worktree.Binding{Path: spec.Path(), Branch: spec.Branch(), Base: start.base}}
	return b, err
}
