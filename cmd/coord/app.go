package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"coord"
	"coord/gitops"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is one run of the binary: its streams, its environment, the flags that
// every verb has, and what verbs look up on the way, each at most once.
type app struct {
	std streams
	env environment

	json    bool   // --json
	dir     string // -C
	project string // --project
	task    string // --task

	second      string // word of the command line; a verb, where the first is a group
	told        bool   // a person named the server on the command line
	sessionName string // key of the session to act for; the harness's own when empty

	result output // what the verb ended with
	err    error

	git    *gitops.Git
	opened gitops.Repo
	found  *place
	conf   *Config
	dialed *connection
}

// run runs one command line and returns the exit status. An interruption ends
// the context; requests that are under way then end with status 7.
func run(args []string, std streams, env environment) int {
	a := &app{std: std, env: env, json: slices.Contains(args, "--json")}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot(a, args...)
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		return a.finish(output{}, usageError(cmd, args, err))
	}
	return a.finish(a.result, a.err)
}

// workDir is the directory that the command is about: -C, or the current one.
func (a *app) workDir() (string, error) {
	dir, err := filepath.Abs(a.dir) // of "" it is the current directory
	if err != nil {
		return "", coord.Errorf(coord.CodeSetup, "cannot tell the current directory: %w", err).WithNext("cd DIR")
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", coord.Errorf(coord.CodeSetup, "%s is not a directory", dir).WithNext("cd DIR")
	}
	return dir, nil
}

// gitOps is the installed git with this process's environment.
func (a *app) gitOps() *gitops.Git {
	if a.git == nil {
		a.git = gitops.New(a.env)
	}
	return a.git
}

// repo opens the repository of the working directory. It runs git; verbs that
// only talk to the server do without.
func (a *app) repo(ctx context.Context) (gitops.Repo, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	a.opened, err = a.gitOps().Open(ctx, dir)
	return a.opened, err
}
