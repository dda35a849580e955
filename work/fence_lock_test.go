package work_test

import (
	"os"
	"path/filepath"
	"testing"

	"coord"
)

// A fence that another command holds, or that was left locked, is no remote
// without fences: nothing is pushed past it.
func TestFault78_AHeldFenceIsNoWeakMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	before := w.remote("refs/heads/main")
	lock := filepath.Join(w.bare, "refs", "coord", "fence", "main.lock")
	must(t, os.MkdirAll(filepath.Dir(lock), 0o777))
	must(t, os.WriteFile(lock, nil, 0o666))
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeRemoteRefused, "main.lock")
	equal(t, "the target", w.remote("refs/heads/main"), before)
	must(t, os.Remove(lock))
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "weak", landed.Landing.Weak, false)
	equal(t, "the target", w.remote("refs/heads/main"), string(landed.Landing.Result))
}
