package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"coord"
)

// checkOptions are the flags of check.
type checkOptions struct {
	detach   bool
	decision string
}

func newCheck(a *app) *cobra.Command {
	var o checkOptions
	c := a.verb("check [NAME…]", "run the checks that the target requires, on this exact tree", cobra.ArbitraryArgs, func(ctx context.Context, names []string) (output, error) {
		return a.check(ctx, o, names)
	})
	c.Flags().BoolVar(&o.detach, "detach", false, "run them as a job that outlives this command; the next check or submit records what they said")
	c.Flags().StringVar(&o.decision, "decision", "", "the answered `DECISION` that lets a check run again which failed too often on this tree")
	return c
}

func (a *app) check(ctx context.Context, o checkOptions, names []string) (output, error) {
	d, b, err := a.stage(ctx, coord.KindCode)
	if err != nil {
		return output{}, err
	}
	d.Decision = coord.DecisionID(o.decision)
	if o.detach {
		return a.detachCheck(ctx, d, b, names)
	}
	before, err := a.recordDetached(ctx, d, b)
	if err != nil {
		return output{}, err
	}
	receipts, err := d.Check(ctx, b, names, receiptsOf(before))
	if len(before)+len(receipts) == 0 && err != nil {
		return output{}, err
	}
	all := append(receiptsOf(before), receipts...)
	return output{kind: "receipts", data: listOf(all, ""), err: err, text: func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintf(w, "%s on %s requires no checks\n", configName, b.Target)
		}
		columns(w, func(w io.Writer) {
			for _, r := range before {
				fmt.Fprintln(w, receiptRow(r.Receipt, r.Job))
			}
			for _, r := range receipts {
				fmt.Fprintln(w, receiptRow(r, ""))
			}
		})
	}}, nil
}

// resultWord is how a run ended, and what keeps it from being evidence.
func resultWord(r coord.Receipt) string {
	word := string(r.Result)
	switch {
	case len(r.Changed) > 0:
		return "changed files"
	case r.Result == coord.ResultPassed:
		word = "pass"
	case r.Result == coord.ResultFailed:
		word = "fail"
	}
	return word + doubt(r)
}

// receiptWord is resultWord in the words of the record.
func receiptWord(r coord.Receipt) string { return string(r.Result) + doubt(r) }

func doubt(r coord.Receipt) string {
	switch {
	case r.Spent && r.Result == coord.ResultFailed:
		return ", too often"
	case r.Spent:
		return ", failed too often"
	case r.Flaky:
		return ", flaky"
	}
	return ""
}
