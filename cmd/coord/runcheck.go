package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"coord"
	"coord/proc"
)

const (
	shownLines = 20       // how much of the output of a check that did not pass is repeated
	logLimit   = 16 << 20 // how much of an output is kept
)

// runCheck runs one check in dir. Its output goes to a log file, of which very
// much loses its middle; of a check that did not pass the end is shown. It
// never fails itself: what went wrong is the run's result.
func (a *app) runCheck(ctx context.Context, dir string, c coord.Check) coord.Run {
	run := coord.Run{Toolchain: a.toolchain(ctx, dir, c), Command: commandText(c)}
	path, log, err := a.checkLog(dir, c.Name)
	if err != nil {
		run.Result, run.ExitStatus, run.Reason = coord.ResultInterrupted, -1, coord.OneLine(err.Error())
		return run
	}
	run.StartedAt = wallClock().UTC()
	ended, err := a.tree(ctx, proc.Command{Argv: argvOf(c), Dir: dir, Out: log, Timeout: time.Duration(c.Timeout), Alone: true})
	run.EndedAt = wallClock().UTC()
	run.DurationMS = max(0, run.EndedAt.Sub(run.StartedAt).Milliseconds())
	run.Result, run.ExitStatus, run.Reason = judge(c, ended, err)
	run.LogDigest = log.Digest()
	if err := log.Close(); err != nil {
		a.say("the log of check %s is not whole: %v", c.Name, err)
	}
	if run.Result != coord.ResultPassed {
		a.say("%s: %s; the %s output is in %s", c.Name, run.Reason, wholeness(log.Cut()), path)
		for _, line := range lastLines(path, shownLines) {
			a.say("  %s", line)
		}
	}
	return run
}

func wholeness(cut int64) string {
	if cut == 0 {
		return "whole"
	}
	return fmt.Sprintf("beginning and end (%d bytes less) of the", cut)
}

// tree runs a command with the environment of this one, but for what it need
// not know, until it and all that it started have ended.
func (a *app) tree(ctx context.Context, c proc.Command) (proc.Ended, error) {
	mark, err := newMark()
	if err != nil {
		return proc.Ended{}, err
	}
	c.Env, c.Mark = a.env.without("COORD_TOKEN"), mark
	t, err := proc.Start(c)
	if err != nil {
		return proc.Ended{}, err
	}
	return t.Wait(ctx), nil
}

func argvOf(c coord.Check) []string {
	if c.Shell != "" {
		return proc.Shell(c.Shell)
	}
	return c.Argv
}

// commandText is a check's command as people read it.
func commandText(c coord.Check) string {
	text := c.Shell
	if text == "" {
		words := make([]string, len(c.Argv))
		for i, w := range c.Argv {
			words[i] = shellWord(w)
		}
		text = strings.Join(words, " ")
	}
	return clip(text, 1000)
}

// judge turns how a check's program ended into a result.
func judge(c coord.Check, e proc.Ended, err error) (coord.Result, int, string) {
	switch {
	case err != nil:
		return coord.ResultInterrupted, -1, coord.OneLine(err.Error())
	case e.Cause == proc.CauseCanceled:
		return coord.ResultInterrupted, -1, "interrupted"
	case e.Cause == proc.CauseTimeout:
		return coord.ResultFailed, -1, "did not end within " + time.Duration(c.Timeout).String()
	case e.Held:
		return coord.ResultInterrupted, -1, "it ended, but left a process that keeps its output open; end that process, or give it an output of its own"
	case e.Exit == 0:
		return coord.ResultPassed, 0, ""
	case e.Exit == c.SkipStatus:
		return coord.ResultSkipped, e.Exit, "skipped, which its exit status says"
	}
	return coord.ResultFailed, e.Exit, e.How
}

// fingerprintWithin bounds the command that tells a toolchain's version.
const fingerprintWithin = 30 * time.Second

// toolchain is the system of this machine and, for a check that names a
// command which tells more, the beginning of its output with the digest of all.
func (a *app) toolchain(ctx context.Context, dir string, c coord.Check) string {
	system := runtime.GOOS + "/" + runtime.GOARCH
	if c.Fingerprint == "" {
		return system
	}
	var out boundedText
	e, err := a.tree(ctx, proc.Command{Argv: proc.Shell(c.Fingerprint), Dir: dir, Out: &out, Timeout: fingerprintWithin, Alone: true})
	if err != nil || e.Exit != 0 || e.Cause != "" {
		return system + " unknown"
	}
	sum := sha256.Sum256(out.text)
	first, _, _ := strings.Cut(strings.TrimSpace(string(out.text)), "\n")
	return system + " " + hex.EncodeToString(sum[:6]) + " " + clip(coord.OneLine(first), 200)
}

// boundedText keeps the first 64 KiB that are written to it.
type boundedText struct{ text []byte }

func (b *boundedText) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), 64<<10-len(b.text))]...)
	return len(p), nil
}

// How many logs of checks are kept on this machine, and for how long.
const (
	checkLogs    = 200
	checkLogsAge = 30 * 24 * time.Hour
)

// checkLog begins the log of a run of a check in a worktree.
func (a *app) checkLog(dir, check string) (string, *proc.Log, error) {
	state, err := a.env.stateDir()
	if err != nil {
		return "", nil, err
	}
	logs := filepath.Join(state, "checks")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return "", nil, err
	}
	pruneLogs(logs, checkLogs-1, wallClock().Add(-checkLogsAge))
	sum := sha256.Sum256([]byte(dir)) // two clones have worktrees of one name
	path := filepath.Join(logs, fmt.Sprintf("%s-%x-%s-%s.log", filepath.Base(dir), sum[:4], check, wallClock().UTC().Format("20060102T150405.000000")))
	log, err := proc.CreateLog(path, logLimit)
	return path, log, err
}

// lastLines reads the last n lines of a log.
func lastLines(path string, n int) []string {
	text, err := proc.ReadLog(path)
	if err != nil {
		return nil // the log is named, and can be read there
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}
