package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

// TestI4_MergeReplay makes every merge of a generated history again, by Merge and by git
// merge in a work tree: with one outcome, the same tree or the same conflicts.
func TestI4_MergeReplay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links and executable files")
	}
	began := time.Now()
	n := 320
	if testing.Short() {
		n = 40
	}
	p := newPast(4, n)
	f := newFixture(t)
	f.run("config", "merge.kept.driver", "true") // keeps what is there
	oids := f.imported(p)
	var clean, criss int
	var mu sync.Mutex
	var wg sync.WaitGroup
	const hands = 2
	for h := range hands {
		wg.Go(func() {
			s := f.scratchTree(filepath.Join(filepath.Dir(f.dir), "scratch"+string(rune('0'+h))), oids[1])
			for i := h; i < len(p.merges); i += hands {
				m := p.merges[i]
				tree := s.same(oids[m.onto], oids[m.other])
				mu.Lock()
				if tree != "" {
					clean++
				}
				if m.bases > 1 {
					criss++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	conflicts := len(p.merges) - clean
	if clean < n/5 || conflicts < n/5 || criss < n/20 {
		t.Errorf("of %d merges %d are clean and %d have several bases: the history shows too little", len(p.merges), clean, criss)
	}
	t.Logf("proof: %d merges of a history of %d commits made again, %d clean and %d with conflicts, %d of them with several bases, each as git merge does it, in %s",
		len(p.merges), len(p.commits)-1, clean, conflicts, criss, time.Since(began).Round(time.Second))
}

// imported puts the history into the repository and gives its commits by mark.
func (f *fixture) imported(p *past) []OID {
	f.t.Helper()
	marks := filepath.Join(filepath.Dir(f.dir), "marks")
	cmd := exec.Command("git", "fast-import", "--quiet", "--export-marks="+marks)
	cmd.Dir, cmd.Env, cmd.Stdin = f.dir, f.env, &p.stream
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("fast-import: %v\n%s", err, out)
	}
	oids := make([]OID, len(p.commits))
	for line := range strings.Lines(readText(f.t, marks)) {
		mark, oid, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, ":")), " ")
		oids[number(f.t, mark)] = OID(oid)
	}
	return oids
}

// scratchTree is a work tree that a user merges in, and the repository beside it.
type scratchTree struct {
	*fixture
	dir  string
	repo Repo
}

func (f *fixture) scratchTree(dir string, at OID) scratchTree {
	f.run("worktree", "add", "-q", "--detach", dir, string(at))
	return scratchTree{f, dir, f.open()}
}

// same merges both ways and gives the tree, or "" where both conflict alike.
func (s scratchTree) same(onto, other OID) OID {
	who := Signature{Name: "Agent", Email: "agent@example.org", When: time.Unix(1_700_000_000, 0)}
	got, err := s.repo.Merge(s.t.Context(), MergeSpec{Onto: onto, Candidate: other, Strategy: coord.StrategyMerge, Message: "merge\n", Author: who, Committer: who})
	if err != nil {
		s.t.Errorf("merging %s into %s: %v", other.Short(), onto.Short(), err)
		return ""
	}
	tree, conflicts := s.merged(onto, other)
	if got.Tree != tree || !slices.Equal(got.Conflicts, conflicts) {
		s.t.Errorf("%s into %s: Merge gives tree %q and conflicts %q, git merge %q and %q", other.Short(), onto.Short(), got.Tree, got.Conflicts, tree, conflicts)
	}
	return tree
}

// pinned is what Merge sets, whatever the user's configuration says.
var pinned = []string{
	"-c", "core.attributesFile=/dev/null", "-c", "merge.renames=true", "-c", "diff.renames=true", "-c", "merge.directoryRenames=conflict",
	"-c", "merge.renameLimit=7000", "-c", "merge.renormalize=false", "-c", "merge.conflictStyle=merge",
}

// merged is git merge in the work tree.
func (s scratchTree) merged(onto, other OID) (tree OID, conflicts []string) {
	s.git("reset", "-q", "--hard", string(onto))
	s.git("clean", "-ffdxq")
	if out, err := s.try(s.dir, append(slices.Clone(pinned), "merge", "-q", "--no-ff", "--no-edit", string(other))...); err == nil {
		return OID(s.git("rev-parse", "HEAD^{tree}")), nil
	} else if !strings.Contains(out, "Automatic merge failed") {
		s.t.Errorf("git merge of %s into %s: %s", other.Short(), onto.Short(), out)
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(s.git("ls-files", "-u", "-z"), "\x00"), "\x00") {
		_, path, _ := strings.Cut(entry, "\t")
		if short, ok := strings.CutSuffix(path, "~HEAD"); ok { // what stands in another's way is named after its side
			path = short + "~" + string(onto)
		}
		conflicts = append(conflicts, path)
	}
	slices.Sort(conflicts)
	return "", slices.Compact(conflicts)
}

func (s scratchTree) git(args ...string) string {
	out, err := s.try(s.dir, args...)
	if err != nil {
		s.t.Errorf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
