package work_test

import (
	"testing"

	"coord"
)

// TestAutoSave saves what changed, once, and is no progress.
func TestAutoSave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	save := func(want bool) {
		t.Helper()
		saved, err := a.AutoSave(t.Context(), b)
		must(t, err)
		equal(t, "saved", saved, want)
	}
	save(false) // nothing was done yet
	w.write(b.Path, "new", "1")
	save(true)
	save(false)
	_, err := a.Checkpoint(t.Context(), b, "half", "the other half")
	must(t, err)
	progress := w.detail(b.Task).Owner.LastProgress
	w.clock.Advance(lease / 2)
	save(false) // the same tree is saved already
	w.write(b.Path, "new", "2")
	save(true)
	d := w.detail(b.Task)
	last := d.Checkpoints[len(d.Checkpoints)-1]
	equal(t, "automatic", last.Automatic, true)
	equal(t, "next", last.Next, "the other half")
	equal(t, "pushed", w.remote(last.Ref), string(last.Commit))
	equal(t, "progress", d.Owner.LastProgress.Equal(progress), true)
	// An earlier request without an answer comes first.
	w.write(b.Path, "new", "3")
	a.Unsettled = func() bool { return true }
	save(false)
}
