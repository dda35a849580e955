package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/gitops"
)

// demoSummary is what the demo claims at its end. Each claim was checked
// against a fresh clone of the remote; False lists those that did not hold.
type demoSummary struct {
	Tasks   []demoLanded `json:"tasks"`
	Facts   []string     `json:"facts"`
	False   []string     `json:"false,omitempty"`
	Tip     coord.OID    `json:"tip"`
	Seconds float64      `json:"seconds"`
	Kept    string       `json:"kept,omitempty"`

	access string
}

// demoLanded is one landed task.
type demoLanded struct {
	Task     coord.TaskID `json:"task"`
	Title    string       `json:"title"`
	Commit   coord.OID    `json:"commit"`
	Tree     coord.OID    `json:"tree"`
	Attempts int          `json:"attempts"`
}

// verifier compares the record with a fresh clone.
type verifier struct {
	svc  coord.Service
	repo gitops.Repo
	sum  demoSummary
}

// claim notes something that must hold.
func (v *verifier) claim(holds bool, format string, args ...any) bool {
	if !holds {
		v.sum.False = append(v.sum.False, fmt.Sprintf(format, args...))
	}
	return holds
}

func (w *demoWorld) verify(ctx context.Context) (demoSummary, error) {
	dir := filepath.Join(w.root, "verify", "pay")
	if err := w.git(ctx, w.root, "clone", "-q", filepath.Join(w.root, "pay.git"), dir); err != nil {
		return demoSummary{}, err
	}
	svc, err := w.service(ctx, "operator")
	if err != nil {
		return demoSummary{}, err
	}
	repo, err := gitops.New(w.env).Open(ctx, dir)
	if err != nil {
		return demoSummary{}, err
	}
	v := &verifier{svc: svc, repo: repo}
	v.sum.access = w.keptText()
	if v.sum.Tip, err = repo.Resolve(ctx, "refs/remotes/origin/main"); err != nil {
		return demoSummary{}, err
	}
	page, err := svc.ListTasks(ctx, coord.TaskQuery{Project: "pay", Kind: coord.KindCode, Limit: 50})
	if err != nil {
		return demoSummary{}, err
	}
	for _, t := range page.Items {
		if _, scripted := demoTaskOf(t.Title); scripted {
			if err := v.task(ctx, t.ID); err != nil {
				return demoSummary{}, err
			}
		}
	}
	v.claim(len(v.sum.Tasks) == len(demoTasks), "%d of %d tasks are verified on main", len(v.sum.Tasks), len(demoTasks))
	v.story()
	return v.sum, w.verifyTip(ctx, v, dir)
}

// verifyTip runs main's own checks in the fresh clone.
func (w *demoWorld) verifyTip(ctx context.Context, v *verifier, dir string) error {
	blob, err := v.repo.ReadFile(ctx, v.sum.Tip, configName)
	if err != nil {
		return err
	}
	checks, err := parseChecks(blob)
	if err != nil {
		return err
	}
	for _, c := range checks {
		run := w.app.runCheck(ctx, dir, c)
		v.claim(run.Result == coord.ResultPassed, "check %s passes on the tip of main: %s", c.Name, run.Reason)
	}
	return nil
}

// task verifies one task's claims.
func (v *verifier) task(ctx context.Context, id coord.TaskID) error {
	d, err := v.svc.Task(ctx, id)
	if err != nil {
		return err
	}
	if !v.claim(d.Task.Status == coord.StatusDone && d.Task.Landed != nil, "%s is done and landed; it is %s", id, d.Task.Status) {
		return nil
	}
	l := d.Task.Landed
	commit, err := v.repo.ReadCommit(ctx, l.Commit)
	if !v.claim(err == nil, "commit %s of %s is on the remote", l.Commit.Short(), id) {
		return nil
	}
	in, err := v.repo.IsAncestor(ctx, l.Commit, v.sum.Tip)
	if err != nil {
		return err
	}
	v.claim(in, "commit %s of %s is in main", l.Commit.Short(), id)
	v.claim(commit.Tree == l.Tree, "the tree of %s on the remote is the recorded tree of %s", l.Commit.Short(), id)
	if err := v.evidence(ctx, d); err != nil {
		return err
	}
	v.note(d)
	v.sum.Tasks = append(v.sum.Tasks, demoLanded{Task: id, Title: d.Task.Title, Commit: l.Commit, Tree: l.Tree, Attempts: len(d.Attempts)})
	return nil
}

// evidence: the landed tree itself has passing receipts of what main requires.
func (v *verifier) evidence(ctx context.Context, d coord.TaskDetail) error {
	i := slices.IndexFunc(d.Landings, func(l coord.Landing) bool { return l.State == coord.LandingLanded })
	if !v.claim(i >= 0, "%s has a landing that landed", d.Task.ID) {
		return nil
	}
	l := d.Landings[i]
	receipts, err := v.svc.ReceiptsFor(ctx, "pay", l.Tree)
	if err != nil {
		return err
	}
	v.claim(len(l.Required) > 0 && len(coord.MissingChecks(l.Required, receipts, l.Tree)) == 0,
		"every required check of %s has a passing receipt for its landed tree %s", d.Task.ID, l.Tree.Short())
	return nil
}

// note keeps what happened on the way to one task.
func (v *verifier) note(d coord.TaskDetail) {
	fact := func(format string, args ...any) { v.sum.Facts = append(v.sum.Facts, fmt.Sprintf(format, args...)) }
	for i, a := range d.Attempts {
		resumed := slices.ContainsFunc(d.Checkpoints, func(c coord.Checkpoint) bool { return c.Pushed && c.Commit == a.StartedFrom })
		if i > 0 && resumed && otherPlace(d.Attempts[i-1], a) {
			fact("%s: killed after its checkpoint, resumed by %s from another clone", d.Task.ID, a.Owner)
		}
	}
	for _, r := range d.Receipts {
		if r.Result == coord.ResultFailed {
			fact("%s: check %s failed on tree %s and was mended", d.Task.ID, r.Check, r.Tree.Short())
		}
	}
	for _, l := range d.Landings {
		if l.State == coord.LandingConflict {
			fact("%s: conflicted with main in %s, was revised and landed", d.Task.ID, l.Conflicts[0])
		}
	}
}

// otherPlace reports whether two attempts worked in different clones.
func otherPlace(a, b coord.Attempt) bool {
	return a.Worktree != nil && b.Worktree != nil && filepath.Dir(filepath.Dir(a.Worktree.GitDir)) != filepath.Dir(filepath.Dir(b.Worktree.GitDir))
}

// story: what the demo promises to show did happen.
func (v *verifier) story() {
	for _, want := range []string{"resumed by", "failed on tree", "conflicted with main"} {
		found := slices.ContainsFunc(v.sum.Facts, func(f string) bool { return strings.Contains(f, want) })
		v.claim(found, "some task was %s", want)
	}
}

// verdict is an error when a claim is false.
func (s demoSummary) verdict() error {
	if len(s.False) == 0 {
		return nil
	}
	return coord.Errorf(coord.CodeInternal, "%s did not hold: %s", plural(len(s.False), "claim"), s.False[0])
}

func (s demoSummary) text(w io.Writer) {
	fmt.Fprintln(w)
	columns(w, func(w io.Writer) {
		for _, t := range s.Tasks {
			fmt.Fprintf(w, "%s\tlanded %s\ttree %s = verified tree\t%s\t%s\n", t.Task, t.Commit.Short(), t.Tree.Short(), plural(t.Attempts, "attempt"), clip(t.Title, 60))
		}
	})
	for _, f := range s.Facts {
		fmt.Fprintln(w, f)
	}
	for _, f := range s.False {
		fmt.Fprintln(w, "FALSE:", f)
	}
	if len(s.False) == 0 {
		fmt.Fprintf(w, "\n%d tasks landed on main at %s in %.1f s; each claim above was checked in a fresh clone of the remote\n", len(s.Tasks), s.Tip.Short(), s.Seconds)
	}
	if s.Kept != "" {
		fmt.Fprintf(w, "%s\nkept      %s   (stop the server: coord down --data %s)\n", s.access, s.Kept, filepath.Join(s.Kept, "state", "coord"))
	}
}
