package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"coord"
)

func newCheck(a *app) *cobra.Command {
	return a.verb("check [NAME…]", "run the checks that the target requires, on this exact tree", cobra.ArbitraryArgs, a.check)
}

func (a *app) check(ctx context.Context, names []string) (output, error) {
	d, b, err := a.stage(ctx, coord.KindCode)
	if err != nil {
		return output{}, err
	}
	receipts, err := d.Check(ctx, b, names)
	if len(receipts) == 0 && err != nil {
		return output{}, err
	}
	return output{kind: "receipts", data: listOf(receipts, ""), err: err, text: func(w io.Writer) {
		if len(receipts) == 0 {
			fmt.Fprintf(w, "%s on %s requires no checks\n", configName, b.Target)
		}
		columns(w, func(w io.Writer) {
			for _, r := range receipts {
				fmt.Fprintf(w, "%s\t%s\t%.1f s\ttree %s\n", r.Check, resultWord(r), (time.Duration(r.DurationMS) * time.Millisecond).Seconds(), r.Tree.Short())
			}
		})
	}}, nil
}

func resultWord(r coord.Receipt) string {
	switch {
	case len(r.Changed) > 0:
		return "changed files"
	case r.Result == coord.ResultPassed:
		return "pass"
	case r.Result == coord.ResultFailed:
		return "fail"
	}
	return string(r.Result)
}
