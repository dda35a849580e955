package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

type jobs struct {
	*app
	open  bool
	limit int
}

func newJobs(a *app) *cobra.Command {
	o := &jobs{app: a}
	c := a.verb("jobs", "List the project's jobs, newest first; those of one task with --task", cobra.NoArgs, o.run)
	c.Flags().BoolVar(&o.open, "open", false, "only those that may still run")
	c.Flags().IntVar(&o.limit, "limit", 50, "at most `N` jobs, up to 200")
	return c
}

func (o *jobs) run(ctx context.Context, _ []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	if o.limit < 1 || o.limit > 200 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--limit takes 1 to 200, not %d", o.limit).WithNext("coord jobs --limit 200")
	}
	svc, err := o.either(ctx, false)
	if err != nil {
		return output{}, err
	}
	if _, origin, err := o.serverOrigin(); err == nil {
		o.reconcile(ctx, origin)
	}
	all, err := svc.ListJobs(ctx, coord.JobQuery{Project: project, Task: coord.TaskID(o.task), Open: o.open, Limit: o.limit})
	if err != nil {
		return output{}, err
	}
	return output{kind: "jobs", data: listOf(all, ""), text: func(w io.Writer) {
		if len(all) == 0 {
			such := ""
			if o.task != "" || o.open {
				such = "such "
			}
			fmt.Fprintf(w, "no %sjob in %s\n", such, project)
		}
		columns(w, func(w io.Writer) {
			for _, j := range all {
				fmt.Fprintln(w, jobRow(j))
			}
		})
	}}, nil
}

// jobRow is a job on one line.
func jobRow(j coord.Job) string {
	return row(string(j.ID), jobState(j), string(j.Task), clip(j.Name, 40), clip(j.Machine, 30), "seen "+day(j.ObservedAt))
}

// jobState is the state with what makes it doubtful.
func jobState(j coord.Job) string {
	s := strings.ReplaceAll(string(j.State), "_", " ")
	if j.Conflict {
		s += ", contradicted"
	}
	return s
}

func newJob(a *app) *cobra.Command {
	return a.group("job", "Show jobs, stop and wait for them, answer for those that an earlier attempt left, and settle those that nobody observes",
		newJobSettle(a),
		a.verb("show JOB", "Show a job with what was seen of it", cobra.ExactArgs(1), a.jobShow),
		newJobLog(a), newJobWait(a),
		a.verb("stop JOB", "End a job of this machine with all that it started", cobra.ExactArgs(1), a.jobStop),
		a.verb("adopt [JOB]...", "Answer for jobs that an earlier attempt at the task left: the named, or all", cobra.ArbitraryArgs, a.jobAdopt))
}

func (a *app) jobShow(ctx context.Context, args []string) (output, error) {
	c, err := a.connect()
	if err != nil {
		return output{}, err
	}
	a.reconcile(ctx, c.server)
	j, err := a.look(ctx, coord.JobID(args[0]))
	if err != nil {
		return output{}, err
	}
	return output{kind: "job", data: j, text: func(w io.Writer) {
		writeJob(w, j.Job)
		if j.Log != "" {
			field(w, "log", "%s", j.Log)
		}
		if j.Local != "" {
			field(w, "here", "%s", j.Local)
		}
	}}, nil
}

func writeJob(w io.Writer, j coord.Job) {
	fmt.Fprintf(w, "%s  %s\n", j.ID, coord.OneLine(j.Name))
	field(w, "state", "%s", jobState(j))
	field(w, "task", "%s, answered for by %s", j.Task, j.Attempt)
	field(w, "machine", "%s", coord.OneLine(j.Machine))
	if p := j.Process; p != nil {
		field(w, "process", "%d, started %s", p.PID, coord.OneLine(p.Start))
	}
	if j.External != "" {
		field(w, "external", "%s", coord.OneLine(j.External))
	}
	field(w, "since", "%s", day(j.RegisteredAt))
	field(w, "seen", "%s, and within every %s", day(j.ObservedAt), j.ObserveEvery)
	if j.EndedAt != nil {
		field(w, "ended", "%s%s", day(*j.EndedAt), exitText(j.Exit))
	}
	if e := j.Settled; e != nil {
		field(w, "settled", "by %s at %s: %s", coord.OneLine(e.By), day(e.At), coord.OneLine(e.Note))
	}
	if j.State == coord.JobUnknown {
		field(w, "next", "coord job settle %s --as interrupted -m EVIDENCE", j.ID)
	}
	if e := j.Evidence; e != nil {
		field(w, "not so", "%s%s, said %s at %s: %s %s", e.State, exitText(e.Exit), coord.OneLine(e.By), day(e.At), e.Effect, coord.OneLine(e.Note))
	}
}

func exitText(exit *int) string {
	if exit == nil {
		return ""
	}
	return fmt.Sprintf(", exit status %d", *exit)
}

func (a *app) jobAdopt(ctx context.Context, args []string) (output, error) {
	d, b, err := a.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	got, err := d.Adopt(ctx, b, work.Adoption{Jobs: true, Names: args})
	if err != nil {
		return output{}, err
	}
	return output{kind: "obligations", data: got, text: func(w io.Writer) {
		for _, j := range got.Jobs {
			fmt.Fprintf(w, "%s is %s's now: %s, %s\n", j.ID, j.Attempt, clip(j.Name, 60), jobState(j))
		}
		if len(got.Reservations) > 0 {
			fmt.Fprintf(w, "with it %s\n", inUnits(got.Reservations))
		}
	}}, nil
}

// writeObligations prints what is still open for a task: jobs that may run and
// reservations.
func writeObligations(w io.Writer, o coord.Obligations) {
	var running, held []string
	for _, j := range o.Jobs {
		running = append(running, jobRow(j))
	}
	for _, n := range o.Reservations {
		held = append(held, row(string(n.ID), inUnits([]coord.Reservation{n}), n.Holder, string(n.Attempt), string(n.Job), day(n.At)))
	}
	section(w, "jobs", running)
	section(w, "reservations", held)
}

// leftText says in one line what earlier attempts left, "" for nothing.
func leftText(o coord.Obligations) string {
	var parts []string
	if len(o.Jobs) > 0 {
		parts = append(parts, plural(len(o.Jobs), "job")+" that may run: coord job adopt")
	}
	if len(o.Reservations) > 0 {
		parts = append(parts, clip(inUnits(o.Reservations), 60)+" still held: coord reserve --adopt")
	}
	return strings.Join(parts, "; ")
}
