package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"coord"
)

//go:embed demo/*.txtar
var demoFiles embed.FS

// demoLease is short, so that a killed agent's task is free again while one
// watches.
const demoLease = 3 * time.Second

// demoAgents race; each has its own clone, as on a machine of its own. The
// successor joins when one of them is killed, so that there is always a
// session that may review what the two others worked on.
var demoAgents = []string{"agent-a", "agent-b", "agent-c"}

const demoSuccessor = "agent-d"

// demoWorld is a bare remote, a clone per agent, and a server, all below one
// scratch directory.
type demoWorld struct {
	app  *app
	root string
	exe  string
	env  []string
	up   upResult
}

// upResult is the part of up's document that the demo shows.
type upResult struct {
	Dashboard string `json:"dashboard"`
	User      string `json:"user"`
	Password  string `json:"password"`
}

func newDemoWorld(a *app, root string) (*demoWorld, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot find the running program: %w", err)
	}
	env := a.env.without("COORD_SERVER", "COORD_TOKEN", "COORD_SESSION", "COORD_CONFIG_DIR", "XDG_STATE_HOME", "LocalAppData")
	env = append(env, "COORD_CONFIG_DIR="+filepath.Join(root, "config"),
		"XDG_STATE_HOME="+filepath.Join(root, "state"), "LocalAppData="+filepath.Join(root, "state"))
	return &demoWorld{app: a, root: root, exe: exe, env: env}, nil
}

func (w *demoWorld) clone(agent string) string { return filepath.Join(w.root, agent, "pay") }

// build makes the remote, the project, the server and the tasks.
func (w *demoWorld) build(ctx context.Context) error {
	w.app.say("a bare remote, a small Go project with six items in its BACKLOG.md, and a server, in %s", w.root)
	first := w.clone(demoAgents[0])
	remote := filepath.Join(w.root, "pay.git")
	if err := os.MkdirAll(first, 0o755); err != nil {
		return err
	}
	if err := w.gitAll(ctx, w.root, []string{"init", "-q", "--bare", "-b", "main", remote}, []string{"-C", first, "init", "-q", "-b", "main"}); err != nil {
		return err
	}
	if err := w.identify(ctx, first); err != nil {
		return err
	}
	if err := w.writeProject(first); err != nil {
		return err
	}
	if err := w.gitAll(ctx, first, []string{"remote", "add", "origin", remote}, []string{"add", "-A"},
		[]string{"commit", "-q", "-m", "Amounts of money"}, []string{"push", "-q", "-u", "origin", "main"}); err != nil {
		return err
	}
	if err := w.startServer(ctx, first); err != nil {
		return err
	}
	for _, agent := range append(demoAgents[1:len(demoAgents):len(demoAgents)], demoSuccessor) {
		if err := w.git(ctx, w.root, "clone", "-q", remote, w.clone(agent)); err != nil {
			return err
		}
		if err := w.identify(ctx, w.clone(agent)); err != nil {
			return err
		}
	}
	return nil
}

// identify gives a clone a committer of its own.
func (w *demoWorld) identify(ctx context.Context, dir string) error {
	agent := filepath.Base(filepath.Dir(dir))
	return w.gitAll(ctx, dir, []string{"config", "user.name", agent}, []string{"config", "user.email", agent + "@localhost"})
}

func (w *demoWorld) writeProject(dir string) error {
	text, err := demoFiles.ReadFile("demo/project.txtar")
	if err != nil {
		return err
	}
	for _, f := range txtar.Parse(text).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, configName), []byte("[[check]]\nname = \"test\"\nrun = [\"go\", \"test\", \"./...\"]\ntimeout = \"2m\"\n"), 0o644)
}

// startServer runs up, pushes its .coord.toml, and imports the backlog.
func (w *demoWorld) startServer(ctx context.Context, dir string) error {
	up, err := w.coord(ctx, dir, "operator", "up", "--json", "--lease", demoLease.String(), "--grace", "0s")
	if err != nil {
		return err
	}
	if err := up.decode(&w.up); err != nil {
		return err
	}
	if err := w.gitAll(ctx, dir, []string{"add", "-A"}, []string{"commit", "-q", "-m", "Share the work with coord"}, []string{"push", "-q"}); err != nil {
		return err
	}
	plan, err := w.coord(ctx, dir, "operator", "import", "--json", "BACKLOG.md")
	if err != nil {
		return err
	}
	var p coord.ImportPlan
	if err := plan.decode(&p); err != nil {
		return err
	}
	if _, err := w.coord(ctx, dir, "operator", "import", "--json", "BACKLOG.md", "--apply", planToken(p)); err != nil {
		return err
	}
	return w.admit(ctx, dir)
}

// admit makes what was imported as planned ready.
func (w *demoWorld) admit(ctx context.Context, dir string) error {
	listed, err := w.coord(ctx, dir, "operator", "task", "list", "--json", "--status", "planned")
	if err != nil {
		return err
	}
	var planned struct {
		Items []coord.Task `json:"items"`
	}
	if err := listed.decode(&planned); err != nil {
		return err
	}
	for _, t := range planned.Items {
		if _, err := w.coord(ctx, dir, "operator", "task", "edit", "--json", string(t.ID), "--admit", "-m", "it is agreed upon"); err != nil {
			return err
		}
	}
	return nil
}

// answer is what a coord command printed and how it ended.
type answer struct {
	doc    []byte
	status int
	agent  string
	args   string
}

// decode reads the data of the document.
func (r answer) decode(v any) error {
	var doc struct {
		Data  json.RawMessage `json:"data"`
		Error *coord.Error    `json:"error"`
	}
	if err := json.Unmarshal(r.doc, &doc); err != nil {
		return coord.Errorf(coord.CodeInternal, "coord %s of %s printed no document: %w", r.args, r.agent, err)
	}
	if doc.Error != nil {
		return doc.Error
	}
	return json.Unmarshal(doc.Data, v)
}

// run runs the real binary as an agent would and returns what it printed,
// whatever its status.
func (w *demoWorld) run(ctx context.Context, dir, agent string, args ...string) (answer, error) {
	cmd := exec.CommandContext(ctx, w.exe, args...)
	cmd.Dir, cmd.Env = dir, append(w.env[:len(w.env):len(w.env)], "COORD_SESSION="+agent)
	var out, chatter bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &chatter
	err := cmd.Run()
	r := answer{doc: out.Bytes(), agent: agent, args: strings.Join(args, " ")}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.status = exit.ExitCode()
	case err != nil:
		return r, err
	}
	return r, ctx.Err()
}

// coord is run for commands that must succeed.
func (w *demoWorld) coord(ctx context.Context, dir, agent string, args ...string) (answer, error) {
	r, err := w.run(ctx, dir, agent, args...)
	if err == nil && r.status != 0 {
		var nothing any
		if err = r.decode(&nothing); err == nil {
			err = coord.Errorf(coord.CodeInternal, "ended with status %d", r.status)
		}
		err = coord.Errorf(coord.CodeOf(err), "coord %s of %s: %w", r.args, agent, err)
	}
	return r, err
}

// git runs the agents' own git: what a person would type in the clone.
func (w *demoWorld) git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return coord.Errorf(coord.CodeSetup, "git %s: %w: %s", strings.Join(args, " "), err, coord.OneLine(string(out)))
	}
	return nil
}

func (w *demoWorld) gitAll(ctx context.Context, dir string, commands ...[]string) error {
	for _, args := range commands {
		if err := w.git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// tearDown stops the server and removes the scratch directory, which holds
// nothing that the demo did not make.
func (w *demoWorld) tearDown() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, _ = w.run(ctx, w.clone(demoAgents[0]), "operator", "down", "--json")
	_ = os.RemoveAll(w.root)
}
