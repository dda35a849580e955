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

type reserve struct {
	*app
	wait  bool
	adopt bool
	job   string
}

func newReserve(a *app) *cobra.Command {
	o := &reserve{app: a}
	c := a.verb("reserve NAME[=UNITS]...", "Take resources for this worktree's attempt, all or none", cobra.ArbitraryArgs, o.run)
	f := c.Flags()
	f.BoolVar(&o.wait, "wait", false, "stand in line until all of them are free")
	f.BoolVar(&o.adopt, "adopt", false, "take over what an earlier attempt at the task still holds: the named, or all")
	f.StringVar(&o.job, "job", "", "they are for `JOB`: while it may run they are kept")
	c.MarkFlagsMutuallyExclusive("adopt", "wait")
	c.MarkFlagsMutuallyExclusive("adopt", "job")
	return c
}

func (o *reserve) run(ctx context.Context, args []string) (output, error) {
	if o.adopt {
		return o.takeOver(ctx, args)
	}
	if len(args) == 0 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "reserve needs a NAME; nothing was reserved").WithNext("coord resource list", "coord reserve NAME")
	}
	set, err := parseWants(args)
	if err != nil {
		return output{}, err
	}
	d, b, err := o.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	got, err := d.Reserve(ctx, b, coord.Reserve{Wants: set, Job: coord.JobID(o.job)}, o.wait)
	if err != nil {
		return output{}, err
	}
	return output{kind: "reserved", data: got, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s holds %s\n", b.Task, inUnits(got.Reservations))
	}}, nil
}

func (o *reserve) takeOver(ctx context.Context, names []string) (output, error) {
	d, b, err := o.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	got, err := d.Adopt(ctx, b, work.Adoption{Reservations: true, Names: names})
	if err != nil {
		return output{}, err
	}
	return output{kind: "obligations", data: got, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s holds %s, as its earlier attempt did\n", b.Task, inUnits(got.Reservations))
	}}, nil
}

// parseWants reads NAME and NAME=UNITS.
func parseWants(args []string) ([]coord.Want, error) {
	set := make([]coord.Want, len(args))
	for i, arg := range args {
		name, units, counted := strings.Cut(arg, "=")
		set[i] = coord.Want{Resource: name, Units: 1}
		if !counted {
			continue
		}
		n, err := strconv.Atoi(units)
		if err != nil || n < 1 {
			return nil, coord.Errorf(coord.CodeBadRequest, "%q is not NAME or NAME=UNITS; nothing was reserved", arg)
		}
		set[i].Units = n
	}
	return coord.CanonicalWants(set)
}

// inUnits names reservations as they are typed.
func inUnits(all []coord.Reservation) string {
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = coord.Want{Resource: n.Resource, Units: n.Units}.String()
	}
	return strings.Join(words, ", ")
}

func newUnreserve(a *app) *cobra.Command {
	return a.verb("unreserve [NAME]...", "Give resources back: the named, or all that no job uses", cobra.ArbitraryArgs, a.unreserve)
}

func (a *app) unreserve(ctx context.Context, names []string) (output, error) {
	d, b, err := a.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	back, err := d.Unreserve(ctx, b, names)
	if err != nil {
		return output{}, err
	}
	return output{kind: "reservations", data: listOf(back, ""), text: func(w io.Writer) {
		if len(back) == 0 {
			fmt.Fprintf(w, "%s holds nothing to give back\n", b.Task)
			return
		}
		fmt.Fprintf(w, "%s gave %s back\n", b.Task, inUnits(back))
	}}, nil
}
