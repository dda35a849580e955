package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// judgement are the flags of approve and reject.
type judgement struct {
	*app
	verdict            coord.Verdict
	note               string
	findings, advice   []string
	resolved           []string
	accept, reject     bool
	withdraw, asPerson bool
}

func newApprove(a *app) *cobra.Command {
	o := &judgement{app: a, verdict: coord.VerdictApproved}
	c := a.verb("approve [TASK]", "approve the submission under review; with a TASK or submission, as the person signed in here", cobra.MaximumNArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", "why the criteria hold, as `TEXT`")
	c.Flags().BoolVar(&o.withdraw, "withdraw", false, "take an approval back, of the task, submission or review named; -m says why")
	c.Flags().BoolVar(&o.asPerson, "person", false, "withdraw as the person signed in here")
	o.flags(c)
	return c
}

func newReject(a *app) *cobra.Command {
	o := &judgement{app: a, verdict: coord.VerdictChangesRequested}
	c := a.verb("reject [TASK]", "request changes to the submission under review; with a TASK or submission, as the person signed in here", cobra.MaximumNArgs(1), o.run)
	c.Flags().StringVarP(&o.note, "message", "m", "", "what is wrong, as `TEXT`")
	c.Flags().StringArrayVar(&o.findings, "finding", nil, "one `THING` to change, as \"CLASS: TEXT\" or just the text; repeat for more")
	o.flags(c)
	return c
}

func (o *judgement) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&o.advice, "advisory", nil, "one `THING` that might be better, as \"CLASS: TEXT\"; repeat for more")
	f.StringSliceVar(&o.resolved, "resolved", nil, "`FINDING` of an earlier review that is dealt with, such as pay-1.f2 or f2")
	f.BoolVar(&o.accept, "accept-amendment", false, "the criteria that the submission proposes hold from now on")
	f.BoolVar(&o.reject, "reject-amendment", false, "the criteria stay as they are")
	c.MarkFlagsMutuallyExclusive("accept-amendment", "reject-amendment")
	_ = c.MarkFlagRequired("message")
}

func (o *judgement) run(ctx context.Context, args []string) (output, error) {
	switch {
	case o.withdraw:
		return o.takeBack(ctx, o.taskArg(args))
	case len(args) > 0:
		return o.judge(ctx, args[0])
	}
	d, b, err := o.stage(ctx, coord.KindReview)
	if err != nil {
		return output{}, o.orPerson(err)
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return output{}, err
	}
	review, err := d.Review(ctx, b, coord.RecordReview{Judgement: o.said(t.Submission.Task())})
	if err != nil {
		return output{}, err
	}
	return judged(ctx, d.Service, review), nil
}

// orPerson tells a person how to judge without an attempt.
func (o *judgement) orPerson(err error) error {
	e := asError(err)
	if e.Code != coord.CodeStateConflict {
		return err
	}
	verb := "approve"
	if o.verdict == coord.VerdictChangesRequested {
		verb = "reject"
	}
	return e.WithNext(append(e.Next, "coord "+verb+" TASK -m NOTE")...)
}

// said is the judgement as the service takes it. A finding may be named
// without its task.
func (o *judgement) said(work coord.TaskID) coord.Judgement {
	j := coord.Judgement{Verdict: o.verdict, Note: o.note}
	for _, f := range o.findings {
		j.Findings = append(j.Findings, parseFinding(coord.SeverityRequired, f))
	}
	for _, f := range o.advice {
		j.Findings = append(j.Findings, parseFinding(coord.SeverityAdvisory, f))
	}
	for _, id := range o.resolved {
		if !strings.Contains(id, ".") {
			id = string(work) + "." + id
		}
		j.Resolved = append(j.Resolved, coord.FindingID(id))
	}
	switch {
	case o.accept:
		j.Amendment = coord.AmendmentAccepted
	case o.reject:
		j.Amendment = coord.AmendmentRejected
	}
	return j
}

// parseFinding reads "CLASS: TEXT", or a text without a class.
func parseFinding(s coord.Severity, text string) coord.Finding {
	class, rest, ok := strings.Cut(text, ": ")
	if ok && len(class) <= 40 && class != "" && strings.Trim(class, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
		return coord.Finding{Severity: s, Class: class, Text: rest}
	}
	return coord.Finding{Severity: s, Text: text}
}

// judge is a person's decision on the submission that ref names: its id, or
// that of its task or of one of its reviews.
func (o *judgement) judge(ctx context.Context, ref string) (output, error) {
	p, err := o.asOperator()
	if err != nil {
		return output{}, err
	}
	id, err := o.submissionNamed(ctx, p, ref)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	review, err := p.Judge(ctx, coord.Judge{Submission: id, Judgement: o.said(id.Task())})
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return judged(ctx, p, review), nil
}

func (a *app) submissionNamed(ctx context.Context, svc coord.Service, ref string) (coord.SubmissionID, error) {
	if id := coord.SubmissionID(ref); string(id.Task()) != ref {
		return id, nil
	}
	id, err := a.taskNamed(ctx, svc, ref)
	if err != nil {
		return "", err
	}
	t, err := svc.Task(ctx, id)
	if err == nil && t.Submission == "" {
		err = coord.Errorf(coord.CodeStateConflict, "%s has no submission that waits for review or landing; nothing was changed", id).WithNext("coord task show " + string(id))
	}
	return t.Submission, err
}

// judged says what became of the submission.
func judged(ctx context.Context, svc coord.Service, r coord.Review) output {
	work := r.Submission.Task()
	state := coord.SubmissionApproved
	var blockers []coord.Blocker
	if t, err := svc.Task(ctx, work); err == nil {
		blockers = t.Blockers
		for _, x := range t.Submissions {
			if x.ID == r.Submission {
				state = x.State
			}
		}
	}
	return output{kind: "review", data: r, text: func(w io.Writer) {
		switch {
		case r.Verdict == coord.VerdictChangesRequested && len(blockers) > 0:
			fmt.Fprintf(w, "changes requested on %s\n", r.Submission)
			for _, b := range blockers {
				writeBlocker(w, b)
			}
			field(w, "next", "coord next")
		case r.Verdict == coord.VerdictChangesRequested:
			fmt.Fprintf(w, "changes requested on %s; %s goes on from it\nnext      coord next\n", r.Submission, work)
		case state == coord.SubmissionAccepted:
			fmt.Fprintf(w, "approved %s; %s is done\nnext      coord next\n", r.Submission, work)
		case state == coord.SubmissionInReview:
			fmt.Fprintf(w, "approved %s, which waits for another review\nnext      coord next\n", r.Submission)
		default:
			fmt.Fprintf(w, "approved %s\nnext      coord integrate\n", r.Submission)
		}
	}}
}

// takeBack withdraws an approval: the review named, or the only one of the
// submission or task named that counts.
func (o *judgement) takeBack(ctx context.Context, ref string) (output, error) {
	if ref == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "say whose approval to take back; nothing was done").WithNext("coord approve --withdraw TASK -m REASON")
	}
	svc, err := o.either(ctx, o.asPerson)
	if err != nil {
		return output{}, err
	}
	id, err := o.reviewNamed(ctx, svc, ref)
	if err != nil {
		return output{}, err
	}
	x, err := svc.WithdrawApproval(ctx, coord.WithdrawApproval{Review: id, Reason: o.note})
	if err != nil {
		return output{}, err
	}
	return output{kind: "submission", data: x, text: func(w io.Writer) {
		fmt.Fprintf(w, "the approval %s counts no more; %s is %s\nnext      coord task show %s\n", id, x.ID, strings.ReplaceAll(string(x.State), "_", " "), x.Task)
	}}, nil
}

func (a *app) reviewNamed(ctx context.Context, svc coord.Service, ref string) (coord.ReviewID, error) {
	if number, ok := strings.CutPrefix(ref, "v"); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return coord.ReviewID(ref), nil
	}
	sub, err := a.submissionNamed(ctx, svc, ref)
	if err != nil {
		return "", err
	}
	t, err := svc.Task(ctx, sub.Task())
	if err != nil {
		return "", err
	}
	var found, next []string
	for _, r := range t.Reviews {
		if r.Submission == sub && r.Verdict == coord.VerdictApproved && r.Voided == "" {
			found, next = append(found, string(r.ID)+" of "+coord.OneLine(r.Reviewer)), append(next, "coord approve --withdraw "+string(r.ID)+" -m REASON")
		}
	}
	switch len(found) {
	case 0:
		return "", coord.Errorf(coord.CodeStateConflict, "%s has no approval that counts; nothing was changed", sub).WithNext("coord task show " + string(sub.Task()))
	case 1:
		id, _, _ := strings.Cut(found[0], " ")
		return coord.ReviewID(id), nil
	}
	return "", coord.Errorf(coord.CodeAmbiguous, "%s has the approvals %s; nothing was changed", sub, strings.Join(found, ", ")).WithNext(next...)
}
