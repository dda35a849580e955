package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Command is a program to run with everything that it starts.
type Command struct {
	Argv    []string
	Dir     string
	Env     []string
	Out     io.Writer     // both output streams; nil throws them away
	Timeout time.Duration // 0 is none
	// Mark, when set, is told to the program in its environment, and by it to
	// all that it starts: where the system lets an environment be read, those
	// that left its session are found by it. It should be like no other, and
	// has no slash.
	Mark string
	// Alone says that this process starts nothing else until Wait returns, so
	// that every orphan which the system gives to it is the program's.
	Alone bool
}

// markName is the variable that carries Command.Mark.
const (
	markName      = "COORD_TREE"
	markSeparator = "/"
)

// Cause says why a tree was ended before its program ended by itself.
type Cause string

// The causes; empty is none.
const (
	CauseTimeout  Cause = "timeout"
	CauseCanceled Cause = "canceled"
)

// Ended says how a program ended.
type Ended struct {
	Exit  int    // its exit status; of one that a signal ended, 128 and the signal; -1 when it is not known
	How   string // the same in words, "" for 0
	Cause Cause  // why it was made to end, if it was
	// Held means that something which could not be ended keeps the output
	// open; what it wrote since is lost.
	Held bool
}

// Tree is a running program with all that it started.
type Tree struct {
	Process Process
	cmd     *exec.Cmd
	hold    *hold
	command Command
	read    *os.File
	copied  chan struct{}
	exited  chan error
}

// Pace of what is waited for here.
const (
	gentle  = 2 * time.Second       // between asking a program to end and ending it
	drain   = 5 * time.Second       // for the last output of a program that has ended
	settle  = 20 * time.Millisecond // between looks at whether all of a tree has gone
	tidy    = 15 * time.Second      // between collections of what has ended below a running program
	killFor = 250                   // looks, at most
)

// Start runs the command apart from this process's own group and terminal. It
// reads nothing. An error means that nothing was started.
func Start(c Command) (*Tree, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("there is nothing to run")
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Mark != "" {
		cmd.Env = withMark(cmd.Environ(), c.Mark)
	}
	cmd.Stdout, cmd.Stderr = write, write
	t := &Tree{cmd: cmd, command: c, read: read, copied: make(chan struct{}), exited: make(chan error, 1)}
	t.hold, err = holdTree(cmd, c)
	if err == nil {
		err = t.hold.start()
	}
	_ = write.Close() // the program has its own
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	t.Process = t.hold.identity()
	go t.copy()
	go func() { t.exited <- cmd.Wait() }()
	return t, nil
}

// withMark adds a mark to those of the trees that this one is part of.
func withMark(env []string, mark string) []string {
	for _, kv := range env {
		if outer, ok := strings.CutPrefix(kv, markName+"="); ok && outer != "" {
			mark = outer + markSeparator + mark
		}
	}
	return append(env, markName+"="+mark)
}

func (t *Tree) copy() {
	defer close(t.copied)
	out := t.command.Out
	if out == nil {
		out = io.Discard
	}
	if _, err := io.Copy(out, t.read); err != nil {
		_, _ = io.Copy(io.Discard, t.read) // a log that cannot be written stops no program
	}
}

// Wait returns when the program has ended, or was ended because its time was
// up or ctx ended. Nothing that it started goes on: what is left is ended.
func (t *Tree) Wait(ctx context.Context) Ended {
	var timeout <-chan time.Time
	if t.command.Timeout > 0 {
		timer := time.NewTimer(t.command.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	tick := time.NewTicker(tidy)
	defer tick.Stop()
	for {
		select {
		case err := <-t.exited:
			return t.finish(err, "")
		case <-timeout:
			return t.finish(t.stop(), CauseTimeout)
		case <-ctx.Done():
			return t.finish(t.stop(), CauseCanceled)
		case <-tick.C:
			t.hold.reap()
		}
	}
}

// stop asks the program to end, and ends it when it does not.
func (t *Tree) stop() error {
	if t.hold.ask() {
		patience := time.NewTimer(gentle)
		defer patience.Stop()
		select {
		case err := <-t.exited:
			return err
		case <-patience.C:
		}
	}
	t.hold.killAll()
	return <-t.exited
}

// finish ends what is left and collects the output.
func (t *Tree) finish(err error, cause Cause) Ended {
	t.hold.killAll()
	t.hold.close()
	e := Ended{Cause: cause}
	e.Exit, e.How = exitOf(t.cmd.ProcessState, err)
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case <-t.copied:
	case <-late.C:
		e.Held = true
		go t.read.Close() // not every system lets a pipe be closed that is being read
		return e
	}
	_ = t.read.Close()
	return e
}

// found is the identity of a process, also of one that ended before it could be
// looked at.
func found(pid int) Process {
	if p, ok := Find(pid); ok {
		return p
	}
	return Process{PID: pid, Start: "ended"}
}

// exitOf reads how a process ended.
func exitOf(s *os.ProcessState, err error) (int, string) {
	switch {
	case s == nil:
		return -1, err.Error()
	case s.Success():
		return 0, ""
	}
	return exitStatus(s), s.String()
}
