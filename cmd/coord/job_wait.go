package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

// newJobWait waits for a job's end.
func newJobWait(a *app) *cobra.Command {
	var timeout time.Duration
	c := a.verb("wait JOB", "Wait until a job has ended; its failure is this command's", cobra.ExactArgs(1), func(ctx context.Context, args []string) (output, error) {
		return a.jobWait(ctx, coord.JobID(args[0]), timeout)
	})
	c.Flags().DurationVar(&timeout, "timeout", 24*time.Hour, "wait at most `DURATION`")
	return c
}

func (a *app) jobWait(ctx context.Context, id coord.JobID, timeout time.Duration) (output, error) {
	wait, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := a.connect()
	if err != nil {
		return output{}, err
	}
	for {
		a.reconcile(wait, c.server)
		j, err := a.look(wait, id)
		if err != nil && wait.Err() == nil {
			return output{}, err
		}
		if j.State.Final() {
			return waited(j), nil
		}
		if wait.Err() == nil {
			err = a.awaitJob(wait, j)
		}
		switch {
		case ctx.Err() != nil:
			return output{}, ctx.Err()
		case wait.Err() != nil:
			return output{}, coord.Errorf(coord.CodeNothingEligible, "%s has not ended within %s", id, timeout).WithNext("coord job wait " + string(id))
		case err != nil:
			return output{}, err
		}
	}
}

// waited is a job that has ended. One that did not succeed is no success of
// the command that waited for it.
func waited(j launched) output {
	out := output{kind: "job", data: j, text: func(w io.Writer) { fmt.Fprintln(w, jobLine(j)) }}
	if j.State != coord.JobSucceeded {
		out.err = coord.Errorf(coord.CodeCheckFailed, "%s is %s%s", j.ID, jobState(j.Job), exitText(j.Exit)).WithNext("coord job log "+string(j.ID), "coord job show "+string(j.ID))
	}
	return out
}

// awaitJob returns when there may be news: when the job's guardian here has
// ended, or at the next event of the project. A job that nobody watches any
// more has none to come.
func (a *app) awaitJob(ctx context.Context, j launched) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	if d, here := a.localJob(c.server, j.ID); here {
		if d.guarded() || d.has(fileIdentity) && !d.has(fileDelivered) {
			pauseFor(ctx, stopEvery)
			for d.guarded() && !d.has(fileResult) && pauseFor(ctx, stopEvery) {
			}
			return nil
		}
		return coord.Errorf(coord.CodeStateConflict, "%s is %s, and nobody watches it any more: %s", j.ID, jobState(j.Job), j.Local).WithNext("coord job show " + string(j.ID))
	}
	after, err := seqOr(ctx, c, j.Project, -1)
	if err != nil {
		return err
	}
	_, err = c.WaitEvents(ctx, j.Project, after)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
