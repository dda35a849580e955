package proc

import (
	"strings"
	"testing"
)

// What is quoted in a command line reaches the program as one word, and the
// status of its last command is the line's.
func TestShellKeepsQuotes(t *testing.T) {
	tree, out := run(t, Command{Argv: Shell(`echo "a  b" & cmd /C "exit 7"`)})
	if e := tree.Wait(t.Context()); e.Exit != 7 || !strings.HasPrefix(out.text.String(), `"a  b"`) {
		t.Errorf("%+v, said %q", e, out.text.String())
	}
}

// A second line would not be run, so none is.
func TestShellRefusesSeveralLines(t *testing.T) {
	if tree, err := Start(Command{Argv: Shell("exit 0\nexit 1\n")}); err == nil {
		t.Errorf("it was started as %+v", tree.Process)
	}
	tree, _ := run(t, Command{Argv: Shell("exit 3\n")})
	if e := tree.Wait(t.Context()); e.Exit != 3 {
		t.Errorf("%+v", e)
	}
}
