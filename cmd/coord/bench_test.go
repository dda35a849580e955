package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// timed is a command line whose runs are compared with those of git --version.
type timed struct {
	name string
	goal float64 // at most so many times git --version
	args []string

	wall, cpu []time.Duration
}

// BenchmarkCommands runs each command once per round, so that a busy machine
// is busy for all of them, and compares medians. Every coord command is a
// process of its own that talks to a server on loopback; what task new does
// is durable on both sides when it returns.
//
//	go test ./cmd/coord -run '^$' -bench Commands -benchtime 100x
func BenchmarkCommands(b *testing.B) {
	w := newBenchWorld(b)
	all := []*timed{
		{name: "git --version", goal: 1, args: []string{"git", "--version"}},
		{name: "coord version", goal: 3.5, args: []string{binary, "version"}},
		{name: "coord task new", goal: 5, args: []string{binary, "task", "new", "--same-title", "Measure"}},
		{name: "coord task show", goal: 5, args: []string{binary, "task", "show", "pay-1"}},
		{name: "coord next", goal: 5, args: []string{binary, "next"}},
	}
	for range 5 {
		for _, c := range all {
			w.run(b, c)
			c.wall, c.cpu = nil, nil
		}
	}
	round := 0
	for b.Loop() {
		for i := range all {
			w.run(b, all[(i+round)%len(all)])
		}
		round++
	}
	git, table := all[0], strings.Builder{}
	for _, c := range all {
		x := ratio(c.wall, git.wall)
		fmt.Fprintf(&table, "\n%-16s %7.2f ms %5.2fx (goal %.1fx)   fastest %6.2f ms %5.2fx   cpu %6.2f ms %5.2fx",
			c.name, ms(median(c.wall)), x, c.goal, ms(slices.Min(c.wall)), float64(slices.Min(c.wall))/float64(slices.Min(git.wall)),
			ms(median(c.cpu)), ratio(c.cpu, git.cpu))
		b.ReportMetric(x, strings.ReplaceAll(strings.TrimPrefix(c.name, "coord "), " ", "-")+"-x")
	}
	b.Logf("medians and the fastest of %d rounds, in milliseconds and as multiples of git --version%s", b.N, table.String())
}

func ratio(a, b []time.Duration) float64 { return float64(median(a)) / float64(max(median(b), 1)) }

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

// benchWorld is a repository with a server of its own.
type benchWorld struct {
	dir string
	env []string
}

func newBenchWorld(b *testing.B) *benchWorld {
	w := newBenchWorldAt(b)
	for _, args := range [][]string{
		{"git", "init", "-q", "--bare", w.dir + ".git"},
		{"git", "init", "-q", "-b", "main"},
		{"git", "commit", "-q", "--allow-empty", "-m", "Begin"},
		{"git", "remote", "add", "origin", w.dir + ".git"},
		{"git", "push", "-q", "-u", "origin", "main"},
		{binary, "up"},
		{binary, "task", "new", "Begin"},
	} {
		w.run(b, &timed{args: args})
	}
	w.takeDown(b)
	return w
}

// newBenchWorldAt is an empty directory to make a repository in.
func newBenchWorldAt(b *testing.B) *benchWorld {
	root := b.TempDir()
	w := &benchWorld{dir: filepath.Join(root, "pay"), env: []string{
		"HOME=" + root, "USERPROFILE=" + root, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"XDG_STATE_HOME=" + filepath.Join(root, "state"), "LocalAppData=" + filepath.Join(root, "state"),
		"COORD_CONFIG_DIR=" + filepath.Join(root, "config"), "COORD_SESSION=a",
		"GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.org", "GIT_COMMITTER_NAME=Agent", "GIT_COMMITTER_EMAIL=agent@example.org",
	}}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		b.Fatal(err)
	}
	return w
}

// takeDown ends the server with the benchmark.
func (w *benchWorld) takeDown(b *testing.B) {
	b.Cleanup(func() {
		if out, err := w.command(w.dir, binary, "down").CombinedOutput(); err != nil {
			b.Logf("down: %v\n%s", err, out)
		}
	})
}

func (w *benchWorld) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, w.env
	return cmd
}

// run times one run of a command; one that fails ends the benchmark.
func (w *benchWorld) run(b *testing.B, c *timed) { w.runIn(b, w.dir, c) }

// runIn does so in a directory, and returns the most memory in bytes that the
// command or one that it waited for had resident, where the system says so.
func (w *benchWorld) runIn(b *testing.B, dir string, c *timed) int64 {
	cmd := w.command(dir, c.args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err := cmd.Run()
	c.wall = append(c.wall, time.Since(began))
	if err != nil {
		b.Fatalf("%v: %v\n%s", c.args, err, &said)
	}
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return residentPeak(cmd.ProcessState)
}
