package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/client"
	"coord/files"
	"coord/proc"
)

// keep is the process that renews a lease while the harness lives. start
// spawns it; nobody types it.
type keep struct {
	*app
	pid   int
	start string
}

func newKeep(a *app) *cobra.Command {
	o := &keep{app: a}
	c := a.verb("keep ATTEMPT FENCE", "Renew the lease of an attempt while a process lives", cobra.ExactArgs(2), o.run)
	c.Hidden = true
	c.Flags().StringVar(&o.sessionName, "session", "", "`KEY` of the session that holds the attempt")
	c.Flags().IntVar(&o.pid, "pid", 0, "the harness's process `ID`")
	c.Flags().StringVar(&o.start, "start", "", "when that process started, as the system says it")
	return c
}

func (o *keep) run(ctx context.Context, args []string) (output, error) {
	cmd := coord.Renew{Attempt: coord.AttemptID(args[0])}
	if err := cmd.Fence.UnmarshalText([]byte(args[1])); err != nil {
		return output{}, err
	}
	c, err := o.connect()
	if err != nil {
		return output{}, err
	}
	lock, err := o.keeperLock(c.server, cmd.Attempt)
	if err != nil {
		return output{}, err
	}
	unlock, err := tryLock(lock)
	if errors.Is(err, files.ErrLocked) {
		return output{}, nil // another one keeps it
	}
	if err != nil {
		return output{}, err
	}
	defer unlock()
	k := client.Keeper{
		Service: c, Renew: cmd, Alive: func() bool { return proc.Alive(o.pid, o.start) },
		Timer: client.Timer{Now: wallClock, After: time.After},
	}
	ctx, stop := context.WithCancel(ctx)
	saving := make(chan struct{})
	go func() {
		defer close(saving)
		o.saveNowAndThen(ctx, cmd.Attempt)
	}()
	kept, err := k.Run(ctx)
	stop()
	<-saving
	if kept == client.KeptAttemptEnded {
		err = nil
	}
	return output{kind: "keep", data: map[string]string{"ended": string(kept)}}, err
}

// saveNowAndThen makes checkpoints of what changed in the attempt's worktree,
// for as long as the lease is kept. What cannot be saved now may be later: the
// agent's own checkpoint says why.
func (o *keep) saveNowAndThen(ctx context.Context, attempt coord.AttemptID) {
	if o.dir == "" {
		return
	}
	conf, err := o.config()
	if err != nil || conf.SaveEvery == 0 {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(conf.SaveEvery):
		}
		d, err := o.desk(ctx)
		if err != nil {
			continue
		}
		bound, err := boundHere(d)
		if err != nil {
			continue
		}
		for _, b := range bound {
			if b.Attempt == attempt && !b.Gone && !b.Ended && proc.Alive(o.pid, o.start) {
				_, _ = d.AutoSave(ctx, b)
			}
		}
	}
}

// keeperLock is held by the keeper of an attempt: there is at most one.
func (a *app) keeperLock(server string, attempt coord.AttemptID) (string, error) {
	dir, err := a.env.configDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(server + "\x00" + string(attempt)))
	return filepath.Join(dir, "keepers", hex.EncodeToString(sum[:16])+".lock"), nil
}

// spawnKeeper has the attempt's lease kept alive for as long as this
// command's harness lives. That it is not is said; the attempt is held all the
// same, until its lease ends.
func (a *app) spawnKeeper(attempt coord.Attempt) {
	dir := ""
	if attempt.Worktree != nil {
		dir = attempt.Worktree.Path
	}
	if err := a.keepAlive(attempt.ID, attempt.Fence, dir); err != nil {
		a.say("the lease of %s is not renewed by itself: %v", attempt.Task, err)
	}
}

// keepAlive starts the detached process that renews the lease. It does not
// wait for it, and does nothing when one runs already. dir is the attempt's
// worktree, which the process saves now and then.
func (a *app) keepAlive(attempt coord.AttemptID, fence coord.Fence, dir string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	lock, err := a.keeperLock(c.server, attempt)
	if err != nil {
		return err
	}
	unlock, err := tryLock(lock)
	if errors.Is(err, files.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	unlock()
	harness, ok := proc.Harness(os.Getpid())
	if !ok {
		return coord.Errorf(coord.CodeSetup, "cannot tell which harness runs this command")
	}
	args := []string{"keep", string(attempt), fence.String(), "--session", c.key.Name, "--pid", fmt.Sprint(harness.PID), "--start", harness.Start}
	if dir != "" {
		args = append(args, "-C", dir)
	}
	cmd, err := a.child(args...)
	if err != nil {
		return err
	}
	cmd.Dir = filepath.Dir(lock)
	cmd.Env = append(cmd.Env, "COORD_SERVER="+c.url)
	if err := cmd.Start(); err != nil {
		return coord.Errorf(coord.CodeInternal, "the process that keeps the lease alive did not start: %w", err)
	}
	return cmd.Process.Release()
}

// child is another run of this program, detached from this one, with the same
// environment but for what says which session and server it is about.
func (a *app) child(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, coord.Errorf(coord.CodeInternal, "cannot tell where this program is: %w", err)
	}
	cmd := exec.Command(self, args...)
	for _, kv := range a.env {
		name, _, _ := strings.Cut(kv, "=")
		if name != "COORD_SESSION" && name != "COORD_SERVER" {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	proc.Detach(cmd)
	return cmd, nil
}
