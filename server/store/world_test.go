package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// world is a server in the middle of work, with a backup of that moment.
type world struct {
	*Store
	t      *testing.T
	clock  *servicetest.Clock
	backup string

	alpha, bravo *service
	coding       coord.Claimed // live, with a checkpoint
	landing      coord.Held    // merged, not pushed
	pushing      coord.Held    // a push was permitted
	browser      string        // token of a web session
	operator     string        // token of a person's command line
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: servicetest.NewClock()}
	dir := t.TempDir()
	w.backup = filepath.Join(dir, "one.backup")
	w.Store = openAt(t, filepath.Join(dir, "coord.db"), w.clock.Now)
	for _, p := range []coord.ProjectKey{"pay", "web", "ops"} {
		project(t, w.Store, p)
	}
	w.alpha, w.bravo = session(t, w.Store, agents, "alpha").(*service), session(t, w.Store, agents, "bravo").(*service)
	w.landing = w.land("web", false)
	w.pushing = w.land("ops", true)
	w.coding = w.claim(w.alpha, newTask(t, w.alpha, "pay"), nil)
	w.checkpoint(w.coding)
	w.people()
	return w
}

// people signs an operator in, in a browser and on a command line.
func (w *world) people() {
	w.t.Helper()
	const password = "correct horse battery staple"
	err := w.CreateOperator(w.t.Context(), "warden", password)
	if err == nil {
		w.browser, err = w.OpenWebSession(w.t.Context(), coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"})
	}
	if err == nil {
		var issued coord.IssuedToken
		issued, err = w.SignIn(w.t.Context(), "warden", password)
		w.operator = issued.Secret
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) claim(s coord.Service, id coord.TaskID, r *coord.Recovery) coord.Claimed {
	w.t.Helper()
	c, err := s.Claim(w.t.Context(), coord.Claim{Key: newKey(), Project: coord.ProjectKey(strings.SplitN(string(id), "-", 2)[0]), Task: id, Recovery: r})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) checkpoint(c coord.Claimed) {
	w.t.Helper()
	_, err := w.alpha.RecordCheckpoint(w.t.Context(), coord.RecordCheckpoint{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Note: "half of it", Commit: oid("a"), Tree: oid("b"), Ref: "refs/coord/x", Pushed: true,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// land brings a task of the project to a merged landing of alpha's, or to one
// that may be pushed.
func (w *world) land(p coord.ProjectKey, push bool) coord.Held {
	w.t.Helper()
	ctx := w.t.Context()
	c := w.claim(w.alpha, newTask(w.t, w.alpha, p), nil)
	_, err := w.alpha.Submit(ctx, coord.Submit{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Summary: "x", Ref: "refs/coord/x", Commit: oid("1"), Tree: oid("2"), Base: oid("3"),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	held, err := w.alpha.Hold(ctx, coord.Hold{Key: newKey(), Project: p, Task: c.Task.ID})
	if err == nil {
		_, err = w.alpha.RecordMerge(ctx, coord.RecordMerge{Key: newKey(), Landing: held.Landing.ID, Fence: held.Attempt.Fence, Base: oid("4"), Parents: []coord.OID{oid("4"), held.Submission.Commit}, Result: oid("5"), Tree: oid("6")})
	}
	if err == nil && push {
		_, err = w.alpha.Permit(ctx, coord.Permit{Key: newKey(), Landing: held.Landing.ID, Fence: held.Attempt.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6")})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return held
}

// save makes the backup, and restored is a server on it, some time later.
func (w *world) save() {
	w.t.Helper()
	if _, err := w.Backup(w.t.Context(), w.backup); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) restored() (*Store, Restored) {
	w.t.Helper()
	w.clock.Advance(time.Minute)
	into := filepath.Join(w.t.TempDir(), "new")
	r, err := Restore(w.t.Context(), RestoreOptions{Backup: w.backup, Into: into, Now: w.clock.Now()})
	if err != nil {
		w.t.Fatal(err)
	}
	s := openAt(w.t, filepath.Join(into, DatabaseName), w.clock.Now)
	checkRecord(w.t, s)
	return s, r
}
