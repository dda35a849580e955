package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// workshop builds and runs tests of the module at root. Nothing of the tree is
// written: a mutant's files are laid over it.
type workshop struct {
	root, dir, goCommand string
	// patience bounds one run of a test binary. A test that hangs has not said
	// what is wrong, so it has caught nothing.
	patience time.Duration
}

// build compiles the tests of a package, with the files of overlay in place of
// the tree's. It returns the binary and the environment to run it in, which
// also lays the files over what the test itself builds.
func (w *workshop) build(ctx context.Context, name, pkg string, overlay map[string]string) (binary string, env []string, err error) {
	dir := filepath.Join(w.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	env = os.Environ()
	if overlay != nil {
		laid, err := layOver(dir, overlay)
		if err != nil {
			return "", nil, err
		}
		env = append(env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+laid))
	}
	binary = filepath.Join(dir, "test")
	c := exec.CommandContext(ctx, w.goCommand, "test", "-c", "-o", binary, "./"+pkg)
	c.Dir, c.Env = w.root, env
	if out, err := c.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("does not compile:\n%s", out)
	}
	return binary, env, nil
}

// layOver writes the files and the list that go's -overlay reads.
func layOver(dir string, files map[string]string) (string, error) {
	replace := map[string]string{}
	for path, text := range files {
		copied := filepath.Join(dir, fmt.Sprintf("%d%s", len(replace), filepath.Ext(path)))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}

// outcome is what a run of tests came to.
type outcome struct {
	passed []string // full names, parents included
	failed string   // the innermost test that failed first
	output string
	ok     bool
}

// bad is the output without the lines that say what runs and what passed.
func (o outcome) bad() string {
	var kept []string
	for line := range strings.Lines(o.output) {
		if word := strings.TrimSpace(line); !strings.HasPrefix(word, "=== ") && !strings.HasPrefix(word, "--- PASS") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

var verdict = regexp.MustCompile(`(?m)^( *)--- (PASS|FAIL|SKIP): (\S+)`)

// test runs the tests of a binary that pattern names.
func (w *workshop) test(ctx context.Context, binary string, env []string, pkg, pattern string) (outcome, error) {
	c := exec.CommandContext(ctx, binary, "-test.run", pattern, "-test.v", "-test.count", "1", "-test.timeout", w.patience.String())
	// The smallest walk that fails is of no use here, and must not be kept in
	// the tree.
	env = append(slices.Clip(env), "RAPID_SHRINKTIME=1s", "RAPID_NOFAILFILE=true")
	c.Dir, c.Env = filepath.Join(w.root, filepath.FromSlash(pkg)), env
	b, err := c.CombinedOutput()
	out := outcome{output: string(b), ok: err == nil}
	for _, m := range verdict.FindAllStringSubmatch(out.output, -1) {
		switch m[2] {
		case "PASS":
			out.passed = append(out.passed, m[3])
		case "FAIL":
			if strings.Count(m[3], "/") > strings.Count(out.failed, "/") || out.failed == "" {
				out.failed = m[3]
			}
		}
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if strings.Contains(out.output, "panic: test timed out") {
		return out, fmt.Errorf("the test hung for %s", w.patience)
	}
	return out, nil
}

// healthy runs what a pattern names without any mutant: it must pass, and the
// pattern must reach a test at each of its levels.
func (w *workshop) healthy(ctx context.Context, binary string, env []string, pkg, pattern string) error {
	out, err := w.test(ctx, binary, env, pkg, pattern)
	if err != nil {
		return err
	}
	if !out.ok {
		return fmt.Errorf("%s fails without a mutant:\n%s", pattern, out.bad())
	}
	for _, name := range out.passed {
		if strings.Count(name, "/") >= strings.Count(pattern, "/") {
			return nil
		}
	}
	return fmt.Errorf("no test is named %s", pattern)
}

// hunt applies a mutant and returns the test that caught it.
func (w *workshop) hunt(ctx context.Context, m mutant) (string, error) {
	files, err := m.apply(w.root)
	if err != nil {
		return "", fmt.Errorf("stale: %w", err)
	}
	defer os.RemoveAll(filepath.Join(w.dir, m.name))
	binary, env, err := w.build(ctx, m.name, m.pkg, files)
	if err != nil {
		return "", err
	}
	out, err := w.test(ctx, binary, env, m.pkg, m.run)
	switch {
	case err != nil:
		return "", err
	case out.ok:
		return "", errors.New("survived")
	case out.failed == "":
		return "", fmt.Errorf("ended without a failed test:\n%s", out.bad())
	}
	return out.failed, nil
}
