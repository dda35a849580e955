package work_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/work"
)

// during runs do once, before the first request of that name is sent.
func (s *service) during(name string, do func()) {
	done := false
	s.around = func(call string, _ int) fault {
		if call != name || done {
			return fault{}
		}
		done = true
		return fault{during: do}
	}
}

func (w *world) landing(id coord.TaskID) coord.Landing {
	w.t.Helper()
	d := w.detail(id)
	if len(d.Landings) == 0 {
		w.t.Fatalf("%s has no landing", id)
	}
	return d.Landings[len(d.Landings)-1]
}

func TestLandWhileTheTargetMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	var moved string
	a.svc.during("Permit", func() { moved = w.pushed("outside", "1") })
	checked := w.checked.Load()
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "tries", landed.Landing.Tries, 2)
	equal(t, "base", string(landed.Landing.Base), moved)
	equal(t, "main", w.remote("refs/heads/main"), string(landed.Landing.Result))
	equal(t, "verified anew", w.checked.Load() > checked, true)
	if left, _ := filepath.Glob(filepath.Join(a.Parent, ".landing-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// Landing it again is answered with the same landing.
	again, err := a.land(s.Task)
	must(t, err)
	equal(t, "the landing", again.Landing.ID, landed.Landing.ID)
	equal(t, "merges", w.merges(), 1)
}

func TestLandGivesUpWhenTheTargetKeepsMoving(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	n := 0
	a.svc.around = func(call string, _ int) fault {
		if call != "Permit" {
			return fault{}
		}
		return fault{during: func() { n++; w.pushed("outside", fmt.Sprint(n)) }}
	}
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeStateConflict, "coord integrate")
	equal(t, "tries", n, coord.MaxTries)
	equal(t, "the landing", w.landing(s.Task).State, coord.LandingReleased)
	equal(t, "merges", w.merges(), 0)
	a.svc.around = nil
	_, err = a.land(s.Task)
	must(t, err)
}

func TestLandWhatTheRemoteRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	main := w.remote("refs/heads/main")
	w.hook("update", `case "$1" in refs/heads/main) printf 'main is \033[31mclosed, %04000d' 0 >&2; exit 1;; esac`+"\n")
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeRemoteRefused, "the target is free again")
	if strings.ContainsRune(err.Error(), '\x1b') || len(err.Error()) > 1500 {
		t.Errorf("the refusal is not fit to be shown: %q", err)
	}
	equal(t, "main", w.remote("refs/heads/main"), main)
	equal(t, "the landing", w.landing(s.Task).State, coord.LandingReleased)
	must(t, os.Remove(filepath.Join(w.bare, "hooks", "update")))
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "weak", landed.Landing.Weak, false)
}

func TestLandInWeakMode(t *testing.T) {
	for name, weaken := range map[string]func(w *world){
		"no foreign refs": func(w *world) {
			w.hook("update", `case "$1" in refs/coord/fence/*) echo no such refs here >&2; exit 1;; esac`+"\n")
		},
		"no atomic pushes": func(w *world) { w.run(w.bare, "config", "receive.advertiseAtomic", "false") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			a := w.agent("alpha", w.clone("clone"))
			s := a.submitted("x", "new", "1")
			weaken(w)
			landed, err := a.land(s.Task)
			must(t, err)
			equal(t, "weak", landed.Landing.Weak, true)
			equal(t, "main", w.remote("refs/heads/main"), string(landed.Landing.Result))
		})
	}
}

func TestLandWithoutTheRemote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	away := func() { must(t, os.Rename(w.bare, w.bare+".away")) }
	back := func() { must(t, os.Rename(w.bare+".away", w.bare)) }
	away()
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeUnavailable)
	equal(t, "given back", w.landing(s.Task).State, coord.LandingReleased)
	back()
	// Lost after the permit: nobody can know, so it stays uncertain.
	a.svc.during("Permit", away)
	_, err = a.land(s.Task)
	refused(t, err, coord.CodeUnavailable, "may or may not have arrived", "coord integrate "+string(s.Task))
	equal(t, "uncertain", w.landing(s.Task).State, coord.LandingPublishing)
	back()
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "weak", landed.Landing.Weak, false)
	equal(t, "merges", w.merges(), 1)
}

func TestLandWithoutTheCandidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	z := w.agent("bravo", w.clone("two"))
	a := w.agent("alpha", w.clone("one"))
	s := a.submitted("x", "new", "1")
	w.run(w.bare, "update-ref", "-d", s.Ref)
	_, err := z.land(s.Task)
	refused(t, err, coord.CodeRequirement, s.Ref, "git push")
	equal(t, "given back", w.landing(s.Task).State, coord.LandingReleased)
	_, err = a.land(s.Task) // who has the commit
	must(t, err)
}

func TestLandConflictAndFailedCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	clash := a.submitted("clash", "README", "mine\n")
	failing := a.submitted("fails", "fine", "1")
	w.pushed("README", "theirs\n")
	_, err := a.land(clash.Task)
	refused(t, err, coord.CodeMergeConflict, "README", "coord revise --conflict "+string(clash.Task))
	equal(t, "conflict", w.landing(clash.Task).State, coord.LandingConflict)
	w.pushed("broken", "1")
	_, err = a.land(failing.Task)
	refused(t, err, coord.CodeCheckFailed, "coord revise --check-failed "+string(failing.Task))
	equal(t, "failed", w.landing(failing.Task).State, coord.LandingFailed)
	equal(t, "merges", w.merges(), 0)
	// The author goes on from its candidate.
	_, err = a.Service.Revise(t.Context(), coord.Revise{Task: clash.Task, Reason: coord.ReviseConflict})
	must(t, err)
	st, err := a.Start(t.Context(), work.StartOptions{Task: clash.Task})
	must(t, err)
	equal(t, "HEAD", w.run(st.Worktree.Path, "rev-parse", "HEAD"), string(clash.Commit))
}

func TestTwoLandingsOnOneTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	first, second := a.submitted("first", "one", "1"), a.submitted("second", "two", "2")
	z := w.agent("bravo", w.clone("two"))
	a.svc.during("Permit", func() {
		_, err := z.land(second.Task)
		refused(t, err, coord.CodeTargetHeld, "alpha")
	})
	_, err := a.land(first.Task)
	must(t, err)
	_, err = z.land(second.Task)
	must(t, err)
	equal(t, "merges", w.merges(), 2)
	equal(t, "one", w.run(w.bare, "show", "main:one"), "1")
	equal(t, "outside", len(w.landing(second.Task).Outside), 0)
}

func TestAlreadyLanded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	w.run(w.bare, "update-ref", "refs/heads/main", string(s.Commit))
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "already in", landed.Landing.AlreadyIn, true)
	equal(t, "main", w.remote("refs/heads/main"), string(s.Commit))
}

func TestLandIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	w.pushed("outside", "1") // so that the merge has another tree
	ctx, cancel := context.WithCancel(t.Context())
	a.RunCheck = func(context.Context, string, coord.Check) coord.Run {
		cancel()
		return coord.Run{Result: coord.ResultInterrupted, ExitStatus: -1, Reason: "interrupted"}
	}
	_, err := a.Land(ctx, work.LandOptions{Task: s.Task})
	equal(t, "code", coord.CodeOf(err), coord.CodeUnavailable)
	equal(t, "given back, and not as failed", w.landing(s.Task).State, coord.LandingReleased)
	if trees := w.run(a.Repo.Info().Root, "worktree", "list"); strings.Contains(trees, ".landing-") {
		t.Errorf("left behind: %s", trees)
	}
	// A check that cannot run here says nothing about the work either.
	a.RunCheck = func(context.Context, string, coord.Check) coord.Run {
		return coord.Run{Result: coord.ResultInterrupted, ExitStatus: -1, Reason: "no such command"}
	}
	_, err = a.land(s.Task)
	refused(t, err, coord.CodeCheckFailed, "no such command")
	equal(t, "given back", w.landing(s.Task).State, coord.LandingReleased)
	a.RunCheck = w.check
	_, err = a.land(s.Task)
	must(t, err)
}

func TestGarbageOnTheTargetHoldsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	w.pushed(".coord.toml", "garbage\n")
	_, err := a.land(s.Task)
	equal(t, "code", coord.CodeOf(err), coord.CodeSetup)
	equal(t, "given back", w.landing(s.Task).State, coord.LandingReleased)
}

// TestInterruptionsAreNoTries stops a landing between merge and permit more
// often than a target may move.
func TestInterruptionsAreNoTries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	a.svc.around = func(call string, _ int) fault { return fault{before: call == "Permit"} }
	for range coord.MaxTries + 1 {
		_, err := a.land(s.Task)
		equal(t, "lost", errors.Is(err, errLost), true)
	}
	a.svc.around = nil
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "tries", landed.Landing.Tries, 1)
}

// TestTwoProcessesLandAtOnce lets a second process of the same session do the
// whole landing just before the first asks for its permit.
func TestTwoProcessesLandAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	clone := w.clone("clone")
	a, twin := w.agent("alpha", clone), w.agent("alpha", clone)
	s := a.submitted("x", "new", "1")
	w.pushed("outside", "1")
	a.svc.during("Permit", func() { _, err := twin.land(s.Task); must(t, err) })
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "the landing", landed.Landing.State, coord.LandingLanded)
	equal(t, "landings", len(w.detail(s.Task).Landings), 1)
	equal(t, "merges", w.merges(), 1)
}
