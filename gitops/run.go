package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"coord"
)

// Deadlines of one git run. A caller's context may be shorter.
const (
	quick   = 1 * time.Minute  // reads
	work    = 15 * time.Minute // hashing, checkouts and merges of big trees
	network = 15 * time.Minute // fetch and push
)

// grace is how long git may take to remove its lock files after being asked
// to end.
const grace = 3 * time.Second

// call is one run of git.
type call struct {
	args  []string
	dir   string
	env   []string // added to the scrubbed environment
	stdin []byte
	hooks bool // let the repository's hooks run
	limit time.Duration
}

// mostOutput is how many bytes of standard output one run may give: more than
// any question here has for an answer, and little enough for memory.
const mostOutput = 64 << 20

// failure is a git run that did not end with status 0.
type failure struct {
	args   []string
	status int // -1 when it did not end by itself
	stdout []byte
	stderr string // sanitised
	killed bool   // by a signal, such as the system's when memory runs out
	cause  error
}

func (f *failure) Error() string {
	if f.stderr != "" {
		return f.stderr
	}
	return fmt.Sprintf("git %s: %v", f.verb(), f.cause)
}

// verb is what git was asked to do, after the settings in front.
func (f *failure) verb() string {
	for i := 0; i < len(f.args); i++ {
		if f.args[i] != "-c" {
			return f.args[i]
		}
		i++
	}
	return ""
}

func (f *failure) Unwrap() error { return f.cause }

// exited reports whether git itself ended with the status.
func exited(err error, status int) bool {
	var f *failure
	return errors.As(err, &f) && f.status == status
}

// fixed holds the configuration that every run has. The hooks path is a
// directory that cannot exist; Git for Windows knows the name too.
func (g *Git) fixed(hooks bool) []string {
	wait := strconv.FormatInt(g.patience.Milliseconds(), 10)
	set := []string{
		"--no-pager",
		"-c", "core.fsmonitor=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "protocol.ext.allow=never",
		"-c", "core.filesRefLockTimeout=" + wait, "-c", "core.packedRefsTimeout=" + wait,
		"-c", "advice.addEmbeddedRepo=false",
	}
	if !hooks {
		set = append(set, "-c", "core.hooksPath=/dev/null")
	}
	if runtime.GOOS == "windows" {
		set = append(set, "-c", "core.longpaths=true")
	}
	return set
}

// run runs git and returns its standard output. The error is a *failure, or
// a *coord.Error when git is missing.
func (g *Git) run(ctx context.Context, c call) ([]byte, error) {
	path, err := g.executable(ctx)
	if err != nil {
		return nil, err
	}
	return g.start(ctx, path, c)
}

func (g *Git) start(ctx context.Context, path string, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(g.fixed(c.hooks), c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(append([]string{}, g.env...), c.env...)
	cmd.Stdin = bytes.NewReader(c.stdin)
	out := &bounded{most: mostOutput, stop: cancel}
	errs := &tail{limit: 32 << 10}
	cmd.Stdout, cmd.Stderr = out, errs
	err := runGroup(ctx, cmd)
	if err == nil && !out.over {
		return out.buf, nil
	}
	f := &failure{args: c.args, status: -1, stdout: out.buf, stderr: sanitise(errs.String()), cause: err}
	var exit *exec.ExitError
	if out.over {
		f.cause, f.stdout, f.stderr = fmt.Errorf("ended because it wrote more than %d MiB", mostOutput>>20), nil, ""
	} else if ctx.Err() != nil {
		f.cause = fmt.Errorf("ended after its deadline or an interruption: %w", ctx.Err())
	} else if errors.As(err, &exit) {
		f.status = exit.ExitCode()
		f.killed = f.status < 0
	}
	return nil, f
}

// runGroup runs cmd as a process group of its own, without a terminal, and
// ends the whole group when ctx ends.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	grp := newGroup(cmd)
	defer grp.close()
	cmd.Cancel = grp.ask
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return err
	}
	grp.started()
	err := cmd.Wait()
	if ctx.Err() != nil {
		grp.kill()
	}
	return err
}

// wrap turns a failed run into the error a caller sees. Cancellation and a
// missing git keep their own code. A git that was killed has answered nothing,
// whatever the caller takes its failure for.
func wrap(code coord.Code, err error, format string, args ...any) *coord.Error {
	var known *coord.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		code = coord.CodeUnavailable
	}
	var f *failure
	if errors.As(err, &f) && f.killed {
		return coord.Errorf(coord.CodeUnavailable, "%s: %w", fmt.Sprintf(format, args...), err).WithNext("the same command again")
	}
	return coord.Errorf(code, "%s: %w", fmt.Sprintf(format, args...), err)
}

// in runs git in the repository. The ceiling keeps git from picking an outer
// repository if this one has gone away meanwhile.
func (r *repo) in(ctx context.Context, c call) ([]byte, error) {
	c.dir = r.dir()
	if up := filepath.Dir(c.dir); !strings.ContainsRune(up, filepath.ListSeparator) {
		c.env = append([]string{"GIT_CEILING_DIRECTORIES=" + up}, c.env...)
	}
	return r.git.run(ctx, c)
}

func (r *repo) read(ctx context.Context, args ...string) ([]byte, error) {
	return r.in(ctx, call{args: args, limit: quick})
}

func (r *repo) work(ctx context.Context, args ...string) ([]byte, error) {
	return r.in(ctx, call{args: args, limit: work})
}
