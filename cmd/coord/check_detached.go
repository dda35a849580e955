package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
	"coord/worktree"
)

// detachCheck has the checks run as a job on the worktree as it is. Recording
// what they say stays the session's: the next check or submit does it.
func (a *app) detachCheck(ctx context.Context, d *work.Desk, b worktree.Bound, names []string) (output, error) {
	checks, err := d.Checks(ctx, b.Target, names)
	if err != nil {
		return output{}, err
	}
	if len(checks) == 0 {
		return output{}, coord.Errorf(coord.CodeNothingEligible, "%s on %s requires no checks, so nothing was launched", configName, b.Target)
	}
	i, err := a.newIntent(ctx, d, b)
	if err != nil {
		return output{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return output{}, coord.Errorf(coord.CodeInternal, "cannot tell where this program is: %w; nothing was launched", err)
	}
	i.Argv, i.Dir, i.Checks, i.Decision = []string{self, "runchecks"}, b.Path, checks, d.Decision
	i.Every, i.Digest = coord.Duration(5*time.Minute), digestOf(checks)
	for n, c := range checks {
		i.Name += map[bool]string{true: "check ", false: ", "}[n == 0] + c.Name
		i.Timeout += c.Timeout + coord.Duration(fingerprintWithin+time.Minute) // each bounds itself; this is for what is between them
	}
	i.Name = clip(i.Name, 100)
	j, err := a.launch(ctx, i)
	if err != nil {
		return output{}, err
	}
	return output{kind: "job", data: j, text: func(w io.Writer) {
		writeLaunched(w, j)
		field(w, "then", "coord check records it, and so does coord submit")
	}}, nil
}

// newRunChecks is the program of a job that runs checks. Nobody types it.
func newRunChecks(a *app) *cobra.Command {
	c := a.verb("runchecks DIR", "Run the checks of a job's directory, and keep what they said there", cobra.ExactArgs(1), a.runChecks)
	c.Hidden = true
	return c
}

func (a *app) runChecks(ctx context.Context, args []string) (output, error) {
	dir := jobDir{args[0]}
	i, err := dir.intent()
	if err != nil {
		return output{}, err
	}
	repo, err := a.gitOps().Open(ctx, i.Worktree)
	if err != nil {
		return output{}, err
	}
	d := &work.Desk{Git: a.gitOps(), Repo: repo, Machine: machineName(), RunCheck: a.runCheck, Say: a.progress}
	var runs []coord.Run
	bad := ""
	err = d.RunChecks(ctx, i.Worktree, i.Checks, func(r coord.Run) error {
		runs = append(runs, r)
		if bad == "" && (r.Result != coord.ResultPassed || len(r.Changed) > 0) {
			bad = r.Check
		}
		return dir.put(fileRuns, runs)
	})
	if err == nil && bad != "" {
		err = coord.Errorf(coord.CodeCheckFailed, "check %s is no evidence", bad)
	}
	return output{}, err
}

// recorded is a run of a detached check that became a receipt.
type recorded struct {
	coord.Receipt
	Job coord.JobID
}

// recordDetached makes receipts of what detached checks of this session in this
// worktree said. Each names the tree that it ran on, whatever became of the
// worktree since.
func (a *app) recordDetached(ctx context.Context, d *work.Desk, b worktree.Bound) ([]recorded, error) {
	c, err := a.connect()
	if err != nil {
		return nil, err
	}
	all, err := a.jobDirs()
	if err != nil {
		return nil, err
	}
	var out []recorded
	for n := len(all) - 1; n >= 0; n-- { // oldest first
		i, err := all[n].intent()
		if err != nil || len(i.Checks) == 0 || i.Origin != c.server || i.Session != d.Session || i.GitDir != b.GitDir || i.Task != b.Task {
			continue
		}
		got, err := a.recordRuns(ctx, d, b, all[n])
		out = append(out, got...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// recordRuns records those of a job's runs that have no receipt yet, each under
// a key of its own: what is interrupted goes on.
func (a *app) recordRuns(ctx context.Context, d *work.Desk, b worktree.Bound, dir jobDir) ([]recorded, error) {
	i, err := dir.intent()
	if err != nil {
		return nil, err
	}
	id, err := dir.id()
	if err != nil {
		return nil, err
	}
	var runs []coord.Run
	var done int
	if _, err := dir.get(fileRuns, &runs); err != nil {
		return nil, err
	}
	if _, err := dir.get(fileRecorded, &done); err != nil {
		return nil, err
	}
	if id != "" && done == 0 && len(runs) < len(i.Checks) && dir.guarded() {
		a.say("%s still runs %s: coord job wait %s", id, i.Name, id)
	}
	decided := *d
	if decided.Decision == "" {
		decided.Decision = i.Decision
	}
	var out []recorded
	for ; done < len(runs); done++ {
		r, err := decided.Record(ctx, b, coord.Key(string(i.Key)+"-run-"+strconv.Itoa(done)), runs[done])
		switch coord.CodeOf(err) {
		case coord.CodeBadRequest, coord.CodeRequirement, coord.CodeNotFound:
			a.say("the run of check %s by %s is not recorded: %v", runs[done].Check, id, err)
		default:
			if err != nil {
				return out, err
			}
			out = append(out, recorded{r, id})
		}
		if err := dir.put(fileRecorded, done+1); err != nil {
			return out, err
		}
	}
	return out, nil
}

// sayRecorded says it on the error stream, for a command that is about
// something else.
func (a *app) sayRecorded(all []recorded) {
	for _, r := range all {
		a.say("recorded from %s: check %s %s on tree %s", r.Job, r.Check, resultWord(r.Receipt), r.Tree.Short())
	}
}

func receiptsOf(all []recorded) (out []coord.Receipt) {
	for _, r := range all {
		out = append(out, r.Receipt)
	}
	return out
}

// receiptRow is a receipt on one line of check.
func receiptRow(r coord.Receipt, from coord.JobID) string {
	took := fmt.Sprintf("%.1f s", (time.Duration(r.DurationMS) * time.Millisecond).Seconds())
	cells := []string{r.Check, resultWord(r), took, "tree " + r.Tree.Short()}
	if from != "" {
		cells = append(cells, "recorded from "+string(from))
	}
	return strings.Join(cells, "\t")
}
