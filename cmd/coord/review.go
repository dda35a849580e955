package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

func newApprove(a *app) *cobra.Command {
	var note string
	c := a.verb("approve", "approve the submission under review", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.review(ctx, coord.RecordReview{Verdict: coord.VerdictApproved, Note: note})
	})
	c.Flags().StringVarP(&note, "message", "m", "", "why the criteria hold, as `TEXT`")
	_ = c.MarkFlagRequired("message")
	return c
}

func newReject(a *app) *cobra.Command {
	var note string
	var findings []string
	c := a.verb("reject", "request changes to the submission under review", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		r := coord.RecordReview{Verdict: coord.VerdictChangesRequested, Note: note}
		for _, f := range findings {
			r.Findings = append(r.Findings, coord.Finding{Severity: coord.SeverityRequired, Text: f})
		}
		return a.review(ctx, r)
	})
	c.Flags().StringVarP(&note, "message", "m", "", "what is wrong, as `TEXT`")
	c.Flags().StringArrayVar(&findings, "finding", nil, "one `THING` to change; repeat for more")
	_ = c.MarkFlagRequired("message")
	return c
}

func (a *app) review(ctx context.Context, r coord.RecordReview) (output, error) {
	d, b, err := a.stage(ctx, coord.KindReview)
	if err != nil {
		return output{}, err
	}
	review, err := d.Review(ctx, b, r)
	if err != nil {
		return output{}, err
	}
	return output{kind: "review", data: review, text: func(w io.Writer) {
		if review.Verdict == coord.VerdictApproved {
			fmt.Fprintf(w, "approved %s\nnext      coord integrate\n", review.Submission)
			return
		}
		fmt.Fprintf(w, "changes requested on %s; %s goes on from it\nnext      coord next\n", review.Submission, review.Submission.Task())
	}}, nil
}
