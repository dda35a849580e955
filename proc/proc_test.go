package proc

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// output takes what a program prints, and tells when a line is there.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func newOutput() *output { return &output{news: make(chan struct{}, 100)} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	select {
	case o.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

// numbers waits for n process ids, a line each.
func (o *output) numbers(t *testing.T, n int) (ids []int) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		o.mu.Lock()
		ids = nil
		for line := range strings.Lines(o.text.String()) {
			if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
				ids = append(ids, id)
			}
		}
		o.mu.Unlock()
		if len(ids) >= n {
			return ids
		}
		select {
		case <-o.news:
		case <-limit:
			t.Fatalf("got %v, want %d process ids", ids, n)
		}
	}
}

func needShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for sh")
	}
}

func run(t *testing.T, c Command) (*Tree, *output) {
	t.Helper()
	out := newOutput()
	c.Out = out
	tree, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return tree, out
}

func TestProgramEndsByItself(t *testing.T) {
	needShell(t)
	for line, want := range map[string]int{"echo 1": 0, "exit 7": 7, "kill -9 $$": 128 + 9} {
		tree, _ := run(t, Command{Argv: Shell(line)})
		e := tree.Wait(t.Context())
		if e.Exit != want || e.Cause != "" || e.Held || (e.How == "") != (want == 0) {
			t.Errorf("%s: %+v, want %d", line, e, want)
		}
		if tree.Process.PID == 0 || tree.Process.Start == "" || Alive(tree.Process.PID, tree.Process.Start) {
			t.Errorf("%s: it is %+v", line, tree.Process)
		}
	}
}

func TestNothingIsStarted(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {filepath.Join(t.TempDir(), "missing")}} {
		if tree, err := Start(Command{Argv: argv}); err == nil {
			t.Errorf("%q was started as %+v", argv, tree.Process)
		}
	}
}

func TestProgramHasDirectoryEnvironmentAndNoInput(t *testing.T) {
	needShell(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, out := run(t, Command{Argv: Shell(`cat; pwd -P; echo "$X"; echo "$COORD_TREE" >&2`), Dir: dir, Env: []string{"X=y"}, Mark: "m1"})
	if e := tree.Wait(t.Context()); e.Exit != 0 {
		t.Errorf("%+v", e)
	}
	if got := out.text.String(); got != dir+"\ny\nm1\n" {
		t.Errorf("got %q", got)
	}
}

// TestTimeoutEndsTheWholeTree: children, and on Linux also those that left the
// session, with and without the environment that tells where they come from.
func TestTimeoutEndsTheWholeTree(t *testing.T) {
	needShell(t)
	line, n := `sleep 1000 & echo $!; trap "" TERM; (sleep 1001 & echo $!; wait) & wait; wait; sleep 1000`, 2
	if runtime.GOOS == "linux" {
		line = `setsid sleep 1002 & echo $!; (setsid sh -c 'echo $$; exec sleep 1003' &); env -i setsid sh -c 'echo $$; (/bin/sh -c "echo \$\$; exec sleep 1004" &) ; exec sleep 1005' & ` + line
		n += 4
	}
	tree, out := run(t, Command{Argv: Shell(line), Timeout: 500 * time.Millisecond, Mark: "timeout-" + strconv.Itoa(os.Getpid()), Alone: true})
	ids := out.numbers(t, n)
	if e := tree.Wait(t.Context()); e.Cause != CauseTimeout || e.Held {
		t.Errorf("%+v", e)
	}
	for _, id := range ids {
		if p, ok := Find(id); ok {
			t.Errorf("%+v is still there", p)
		}
	}
}

// TestNoGoroutineIsLeft, however a tree ends.
func TestNoGoroutineIsLeft(t *testing.T) {
	needShell(t)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		for _, c := range []Command{{Argv: Shell("true")}, {Argv: Shell("sleep 1000 & true")}, {Argv: Shell("sleep 1000"), Timeout: time.Millisecond}} {
			tree, _ := run(t, c)
			tree.Wait(t.Context())
		}
		tree, _ := run(t, Command{Argv: Shell("sleep 1000")})
		tree.Wait(ctx)
	}
	for n := 0; runtime.NumGoroutine() > before; n++ {
		if n == 1000 {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond) // one that is about to end has no other sign
	}
}

func TestCancelEndsTheTreeGently(t *testing.T) {
	needShell(t)
	ctx, cancel := context.WithCancel(t.Context())
	tree, out := run(t, Command{Argv: Shell(`trap 'echo tidied; exit 0' TERM; echo $$; while :; do sleep 0.05; done`)})
	out.numbers(t, 1)
	cancel()
	if e := tree.Wait(ctx); e.Cause != CauseCanceled {
		t.Errorf("%+v", e)
	}
	if !strings.Contains(out.text.String(), "tidied") {
		t.Errorf("it was not asked: %q", out.text.String())
	}
}

// TestNothingGoesOnAfterTheEnd: what a program leaves behind ends with it, and
// does not keep its output open.
func TestNothingGoesOnAfterTheEnd(t *testing.T) {
	needShell(t)
	tree, out := run(t, Command{Argv: Shell(`sleep 1000 & echo $!; exit 3`)})
	e := tree.Wait(t.Context())
	if e.Exit != 3 || e.Held || e.Cause != "" {
		t.Errorf("%+v", e)
	}
	if p, ok := Find(out.numbers(t, 1)[0]); ok {
		t.Errorf("%+v is still there", p)
	}
}

// TestOthersAreLeftAlone: a process of ours that is not the program's goes on.
func TestOthersAreLeftAlone(t *testing.T) {
	needShell(t)
	other := exec.Command("sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	tree, _ := run(t, Command{Argv: Shell("sleep 1000"), Timeout: time.Millisecond, Mark: "x"})
	second := exec.Command("sleep", "1000")
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Process.Kill(); _ = second.Wait() }()
	tree.Wait(t.Context())
	for _, c := range []*exec.Cmd{other, second} {
		if _, ok := Find(c.Process.Pid); !ok {
			t.Errorf("process %d, which is another's, was ended", c.Process.Pid)
		}
	}
}

func TestEndOfAnothersTree(t *testing.T) {
	needShell(t)
	mark := "end-" + strconv.Itoa(os.Getpid())
	line := `sleep 1000 & echo $!; wait`
	if runtime.GOOS == "linux" { // a tree within the tree has a mark of its own, and left the session
		line = `COORD_TREE=$COORD_TREE/inner setsid sh -c 'echo $$; exec sleep 1000' & wait`
	}
	tree, out := run(t, Command{Argv: Shell(line), Mark: mark})
	id := out.numbers(t, 1)[0]
	if End(Process{PID: tree.Process.PID, Start: "another"}, "") {
		t.Error("another start was taken for it")
	}
	if _, ok := Find(id); !ok {
		t.Fatal("another start ended it")
	}
	if !End(tree.Process, mark) {
		t.Error("nothing was ended")
	}
	if e := tree.Wait(t.Context()); e.Exit == 0 {
		t.Errorf("%+v", e)
	}
	if _, ok := Find(id); ok {
		t.Error("the child is still there")
	}
	if End(tree.Process, mark) {
		t.Error("something was ended twice")
	}
}

// TestAWriterThatFailsStopsNoProgram: a full disk costs the log, not the run.
func TestAWriterThatFailsStopsNoProgram(t *testing.T) {
	needShell(t)
	l, err := CreateLog(filepath.Join(t.TempDir(), "log"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	l.head.Close()
	tree, err := Start(Command{Argv: Shell(`i=0; while [ $i -lt 20000 ]; do echo 12345678901234567890; i=$((i+1)); done`), Out: l})
	if err != nil {
		t.Fatal(err)
	}
	if e := tree.Wait(t.Context()); e.Exit != 0 || e.Held {
		t.Errorf("%+v", e)
	}
}
