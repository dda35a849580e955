package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// links keeps what leads from a linked worktree to its repository and back
// readable for both sides: a program on Windows reads these files itself. In
// the worktree the way is relative, which every git reads and Git for Windows
// writes when it is told to (worktree.useRelativePaths). In the repository it
// is as Git for Windows writes it, except while git works on worktrees.
type links struct{ mu sync.Mutex }

// lend gives the links of the repository that holds dir the form that git on
// Linux reads, until the function that it returns is called. A git that works
// on other worktrees waits meanwhile.
func (l *links) lend(dir string, env []string, d drives) (giveBack func()) {
	l.mu.Lock()
	ask := exec.Command("git", "rev-parse", "--git-common-dir")
	ask.Dir, ask.Env = dir, env
	out, err := ask.Output()
	if err != nil {
		return l.mu.Unlock // git itself will say why
	}
	common := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	change(common, func(to, _ string) string { return d.unix(to) })
	return func() {
		change(common, func(to, gitDir string) string {
			shorten(to, gitDir)
			return string(d.windows([]byte(to)))
		})
		l.mu.Unlock()
	}
}

// change rewrites the way to each linked worktree of a repository.
func change(common string, to func(link, gitDir string) string) {
	files, _ := filepath.Glob(filepath.Join(common, "worktrees", "*", "gitdir")) // the pattern is a good one
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // pruned meanwhile
		}
		next := to(strings.TrimSpace(string(text)), filepath.Dir(f)) + "\n"
		if next != string(text) {
			replace(f, next)
		}
	}
}

// shorten makes the way from a worktree's .git file to gitDir a relative one.
func shorten(link, gitDir string) {
	text, err := os.ReadFile(link)
	if err != nil || !bytes.Equal(text, []byte("gitdir: "+gitDir+"\n")) {
		return
	}
	if way, err := filepath.Rel(filepath.Dir(link), gitDir); err == nil {
		replace(link, "gitdir: "+way+"\n")
	}
}

// replace changes a file at once for whoever reads it.
func replace(path, text string) {
	next := path + ".next"
	if os.WriteFile(next, []byte(text), 0o644) == nil {
		_ = os.Rename(next, path)
	}
}
