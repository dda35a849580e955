package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing that others wrote makes the brief of a start longer than an agent
// reads, and its beginning is enough to begin: neither many short words nor
// few long ones.
func TestProofBrief(t *testing.T) {
	for name, pattern := range map[string]string{"prose": "word and ", "letters": "a ", "unbroken": "x", "hidden": "\u202e"} {
		t.Run(name, func(t *testing.T) {
			proveBrief(newProofWorld(t, proofConfig), func(n int) string {
				return "task" + strings.Repeat(pattern, (n-8)/len(pattern)) + "end."
			})
		})
	}
}

// proveBrief has a task claimed, submitted, reviewed and returned with as much
// text everywhere as is allowed; longText makes so many bytes.
func proveBrief(w *proofWorld, longText func(bytes int) string) {
	w.t.Helper()
	for i := range 30 {
		w.must("a", w.dir, "learn", longText(1900-i))
	}
	task := []string{"task", "new", longText(200), "--outcome", longText(16 << 10)}
	for i := range 50 {
		task = append(task, "--accept", fmt.Sprintf("%d %s", i, longText(1900)))
	}
	w.must("a", w.dir, task...)
	w.briefly("first", w.must("a", w.dir, "start", "--no-keeper"), "pay-1")

	first := filepath.Join(w.root, "pay.worktrees", "pay-1")
	w.write(first, "work.txt", "some\n")
	w.must("a", first, "checkpoint", "-m", longText(3900), "--next", longText(1900))
	w.must("a", first, "check")
	submit := []string{"submit", "--all", "-m", longText(7900)}
	for range 20 {
		submit = append(submit, "--lesson", longText(1900))
	}
	w.must("a", first, submit...)
	w.briefly("review", w.must("b", w.dir, "start", "--kind", "review", "--no-keeper"), "pay-2")

	reject := []string{"reject", "-m", longText(7900)}
	for i := range 50 {
		reject = append(reject, "--finding", fmt.Sprintf("%d %s", i, longText(1900)))
	}
	w.must("b", filepath.Join(w.root, "pay.worktrees", "pay-2"), reject...)
	w.briefly("returned", w.must("a", w.dir, "start", "--no-keeper"), "pay-1.2")
}

// briefly checks the budget of a brief, and that its first 1,500 bytes name
// the task, the worktree, what is asked, and the next command.
func (w *proofWorld) briefly(what, brief, worktree string) {
	w.t.Helper()
	if words := len(strings.Fields(brief)); words > 600 || len(brief) > 6000 {
		w.t.Errorf("%s: %d words, %d bytes", what, words, len(brief))
	}
	beginning := brief[:min(len(brief), 1500)]
	task, _, _ := strings.Cut(worktree, ".")
	for _, need := range []string{task + "  ", "\nworktree  ", worktree, "\naccept ", "\nnext      cd "} {
		if !strings.Contains("\n"+beginning, need) {
			w.t.Errorf("%s: the first 1,500 bytes lack %q:\n%s", what, need, beginning)
		}
	}
	parts := map[string][]string{
		"first": {"\nlessons   L", "\ncut "}, "review": {"\nsubmitted pay-1.s1 by a: "}, "returned": {"\nreturned  b: ", "\n          f1 required: 0 "},
	}
	for _, need := range append(parts[what], "coord task show "+task, "\nthen ") {
		if !strings.Contains(brief, need) {
			w.t.Errorf("%s lacks %q:\n%s", what, need, brief)
		}
	}
}
