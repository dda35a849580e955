package proc

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestAsAProgram is what the tests of this file run: a program that starts
// another one, and so on, each of which says who it is and waits.
func TestAsAProgram(t *testing.T) {
	depth := os.Getenv("PROC_TEST_DEPTH")
	if depth == "" {
		t.Skip("only as a program")
	}
	fmt.Println(os.Getpid())
	switch depth {
	case "0":
		time.Sleep(1000 * time.Second)
	case "exit":
		child(t, "0")
		os.Exit(3)
	default:
		child(t, "0")
		time.Sleep(1000 * time.Second)
	}
}

func child(t *testing.T, depth string) {
	c := exec.Command(os.Args[0], "-test.run=^TestAsAProgram$")
	c.Env = append(os.Environ(), "PROC_TEST_DEPTH="+depth)
	c.Stdout = os.Stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
}

func asProgram(depth string, timeout time.Duration) Command {
	return Command{Argv: []string{os.Args[0], "-test.run=^TestAsAProgram$"}, Env: append(os.Environ(), "PROC_TEST_DEPTH="+depth), Timeout: timeout, Mark: "portable"}
}

// TestATreeEndsOnEverySystem: by its time-out, and with its program.
func TestATreeEndsOnEverySystem(t *testing.T) {
	for _, c := range []struct {
		depth   string
		timeout time.Duration
		cause   Cause
	}{{"1", 4 * time.Second, CauseTimeout}, {"exit", 0, ""}} {
		tree, out := run(t, asProgram(c.depth, c.timeout))
		if !Alive(tree.Process.PID, tree.Process.Start) && c.depth == "1" {
			t.Errorf("%+v is not alive", tree.Process)
		}
		e := tree.Wait(t.Context())
		if e.Cause != c.cause || e.Held || c.cause == "" && e.Exit != 3 {
			t.Errorf("%s: %+v", c.depth, e)
		}
		ids := out.numbers(t, 1)
		if c.depth == "1" && len(ids) != 2 {
			t.Errorf("%s: processes %v", c.depth, ids)
		}
		for _, id := range ids {
			if p, ok := Find(id); ok {
				t.Errorf("%s: %+v is still there", c.depth, p)
			}
		}
	}
}
