package work_test

import (
	"testing"

	"coord"
	"coord/work"
)

// TestL9_DeliveredWorkIsOnItsTarget takes a task up at a commit that its
// target has, and at nothing else: a commit that only a clone has, one that
// another branch of the remote has, and none at all.
func TestL9_DeliveredWorkIsOnItsTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	clone := w.clone("one")
	first := w.agent("alpha", clone)
	id := w.task("x")
	first.start(id)
	w.clock.Advance(lease + grace)
	w.run(clone, "checkout", "-q", "--detach", "origin/main")
	w.run(clone, "commit", "-q", "--allow-empty", "-m", "only here")
	here := w.run(clone, "rev-parse", "HEAD")
	w.run(clone, "commit", "-q", "--allow-empty", "-m", "on another branch")
	aside := w.run(clone, "rev-parse", "HEAD")
	w.run(clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	delivered := w.pushed("new", "1")
	w.pushed("later", "1")

	second := w.agent("bravo", clone)
	for rev, code := range map[string]coord.Code{here: coord.CodeRequirement, aside: coord.CodeRequirement, "nowhere": coord.CodeNotFound} {
		_, err := second.Start(t.Context(), work.StartOptions{Task: id, Delivered: rev})
		refused(t, err, code, "nothing was claimed")
	}
	equal(t, "claimed", second.svc.called("Claim"), false)
	equal(t, "the generation", w.detail(id).Generation, 1)

	s, err := second.Start(t.Context(), work.StartOptions{Task: id, Delivered: delivered})
	must(t, err)
	equal(t, "delivered", s.Delivered, true)
	equal(t, "it begins at", string(s.Attempt.StartedFrom), delivered)
	equal(t, "its worktree is at", w.run(second.bound(id).Path, "rev-parse", "HEAD"), delivered)
}
