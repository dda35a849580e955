package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/proc"
)

// newGuard is the process that launches a job, watches it and reports on it.
// run and check --detach spawn it; nobody types it.
func newGuard(a *app) *cobra.Command {
	c := a.verb("guard DIR", "Launch the job of a directory, once, and report on it", cobra.ExactArgs(1), a.guard)
	c.Hidden = true
	return c
}

func (a *app) guard(ctx context.Context, args []string) (output, error) {
	g := guardian{app: a, dir: jobDir{args[0]}, launched: os.Stdout}
	defer g.tell()
	wait, cancel := context.WithTimeout(ctx, lookedAt)
	defer cancel()
	unlock, err := waitLock(wait, g.dir.guardLock())
	if errors.Is(err, context.DeadlineExceeded) {
		return output{}, nil // another one guards it
	}
	if err != nil {
		return output{}, err
	}
	defer unlock()
	if self, ok := proc.Find(os.Getpid()); ok {
		if err := g.dir.put(fileGuardian, self); err != nil {
			return output{}, err
		}
	}
	return output{}, g.run(ctx)
}

// lookedAt is longer than anybody holds a guardian's lock to see whether there
// is one.
const lookedAt = 2 * time.Second

// guardian goes on from wherever an earlier one of the same job was ended.
type guardian struct {
	*app
	dir      jobDir
	intent   jobIntent
	report   *reporter
	launched *os.File // closed when the job was launched, or will not be
}

// tell lets the command that waits for the launch go on.
func (g *guardian) tell() {
	if g.launched != nil {
		_ = g.launched.Close()
		g.launched = nil
	}
}

func (g *guardian) run(ctx context.Context) (err error) {
	if g.intent, err = g.dir.intent(); err != nil {
		return err
	}
	if g.report, err = g.reporterOf(g.dir, g.intent); err != nil {
		return err
	}
	switch {
	case g.dir.has(fileDelivered):
		return nil
	case g.dir.has(fileResult):
		return g.deliver(ctx)
	case g.dir.has(fileIdentity):
		return g.watch(ctx)
	case g.dir.has(fileLaunch):
		return nil // it may have been launched: it is unknown, and is not launched again
	}
	return g.launch(ctx)
}

// launch starts the program. Its intent is on disk before and its identity
// after: between the two nobody knows whether it runs.
func (g *guardian) launch(ctx context.Context) error {
	if err := g.dir.put(fileLaunch, wallClock().UTC()); err != nil {
		return err
	}
	log, err := proc.CreateLog(g.dir.file(fileLog), logLimit)
	var t *proc.Tree
	if err == nil {
		t, err = proc.Start(proc.Command{
			Argv: g.argv(), Dir: g.intent.Dir, Env: g.env.without("COORD_TOKEN"), Out: log,
			Timeout: time.Duration(g.intent.Timeout), Mark: g.intent.Mark, Alone: true,
		})
	}
	if err != nil {
		return g.end(ctx, jobResult{State: coord.JobNotStarted, Note: clip("it could not be started: "+err.Error(), 500)})
	}
	if err := g.dir.put(fileIdentity, t.Process); err != nil {
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		t.Wait(stopped) // what cannot be found again must not run
		return err
	}
	g.tell()
	ended := g.attend(ctx, t)
	x := g.result(ended, log)
	if ctx.Err() == nil {
		return g.end(ctx, x)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	return g.end(last, x)
}

// lastWords is how long a guardian that is told to end tries to report.
const lastWords = 10 * time.Second

// argv is what is launched. Checks are told where to keep what they say.
func (g *guardian) argv() []string {
	if len(g.intent.Checks) > 0 {
		return append(slices.Clone(g.intent.Argv), g.dir.path)
	}
	return g.intent.Argv
}

// attend reports that the program runs until it has ended, and ends it when
// it is told to.
func (g *guardian) attend(ctx context.Context, t *proc.Tree) proc.Ended {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { g.report.running(ctx, wireProcess(t.Process), time.Duration(g.intent.Every)) })
	all.Go(func() {
		for pauseFor(ctx, stopEvery) {
			if g.dir.has(fileStop) {
				cancel()
			}
		}
	})
	ended := t.Wait(ctx)
	cancel()
	all.Wait()
	return ended
}

// stopEvery is how often a guardian looks whether its job is to be stopped.
const stopEvery = 250 * time.Millisecond

func wireProcess(p proc.Process) coord.Process {
	return coord.Process{PID: int64(p.PID), Start: p.Start}
}

// result is how the program ended, in the words of a job.
func (g *guardian) result(e proc.Ended, log *proc.Log) jobResult {
	x := jobResult{LogDigest: log.Digest(), Cut: log.Cut(), Note: e.How}
	exit := e.Exit
	switch {
	case e.Cause == proc.CauseTimeout:
		x.State, x.Note = coord.JobInterrupted, fmt.Sprintf("did not end within %s, so all its processes were ended", time.Duration(g.intent.Timeout))
	case e.Cause == proc.CauseCanceled:
		x.State, x.Note = coord.JobInterrupted, "stopped: all its processes were ended"
	case exit == 0:
		x.State, x.Exit = coord.JobSucceeded, &exit
	case exit < 0:
		x.State = coord.JobInterrupted
	default:
		x.State, x.Exit = coord.JobFailed, &exit
	}
	if err := log.Close(); err != nil {
		x.Note += "; its log is not whole"
	}
	return x
}

// end writes down how the job ended, and reports it.
func (g *guardian) end(ctx context.Context, x jobResult) error {
	x.At = wallClock().UTC()
	if err := g.dir.put(fileResult, x); err != nil {
		return err
	}
	return g.deliver(ctx)
}

// deliver reports the result until it is answered.
func (g *guardian) deliver(ctx context.Context) error {
	x, p, err := g.dir.ended()
	if err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, lastWords)
	d, err := g.report.endedOnce(soon, x, p)
	cancel()
	g.tell()
	if err != nil {
		d, err = g.report.ended(ctx, x, p)
	}
	if err != nil {
		return err
	}
	return g.dir.put(fileDelivered, d)
}

// ended is what the files prove of the job's end.
func (d jobDir) ended() (x jobResult, p *coord.Process, err error) {
	if _, err := d.get(fileResult, &x); err != nil {
		return x, nil, err
	}
	if seen, err := d.process(); err == nil && seen.PID > 0 {
		w := wireProcess(seen)
		p = &w
	}
	return x, p, nil
}

// watch reports on the program of a guardian that is gone for as long as it
// runs. How it ends nobody is told: that stays unknown.
func (g *guardian) watch(ctx context.Context) error {
	g.tell()
	p, err := g.dir.process()
	if err != nil {
		return err
	}
	seen, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { g.report.running(seen, wireProcess(p), time.Duration(g.intent.Every)) })
	for proc.Alive(p.PID, p.Start) && !g.dir.has(fileResult) && pauseFor(ctx, time.Second) {
		if g.dir.has(fileStop) {
			g.dir.stopOther(p, g.intent.Mark)
		}
	}
	cancel()
	all.Wait()
	if g.dir.has(fileResult) {
		return g.deliver(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return g.dir.put(fileDelivered, jobDelivery{Why: lostResult, At: wallClock().UTC()})
}

const lostResult = "its guardian was killed, and its process ended unseen: how it ended is unknown"

// stopOther ends a program whose guardian is gone. That it was ended proves how
// it ended.
func (d jobDir) stopOther(p proc.Process, mark string) {
	if proc.End(p, mark) {
		_ = d.put(fileResult, jobResult{State: coord.JobInterrupted, Note: "stopped: its processes were ended", At: wallClock().UTC()})
	}
}
