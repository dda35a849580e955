package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"coord"
)

// demoTask says how the scripted agents do one backlog item.
type demoTask struct{ label, title, lesson string }

var demoTasks = []demoTask{
	{"B-1", "Add amounts without overflow", "compare the sum's direction with the sign of the addend"},
	{"B-2", "Format amounts with separators", "negate as uint64: the smallest amount has no positive twin"},
	{"B-3", "Split an amount into equal parts", "hand out the rest one cent at a time"},
	{"B-4", "Compare amounts", "test the equal case of a comparison first"},
	{"B-5", "Take a percentage, rounding half to even", ""},
	{"B-6", "Parse amounts with a sign", ""},
}

const (
	demoKilled  = "B-3" // its first agent is killed after a checkpoint
	demoChanges = "CHANGELOG.md"
)

func demoTaskOf(title string) (demoTask, bool) {
	i := slices.IndexFunc(demoTasks, func(t demoTask) bool { return strings.Contains(title, t.title) })
	if i < 0 {
		return demoTask{}, false
	}
	return demoTasks[i], true
}

func newDemoAgent(a *app) *cobra.Command {
	var root string
	c := a.verb("agent NAME", "one scripted agent of the demo", cobra.ExactArgs(1), func(ctx context.Context, args []string) (output, error) {
		w, err := newDemoWorld(a, root)
		if err != nil {
			return output{}, err
		}
		w.env = a.env.without("COORD_SESSION")
		return output{}, (&demoAgent{demoWorld: w, name: args[0]}).work(ctx)
	})
	c.Hidden = true
	c.Flags().StringVar(&root, "root", "", "the demo's directory")
	return c
}

// demoAgent does what an agent's harness would: it types coord's commands in
// its clone and edits files in the worktrees that they give it.
type demoAgent struct {
	*demoWorld
	name string
}

// work goes on until every task has landed: implement first, then review,
// then integrate, so that two tasks meet in a merge.
func (g *demoAgent) work(ctx context.Context) error {
	svc, err := g.service(ctx, g.name)
	if err != nil {
		return err
	}
	for {
		did := false
		for _, stage := range []func(context.Context) (bool, error){g.implement, g.review, g.integrate} {
			if did, err = stage(ctx); err != nil {
				return err
			}
			if did {
				break
			}
		}
		if did {
			continue
		}
		if done, err := g.idle(ctx, svc); done || err != nil {
			return err
		}
	}
}

// idle waits for a change, at most half a second since the end of a lease is
// no event, and reports whether everything has landed.
func (g *demoAgent) idle(ctx context.Context, svc coord.Service) (done bool, err error) {
	page, err := svc.ListTasks(ctx, coord.TaskQuery{Project: "pay", Kind: coord.KindCode, Limit: 50})
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(page.Items, func(t coord.Task) bool { return t.Lifecycle == coord.LifecycleOpen }) {
		return true, nil
	}
	wait, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_, err = svc.WaitEvents(wait, "pay", page.AsOf)
	if ctx.Err() == nil && wait.Err() != nil {
		err = nil
	}
	return false, err
}

// implement takes the next task through to its submission.
func (g *demoAgent) implement(ctx context.Context) (bool, error) {
	s, ok, err := g.start(ctx)
	if !ok || err != nil {
		return false, err
	}
	task, ok := demoTaskOf(s.Task.Title)
	if !ok {
		return false, coord.Errorf(coord.CodeInternal, "the demo has no script for %q", s.Task.Title)
	}
	dir := s.Worktree.Path
	if strings.Contains(s.ReturnedReason, "conflict") {
		err = g.mergeTarget(ctx, dir, task)
	} else {
		err = g.edit(ctx, dir, task, s.Attempt.Generation)
	}
	if err != nil {
		return false, err
	}
	if _, err := g.coord(ctx, dir, g.name, "check", "--json"); err != nil {
		return false, err
	}
	args := []string{"submit", "--json", "--all", "-m", task.title}
	if task.lesson != "" && s.Attempt.Generation == 1 {
		args = append(args, "--lesson", task.lesson)
	}
	_, err = g.coord(ctx, dir, g.name, args...)
	return true, err
}

// start claims; statuses 5 and 8 mean that there is nothing to do just now.
func (g *demoAgent) start(ctx context.Context, args ...string) (started, bool, error) {
	r, err := g.run(ctx, g.clone(g.name), g.name, append([]string{"start", "--json"}, args...)...)
	if err != nil || r.status == 5 || r.status == 8 {
		return started{}, false, err
	}
	var s started
	err = r.decode(&s)
	return s, err == nil, err
}

// edit writes the task's files. On the way one agent is killed, and one
// learns that unchecked and failing work goes nowhere.
func (g *demoAgent) edit(ctx context.Context, dir string, task demoTask, generation int64) error {
	if task.label == demoKilled && generation == 1 {
		return g.saveAndHang(ctx, dir, task)
	}
	if first := editsOf(task.label + "/first/"); len(first) > 0 {
		if err := write(dir, append(editsOf(task.label+"/"), first...)); err != nil {
			return err
		}
		for _, refused := range [][]string{{"submit", "--json", "--all", "-m", "unchecked"}, {"check", "--json"}} {
			if r, err := g.run(ctx, dir, g.name, refused...); err != nil || r.status != 6 {
				return coord.Errorf(coord.CodeInternal, "coord %s ended with status %d instead of 6 (%v)", r.args, r.status, err)
			}
		}
	}
	return write(dir, editsOf(task.label+"/"))
}

// saveAndHang saves half of the work, says so, and waits to be killed.
func (g *demoAgent) saveAndHang(ctx context.Context, dir string, task demoTask) error {
	half := slices.DeleteFunc(editsOf(task.label+"/"), func(f txtar.File) bool { return strings.HasSuffix(f.Name, "_test.go") })
	if err := write(dir, half); err != nil {
		return err
	}
	if _, err := g.coord(ctx, dir, g.name, "checkpoint", "--json", "-m", "Split is written; its test is missing", "--next", "write the test"); err != nil {
		return err
	}
	fmt.Fprintln(g.app.std.out, demoSaved)
	<-ctx.Done()
	return ctx.Err()
}

// mergeTarget resolves the conflict as a person would: both lines stay.
func (g *demoAgent) mergeTarget(ctx context.Context, dir string, task demoTask) error {
	if err := g.git(ctx, dir, "fetch", "-q", "origin"); err != nil {
		return err
	}
	_ = g.git(ctx, dir, "merge", "-q", "origin/main") // stops at the conflict
	ours, err := os.ReadFile(filepath.Join(dir, demoChanges))
	if err != nil {
		return err
	}
	var kept []string
	for line := range strings.Lines(string(ours)) {
		if !strings.HasPrefix(line, "<<<<<<<") && !strings.HasPrefix(line, "=======") && !strings.HasPrefix(line, ">>>>>>>") {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, demoChanges), []byte(strings.Join(kept, "")), 0o644); err != nil {
		return err
	}
	return g.gitAll(ctx, dir, []string{"add", "-A"}, []string{"commit", "-q", "-m", "Merge main into " + task.label})
}

// review judges somebody else's submission.
func (g *demoAgent) review(ctx context.Context) (bool, error) {
	s, ok, err := g.start(ctx, "--kind", "review")
	if !ok || err != nil {
		return false, err
	}
	_, err = g.coord(ctx, s.Worktree.Path, g.name, "approve", "--json", "-m", "the criteria hold and the tests cover them")
	return true, err
}

// integrate lands the next approved submission; after a conflict it does what
// the refusal says.
func (g *demoAgent) integrate(ctx context.Context) (bool, error) {
	r, err := g.run(ctx, g.clone(g.name), g.name, "integrate", "--json")
	if err != nil || r.status == 5 || r.status == 8 {
		return false, err
	}
	var landed coord.Landed
	err = r.decode(&landed)
	if refusal := asError(err); err != nil && refusal.Code == coord.CodeMergeConflict {
		_, err = g.coord(ctx, g.clone(g.name), g.name, append(strings.Fields(refusal.Next[0])[1:], "--json")...)
	}
	return true, err
}

// editsOf returns the embedded files below a directory, not deeper.
func editsOf(dir string) []txtar.File {
	text, err := demoFiles.ReadFile("demo/edits.txtar")
	if err != nil {
		panic(err) // embedded
	}
	var files []txtar.File
	for _, f := range txtar.Parse(text).Files {
		if name, ok := strings.CutPrefix(f.Name, dir); ok && !strings.Contains(name, "/") {
			files = append(files, txtar.File{Name: name, Data: f.Data})
		}
	}
	return files
}

func write(dir string, files []txtar.File) error {
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
