package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptTyped runs the command that the last one printed as what to do next,
// word for word.
func scriptTyped(ts *testscript.TestScript, _ bool, _ []string) {
	_, line, ok := strings.Cut("\n"+ts.ReadFile("stdout"), "\nnext      coord ")
	if !ok {
		ts.Fatalf("it names no command")
	}
	line, _, _ = strings.Cut(line, "\n")
	scriptCoord(ts, false, strings.Fields(line))
}
