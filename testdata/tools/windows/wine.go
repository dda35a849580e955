package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// install fetches Wine where the machine has none.
func install(ctx context.Context) error {
	if _, err := exec.LookPath("wine"); err == nil {
		return nil
	}
	var as []string
	if os.Getuid() != 0 {
		as = []string{"sudo"}
	}
	for _, line := range [][]string{
		{"apt-get", "update"},
		{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends", "wine", "wine64"},
	} {
		line = append(append([]string{}, as...), line...)
		c := exec.CommandContext(ctx, line[0], line[1:]...)
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("there is no Wine, and %s: %w", strings.Join(line, " "), err)
		}
	}
	return nil
}

// wine is a Windows of its own, in a directory.
type wine struct {
	drives drives
	env    []string
	tools  string // a directory that its programs find on PATH
}

// newWine makes one that shares nothing with others on this machine, and adds
// what Go programs need and it lacks.
func newWine(ctx context.Context, dir string) (*wine, error) {
	prefix := filepath.Join(dir, "wine")
	w := &wine{drives: drives{filepath.Join(prefix, "drive_c")}}
	w.tools = filepath.Join(w.drives.c, "tools")
	w.env = append(os.Environ(),
		"WINEPREFIX="+prefix, "WINEARCH=win64", "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=",
		`WINEPATH=C:\tools`, "DISPLAY=",
	)
	if out, err := w.command(ctx, "wine", "wineboot", "-i").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("wine wineboot: %w\n%s", err, out)
	}
	dll := filepath.Join(w.drives.c, "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(dll); errors.Is(err, os.ErrNotExist) { // Go's random numbers come from there
		if err := os.WriteFile(dll, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(w.tools, 0o755); err != nil {
		return nil, err
	}
	return w, w.stay(ctx)
}

// stay keeps a program running, and with it what Wine starts along with the
// first one: that would otherwise hold the output of a test open.
func (w *wine) stay(ctx context.Context) error {
	c := w.command(ctx, "wine", "cmd", "/q")
	if _, err := c.StdinPipe(); err != nil { // never written to, and open to the end
		return err
	}
	return c.Start()
}

func (w *wine) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = w.env
	return c
}

// end stops whatever still runs in it.
func (w *wine) end() { _ = w.command(context.Background(), "wineserver", "-k").Run() }
