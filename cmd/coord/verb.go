package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// runner does what a verb is for and returns the one value to print.
type runner func(ctx context.Context, args []string) (output, error)

// verb is a command that ends with one value. What it refuses about its
// arguments is a usage error.
func (a *app) verb(use, short string, args cobra.PositionalArgs, run runner) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: strings.ToUpper(short[:1]) + short[1:], Args: inWords(args), DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.result, a.err = run(cmd.Context(), args)
			a.err = a.refusedToken(withHelp(a.err, cmd))
			return nil
		},
	}
}

// withHelp points a refusal of what was typed at the verb's help when it says
// nothing better.
func withHelp(err error, cmd *cobra.Command) error {
	var e *coord.Error
	if errors.As(err, &e) && e.Code == coord.CodeBadRequest && len(e.Next) == 0 {
		return e.WithNext(cmd.CommandPath() + " --help")
	}
	return err
}

// group is a noun with verbs of its own.
func (a *app) group(noun, short string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: noun, Short: short, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s has no verb %q", cmd.CommandPath(), args[0])
			}
			return fmt.Errorf("%s needs a verb: %s", cmd.CommandPath(), strings.Join(names(cmd), ", "))
		},
	}
	c.AddCommand(verbs...)
	return c
}

// names lists the visible verbs of a group.
func names(c *cobra.Command) []string {
	var all []string
	for _, v := range c.Commands() {
		if v.IsAvailableCommand() {
			all = append(all, v.Name())
		}
	}
	slices.Sort(all)
	return all
}

// inWords refuses the arguments that check refuses, and says what the verb
// takes.
func inWords(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(cmd.Use, " ")
		switch {
		case takes == "":
			return fmt.Errorf("%s takes no argument, not %q", cmd.CommandPath(), args[0])
		case len(args) == 0:
			return fmt.Errorf("%s needs a %s", cmd.CommandPath(), takes)
		}
		return fmt.Errorf("%s takes one %s, not %d; quote what has spaces", cmd.CommandPath(), strings.Trim(takes, "[]"), len(args))
	}
}

// withoutMessage is the sentence for a verb whose -m was not given, the one
// flag that is ever required.
func withoutMessage(cmd *cobra.Command) string {
	f := cmd.Flags().Lookup("message")
	return cmd.CommandPath() + " needs -m TEXT: " + strings.ReplaceAll(strings.Replace(f.Usage, ", as `TEXT`", "", 1), "`", "")
}

// usageError turns what cobra found wrong with a command line into a refusal
// that says where to look.
func usageError(cmd *cobra.Command, args []string, err error) *coord.Error {
	sentence, _, _ := strings.Cut(err.Error(), "\n")
	if sentence == `required flag(s) "message" not set` {
		sentence = withoutMessage(cmd)
	}
	e := coord.Errorf(coord.CodeBadRequest, "%s; nothing was done", sentence)
	help := cmd.CommandPath() + " --help"
	if cmd.HasParent() || len(args) == 0 {
		return e.WithNext(help)
	}
	var next []string
	for _, near := range cmd.SuggestionsFor(args[0]) {
		next = append(next, strings.TrimSpace("coord "+near+" "+strings.Join(args[1:], " ")))
	}
	return e.WithNext(append(next, help)...)
}
