//go:build unix

package gitops

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"coord"
)

// A child that ignores being asked to end is ended with git.
func TestDeadlineEndsTheWholeGroup(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.write(".gitattributes", "a filter=stubborn\n")
	f.write("a", "2")
	pidFile := f.beside("pid")
	f.run("config", "filter.stubborn.clean", "trap '' TERM; echo $$ >'"+pidFile+"'; while :; do sleep 1; done")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := make(chan int, 1)
	go func() {
		for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
			text, _ := os.ReadFile(pidFile)
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				pid <- n
				cancel()
				return
			}
		}
	}()
	_, err := f.open().Snapshot(ctx)
	wantCode(t, err, coord.CodeUnavailable)
	child := <-pid
	tick := time.NewTicker(time.Millisecond)
	for range 10_000 {
		if gone(child) {
			return
		}
		<-tick.C
	}
	t.Error("the child goes on")
}

// A git that was killed has answered nothing: not that a commit is missing,
// nor that a reference is not as expected.
func TestKilledGitIsNoAnswer(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	r := f.open().(*repo)
	r.stored = installed{r}
	f.git.found = f.beside("git")
	if err := os.WriteFile(f.git.found, []byte("#!/bin/sh\nkill -9 $$\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := r.ReadTree(t.Context(), base)
	wantCode(t, err, coord.CodeUnavailable)
	wantCode(t, r.UpdateRefs(t.Context(), []RefUpdate{{"refs/coord/x", base, Absent}}), coord.CodeUnavailable)
}

// gone reports whether a process has ended, reaped or not.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
