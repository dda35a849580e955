package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/files"
	"coord/proc"
)

// standing is what this machine knows of a job beyond its record, "" for
// nothing worth saying.
func (d jobDir) standing() string {
	var done jobDelivery
	if there, err := d.get(fileDelivered, &done); err == nil && there {
		if done.Why != "" {
			return done.Why
		}
		return ""
	}
	var x jobResult
	switch ended, err := d.get(fileResult, &x); {
	case err == nil && ended:
		return "it is " + string(x.State) + ", which is not reported yet"
	case d.has(fileIdentity):
		if !d.guarded() {
			return "its guardian was killed"
		}
	case d.has(fileLaunch) && !d.guarded():
		return "its guardian was killed while it launched it: whether it runs is unknown, and it is not launched again"
	}
	return ""
}

// reconcile brings the record of this machine's jobs up to what is seen here:
// of those whose guardian is gone it reports what their files prove, and has
// another guardian go on. Nothing is launched. What cannot be reported now is
// later.
func (a *app) reconcile(ctx context.Context, origin string) {
	all, err := a.jobDirs()
	if err != nil {
		return
	}
	for _, d := range all {
		if d.has(fileDelivered) || !d.has(fileRegistered) {
			continue
		}
		i, err := d.intent()
		if err != nil || i.Origin != origin {
			continue
		}
		goOn, err := a.reconcileOne(ctx, d, i)
		if err == nil && goOn {
			err = a.spawnGuardian(ctx, d, false)
		}
		if err != nil {
			a.say("what became of the job in %s is not reported: %v", d.path, err)
		}
	}
}

// reconcileOne says whether a guardian has to go on. Somebody who is about to
// launch the job, or guards it, is left alone.
func (a *app) reconcileOne(ctx context.Context, d jobDir, i jobIntent) (goOn bool, err error) {
	var unlocks []func()
	defer func() {
		for _, unlock := range unlocks {
			unlock()
		}
	}()
	for _, lock := range []string{d.runLock(), d.guardLock()} {
		unlock, err := tryLock(lock)
		if errors.Is(err, files.ErrLocked) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		unlocks = append(unlocks, unlock)
	}
	r, err := a.reporterOf(d, i)
	if err != nil {
		return false, err
	}
	p, err := d.process()
	if err != nil {
		return false, err
	}
	switch {
	case d.has(fileResult):
		return a.reportEnd(ctx, d, r)
	case p.PID > 0 && proc.Alive(p.PID, p.Start):
		seen := wireProcess(p)
		_, err := r.once(ctx, coord.ObserveJob{State: coord.JobRunning, Process: &seen, Note: "its guardian was killed"})
		return !refusedReport(err), nil
	case p.PID > 0:
		return false, d.put(fileDelivered, jobDelivery{Why: lostResult, At: wallClock().UTC()})
	case d.has(fileLaunch):
		return false, nil
	}
	return a.neverLaunched(ctx, d, r)
}

// reportEnd reports the result once, and leaves the rest to a guardian.
func (a *app) reportEnd(ctx context.Context, d jobDir, r *reporter) (goOn bool, err error) {
	x, p, err := d.ended()
	if err != nil {
		return false, err
	}
	done, err := r.endedOnce(ctx, x, p)
	if err != nil {
		return true, nil
	}
	return false, d.put(fileDelivered, done)
}

// neverLaunched settles a job whose guardian died before it began to launch
// it: the launch intent comes first, and says that it will not be.
func (a *app) neverLaunched(ctx context.Context, d jobDir, r *reporter) (goOn bool, err error) {
	x := jobResult{State: coord.JobNotStarted, Note: "its guardian was killed before it launched it", At: wallClock().UTC()}
	if err := errors.Join(d.put(fileLaunch, wallClock().UTC()), d.put(fileResult, x)); err != nil {
		return false, err
	}
	return a.reportEnd(ctx, d, r)
}

// jobHere is the directory of a job of this machine, or a refusal that says
// where it is.
func (a *app) jobHere(ctx context.Context, id coord.JobID) (jobDir, error) {
	c, err := a.connect()
	if err != nil {
		return jobDir{}, err
	}
	if d, ok := a.localJob(c.server, id); ok {
		return d, nil
	}
	j, err := c.Job(ctx, id)
	if err != nil {
		return jobDir{}, err
	}
	where := "is of the machine " + coord.OneLine(j.Machine)
	if j.Machine == machineName() {
		where = "was not launched by coord run of this user"
	}
	return jobDir{}, coord.Errorf(coord.CodeNotFound, "%s %s, so nothing of it is here; nothing was done", id, where).WithNext("coord job show " + string(id))
}

// jobLog are the flags of job log.
type jobLog struct {
	*app
	lines int
}

func newJobLog(a *app) *cobra.Command {
	o := &jobLog{app: a}
	c := a.verb("log JOB", "Show the end of what a job of this machine printed", cobra.ExactArgs(1), o.run)
	c.Flags().IntVar(&o.lines, "lines", 100, "the last `N` lines; 0 for all that is kept")
	return c
}

// shownLog is the data of job log.
type shownLog struct {
	Job   coord.JobID `json:"job"`
	Path  string      `json:"path"`
	Lines []string    `json:"lines"`
	Above int         `json:"above,omitempty"` // lines that are not shown
}

func (o *jobLog) run(ctx context.Context, args []string) (output, error) {
	d, err := o.jobHere(ctx, coord.JobID(args[0]))
	if err != nil {
		return output{}, err
	}
	s := shownLog{Job: coord.JobID(args[0]), Path: d.file(fileLog), Lines: []string{}}
	text, err := proc.ReadLog(s.Path)
	if err != nil {
		return output{}, coord.Errorf(coord.CodeNotFound, "%s has no log: it was not launched", s.Job).WithNext("coord job show " + string(s.Job))
	}
	if len(text) > 0 {
		s.Lines = strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	}
	if o.lines > 0 && len(s.Lines) > o.lines {
		s.Above = len(s.Lines) - o.lines
		s.Lines = s.Lines[s.Above:]
	}
	return output{kind: "log", data: s, text: func(w io.Writer) {
		if s.Above > 0 {
			fmt.Fprintf(w, "(%s more above: coord job log %s --lines 0; all is in %s)\n", plural(s.Above, "line"), s.Job, s.Path)
		}
		for _, l := range s.Lines {
			fmt.Fprintln(w, l)
		}
	}}, nil
}

// stopWithin is how long a guardian may take to end a job's processes.
const stopWithin = 20 * time.Second

// reportWithin is how long the end of a job may take to be on record.
const reportWithin = 3 * time.Second

func (a *app) jobStop(ctx context.Context, args []string) (output, error) {
	id := coord.JobID(args[0])
	d, err := a.jobHere(ctx, id)
	if err != nil {
		return output{}, err
	}
	c, err := a.connect()
	if err != nil {
		return output{}, err
	}
	if !d.has(fileResult) {
		if err := d.stop(ctx); err != nil {
			return output{}, err
		}
	}
	a.reconcile(ctx, c.server)
	j, err := a.look(ctx, id)
	if err != nil {
		return output{}, err
	}
	return output{kind: "job", data: j, text: func(w io.Writer) { fmt.Fprintln(w, jobLine(j)) }}, nil
}

// stop has the job's guardian end its processes, or ends those of a guardian
// that is gone.
func (d jobDir) stop(ctx context.Context) error {
	if err := d.put(fileStop, wallClock().UTC()); err != nil {
		return err
	}
	i, err := d.intent()
	if err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	for d.guarded() && !d.has(fileResult) {
		if !pauseFor(wait, stopEvery/5) {
			return coord.Errorf(coord.CodeUnavailable, "the job was told to stop and has not yet").WithNext("the same command again")
		}
	}
	if d.has(fileResult) {
		soon, cancel := context.WithTimeout(ctx, reportWithin)
		defer cancel()
		_ = d.unguarded(soon) // by then it is reported, or nobody answers
		return nil
	}
	p, err := d.process()
	if err != nil {
		return err
	}
	if p.PID > 0 {
		d.stopOther(p, i.Mark)
	}
	return nil
}

// look is a job with what this machine knows of it, from the record or, while
// nobody answers, from here alone.
func (a *app) look(ctx context.Context, id coord.JobID) (launched, error) {
	c, err := a.connect()
	if err != nil {
		return launched{}, err
	}
	d, here := a.localJob(c.server, id)
	j, err := c.Job(ctx, id)
	if !here {
		return launched{Job: j}, err
	}
	if coord.CodeOf(err) == coord.CodeUnavailable {
		if x, p, got := d.ended(); got == nil && x.State != "" {
			i, _ := d.intent()
			j = coord.Job{ID: id, Project: i.Project, Task: i.Task, Attempt: i.Attempt, Name: i.Name, Machine: machineName(), State: x.State, Exit: x.Exit, Process: p, EndedAt: &x.At, RegisteredAt: i.At, ObservedAt: x.At, ObserveEvery: i.Every}
			err = nil
		}
	}
	return launched{Job: j, Log: d.file(fileLog), Local: d.standing()}, err
}

func jobLine(j launched) string {
	s := fmt.Sprintf("%s  %s%s  %s", j.ID, jobState(j.Job), exitText(j.Exit), clip(j.Name, 80))
	if j.Local != "" {
		s += "\nhere      " + j.Local
	}
	return s
}
