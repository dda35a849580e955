package work_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/work"
)

// TestSubmitRefusesBeforeItChangesAnything compares the branch, the index, the
// files and the remote before and after each refusal.
func TestSubmitRefusesBeforeItChangesAnything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	w.write(b.Path, "new", "1")
	state := func() string {
		return w.run(b.Path, "rev-parse", "HEAD") + w.run(b.Path, "status", "--porcelain") + w.run(b.Path, "ls-files", "-s") + w.run(w.bare, "for-each-ref")
	}
	before := state()
	for name, c := range map[string]struct {
		o        work.SubmitOptions
		code     coord.Code
		mentions string
	}{
		"uncommitted": {work.SubmitOptions{Summary: "x"}, coord.CodeRequirement, "new"},
		"unchecked":   {work.SubmitOptions{Summary: "x", All: true}, coord.CodeRequirement, "coord check"},
	} {
		_, err := a.Submit(t.Context(), b, c.o)
		refused(t, err, c.code, c.mentions)
		equal(t, name, state(), before)
	}
	_, err := a.Check(t.Context(), b, nil, nil)
	must(t, err)
	for _, o := range []work.SubmitOptions{{All: true}, {All: true, Summary: strings.Repeat("x", 9000)}, {All: true, Summary: "x", Lessons: []string{""}}} {
		_, err = a.Submit(t.Context(), b, o)
		equal(t, "code", coord.CodeOf(err), coord.CodeBadRequest)
		equal(t, "the state", state(), before)
	}
	w.block(b.Task)
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{All: true, Summary: "x"})
	refused(t, err, coord.CodeStateConflict, "blocked")
	equal(t, "the state, blocked", state(), before)
	w.unblock(b.Task)
	for name, o := range map[string]work.SubmitOptions{
		"no such criterion": {All: true, Summary: "x", Evidence: []coord.Evidence{{Criterion: 9, Text: "it does"}}},
		"no such finding":   {All: true, Summary: "x", Resolved: []coord.FindingID{coord.FindingID(b.Task + ".f9")}},
		"nobody judges it":  {All: true, Summary: "x", Amendment: &coord.Amendment{Criteria: []string{"less"}, Reason: "too much"}},
	} {
		if _, err = a.Submit(t.Context(), b, o); err == nil {
			t.Errorf("%s: submitted", name)
		}
		equal(t, "the state, "+name, state(), before)
	}
	edited := w.edit(b.Task)
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{All: true, Summary: "x"})
	refused(t, err, coord.CodeStateConflict, "edited", "--read "+edited.Digest[:7])
	equal(t, "the state, edited", state(), before)
	must(t, os.Rename(w.bare, w.bare+".away"))
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{All: true, Summary: "x"})
	refused(t, err, coord.CodeUnavailable)
	must(t, os.Rename(w.bare+".away", w.bare))
	equal(t, "the state", state(), before)
	// With its lease over, too; and once it is resumed, the way is free.
	w.clock.Advance(lease + grace)
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{All: true, Summary: "x"})
	refused(t, err, coord.CodeLeaseExpired, "coord start")
	equal(t, "the state", state(), before)
	_, err = a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	_, err = a.Submit(t.Context(), a.bound(b.Task), work.SubmitOptions{All: true, Summary: "x", Read: edited.Digest[:7]})
	must(t, err)
}

func TestSubmitNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	_, err := a.Check(t.Context(), b, nil, nil)
	must(t, err)
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{Summary: "x"})
	refused(t, err, coord.CodeRequirement, "coord release")
}

func TestSubmitToARemoteThatRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	w.write(b.Path, "new", "1")
	_, err := a.Check(t.Context(), b, nil, nil)
	must(t, err)
	w.hook("pre-receive", "echo closed >&2; exit 1\n")
	o := work.SubmitOptions{All: true, Summary: "x"}
	_, err = a.Submit(t.Context(), b, o)
	refused(t, err, coord.CodeRemoteRefused, "closed", "was not submitted")
	equal(t, "submissions", len(w.detail(b.Task).Submissions), 0)
	must(t, os.Remove(filepath.Join(w.bare, "hooks", "pre-receive")))
	s, err := a.Submit(t.Context(), b, o)
	must(t, err)
	equal(t, "the remote's ref", w.remote(s.Submission.Ref), string(s.Submission.Commit))
	equal(t, "tree", w.run(w.bare, "rev-parse", string(s.Submission.Commit)+"^{tree}"), string(s.Submission.Tree))
}

// TestCheckNamesWhatItChanged tells what the check made from what its author
// had not committed.
func TestCheckNamesWhatItChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	w.write(b.Path, "a-new-file", "the author's")
	w.write(b.Path, "littering", "1")
	receipts, err := a.Check(t.Context(), b, nil, nil)
	refused(t, err, coord.CodeCheckFailed, "echo litter.txt >>.gitignore")
	equal(t, "changed", strings.Join(receipts[0].Changed, " "), "litter.txt")
	must(t, os.Remove(filepath.Join(b.Path, "littering")))
	w.write(b.Path, "broken", "1")
	_, err = a.Check(t.Context(), b, nil, nil)
	refused(t, err, coord.CodeCheckFailed, "failed with exit status 1")
	_, err = a.Check(t.Context(), b, []string{"lint"}, nil)
	refused(t, err, coord.CodeNotFound, "lint")
	s, err := a.State(t.Context(), b)
	must(t, err)
	equal(t, "missing", len(s.Missing), 1)
	equal(t, "next", s.Next, "coord check")
}

// TestCheckpointsGoOnFromEachOther makes checkpoints in the way of each other:
// repeated, after a lost push, and from a clone that has lost its local ref.
func TestCheckpointsGoOnFromEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	save := func(text string) coord.Checkpoint {
		t.Helper()
		w.write(b.Path, "new", text)
		c, err := a.Checkpoint(t.Context(), b, "half", "")
		must(t, err)
		equal(t, "the remote's ref", w.remote(c.Ref), string(c.Commit))
		equal(t, "the tree", w.run(w.bare, "rev-parse", string(c.Commit)+"^{tree}"), string(c.Tree))
		return c
	}
	first := save("1")
	equal(t, "the same work is the same commit", save("1").Commit, first.Commit)
	w.run(b.Path, "update-ref", "-d", first.Ref)
	second := save("2")
	if _, err := w.try(w.bare, "merge-base", "--is-ancestor", string(first.Commit), string(second.Commit)); err != nil {
		t.Errorf("the first checkpoint was overwritten")
	}
	a.svc.around = func(call string, _ int) fault { return fault{after: call == "RecordCheckpoint"} }
	w.write(b.Path, "new", "3")
	_, err := a.Checkpoint(t.Context(), b, "half", "")
	equal(t, "lost", errors.Is(err, errLost), true)
	a.svc.around = nil
	third := save("3")
	equal(t, "saved", w.detail(b.Task).Saved.Commit, third.Commit)
	equal(t, "HEAD stays", w.run(b.Path, "rev-parse", "HEAD"), string(b.Base))
	before := w.run(w.bare, "for-each-ref")
	_, err = a.Checkpoint(t.Context(), b, "", "")
	equal(t, "code", coord.CodeOf(err), coord.CodeBadRequest)
	equal(t, "nothing is pushed", w.run(w.bare, "for-each-ref"), before)
}
