package main

import "testing"

// What is printed to be typed is one word in cmd, PowerShell and bash alike:
// bash drops a backslash that is not quoted, and cmd knows no single quotes.
func TestCommandsOnWindows(t *testing.T) {
	for dir, want := range map[string]string{
		`..\pay.worktrees\pay-1`: "cd ../pay.worktrees/pay-1",
		`C:\Users\a\pay`:         "cd C:/Users/a/pay",
		`C:\My Work\pay`:         `cd "C:/My Work/pay"`,
	} {
		if got := enter(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
	for word, want := range map[string]string{
		"run again": `"run again"`, `C:\pay\a.md`: `"C:\pay\a.md"`, "it's": `"it's"`, "$x": "'$x'", "plain": "plain",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
	if got := nearPath(`C:\w\pay`, `C:\w\pay.worktrees\pay-1`); got != "../pay.worktrees/pay-1" {
		t.Error(got)
	}
}
