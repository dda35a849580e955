// Windows builds coord for Windows and runs its tests under Wine: the unit
// tests of the packages and the scripts of testdata/script. That it runs there
// is not that it was tested on Windows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The packages whose unit tests run: those that need no git. What gitops, work
// and worktree are tested for is git's own doing, which is not Windows' here;
// several git processes at once see each other's links (links.go), and Wine 8
// itself fails on paths of more than 260 characters with git behind them. The
// scripts use all three. Of the root package those tests are left out that hold
// the source tree to the house's rules.
const packages = ". ./client ./files ./markdown ./proc ./templates ./server/..."

func main() {
	var o options
	flag.StringVar(&o.root, "root", filepath.Join("..", "..", ".."), "the module's `directory`")
	flag.StringVar(&o.packages, "packages", packages, "the `packages` whose unit tests run; empty for none")
	flag.StringVar(&o.scripts, "scripts", ".", "the scripts that run, as a `pattern`; empty for none")
	flag.StringVar(&o.tests, "tests", ".", "the unit tests that run, as a `pattern`")
	flag.DurationVar(&o.patience, "patience", 20*time.Minute, "how long a package may take")
	flag.BoolVar(&o.keep, "keep", false, "leave the directory of this run, for a look at it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "windows:", err)
		stop()
		os.Exit(1)
	}
}

type options struct {
	root, packages, scripts, tests string
	patience                       time.Duration
	keep                           bool
}

func run(ctx context.Context, o options) error {
	if err := install(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "coord-windows-")
	if err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(dir)
	}
	w, err := newWine(ctx, dir)
	if err != nil {
		return err
	}
	defer w.end()
	s, err := newSuite(ctx, dir, o, w)
	if err != nil {
		return err
	}
	git, err := serveGit(w.drives, w.tools)
	if err != nil {
		return err
	}
	defer git.close()
	return s.runAll(ctx, o)
}

// suite is what is built for Windows, and where it runs.
type suite struct {
	wine     *wine
	root     string
	overlay  string
	patience time.Duration
}

func newSuite(ctx context.Context, dir string, o options, w *wine) (*suite, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return nil, err
	}
	s := &suite{wine: w, root: root, patience: o.patience}
	if s.overlay, err = overlay(dir); err != nil {
		return nil, err
	}
	for _, b := range []struct{ from, what, as string }{
		{filepath.Join(root, "testdata", "tools", "windows"), "./git", "git.exe"},
		{root, "./cmd/coord", "coord.exe"},
	} {
		c := s.goCommand(ctx, "build", "-ldflags=-s -w", "-o", filepath.Join(w.tools, b.as), b.what)
		c.Dir = b.from
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build %s: %w\n%s", b.what, err, out)
		}
	}
	return s, nil
}

// goCommand builds for Windows. Scripts get a directory of their own from
// Wine; what is compiled goes where go puts it.
func (s *suite) goCommand(ctx context.Context, verb string, args ...string) *exec.Cmd {
	c := s.wine.command(ctx, "go", append([]string{verb, "-overlay", s.overlay}, args...)...)
	c.Dir, c.Env = s.root, append(c.Env, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	return c
}

func (s *suite) runAll(ctx context.Context, o options) error {
	var all tally
	if o.packages != "" {
		args := []string{"-run", o.tests, "-skip", "^(TestHouse|TestScript$)"}
		t, err := s.test(ctx, "unit tests", append(args, strings.Fields(o.packages)...))
		if err != nil {
			return err
		}
		all = append(all, t)
		if t, err = s.test(ctx, "tests of processes", commandLine(processes)); err != nil {
			return err
		}
		all = append(all, t)
	}
	if o.scripts != "" {
		t, err := s.test(ctx, "scripts", commandLine("^TestScript$/"+o.scripts))
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	return all.sum()
}

// processes are the tests of the command line that start and end processes,
// besides the scripts, and those of what only Windows has.
const processes = "^(TestUp.*|TestKeepEnds|TestCommandsOnWindows)$"

// commandLine is what go test is asked for to test coord.exe.
func commandLine(run string) []string {
	return []string{"-run", run, "./cmd/coord", "-args", "-coord", `C:\tools\coord.exe`}
}

// test runs go test under Wine and counts what became of the tests.
func (s *suite) test(ctx context.Context, name string, args []string) (*counted, error) {
	c := s.goCommand(ctx, "test", append([]string{
		"-exec", "wine", "-json", "-vet=off", "-count=1", "-timeout", s.patience.String(),
	}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	t := &counted{name: name}
	readErr := t.read(out)
	err = c.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: interrupted", name)
	}
	if err != nil && t.failed == 0 {
		return nil, fmt.Errorf("%s: go test: %w", name, err)
	}
	return t, readErr
}
