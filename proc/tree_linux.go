package proc

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hold is the session that the program leads, and whatever descends from it:
// a process that left the session is known by its parents, by the mark in its
// environment, or as an orphan that the system gave to this process.
type hold struct {
	cmd   *exec.Cmd
	mark  string
	alone bool
	since uint64 // when the program started, in clock ticks since boot; 0 is not known
}

// holdTree has orphans below this process given to it rather than to init; see
// PR_SET_CHILD_SUBREAPER in prctl(2). Without that they are found by the mark.
func holdTree(cmd *exec.Cmd, c Command) (*hold, error) {
	if c.Alone {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &hold{cmd: cmd, mark: c.Mark, alone: c.Alone}, nil
}

func (h *hold) identity() Process {
	p := found(h.cmd.Process.Pid)
	if h.since != 0 {
		p.Start = strconv.FormatUint(h.since, 10) + bootMark()
	}
	return p
}

func (h *hold) start() error {
	if err := h.cmd.Start(); err != nil {
		return err
	}
	if p, ok := stat(h.cmd.Process.Pid); ok {
		h.since = p.start
	}
	return nil
}

func (h *hold) ask() bool { return syscall.Kill(-h.cmd.Process.Pid, syscall.SIGTERM) == nil }

// killAll looks again until nothing is left: a process may start another one
// while it is looked at.
func (h *hold) killAll() {
	for range killFor {
		left := h.reapAnd(func(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) })
		if left == 0 {
			return
		}
		time.Sleep(settle)
	}
}

func (h *hold) reap() { h.reapAnd(func(int) {}) }

func (h *hold) close() {}

// reapAnd does something to each process of the tree that still runs, collects
// orphans that have ended, and returns how many run.
func (h *hold) reapAnd(do func(pid int)) (running int) {
	for _, p := range h.members(statAll()) {
		switch {
		case !p.ended():
			running++
			do(p.pid)
		case p.parent == os.Getpid() && p.pid != h.cmd.Process.Pid:
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return running
}

// members are the processes of the tree, ended ones too, the program itself
// first: one that outlives what it waits for could go on as if that had ended
// by itself.
func (h *hold) members(all map[int]status) (found []status) {
	leader := h.cmd.Process.Pid
	for _, p := range all {
		if p.pid == os.Getpid() {
			continue
		}
		if p.session == leader && !h.older(p) || h.below(all, p) || h.marked(p.pid) {
			found = append(found, p)
		}
	}
	leadFirst(found, leader)
	return found
}

func leadFirst(all []status, leader int) {
	slices.SortFunc(all, func(a, b status) int {
		switch leader {
		case a.pid:
			return -1
		case b.pid:
			return 1
		}
		return a.pid - b.pid
	})
}

// older reports a process that was there before the program, so that its id
// or session means another one.
func (h *hold) older(p status) bool { return p.start < h.since }

// below reports whether the program, or this process as the taker of orphans,
// is an ancestor, and all between are not older than the program.
func (h *hold) below(all map[int]status, p status) bool {
	for range 1000 {
		if h.since == 0 || h.older(p) {
			return false
		}
		if p.pid == h.cmd.Process.Pid || h.alone && p.parent == os.Getpid() {
			return true
		}
		up, ok := all[p.parent]
		if !ok {
			return false
		}
		p = up
	}
	return false
}

func (h *hold) marked(pid int) bool { return h.mark != "" && carries(pid, h.mark) }

// carries reports whether a process was started with the mark.
func carries(pid int, mark string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for _, kv := range bytes.Split(env, []byte{0}) {
		if marks, ok := bytes.CutPrefix(kv, []byte(markName+"=")); ok && slices.Contains(strings.Split(string(marks), markSeparator), mark) {
			return true
		}
	}
	return false
}

// End ends a process that another one of this machine started, with its
// session and whatever carries the mark. It returns whether there was any.
func End(leader Process, mark string) (any bool) {
	for range killFor {
		alive := Alive(leader.PID, leader.Start)
		all := slices.Collect(maps.Values(statAll()))
		all = slices.DeleteFunc(all, func(p status) bool {
			return p.pid == os.Getpid() || p.ended() || !(alive && p.session == leader.PID || mark != "" && carries(p.pid, mark))
		})
		if len(all) == 0 {
			return any
		}
		leadFirst(all, leader.PID)
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		any = true
		time.Sleep(settle)
	}
	return any
}

func statAll() map[int]status {
	all := map[int]status{}
	entries, _ := os.ReadDir("/proc") // without it, only the leader's group would be known
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, ok := stat(pid); ok {
				all[pid] = s
			}
		}
	}
	return all
}
