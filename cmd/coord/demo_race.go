package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"coord"
)

// demoSaved is the line by which the agent that is to be killed says that
// its checkpoint is pushed.
const demoSaved = "saved"

// demoLimit bounds the whole race.
const demoLimit = 3 * time.Minute

// race runs the agents as processes of their own, kills one, tells the story
// from the event log, and waits for the others.
func (w *demoWorld) race(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	teller, stopTelling := context.WithCancel(ctx)
	told := make(chan error, 1)
	go func() { told <- w.tell(teller) }()
	ended := make(chan error, len(demoAgents))
	for _, agent := range demoAgents {
		go func() { ended <- w.agent(ctx, agent) }()
	}
	var errs []error
	for range demoAgents {
		errs = append(errs, <-ended)
	}
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	stopTelling()
	if errs = append(errs, <-told); late {
		return coord.Errorf(coord.CodeInternal, "the agents did not finish within %s", demoLimit)
	}
	return errors.Join(errs...)
}

// agent runs one agent's process to its end. The one that says its checkpoint
// is saved is killed, without warning, and its successor runs instead.
func (w *demoWorld) agent(ctx context.Context, name string) error {
	cmd := exec.CommandContext(ctx, w.exe, "demo", "agent", name, "--root", w.root)
	cmd.Dir, cmd.Env = w.clone(name), append(w.env[:len(w.env):len(w.env)], "COORD_SESSION="+name)
	var chatter strings.Builder
	cmd.Stderr = &chatter
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	killed := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == demoSaved {
			killed = true
			w.app.say("kill -9 %s: it has pushed a checkpoint and will never be heard of again", name)
			_ = cmd.Process.Kill() // Wait reports how it ended
		}
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	if killed {
		w.app.say("%s joins in its place", demoSuccessor)
		return w.agent(ctx, demoSuccessor)
	}
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "%s ended: %w: %s", name, err, coord.OneLine(chatter.String()))
	}
	return nil
}

// tell prints each event as it happens, until ctx ends.
func (w *demoWorld) tell(ctx context.Context) error {
	svc, err := w.service(ctx, "operator")
	if err != nil {
		return err
	}
	began, after := wallClock(), coord.Seq(0)
	for {
		events, err := svc.WaitEvents(ctx, "pay", after)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Seq
			if text := storyLine(e); text != "" {
				w.app.say("%.1f s  %s", wallClock().Sub(began).Seconds(), text)
			}
		}
	}
}

// storyLine is an event worth telling; the log's own sentence tells it.
func storyLine(e coord.Event) string {
	switch e.Kind {
	case coord.EventProjectCreated, coord.EventSessionOpened, coord.EventWorktreeBound,
		coord.EventTaskCreated, coord.EventTaskClosed, coord.EventLandingHeld, coord.EventLandingPermitted:
		return "" // told well enough by the events around them
	}
	return clip(e.Text, 140)
}

// service is the server as a session of the demo reaches it.
func (w *demoWorld) service(ctx context.Context, session string) (coord.Service, error) {
	inner := &app{std: w.app.std, env: append(w.env[:len(w.env):len(w.env)], "COORD_SESSION="+session), dir: w.clone(demoAgents[0])}
	return inner.service(ctx)
}
