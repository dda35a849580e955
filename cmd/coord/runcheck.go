package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"coord"
)

// shownLines is how much of a failed check's output is repeated.
const shownLines = 20

// runCheck runs one check in dir. Its whole output goes to a log file; of a
// failure the end is shown. It never fails itself: what went wrong is the
// run's result.
func (a *app) runCheck(ctx context.Context, dir string, c coord.Check) coord.Run {
	run := coord.Run{Toolchain: runtime.GOOS + "/" + runtime.GOARCH}
	logPath, log, err := a.checkLog(dir, c.Name)
	if err != nil {
		run.Result, run.ExitStatus, run.Reason = coord.ResultInterrupted, -1, coord.OneLine(err.Error())
		return run
	}
	defer log.Close()
	sum := sha256.New()
	began := wallClock()
	err = a.execCheck(ctx, dir, c, io.MultiWriter(log, sum))
	run.DurationMS = wallClock().Sub(began).Milliseconds()
	run.LogDigest = hex.EncodeToString(sum.Sum(nil))
	run.Result, run.ExitStatus, run.Reason = judge(ctx, err, time.Duration(c.Timeout))
	if run.Result != coord.ResultPassed {
		a.say("%s: %s; the whole output is in %s", c.Name, run.Reason, logPath)
		for _, line := range lastLines(log, shownLines) {
			a.say("  %s", line)
		}
	}
	return run
}

// execCheck runs the command with its whole process tree bounded by the
// check's timeout.
func (a *app) execCheck(ctx context.Context, dir string, c coord.Check, out io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(c.Timeout), errTimeout)
	defer cancel()
	argv := c.Argv
	if c.Shell != "" {
		argv = shellArgv(c.Shell)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, a.env.without("COORD_TOKEN")
	cmd.Stdout, cmd.Stderr = out, out
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

var errTimeout = errors.New("timed out")

// judge turns how the process ended into a result.
func judge(ctx context.Context, err error, timeout time.Duration) (coord.Result, int, string) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return coord.ResultPassed, 0, ""
	case ctx.Err() != nil:
		return coord.ResultInterrupted, -1, "interrupted"
	case errors.Is(err, errTimeout):
		return coord.ResultFailed, -1, "did not end within " + timeout.String()
	case errors.As(err, &exit):
		return coord.ResultFailed, exit.ExitCode(), exit.String()
	case errors.Is(err, exec.ErrWaitDelay):
		return coord.ResultInterrupted, -1, "it ended, but left a process that keeps its output open; end that process, or give it an output of its own"
	}
	return coord.ResultInterrupted, -1, coord.OneLine(err.Error())
}

// checkLog opens the log of the latest run of a check in a worktree.
func (a *app) checkLog(dir, check string) (string, *os.File, error) {
	state, err := a.env.stateDir()
	if err != nil {
		return "", nil, err
	}
	logs := filepath.Join(state, "checks")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(dir)) // two clones have worktrees of one name
	path := filepath.Join(logs, fmt.Sprintf("%s-%x-%s.log", filepath.Base(dir), sum[:4], check))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	return path, f, err
}

// shownBytes is how far from its end a log is read for its last lines.
const shownBytes = 16 << 10

// lastLines reads the last n lines of a log; fewer when they are very long.
func lastLines(log *os.File, n int) []string {
	size, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil // the log is named, and can be read there
	}
	from := max(0, size-shownBytes)
	end, err := io.ReadAll(io.NewSectionReader(log, from, size-from))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(end), "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}
