package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"coord"
	"coord/worktree"
)

// place is where a command works, found by looking at files alone: a verb
// that only talks to the server runs no git.
type place struct {
	dir    string // the working directory
	root   string // top of the work tree; empty outside any
	gitDir string // the work tree's own Git directory; empty outside any
}

// place looks upward for .git, which is a directory in a main work tree and a
// file in a linked one (gitrepository-layout(5)).
func (a *app) place() (place, error) {
	if a.found != nil {
		return *a.found, nil
	}
	dir, err := a.workDir()
	if err != nil {
		return place{}, err
	}
	p := place{dir: dir}
	for at := dir; ; at = filepath.Dir(at) {
		if gitDir := gitDirOf(at); gitDir != "" {
			p.root, p.gitDir = at, gitDir
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	a.found = &p
	return p, nil
}

// gitDirOf is the Git directory of the work tree with its top at dir, or "".
func gitDirOf(dir string) string {
	dotGit := filepath.Join(dir, ".git")
	st, err := os.Stat(dotGit)
	if err != nil {
		return ""
	}
	if st.IsDir() {
		return dotGit
	}
	text, err := os.ReadFile(dotGit)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// config reads .coord.toml once; without one it is the zero Config.
func (a *app) config() (Config, error) {
	if a.conf != nil {
		return *a.conf, nil
	}
	p, err := a.place()
	if err != nil {
		return Config{}, err
	}
	root := p.root
	if root == "" {
		root = p.dir // outside a repository nothing above is ours to read
	}
	c, err := loadConfig(p.dir, root)
	if err != nil {
		return Config{}, err
	}
	a.conf = &c
	return c, nil
}

// binding is the attempt that the working directory's worktree serves, the
// zero one when it serves none.
func (a *app) binding() (worktree.Binding, error) {
	p, err := a.place()
	if err != nil || p.gitDir == "" {
		return worktree.Binding{}, err
	}
	b, err := worktree.Load(p.gitDir)
	if errors.Is(err, fs.ErrNotExist) {
		return worktree.Binding{}, nil
	}
	return b, err
}

// serverURL is the server to talk to: COORD_SERVER, .coord.toml, or what the
// worktree was started with.
func (a *app) serverURL() (string, error) {
	if s := a.env.get("COORD_SERVER"); s != "" {
		return s, nil
	}
	c, err := a.config()
	if err != nil || c.Server != "" {
		return c.Server, err
	}
	b, err := a.binding()
	if err != nil || b.Server != "" {
		return b.Server, err
	}
	return "", a.notSetUp("server")
}

// projectKey is the project to work in: --project, that of --task,
// .coord.toml, or what the worktree was started with.
func (a *app) projectKey() (coord.ProjectKey, error) {
	if a.project != "" {
		k := coord.ProjectKey(a.project)
		return k, k.Validate()
	}
	if k := coord.TaskID(a.task).Project(); k != "" {
		return k, nil
	}
	c, err := a.config()
	if err != nil || c.Project != "" {
		return c.Project, err
	}
	b, err := a.binding()
	if err != nil || b.Project != "" {
		return b.Project, err
	}
	return "", a.notSetUp("project")
}

// notSetUp says that no server or project is named here, and how to get one.
func (a *app) notSetUp(what string) error {
	c, _ := a.config()
	p, _ := a.place()
	switch {
	case c.Path != "":
		return coord.Errorf(coord.CodeSetup, "%s names no %s; nothing was done", c.Path, what).WithNext("coord up", "coord init --server URL")
	case p.root == "":
		return coord.Errorf(coord.CodeSetup, "%s is not in a Git repository, so no %s is known; nothing was done", p.dir, what).
			WithNext("cd REPOSITORY", "coord up")
	}
	return coord.Errorf(coord.CodeSetup, "%s has no %s, so no %s is known; nothing was done", p.root, configName, what).
		WithNext("coord up", "coord init --server URL")
}
