package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

// submission are the flags of submit.
type submission struct {
	*app
	o                        work.SubmitOptions
	evidence, resolved, with []string
	amend                    []string
	amendReason              string
}

func newSubmit(a *app) *cobra.Command {
	s := &submission{app: a}
	c := a.verb("submit", "hand the worktree's commit over for review and landing", cobra.NoArgs, s.run)
	f := c.Flags()
	f.StringVarP(&s.o.Summary, "message", "m", "", "what changed, as `TEXT`; with --all also the commit's message")
	f.BoolVar(&s.o.All, "all", false, "commit everything that is not ignored first")
	f.StringArrayVar(&s.o.Lessons, "lesson", nil, "`TEXT` worth knowing next time; repeat for more")
	f.StringArrayVar(&s.evidence, "evidence", nil, "how a criterion is met, as `\"N: TEXT\"`; repeat for more")
	f.StringVar(&s.o.Handoff, "handoff", "", "what the next one to work here should know, as `TEXT`")
	f.StringSliceVar(&s.resolved, "resolved", nil, "`FINDING` of an earlier review that is dealt with, such as f2")
	f.StringArrayVar(&s.amend, "amend", nil, "propose other criteria: one `CRITERION`; repeat for all of them")
	f.StringVar(&s.amendReason, "amend-reason", "", "why the criteria should be others, as `TEXT`")
	f.StringSliceVar(&s.with, "with", nil, "another `SESSION` that worked on it and may not review it")
	f.StringVar(&s.o.Read, "read", "", "`DIGEST` of the task's text that was read after somebody edited it")
	_ = c.MarkFlagRequired("message")
	return c
}

func (s *submission) run(ctx context.Context, _ []string) (output, error) {
	d, b, err := s.stage(ctx, coord.KindCode)
	if err != nil {
		return output{}, err
	}
	if err := s.report(b.Task); err != nil {
		return output{}, err
	}
	before, err := s.recordDetached(ctx, d, b)
	s.sayRecorded(before)
	if err != nil {
		return output{}, err
	}
	done, err := d.Submit(ctx, b, s.o)
	if err != nil {
		return output{}, err
	}
	if done.Committed != "" {
		s.say("committed %s", done.Committed.Short())
	}
	return output{kind: "submission", data: done, text: func(w io.Writer) { writeSubmitted(w, done.Submission) }}, nil
}

// report takes what the flags say about the work.
func (s *submission) report(task coord.TaskID) error {
	for _, e := range s.evidence {
		n, text, ok := strings.Cut(e, ":")
		number, err := strconv.Atoi(strings.TrimSpace(n))
		if !ok || err != nil {
			return coord.Errorf(coord.CodeBadRequest, "evidence is \"N: TEXT\" with the number of a criterion, not %q; nothing was submitted", coord.OneLine(e)).WithNext("coord task show " + string(task))
		}
		s.o.Evidence = append(s.o.Evidence, coord.Evidence{Criterion: number, Text: strings.TrimSpace(text)})
	}
	for _, id := range s.resolved {
		if !strings.Contains(id, ".") {
			id = string(task) + "." + id
		}
		s.o.Resolved = append(s.o.Resolved, coord.FindingID(id))
	}
	for _, id := range s.with {
		s.o.Contributors = append(s.o.Contributors, coord.SessionID(id))
	}
	switch {
	case len(s.amend) > 0:
		s.o.Amendment = &coord.Amendment{Criteria: s.amend, Reason: s.amendReason}
	case s.amendReason != "":
		return coord.Errorf(coord.CodeBadRequest, "--amend-reason needs --amend with all the criteria that should hold; nothing was submitted").
			WithNext("coord submit --amend CRITERION --amend-reason REASON -m SUMMARY")
	}
	return nil
}

func writeSubmitted(w io.Writer, x coord.Submission) {
	var then []string
	if len(x.Reviews) > 0 {
		then = append(then, "review "+joinIDs(x.Reviews))
	}
	if x.Integration != "" {
		then = append(then, "integration "+string(x.Integration))
	}
	if len(then) == 0 {
		fmt.Fprintf(w, "submitted %s; %s is done\n", x.ID, x.Task)
		return
	}
	fmt.Fprintf(w, "submitted %s → %s\n", x.ID, strings.Join(then, ", "))
}
