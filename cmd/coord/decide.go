package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

func newDecide(a *app) *cobra.Command {
	var note string
	var person bool
	c := a.verb("decide DECISION OPTION", "answer a decision with one of its options", cobra.ArbitraryArgs, func(ctx context.Context, args []string) (output, error) {
		return a.decide(ctx, args, note, person)
	})
	c.Flags().StringVarP(&note, "message", "m", "", "why, as `TEXT`")
	c.Flags().BoolVar(&person, "person", false, "as the person signed in here")
	return c
}

func (a *app) decide(ctx context.Context, args []string, note string, person bool) (output, error) {
	switch {
	case len(args) == 0:
		return output{}, coord.Errorf(coord.CodeBadRequest, "decide needs a decision and one of its options; nothing was done").WithNext("coord decisions")
	case len(args) > 2:
		return output{}, coord.Errorf(coord.CodeBadRequest, "decide takes one option, not %d; quote what has spaces; nothing was done", len(args)-1).WithNext("coord decisions " + args[0])
	}
	svc, project, err := a.eitherInProject(ctx, person)
	if err != nil {
		return output{}, err
	}
	d, err := svc.Decision(ctx, project, coord.DecisionID(args[0]))
	if err != nil {
		return output{}, err
	}
	option, err := optionMeant(d, args[1:])
	if err != nil {
		return output{}, err
	}
	answered, err := svc.Decide(ctx, coord.Decide{Project: project, Decision: d.ID, Option: option, Note: note})
	if err != nil {
		return output{}, orAsPerson(err, "coord decide "+string(d.ID)+" "+shellWord(option)+" --person")
	}
	return output{kind: "decision", data: answered, text: func(w io.Writer) {
		fmt.Fprintf(w, "%s answered: %s\n", answered.ID, coord.OneLine(answered.Answer.Option))
		if len(answered.Tasks) > 0 {
			field(w, "for", "%s", clip(joinIDs(answered.Tasks), 400))
		}
	}}, nil
}

// optionMeant is the option that is written out, numbered, or the only one
// that begins so.
func optionMeant(d coord.Decision, args []string) (string, error) {
	said := strings.Join(args, " ")
	if slices.Contains(d.Options, said) {
		return said, nil
	}
	if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(d.Options) {
		return d.Options[n-1], nil
	}
	var meant []string
	for _, o := range d.Options {
		if said != "" && strings.HasPrefix(strings.ToLower(o), strings.ToLower(said)) {
			meant = append(meant, o)
		}
	}
	if len(meant) == 1 {
		return meant[0], nil
	}
	var choices []string
	for i, o := range d.Options {
		choices = append(choices, fmt.Sprintf("%d. %s", i+1, o))
	}
	what := fmt.Sprintf("%q is none of the options of %s", said, d.ID)
	if len(meant) > 1 {
		what = fmt.Sprintf("%q is the beginning of several options of %s", said, d.ID)
	}
	if said == "" {
		what = fmt.Sprintf("%s is answered with one of its options", d.ID)
	}
	return "", coord.Errorf(coord.CodeBadRequest, "%s: %s; nothing was done", what, strings.Join(choices, " ")).WithNext("coord decide "+string(d.ID)+" 1", "coord decisions "+string(d.ID))
}
