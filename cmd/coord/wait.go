package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

// waitOptions are the flags of wait.
type waitOptions struct {
	what    string
	timeout time.Duration
	after   int64
}

func newWait(a *app) *cobra.Command {
	var o waitOptions
	c := a.verb("wait [TASK]", "wait until something happens, without polling", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.wait(ctx, o, args)
	})
	f := c.Flags()
	f.StringVar(&o.what, "for", "", "a status of the task or the kind of an event, as `WHAT`: ready, done, decision.answered; without it until the task is closed, or any event")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "give up after `DURATION`, with exit status 8")
	f.Int64Var(&o.after, "after", -1, "events count from after `SEQUENCE`; from now when left out")
	return c
}

func (a *app) wait(ctx context.Context, o waitOptions, args []string) (output, error) {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	w := waitFor{svc: svc, project: project, what: o.what, after: coord.Seq(o.after)}
	if ref := a.taskArg(args); ref != "" {
		if w.task, err = a.taskNamed(ctx, svc, ref); err != nil {
			return output{}, err
		}
		w.project = w.task.Project()
	}
	if err := w.check(o.timeout); err != nil {
		return output{}, err
	}
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	out, err := w.run(limited)
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) && (err == nil && out.kind == "" || errors.Is(err, context.DeadlineExceeded)) {
		return output{}, coord.Errorf(coord.CodeNothingEligible, "%s within %s", w.missed(), o.timeout).WithNext(w.again(), "coord next")
	}
	return out, err
}

// waitFor is what a wait is for.
type waitFor struct {
	svc     coord.Service
	project coord.ProjectKey
	task    coord.TaskID
	what    string
	after   coord.Seq // -1: from now
}

var statuses = []coord.Status{
	coord.StatusPlanned, coord.StatusReady, coord.StatusInProgress, coord.StatusWaitingReview, coord.StatusWaitingIntegration, coord.StatusIntegrating,
	coord.StatusValidating, coord.StatusBlocked, coord.StatusRecoveryRequired, coord.StatusDone, coord.StatusCanceled, coord.StatusSuperseded,
}

// forStatus reports whether the wait is for a task's status rather than for
// an event.
func (w waitFor) forStatus() bool {
	return w.task != "" && !strings.Contains(w.what, ".")
}

// missed says what did not happen.
func (w waitFor) missed() string {
	of := ""
	if w.task != "" {
		of = " of " + string(w.task)
	}
	switch {
	case w.forStatus() && w.what == "":
		return string(w.task) + " was not closed"
	case w.forStatus():
		return string(w.task) + " was not " + w.what
	case w.what == "":
		return "no event" + of
	}
	return "no " + w.what + of
}

// again is the command that was typed.
func (w waitFor) again() string {
	s := "coord wait"
	if w.task != "" {
		s += " " + string(w.task)
	}
	if w.what != "" {
		s += " --for " + w.what
	}
	return s
}

func (w waitFor) check(timeout time.Duration) error {
	switch {
	case timeout <= 0:
		return coord.Errorf(coord.CodeBadRequest, "--timeout takes a duration such as 10m; nothing was done")
	case w.what == "":
		return nil
	case strings.Contains(w.what, "."):
		return w.among("a kind of event", spelt(coord.EventKinds()))
	case w.task == "":
		return coord.Errorf(coord.CodeBadRequest, "a status is a task's, and none is named; nothing was done").WithNext("coord wait TASK --for "+w.what, "coord wait --for task.closed")
	}
	return w.among("a status of a task", spelt(statuses))
}

// among refuses what is none of the words: it would never come. What may have
// been meant is the next command.
func (w waitFor) among(what string, all []string) error {
	if slices.Contains(all, w.what) {
		return nil
	}
	var next []string
	near := nearest(w.what, all)
	for _, word := range near {
		next = append(next, waitFor{task: w.task, what: word}.again())
	}
	meant := ""
	if len(near) > 0 {
		meant = ", and the nearest is " + strings.Join(near, " or ")
	}
	return coord.Errorf(coord.CodeBadRequest, "%q is not %s%s; nothing was done; there are %s", w.what, what, meant, strings.Join(all, ", ")).
		WithNext(append(next, "coord wait --help")...)
}

func spelt[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, x := range all {
		out[i] = string(x)
	}
	return out
}

func (w waitFor) run(ctx context.Context) (output, error) {
	if w.forStatus() {
		return w.untilStatus(ctx)
	}
	return w.untilEvent(ctx)
}

// untilStatus reads the task, and again whenever something happens in its
// project: the end of another task may be what it waits for. A lease that runs
// out is no event, so its end is waited for too.
func (w waitFor) untilStatus(ctx context.Context) (output, error) {
	for {
		d, err := w.svc.Task(ctx, w.task)
		if err != nil {
			return output{}, err
		}
		if w.what == "" && d.Lifecycle.Closed() || coord.Status(w.what) == d.Status {
			t := d.Task
			return output{kind: "task", data: t, text: func(out io.Writer) { fmt.Fprintf(out, "%s %s\n", t.ID, standing(t)) }}, nil
		}
		if d.Lifecycle.Closed() {
			return output{}, coord.Errorf(coord.CodeStateConflict, "%s is %s and will not become %s", w.task, d.Status, w.what).WithNext("coord task show " + string(w.task))
		}
		if err := w.news(ctx, d); err != nil || ctx.Err() != nil {
			return output{}, err
		}
	}
}

// news returns at the next event of the project, or when the lease on the task
// ends.
func (w waitFor) news(ctx context.Context, d coord.TaskDetail) error {
	for _, a := range d.Attempts {
		if a.Standing == coord.StandingLive {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(a.Lease.RemainingMS+1)*time.Millisecond)
			defer cancel()
		}
	}
	_, err := w.svc.WaitEvents(ctx, w.project, d.AsOf)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w waitFor) untilEvent(ctx context.Context) (output, error) {
	after, err := seqOr(ctx, w.svc, w.project, w.after)
	if err != nil {
		return output{}, err
	}
	for {
		events, err := w.svc.WaitEvents(ctx, w.project, after)
		if err != nil || ctx.Err() != nil && len(events) == 0 {
			return output{}, err
		}
		for _, e := range events {
			after = e.Seq
			if (w.task == "" || e.Task == w.task) && (w.what == "" || string(e.Kind) == w.what) {
				return eventOutput(e), nil
			}
		}
	}
}

// seqOr is the sequence to start behind: the given one, or the latest now.
func seqOr(ctx context.Context, svc coord.Service, project coord.ProjectKey, given coord.Seq) (coord.Seq, error) {
	if given >= 0 {
		return given, nil
	}
	page, err := svc.ListTasks(ctx, coord.TaskQuery{Project: project, Limit: 1})
	return page.AsOf, err
}

// eventOutput is an event as wait and watch print it.
func eventOutput(e coord.Event) output {
	return output{kind: "event", data: e, text: func(w io.Writer) {
		fmt.Fprintf(w, "%d  %s  %s  %s\n", e.Seq, day(e.At), e.Kind, coord.OneLine(e.Text))
	}}
}
