package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func diffLines(a, b string) string {
	seen := map[string]bool{}
	for _, l := range strings.Split(a, "\n") {
		seen[l] = true
	}
	var out []string
	for _, l := range strings.Split(b, "\n") {
		if !seen[l] {
			out = append(out, "+ "+l)
		}
		delete(seen, l)
	}
	for l := range seen {
		out = append(out, "- "+l)
	}
	return strings.Join(out, "\n")
}

func TestV3_SnapshotRunsNothingOfTheRepository(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	trace := filepath.Join(f.home, "ran")
	script := "#!/bin/sh\necho ran >> '" + trace + "'\n"
	for _, hook := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor"} {
		f.write(".git/hooks/"+hook, script)
		chmod(f, ".git/hooks/"+hook, 0o755)
	}
	f.write("a", "b")
	f.run("config", "core.fsmonitor", f.path(".git/hooks/fsmonitor"))
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run hooks with")
	}
	f.run("status")
	if _, err := os.Stat(trace); err != nil {
		t.Fatal("the hooks of this test do not run at all")
	}
	if err := os.Remove(trace); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	must[OID](t)(r.Snapshot(t.Context()))
	must[[]Change](t)(r.Status(t.Context()))
	must[OID](t)(r.CommitSnapshot(t.Context(), "message"))
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: filepath.Join(f.home, "wt"), Branch: "b", Start: OID(f.run("-c", "core.fsmonitor=false", "rev-parse", "HEAD"))}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a hook or the fsmonitor ran")
	}
}
