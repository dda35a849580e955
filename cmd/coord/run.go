package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/proc"
	"coord/work"
	"coord/worktree"
)

// runOptions are the flags of run.
type runOptions struct {
	name, external string
	timeout, every time.Duration
}

func newRun(a *app) *cobra.Command {
	var o runOptions
	c := a.verb("run -- COMMAND [ARGUMENT]...", "run a program as a job, which goes on when this command and the agent's turn have ended", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.runJob(ctx, o, args)
	})
	f := c.Flags()
	f.StringVar(&o.name, "name", "", "what people call it, as `TEXT`; else the command")
	f.StringVar(&o.external, "external", "", "an `ID` of your own: with the same one the program is launched once, however often this is typed")
	f.DurationVar(&o.timeout, "timeout", 0, "end the program and all that it started after `DURATION`")
	f.DurationVar(&o.every, "every", 5*time.Minute, "the job is unknown when nobody reported on it for `DURATION`")
	f.SetInterspersed(false)
	return c
}

// launched is a job with where this machine keeps what it knows of it.
type launched struct {
	coord.Job
	Log     string `json:"log,omitempty"`
	Already bool   `json:"already,omitempty"` // it was launched before, or elsewhere
	Local   string `json:"local,omitempty"`   // what this machine knows besides
}

func (a *app) runJob(ctx context.Context, o runOptions, args []string) (output, error) {
	if o.timeout < 0 || o.every < time.Second || o.every > 24*time.Hour {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--timeout is not negative, and --every is from 1s to 24h; nothing was launched").WithNext("coord run --every 5m -- COMMAND")
	}
	d, b, err := a.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	dir, err := a.workDir()
	if err != nil {
		return output{}, err
	}
	i, err := a.newIntent(ctx, d, b)
	if err != nil {
		return output{}, err
	}
	i.Argv, i.Dir, i.Name, i.External = args, dir, o.name, o.external
	i.Timeout, i.Every, i.Digest = coord.Duration(o.timeout), coord.Duration(o.every), digestOf(args)
	if i.Name == "" {
		i.Name = clip(strings.Join(args, " "), 100)
	}
	j, err := a.launch(ctx, i)
	if err != nil {
		return output{}, err
	}
	return output{kind: "job", data: j, text: func(w io.Writer) { writeLaunched(w, j) }}, nil
}

func writeLaunched(w io.Writer, j launched) {
	how := jobState(j.Job)
	if j.Already {
		how += ", launched before"
	}
	fmt.Fprintf(w, "%s  %s  %s\n", j.ID, how, clip(j.Name, 80))
	if j.Process != nil {
		field(w, "process", "%d", j.Process.PID)
	}
	if j.Log != "" {
		field(w, "log", "%s", j.Log)
	}
	field(w, "next", "coord job wait %s", j.ID)
}

// digestOf identifies what is run.
func digestOf(v any) string {
	text, _ := json.Marshal(v) // of strings and numbers it cannot fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// newIntent is a job of the attempt, on the worktree as it is.
func (a *app) newIntent(ctx context.Context, d *work.Desk, b worktree.Bound) (i jobIntent, err error) {
	c, err := a.connect()
	if err != nil {
		return i, err
	}
	i = jobIntent{
		Server: c.url, Origin: c.server, Project: d.Project, Task: b.Task, Attempt: b.Attempt, Fence: b.Fence, Session: b.Session,
		GitDir: b.GitDir, Worktree: b.Path, At: wallClock().UTC(),
	}
	there, err := d.Git.Open(ctx, b.Path)
	if err != nil {
		return i, err
	}
	if i.Tree, err = there.Snapshot(ctx); err != nil {
		return i, err
	}
	key, err := newMark()
	if err != nil {
		return i, err
	}
	i.Key = coord.Key(key)
	i.Mark, err = newMark()
	return i, err
}

// launch registers the job and has a guardian launch it, at most once. An
// external id that is known is answered with its job.
func (a *app) launch(ctx context.Context, i jobIntent) (launched, error) {
	a.pruneJobs()
	d, err := a.newJobDir(i)
	if err != nil {
		return launched{}, err
	}
	unlock, err := waitLock(ctx, d.runLock())
	if err != nil {
		return launched{}, err
	}
	defer unlock()
	j, ours, err := a.register(ctx, d, i)
	if err != nil || !ours {
		return launched{Job: j, Already: true}, err
	}
	already := d.has(fileLaunch)
	if !already && !j.State.Final() {
		if err := a.spawnGuardian(ctx, d, true); err != nil {
			return launched{Job: j}, err
		}
	}
	return a.asLaunched(ctx, d, j, already)
}

// asLaunched is the job with what the files say since it was launched.
func (a *app) asLaunched(ctx context.Context, d jobDir, j coord.Job, already bool) (launched, error) {
	out := launched{Job: j, Already: already, Log: d.file(fileLog), Local: d.standing()}
	p, err := d.process()
	if err != nil {
		return out, err
	}
	if p.PID > 0 && !j.State.Final() {
		w := wireProcess(p)
		out.State, out.Process = coord.JobRunning, &w
	}
	x, _, err := d.ended()
	if err == nil && d.has(fileResult) {
		out.State, out.Exit = x.State, x.Exit
	}
	switch {
	case err != nil:
	case !already && x.State == coord.JobNotStarted:
		err = coord.Errorf(coord.CodeCheckFailed, "%s was not started: %s", j.ID, x.Note).WithNext("coord job show " + string(j.ID))
	case !already && p.PID == 0 && x.State == "":
		err = coord.Errorf(coord.CodeInternal, "the guardian of %s ended before it launched it; whether it runs is unknown, and it is not launched again; its messages are in %s", j.ID, d.file(fileGuardLog)).
			WithNext("coord job show " + string(j.ID))
	}
	return out, err
}

// register makes the job known, with the intent on disk before. ours is false
// for a job that somebody else launches.
func (a *app) register(ctx context.Context, d jobDir, i jobIntent) (j coord.Job, ours bool, err error) {
	svc, err := a.service(ctx)
	if err != nil {
		return j, false, err
	}
	id, err := d.id()
	if err != nil {
		return j, false, err
	}
	if id != "" {
		if err := d.checkSame(i); err != nil {
			return j, false, err
		}
		j, err = svc.Job(ctx, id)
		return j, true, err
	}
	asked := d.has(fileSent)
	var old jobIntent
	if there, err := d.get(fileIntent, &old); err != nil {
		return j, false, err
	} else if there && asked && old.same(i) && old.Attempt == i.Attempt && old.Fence == i.Fence {
		i = old // its answer was lost: the same request again
	}
	if err := errors.Join(d.put(fileIntent, i), d.put(fileSent, wallClock().UTC())); err != nil {
		return j, false, err
	}
	r, err := svc.RegisterJob(ctx, i.register())
	if err != nil {
		return j, false, a.unregistered(d, err)
	}
	if r.Reporter == "" {
		return a.withoutCredential(ctx, svc, d, r.Job, i)
	}
	return r.Job, true, errors.Join(d.put(fileReporter, r.Reporter), d.put(fileRegistered, r.Job.ID))
}

// checkSame refuses an external id for another command than the one that has
// it here.
func (d jobDir) checkSame(i jobIntent) error {
	old, err := d.intent()
	if err != nil || old.Digest == i.Digest && old.Task == i.Task {
		return err
	}
	id, err := d.id()
	if err != nil {
		return err
	}
	return coord.Job{ID: id, Task: old.Task, Argv: old.Digest}.CheckSame(i.Task, i.register())
}

// unregistered forgets a job that was refused for good: nothing was launched.
func (a *app) unregistered(d jobDir, refusal error) error {
	switch coord.CodeOf(refusal) {
	case coord.CodeUnavailable, coord.CodeInternal, coord.CodeRateLimited, coord.CodeStorageFull:
	default:
		d.forget()
	}
	return refusal
}

// forget takes an intent back that came to nothing.
func (d jobDir) forget() {
	_ = os.Remove(d.file(fileSent))
	_ = os.Remove(d.file(fileIntent))
}

// withoutCredential answers for a job whose credential went to somebody else:
// to the one that registered its external id, or, when an answer was lost, to
// nobody. A run of ours that cannot be reported on is not launched, and says so.
func (a *app) withoutCredential(ctx context.Context, svc coord.Service, d jobDir, j coord.Job, i jobIntent) (coord.Job, bool, error) {
	if i.External != "" {
		d.forget()
		a.say("%s has the external id %s already; nothing was launched here", j.ID, i.External)
		return j, false, nil
	}
	lost := coord.ObserveJob{Job: j.ID, Fence: i.Fence, Sequence: j.Sequence + 1, State: coord.JobNotStarted, Note: "the answer to its registration was lost, so it was not launched"}
	if _, err := svc.ObserveJob(ctx, lost); err != nil {
		return j, false, err
	}
	d.forget()
	return j, false, coord.Errorf(coord.CodeUnavailable, "the answer to the registration of %s was lost, so it was not launched and is recorded as such; run the same command again", j.ID).
		WithNext("the same command again")
}

// spawnGuardian starts the process that launches, watches and reports. wait
// returns when the job was launched, or will not be.
func (a *app) spawnGuardian(ctx context.Context, d jobDir, wait bool) error {
	self, err := os.Executable()
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "cannot tell where this program is: %w; nothing was launched", err)
	}
	log, err := os.OpenFile(d.file(fileGuardLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return coord.Errorf(coord.CodeSetup, "cannot write %s: %w; nothing was launched", d.file(fileGuardLog), err).WithNext("coord doctor")
	}
	defer log.Close()
	cmd := exec.Command(self, "guard", d.path)
	cmd.Dir, cmd.Env, cmd.Stderr = d.path, a.env.without("COORD_TOKEN"), log
	proc.Detach(cmd)
	if !wait {
		return errors.Join(cmd.Start(), release(cmd))
	}
	told, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "the guardian did not start: %w; nothing was launched", err).WithNext("coord doctor")
	}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(io.Discard, told) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	_ = told.Close()
	<-done
	return release(cmd)
}

func release(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return cmd.Process.Release()
}
