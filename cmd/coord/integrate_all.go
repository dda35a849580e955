package main

import (
	"context"
	"fmt"
	"io"

	"coord"
	"coord/work"
)

// integrateAll lands what waits, one after another, and says of each what
// became of it as it does.
func (a *app) integrateAll(ctx context.Context, target string) (output, error) {
	d, err := a.desk(ctx)
	if err != nil {
		return output{}, err
	}
	done, err := d.LandAll(ctx, target, func(o work.Outcome) {
		if o.Landed != nil {
			a.say("%s landed on %s as %s", o.Task, o.Landed.Target, o.Landed.Result.Short())
			return
		}
		a.say("%s", o.Refusal.Message)
	})
	if err != nil && len(done) == 0 {
		return output{}, err
	}
	return output{kind: "landings", data: listOf(done, ""), err: err, text: func(w io.Writer) {
		columns(w, func(w io.Writer) {
			for _, o := range done {
				if o.Landed != nil {
					fmt.Fprintf(w, "%s\tlanded\t%s %s\n", o.Task, o.Landed.Target, o.Landed.Result.Short())
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", o.Task, wentBack(o.Refusal), firstNext(o.Refusal))
			}
		})
	}}, nil
}

func wentBack(e *coord.Error) string {
	if e.Code == coord.CodeMergeConflict {
		return "conflict"
	}
	return "check failed"
}

func firstNext(e *coord.Error) string {
	if len(e.Next) == 0 {
		return ""
	}
	return e.Next[0]
}
