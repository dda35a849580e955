package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size of the generated repository.
const (
	largeFiles   = 25_000
	largeCommits = 5_000
)

// BenchmarkLargeRepository does each stage of a task in a repository of 25,000
// files and 5,000 commits, with coord and by hand with git, in turns, and
// compares the medians. The files are new to the page cache of neither. What
// is done by hand is the least that gives the same in Git: no record, no lock,
// no reading back.
//
//	go test ./cmd/coord -run '^$' -bench LargeRepository -benchtime 7x
func BenchmarkLargeRepository(b *testing.B) {
	w := newLargeWorld(b)
	w.round(b, 0)
	w.stages = nil
	n := 0
	for b.Loop() {
		n++
		w.round(b, n)
	}
	var table strings.Builder
	for _, s := range w.stages {
		x := ratio(s.coord.wall, s.hand.wall)
		goal := "none"
		if s.goal > 0 {
			goal = fmt.Sprintf("%.1fx", s.goal)
		}
		fmt.Fprintf(&table, "\n%-16s coord %8.1f ms   by hand %8.1f ms  %5.2fx (goal %s)   most memory %3d MiB", s.name, ms(median(s.coord.wall)), ms(median(s.hand.wall)), x, goal, s.memory>>20)
		b.ReportMetric(x, strings.ReplaceAll(s.name, " ", "-")+"-x")
	}
	b.Logf("medians of %d rounds, %d files, %d commits; memory is the largest resident set of a process%s", b.N, largeFiles, largeCommits, table.String())
}

// stage is one step of a task, done with coord and by hand.
type stage struct {
	name        string
	goal        float64 // at most so many times by hand; 0 for none
	coord, hand timed
	memory      int64 // bytes, of the largest process that coord's command was or waited for
}

type largeWorld struct {
	*benchWorld
	root   string
	stages []*stage
}

// newLargeWorld is the repository with its remote, a server, and a project
// without review.
func newLargeWorld(b *testing.B) *largeWorld {
	w := &largeWorld{benchWorld: newBenchWorldAt(b)}
	w.root = filepath.Dir(w.dir)
	w.git(b, w.root, "init", "-q", "--bare", "pay.git")
	w.git(b, w.dir, "init", "-q", "-b", "main")
	load := w.command(w.dir, "git", "fast-import", "--quiet")
	load.Stdin = bytes.NewReader(largeHistory())
	if out, err := load.CombinedOutput(); err != nil {
		b.Fatalf("fast-import: %v\n%s", err, out)
	}
	w.git(b, w.dir, "reset", "-q", "--hard")
	w.git(b, w.dir, "repack", "-adq")
	w.git(b, w.dir, "remote", "add", "origin", filepath.Join(w.root, "pay.git"))
	w.git(b, w.dir, "push", "-q", "-u", "origin", "main")
	if err := os.WriteFile(filepath.Join(w.dir, configName), []byte(proofConfig), 0o644); err != nil {
		b.Fatal(err)
	}
	w.run(b, &timed{args: []string{binary, "up", "--review", "none"}})
	w.git(b, w.dir, "add", "-A")
	w.git(b, w.dir, "commit", "-qm", "Use coord")
	w.git(b, w.dir, "push", "-q")
	w.takeDown(b)
	return w
}

// largeHistory is a fast-import stream: every commit adds five files and
// changes three.
func largeHistory() []byte {
	var in bytes.Buffer
	body := strings.Repeat("some line of a file that is neither long nor short\n", 15)
	file := func(k, commit int) {
		text := fmt.Sprintf("%d %d\n%s", k, commit, body)
		fmt.Fprintf(&in, "M 644 inline src/d%02d/p%02d/f%d.go\ndata %d\n%s\n", k%50, k/50%50, k, len(text), text)
	}
	for i := range largeCommits {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 7\nmessage\n", 1700000000+i*60)
		per := largeFiles / largeCommits
		for n := range per {
			file(i*per+n, i)
		}
		for n := range min(i, 3) {
			file(i*7919%(i*per)+n, i)
		}
		in.WriteString("\n")
	}
	return in.Bytes()
}

// round takes one task from its start to its landing, twice.
func (w *largeWorld) round(b *testing.B, n int) {
	task := fmt.Sprintf("pay-%d", 2*n+1) // each task brings its integration
	tree, hand := filepath.Join(w.root, "pay.worktrees", task), filepath.Join(w.root, "hand", task)
	w.run(b, &timed{args: []string{binary, "task", "new", "--same-title", "Measure"}})
	w.stage(b, "start", 1.5, w.dir, []string{binary, "start", task},
		w.dir, []string{"git", "worktree", "add", "-q", "-b", "hand-" + task, hand, "origin/main"})
	for _, dir := range []string{tree, hand} {
		w.write(b, dir, fmt.Sprintf("src/d07/p07/new%d.go", n), "package new\n")
		w.write(b, dir, "src/d00/p00/f0.go", fmt.Sprintf("changed %d\n", n))
	}
	w.stage(b, "status", 1.3, tree, []string{binary, "status"}, hand, []string{"git", "status"})
	w.stage(b, "snapshot", 0, tree, []string{binary, "snapshot"}, hand, byHand(
		`cp "$(git rev-parse --git-path index)" ../index && export GIT_INDEX_FILE=$PWD/../index && git add -A && git write-tree`))
	w.stage(b, "checkpoint", 1.5, tree, []string{binary, "checkpoint", "-m", "saved"}, hand, byHand(
		`cp "$(git rev-parse --git-path index)" ../index && export GIT_INDEX_FILE=$PWD/../index && git add -A &&
		c=$(git commit-tree -p HEAD -m saved $(git write-tree)) && git push -q origin $c:refs/hand/`+task))
	w.runIn(b, tree, &timed{args: []string{binary, "check"}})
	w.runIn(b, tree, &timed{args: []string{binary, "submit", "--all", "-m", "Measure"}})
	w.git(b, hand, "add", "-A")
	w.git(b, hand, "commit", "-qm", "Measure")
	w.move(b, n) // so that there is something to merge
	w.stage(b, "land", 0, w.dir, []string{binary, "integrate", task}, w.dir, byHand(
		`git fetch -q && tip=$(git rev-parse origin/main~1) && t=$(git merge-tree --write-tree $tip hand-`+task+`) &&
		c=$(git commit-tree -p $tip -p hand-`+task+` -m land $t) && git worktree add -q --detach ../hand/merged $c && git -C ../hand/merged --version >../hand/log &&
		git push -q origin $c:refs/hand/landed-`+task+` && git worktree remove --force ../hand/merged`))
	w.git(b, w.dir, "worktree", "remove", "--force", hand)
	w.run(b, &timed{args: []string{binary, "prune"}})
}

// byHand is what a person would type, in a shell that costs a millisecond.
func byHand(script string) []string { return []string{"sh", "-ec", script} }

// move lands a commit from outside on the target.
func (w *largeWorld) move(b *testing.B, n int) {
	w.git(b, w.dir, "pull", "-q", "--ff-only")
	w.write(b, w.dir, fmt.Sprintf("src/d09/p09/outside%d.go", n), "package outside\n")
	w.git(b, w.dir, "add", "-A")
	w.git(b, w.dir, "commit", "-qm", "Outside")
	w.git(b, w.dir, "push", "-q")
}

func (w *largeWorld) stage(b *testing.B, name string, goal float64, dir string, args []string, handDir string, hand []string) {
	var s *stage
	for _, known := range w.stages {
		if known.name == name {
			s = known
		}
	}
	if s == nil {
		s = &stage{name: name, goal: goal}
		w.stages = append(w.stages, s)
	}
	s.coord.args, s.hand.args = args, hand
	s.memory = max(s.memory, w.runIn(b, dir, &s.coord))
	w.runIn(b, handDir, &s.hand)
}

func (w *largeWorld) write(b *testing.B, dir, name, text string) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		b.Fatal(err)
	}
}

func (w *benchWorld) git(b *testing.B, dir string, args ...string) {
	w.runIn(b, dir, &timed{args: append([]string{"git"}, args...)})
}
